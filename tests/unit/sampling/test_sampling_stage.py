"""The sampler: order, identity of samples, refusals, and what it leaves beside them."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from transformers import AutoTokenizer

from leash import records
from leash.errors import InputError
from leash.processes import sole_owner
from leash.sampling.__main__ import source_of
from leash.sampling.cores import claim_cores
from leash.sampling.engine import Engine, Source
from leash.sampling.plan import question_seed, questions_sha256
from leash.sampling.provenance import part_path

SETTINGS = {
    "tensor_parallel_size": 1,
    "gpu_memory_utilization": 0.9,
    "max_model_len": 64,
    "max_num_seqs": 16,
    "max_num_batched_tokens": 2048,
    "enable_chunked_prefill": False,
    "enforce_eager": True,
    "in_process": True,
    "threads": 1,
    "pin_cores": False,
    "cpu_kvcache_gib": 1,
    "trust_remote_code": False,
}
SOME = ["q3", "q5", "q11"]  # the questions of a later round

# A sampler that ends itself with SIGKILL at a chosen moment, or that has no vLLM.
AT_A_MOMENT = """
import os, signal, sys
from leash.sampling import __main__, parts

moment = sys.argv.pop(1)
add, write = parts.Part.add, os.write


def end(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def write_half(file, line):
    write(file, line[: len(line) // 2])
    end()


def add_some(part, request, completion):
    if part.done == 40:
        os.write = write_half
    add(part, request, completion)


if moment == "before the first record":
    __main__.Engine = end
elif moment == "within a record":
    parts.Part.add = add_some
elif moment == "before the rename":
    parts.Part.rows = end
else:
    sys.modules["vllm"] = None
__main__.main()
"""

# All samples of a question by one request, as vLLM itself spreads them over seeds.
TOGETHER = """
import json, sys
from leash.sampling.engine import Engine, Source, prepare_environment
from vllm import SamplingParams

model, settings, asked = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
prepare_environment(settings)
engine = Engine(Source(model, None), "float32", settings)
params = dict(n=8, temperature=1.0, top_p=0.95, max_tokens=24)
drawn = engine._llm.generate(
    [{"prompt_token_ids": engine.render(prompt, False)} for prompt, _ in asked],
    [SamplingParams(seed=seed, **params) for _, seed in asked],
)
with open(sys.argv[4], "w") as out:
    json.dump([[[one.text, list(one.token_ids)] for one in each.outputs] for each in drawn], out)
"""


def spec(model: Path, start: int, stop: int) -> dict[str, Any]:
    return {
        "model": {"path": str(model)},
        "state": ["micro", "final"],
        "benchmark": "sums",
        "chat_template": False,
        "temperature": 1.0,
        "top_p": 0.95,
        "max_tokens": 24,
        "token_ids": 2,
        "dtype": "float32",
        "seed": 3,
        "start": start,
        "stop": stop,
        "version": 1,
    }


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "sums.parquet"
    rows = [
        {
            "question_id": f"q{i}",
            "question": f"{i}+{i}",
            "gold": [str(2 * i)],
            "prompt": f"{i} + {i} =",
            "metadata": "{}",
        }
        for i in range(12)
    ]
    records.write(path, records.QUESTIONS, rows)
    return path


def command(spec: dict[str, Any], questions: Path, out: Path, *options: str) -> list[str]:
    return [
        *(sys.executable, "-m", "leash.sampling"),
        *("--spec", json.dumps(spec), "--engine", json.dumps(SETTINGS)),
        *("--questions", str(questions), "--out", str(out), "--provenance", str(out.with_suffix(".json"))),
        *options,
    ]


@pytest.fixture(scope="module")
def drawn(micro_model: Path, questions: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Samples 0-7 in one shard, and 4-7 of some questions in a shard of a later round, by real vLLM."""
    folder = tmp_path_factory.mktemp("samples")
    planned = folder / "r1.json"
    shard = {"name": "later", "start": 4, "stop": 8, "questions": SOME}
    records.write_json(planned, {"round": 1, "shards": [shard]})
    asked = {"questions": questions_sha256(SOME)}
    files = {name: folder / f"{name}.parquet" for name in ("whole", "later")}
    subprocess.run(command(spec(micro_model, 0, 8), questions, files["whole"]), check=True)
    subprocess.run(
        command(spec(micro_model, 4, 8) | asked, questions, files["later"], "--round", str(planned)),
        check=True,
    )
    return files


def test_a_sample_is_the_same_in_whichever_shard_it_is_drawn(drawn: dict[str, Path]) -> None:
    whole = records.read(drawn["whole"], records.SAMPLES)
    columns = ("question_id", "sample_index", "completion", "finish_reason", "n_tokens")
    some = [row for row in whole if row["sample_index"] >= 4 and row["question_id"] in SOME]
    later = records.read(drawn["later"], records.SAMPLES)
    assert len(later) == 12
    assert [[row[name] for name in columns] for row in some] == [
        [row[name] for name in columns] for row in later
    ]


def test_a_sample_is_what_vllm_gives_when_asked_for_all_of_a_question_at_once(
    drawn: dict[str, Path], questions: Path, micro_model: Path, tmp_path: Path
) -> None:
    asked = [
        (row["prompt"], question_seed(3, "micro", "final", "sums", row["question_id"]))
        for row in records.read(questions, records.QUESTIONS)
    ]
    out = tmp_path / "together.json"
    subprocess.run(
        [sys.executable, "-c", TOGETHER, micro_model, json.dumps(SETTINGS), json.dumps(asked), out],
        check=True,
    )
    together = [one for question in json.loads(out.read_text()) for one in question]
    rows = records.read(drawn["whole"], records.SAMPLES)
    assert [text for text, _ in together] == [row["completion"] for row in rows]
    assert [len(ids) for _, ids in together] == [row["n_tokens"] for row in rows]
    assert all(row["token_ids"] in (None, ids) for (_, ids), row in zip(together, rows, strict=True))


def test_a_job_that_is_killed_at_any_moment_goes_on_and_its_file_is_the_same(
    drawn: dict[str, Path], micro_model: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "whole.parquet"
    options = command(spec(micro_model, 0, 8), questions, out)[3:]

    def run(moment: str) -> tuple[int, str]:
        job = [sys.executable, "-c", AT_A_MOMENT, moment, *options]
        ended = subprocess.run(job, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stderr

    for moment, told in (
        ("before the first record", ""),
        ("within a record", "kept 0 of 96 samples"),
        ("before the rename", "kept 40 of 96 samples"),
    ):
        status, log = run(moment)
        assert status == -signal.SIGKILL, log
        assert told in log
        assert not out.exists()
        assert part_path(out).exists()
    assert "ends in a record that was not written whole: it will be drawn again" in log
    status, log = run("without vLLM")
    assert status == 0, log
    assert "kept 96 of 96 samples" in log
    assert out.read_bytes() == drawn["whole"].read_bytes()
    told, once = (records.read_json(file.with_suffix(".json")) for file in (out, drawn["whole"]))
    attempts = told.pop("attempts")
    assert [one["samples"] for one in attempts] == [40, 56]
    assert sum(one["tokens"] for one in attempts) == told["tokens"]
    seconds = told.pop("seconds")
    for name in ("drawing", "engine_start"):
        assert seconds[name] == pytest.approx(sum(one[name] for one in attempts), abs=1e-2)
    assert attempts[1]["drawing"] > 0
    assert told == {key: value for key, value in once.items() if key not in ("attempts", "seconds")}


def test_samples_stand_in_question_order_and_are_all_there(drawn: dict[str, Path]) -> None:
    rows = records.read(drawn["whole"], records.SAMPLES)
    assert [(row["question_id"], row["sample_index"]) for row in rows] == [
        (f"q{question}", sample) for question in range(12) for sample in range(8)
    ]


def test_samples_differ_from_each_other(drawn: dict[str, Path]) -> None:
    rows = records.read(drawn["whole"], records.SAMPLES)
    assert len({row["completion"] for row in rows}) > 0.9 * len(rows)


def test_token_ids_are_kept_where_asked_and_spell_the_completion(
    drawn: dict[str, Path], micro_model: Path
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(micro_model)
    for row in records.read(drawn["whole"], records.SAMPLES):
        if row["sample_index"] >= 2:
            assert row["token_ids"] is None
            continue
        assert len(row["token_ids"]) == row["n_tokens"] <= 24
        assert tokenizer.decode(row["token_ids"], skip_special_tokens=True) == row["completion"]
        assert row["finish_reason"] == (
            "stop" if row["token_ids"][-1] == tokenizer.eos_token_id else "length"
        )


def test_provenance_says_how_to_draw_them_again(
    drawn: dict[str, Path], micro_model: Path, questions: Path
) -> None:
    told = records.read_json(drawn["later"].with_suffix(".json"))
    rows = records.read(drawn["later"], records.SAMPLES)
    assert told["spec"] == spec(micro_model, 4, 8) | {"questions": questions_sha256(SOME)}
    assert told["model"] == {"model": str(micro_model), "revision": None}
    assert told["first_prompt"]["text"] == "3 + 3 ="
    assert told["samples"] == len(rows) == 12
    assert list(told["seeds"]["questions"]) == sorted(SOME)  # as JSON is written
    assert len(told["attempts"]) == 1
    assert min(told["seconds"]["drawing"], told["seconds"]["engine_start"]) > 0
    assert told["tokens"] == sum(row["n_tokens"] for row in rows)
    assert told["seeds"]["questions"]["q3"] == question_seed(3, "micro", "final", "sums", "q3")
    assert {"python", "torch", "transformers", "vllm"} == set(told["versions"])
    assert told["chat_template_sha256"] is None
    weights = micro_model / "model.safetensors"
    assert told["inputs_sha256"] == {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in (questions, weights)
    }


def test_a_model_that_cannot_be_loaded_is_named(questions: Path, tmp_path: Path, micro_model: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text((micro_model / "config.json").read_text().replace("llama", "lama0"))
    ended = subprocess.run(
        command(spec(broken, 0, 4), questions, tmp_path / "s.parquet"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert f"error: {broken}: vLLM cannot load this model" in ended.stderr
    assert "check the model's hub/path/revision" in ended.stderr


def test_a_second_sampler_of_one_shard_is_told_who_draws_it(tmp_path: Path) -> None:
    out = tmp_path / "r0-s0.parquet"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\nfrom pathlib import Path\nfrom leash.processes import sole_owner\n"
            "with sole_owner(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)",
            str(out),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {holder.pid} is making it already"), sole_owner(out):
            pass
    finally:
        holder.kill()
        holder.wait()
    with sole_owner(out):  # the kernel has freed the lock of the killed process
        pass


def test_a_job_ends_when_its_parent_is_killed() -> None:
    job = "from leash.processes import die_with_parent; import os, time; die_with_parent(); "
    job += "print(os.getpid(), flush=True); time.sleep(60)"
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys\nsubprocess.run([sys.executable, '-c', sys.argv[1]])",
            job,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(100):
        if not running(child):
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the job outlived its parent by 10 s")


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_two_jobs_never_share_a_core() -> None:
    code = (
        "import os, sys\nfrom leash.sampling.cores import claim_cores\n"
        "claim = claim_cores(1)\nprint(*os.sched_getaffinity(0) if claim else ['none'], flush=True)\n"
        "sys.stdin.read()"
    )
    cores = sorted(os.sched_getaffinity(0))
    jobs = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(len(cores) + 1)
    ]
    told = [job.stdout.readline().strip() for job in jobs if job.stdout]
    for job in jobs:
        job.communicate("")
    claimed = [one for one in told if one != "none"]
    assert len(set(claimed)) == len(claimed)
    assert "none" in told
    assert {int(one) for one in claimed} <= set(cores)
    assert claim_cores(len(cores) + 1) is None
    assert os.sched_getaffinity(0) == set(cores)


def engine_with(tokenizer: Any) -> Engine:
    engine = object.__new__(Engine)
    engine._llm = SimpleNamespace(get_tokenizer=lambda: tokenizer)
    engine._source = Source("micro", None)
    return engine


def test_a_chat_prompt_is_rendered_by_the_template_and_a_plain_one_as_it_is(micro_model: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(micro_model)
    engine = engine_with(tokenizer)
    assert engine.text(engine.render("1+1", chat_template=False)) == "1+1"
    with pytest.raises(InputError, match="no chat template: set chat_template: false"):
        engine.render("1+1", chat_template=True)
    tokenizer.chat_template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<model>"
    assert engine.text(engine.render("1+1", chat_template=True)) == "<user>1+1<model>"
    expected = hashlib.sha256(tokenizer.chat_template.encode()).hexdigest()
    assert engine.describe()["chat_template_sha256"] == expected


def test_the_source_is_what_the_spec_names(tmp_path: Path) -> None:
    assert source_of({"hub": "a/b", "revision": "c"}, None) == ("a/b", "c")
    assert source_of({"path": "/m"}, None) == ("/m", None)
    assert source_of({"trained": "base/final"}, tmp_path) == (str(tmp_path), None)
    with pytest.raises(InputError, match="needs --weights"):
        source_of({"trained": "base/final"}, None)
