"""The sampler: order, identity of samples, refusals, and what it leaves beside them."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from transformers import AutoTokenizer

from leash import records
from leash.console import Progress
from leash.errors import InputError
from leash.processes import sole_owner
from leash.sampling.__main__ import Tally, make_requests, rows_in_order, source_of
from leash.sampling.cores import claim_cores
from leash.sampling.engine import Completion, Engine, Request
from leash.sampling.plan import question_seed

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


def command(model: Path, questions: Path, start: int, stop: int, out: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "leash.sampling"),
        *("--spec", json.dumps(spec(model, start, stop)), "--engine", json.dumps(SETTINGS)),
        *("--questions", str(questions), "--out", str(out), "--provenance", str(out.with_suffix(".json"))),
    ]


@pytest.fixture(scope="module")
def drawn(micro_model: Path, questions: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Samples 0-7 in one shard, and 4-7 in a shard of their own, by real vLLM."""
    folder = tmp_path_factory.mktemp("samples")
    files = {}
    for name, start, stop in (("whole", 0, 8), ("second", 4, 8)):
        files[name] = folder / f"{name}.parquet"
        subprocess.run(command(micro_model, questions, start, stop, files[name]), check=True)
    return files


def test_a_sample_is_the_same_in_whichever_shard_it_is_drawn(drawn: dict[str, Path]) -> None:
    whole = records.read(drawn["whole"], records.SAMPLES)
    second = records.read(drawn["second"], records.SAMPLES)
    columns = ("question_id", "sample_index", "completion", "finish_reason", "n_tokens")
    late = [[row[name] for name in columns] for row in whole if row["sample_index"] >= 4]
    assert late == [[row[name] for name in columns] for row in second]


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
    told = records.read_json(drawn["second"].with_suffix(".json"))
    rows = records.read(drawn["second"], records.SAMPLES)
    assert told["spec"] == spec(micro_model, 4, 8)
    assert told["first_prompt"]["text"] == "0 + 0 ="
    assert told["samples"] == len(rows) == 48
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
        command(broken, questions, 0, 4, tmp_path / "s.parquet"), capture_output=True, text=True, check=False
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


class FakeEngine:
    """Renders a character as a token."""

    context = 40

    def render(self, prompt: str, chat_template: bool) -> list[int]:
        assert not chat_template
        return list(range(len(prompt)))


def test_a_prompt_that_leaves_no_room_is_named(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    row = {"question": "?", "gold": ["1"], "metadata": "{}"}
    records.write(
        path,
        records.QUESTIONS,
        [row | {"question_id": "short", "prompt": "1"}, row | {"question_id": "long", "prompt": "x" * 17}],
    )
    with pytest.raises(
        InputError, match=r"question long has 17 tokens; with max_tokens 24 it needs a context of 41"
    ):
        make_requests(FakeEngine(), spec(tmp_path, 0, 4), path)  # type: ignore[arg-type]


def test_duplicate_questions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.parquet"
    row = {"question_id": "q", "question": "?", "gold": ["1"], "prompt": "1", "metadata": "{}"}
    records.write(path, records.QUESTIONS, [row, row])
    with pytest.raises(InputError, match="question_id stands more than once: q"):
        make_requests(FakeEngine(), spec(tmp_path, 0, 4), path)  # type: ignore[arg-type]


def test_requests_that_finish_early_wait_for_their_turn() -> None:
    requests = [Request(name, [0], 4, 2, 0) for name in "abc"]

    def out_of_order() -> Iterator[tuple[Request, list[Completion]]]:
        for request in (requests[2], requests[0], requests[1]):
            yield request, [Completion(f"{request.question_id}{i}", "stop", [1, 2]) for i in range(2)]

    out = StringIO()
    tally = Tally()
    rows = list(rows_in_order(requests, out_of_order(), 5, Progress(out, "sample", 6, "samples"), tally))
    assert [(row["question_id"], row["sample_index"], row["completion"]) for row in rows] == [
        *(("a", 4, "a0"), ("a", 5, "a1"), ("b", 4, "b0"), ("b", 5, "b1"), ("c", 4, "c0"), ("c", 5, "c1"))
    ]
    assert [row["token_ids"] for row in rows] == [[1, 2], None] * 3
    assert tally.tokens == 12
    assert "6/6 samples" in out.getvalue()


def engine_with(tokenizer: Any) -> Engine:
    engine = object.__new__(Engine)
    engine._llm = SimpleNamespace(get_tokenizer=lambda: tokenizer)
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
    assert engine.chat_template_hash() == expected


def test_the_source_is_what_the_spec_names(tmp_path: Path) -> None:
    assert source_of({"hub": "a/b", "revision": "c"}, None) == ("a/b", "c")
    assert source_of({"path": "/m"}, None) == ("/m", None)
    assert source_of({"trained": "base/final"}, tmp_path) == (str(tmp_path), None)
    with pytest.raises(InputError, match="needs --weights"):
        source_of({"trained": "base/final"}, None)
