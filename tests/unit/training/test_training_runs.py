"""The three recipes on a micro model: same weights twice, same weights after a kill, folders others can load."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.errors import InputError
from leash.training.__main__ import Inputs, train
from leash.training.corpus import build_corpus
from leash.training.spec import parse_corpus_spec, parse_training_spec
from leash.training.traces import STYLES
from leash.training.work import WorkFolder, sha256_of

SHARED = {"warmup_steps": 1, "threads": 1, "seed": 7, "version": 1, "save_steps": 1}
SUPERVISED = {"steps": 3, "batch_size": 4, "learning_rate": 1e-3, "weight_decay": 0.05, **SHARED}
SIZES = {"hidden_size": 16, "intermediate_size": 16, "layers": 1, "heads": 2, "kv_heads": 1}
DAPO = {
    "recipe": "dapo",
    "sources": [{"benchmark": "gcd", "task": "gcd"}, {"benchmark": "sums", "task": "chain_sum"}],
    "steps": 2,
    "prompts_per_step": 2,
    "rollouts": 4,
    "learning_rate": 1e-2,
    "epsilon_low": 0.2,
    "epsilon_high": 0.28,
    "temperature": 1.0,
    "top_p": 1.0,
    "max_tokens": 60,
    "checkpoints": [1, 2],
    **SHARED,
    "warmup_steps": 0,  # the first of warm-up steps has a learning rate of 0
}
PRETRAIN = {"recipe": "pretrain", "architecture": SIZES, **SUPERVISED}
SFT = {"recipe": "sft", **SUPERVISED}


@pytest.fixture(scope="module")
def corpus(question_files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [
        {"benchmark": task, "task": task, "rows": 20, "traces": dict.fromkeys(styles, 1.0)}
        for task, styles in STYLES.items()
    ]
    spec = parse_corpus_spec(json.dumps({"sources": sources, "seed": 0, "version": 1}))
    path = tmp_path_factory.mktemp("corpus") / "corpus.parquet"
    records.write(path, records.CORPUS, build_corpus(spec, [question_files[task] for task in STYLES]))
    return path


@pytest.fixture(scope="module")
def base(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base model folder, and training.json beside it."""
    folder = tmp_path_factory.mktemp("base")
    run(PRETRAIN, Inputs(corpus=corpus), folder / "work", folder)
    return folder / "final"


@pytest.fixture
def rl_inputs(base: Path, question_files: dict[str, Path]) -> Inputs:
    return Inputs(questions=(question_files["gcd"], question_files["chain_sum"]), init=base)


def run(spec: records.Row, inputs: Inputs, work: Path, out: Path) -> str:
    console = io.StringIO()
    train(parse_training_spec(json.dumps(spec)), inputs, work, out, console)
    return console.getvalue()


def weights(folder: Path) -> str:
    return sha256_of(folder / "model.safetensors")


def run_interrupted(
    monkeypatch: pytest.MonkeyPatch, at: int, spec: records.Row, inputs: Inputs, work: Path, out: Path
) -> None:
    """Break off while the state of step `at` is being written: its folder is there, but not whole."""
    mark_whole = WorkFolder.mark_whole

    def breaking(self: WorkFolder, state: Path, seconds: float) -> None:
        if state.name == f"checkpoint-{at}":
            (state / "model.safetensors").write_bytes(b"torn")
            raise KeyboardInterrupt
        mark_whole(self, state, seconds)

    with monkeypatch.context() as patch:
        patch.setattr(WorkFolder, "mark_whole", breaking)
        with pytest.raises(KeyboardInterrupt):
            run(spec, inputs, work, out)


def check_loads(folder: Path) -> None:
    """An ordinary model folder: config, weights, generation config and tokenizer, all found by their class."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    assert model.config.vocab_size == len(tokenizer)
    assert model.config.use_cache
    settings = GenerationConfig.from_pretrained(folder, local_files_only=True)
    assert settings.eos_token_id == model.config.eos_token_id == tokenizer.eos_token_id
    prompt = "State the final answer to the following arithmetic problem: 1 + 2 ="
    assert tokenizer.decode(tokenizer(prompt)["input_ids"]) == prompt
    model.generate(**tokenizer(prompt, return_tensors="pt"), max_new_tokens=2)


def test_pretrain_gives_the_same_weights_twice(base: Path, corpus: Path, tmp_path: Path) -> None:
    run(PRETRAIN, Inputs(corpus=corpus), tmp_path / "work", tmp_path / "out")
    assert weights(tmp_path / "out" / "final") == weights(base)
    run({**PRETRAIN, "seed": 8}, Inputs(corpus=corpus), tmp_path / "work", tmp_path / "other")
    assert weights(tmp_path / "other" / "final") != weights(base)


def test_pretrain_leaves_a_model_folder_and_an_account(base: Path) -> None:
    check_loads(base)
    account = records.read_json(base.parent / "training.json")
    assert account["spec"]["steps"] == 3
    assert [entry["step"] for entry in account["history"]] == [1, 2, 3]
    assert account["final_loss"] == account["history"][-1]["loss"] > 0
    assert account["versions"]["torch"]
    work = base.parent / "work"
    assert not (work / "states").exists()
    assert not (work / "models").exists()


def test_interrupted_pretrain_goes_on_to_the_same_weights(
    base: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = Inputs(corpus=corpus)
    run_interrupted(monkeypatch, 2, PRETRAIN, inputs, tmp_path / "work", tmp_path)
    said = run(PRETRAIN, inputs, tmp_path / "work", tmp_path)
    assert "going on from checkpoint-1" in said
    assert weights(tmp_path / "final") == weights(base)
    history = records.read_json(tmp_path / "training.json")["history"]
    assert history == records.read_json(base.parent / "training.json")["history"]


def test_killed_process_goes_on_to_the_same_weights(corpus: Path, tmp_path: Path) -> None:
    """A real kill -9 of the command line, then the same command."""
    work, out = tmp_path / "work", tmp_path / "out"
    spec = {**PRETRAIN, "steps": 300, "save_steps": 100}
    command = [sys.executable, "-m", "leash.training", "--spec", json.dumps(spec), "--corpus", str(corpus)]
    command += ["--work", str(work), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        waited_for(lambda: any(work.glob("states/checkpoint-*/whole.json")), process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert not out.exists()
    said = run(spec, Inputs(corpus=corpus), work, out)
    assert "going on from checkpoint-" in said
    run(spec, Inputs(corpus=corpus), tmp_path / "undisturbed", tmp_path)
    assert weights(out / "final") == weights(tmp_path / "final")


def waited_for(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    while not condition():
        assert process.poll() is None, "the training ended before it could be killed"
        time.sleep(0.02)


def test_other_spec_or_inputs_start_afresh_and_say_so(
    base: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = Inputs(corpus=corpus)
    run_interrupted(monkeypatch, 2, {**PRETRAIN, "learning_rate": 1e-4}, inputs, tmp_path / "work", tmp_path)
    said = run(PRETRAIN, inputs, tmp_path / "work", tmp_path)
    assert "holds another training (other spec learning_rate); starting afresh" in said
    assert "going on" not in said
    assert weights(tmp_path / "final") == weights(base)


def test_work_folder_in_use_is_refused(corpus: Path, tmp_path: Path) -> None:
    with WorkFolder(tmp_path / "work").locked(), pytest.raises(InputError, match=str(os.getpid())):
        run(PRETRAIN, Inputs(corpus=corpus), tmp_path / "work", tmp_path)


def test_sft_starts_from_the_base_and_repeats(base: Path, corpus: Path, tmp_path: Path) -> None:
    inputs = Inputs(corpus=corpus, init=base)
    for name in ("a", "b"):
        run(SFT, inputs, tmp_path / "work", tmp_path / name)
    assert weights(tmp_path / "a" / "final") == weights(tmp_path / "b" / "final") != weights(base)
    check_loads(tmp_path / "a" / "final")


def test_dapo_repeats_and_resumes_to_the_same_weights(
    base: Path, rl_inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A reward that varies, so that every step moves the weights of so untrained a model.
    import leash.training.dapo as dapo

    def spread(completions: list[str], **_columns: Any) -> list[float]:
        return [float(len(completion) % 3) for completion in completions]

    monkeypatch.setattr(dapo, "verifier_reward", lambda _worker: spread)
    for name in ("a", "b"):
        run(DAPO, rl_inputs, tmp_path / "work", tmp_path / name)
    run_interrupted(monkeypatch, 2, DAPO, rl_inputs, tmp_path / "work", tmp_path / "c")
    # Snakemake removes the outputs of a job that did not end well.
    shutil.rmtree(tmp_path / "c", ignore_errors=True)
    assert "going on from checkpoint-1" in run(DAPO, rl_inputs, tmp_path / "work", tmp_path / "c")
    for step in ("step1", "step2"):
        assert len({weights(tmp_path / name / step) for name in ("a", "b", "c")}) == 1
        check_loads(tmp_path / "a" / step)
    assert len({weights(tmp_path / "a" / "step1"), weights(tmp_path / "a" / "step2"), weights(base)}) == 3
    account = records.read_json(tmp_path / "a" / "training.json")
    assert [entry["step"] for entry in account["history"]] == [1, 2]
    assert account["final_reward"] == account["history"][-1]["reward"]


def test_reward_is_one_for_what_the_verifier_takes() -> None:
    from leash.training.dapo import reward_worker, verifier_reward

    completions = ["<think></think><answer>6</answer>", "<answer>7</answer>", "6", "<answer>6"]
    columns = {"gold": [["6"]] * 4, "task": ["gcd"] * 4, "metadata": ['{"numbers": [12, 18]}'] * 4}
    with reward_worker() as worker:
        assert verifier_reward(worker)(completions, **columns) == [1.0, 0.0, 0.0, 0.0]


def test_batches_hold_rows_of_like_length_and_miss_none() -> None:
    from leash.training.supervised import batch_order

    lengths = [index % 40 for index in range(400)]
    order = batch_order(lengths, batch_size=8, steps=100, seed=1)
    assert sorted(order) == sorted([*range(400), *range(400)])
    spreads = [
        max(lengths[row] for row in order[start : start + 8])
        - min(lengths[row] for row in order[start : start + 8])
        for start in range(0, 800, 8)
    ]
    shuffled_spread = 31  # of eight rows at random
    assert sum(spreads) / len(spreads) < shuffled_spread
    assert order != batch_order(lengths, batch_size=8, steps=100, seed=2)


@pytest.mark.parametrize(
    ("spec", "inputs", "message"),
    [
        (PRETRAIN, Inputs(), "needs --corpus"),
        (PRETRAIN, Inputs(corpus=Path("c"), init=Path("b")), "no use for --init"),
        (SFT, Inputs(corpus=Path("c")), "needs --init"),
        (DAPO, Inputs(init=Path("b")), "needs --questions"),
        (SFT, Inputs(corpus=Path("gone.parquet"), init=Path("gone")), "gone.parquet: not there"),
    ],
)
def test_wrong_inputs_are_named(spec: records.Row, inputs: Inputs, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        run(spec, inputs, tmp_path / "work", tmp_path)
    assert not (tmp_path / "work").exists()


def test_init_without_a_model_is_named(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no model"):
        run(SFT, Inputs(corpus=corpus, init=tmp_path / "empty"), tmp_path / "work", tmp_path)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({**PRETRAIN, "learning": 1}, "learning: Extra inputs"),
        ({**PRETRAIN, "steps": 0}, "steps: "),
        ({**PRETRAIN, "recipe": "ppo"}, "ppo"),
        ({**SFT, "architecture": SIZES}, "architecture belongs to recipe pretrain"),
        ({**DAPO, "checkpoints": [1, 3]}, "checkpoint 3 lies beyond the last step, 2"),
    ],
)
def test_wrong_specs_are_named(spec: records.Row, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_training_spec(json.dumps(spec))


def test_spec_that_is_not_json() -> None:
    with pytest.raises(InputError, match="not JSON"):
        parse_training_spec("{")
