"""The scoring job as it is run: its numbers, what it refuses, and what a kill -9 leaves of it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leash import records
from leash.errors import InputError
from leash.scoring.__main__ import Job, parser

SETTINGS = {"chunk_tokens": 16, "max_batch_tokens": 64, "threads": 1, "trust_remote_code": False}


class Work:
    """Questions, samples and traces in a folder, and the command that scores them with a model."""

    def __init__(self, folder: Path, model: Path, questions: int = 3, samples: int = 4) -> None:
        from transformers import AutoTokenizer

        self.folder, self.model = folder, model
        self.tokenizer = AutoTokenizer.from_pretrained(model)
        random = np.random.default_rng(0)
        names = [f"q{i}" for i in range(questions)]
        self.prompts = {name: f"what is {i} + {i}?" for i, name in enumerate(names)}
        records.write(
            folder / "questions.parquet",
            records.QUESTIONS,
            [
                {"question_id": name, "question": text, "gold": ["1"], "prompt": text, "metadata": "{}"}
                for name, text in self.prompts.items()
            ],
        )
        self.ids = {
            (name, index): random.integers(2, 40, size=random.integers(1, 30)).tolist()
            for name in names
            for index in range(samples)
        }
        self.write_samples(self.ids)
        first = names[0]
        prompt = {"question_id": first, "token_ids": self.tokenizer(self.prompts[first])["input_ids"]}
        records.write_json(folder / "sampled.json", {"first_prompt": prompt})

    def write_samples(self, ids: dict[tuple[str, int], list[int] | None]) -> None:
        rows = [
            {"question_id": name, "sample_index": index, "completion": "", "token_ids": some}
            for (name, index), some in ids.items()
        ]
        records.write(self.folder / "samples.parquet", records.SAMPLES, rows)

    def command(self, out: Path, traces: Path | None = None, **changes: Any) -> list[str]:
        spec = {
            "model": {"path": str(self.model)},
            "state": ["mine", "final"],
            "benchmark": "sums",
            "chat_template": False,
            "dtype": "float32",
            "too_long": "refuse",
            "windows": [4, 16] if traces else [],
            "per_token": False,
            "samples": 4,
            "version": 1,
        } | changes
        samples = ["--samples", self.folder / "samples.parquet", "--sampled", self.folder / "sampled.json"]
        what = ["--traces", traces] if traces else samples
        return [
            *(sys.executable, "-m", "leash.scoring", "--spec", json.dumps(spec)),
            *("--settings", json.dumps(SETTINGS), "--questions", str(self.folder / "questions.parquet")),
            *map(str, what),
            *("--out", str(out), "--provenance", str(out.with_suffix(".json"))),
        ]

    def run(self, out: Path, **changes: Any) -> None:
        Job(parser().parse_args(self.command(out, **changes)[3:])).run(sys.stderr)

    def naive(self, prompt: list[int], ids: list[int]) -> tuple[float, float]:
        """Log-likelihood and entropy, summed, from all logits at once."""
        import torch
        from transformers import AutoModelForCausalLM

        model = AutoModelForCausalLM.from_pretrained(self.model, dtype=torch.float32)
        with torch.inference_mode():
            logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1].double()
        logs = torch.log_softmax(logits, dim=-1)
        told = logs[torch.arange(len(ids)), torch.tensor(ids)]
        return float(told.sum()), float(-(logs.exp() * logs).sum())


@pytest.fixture
def work(tmp_path: Path, micro_model: Path) -> Work:
    return Work(tmp_path, micro_model)


def scored(out: Path) -> dict[tuple[str, str, int], records.Row]:
    rows = records.read(out, records.TOKENS)
    return {(row["question_id"], row["kind"] + row["source"], row["index"]): row for row in rows}


def test_completions_are_scored_by_the_tokens_that_were_drawn(work: Work, tmp_path: Path) -> None:
    out = tmp_path / "tokens.parquet"
    work.run(out, samples=3)
    rows = scored(out)
    assert set(rows) == {(name, "completion", index) for name in work.prompts for index in range(3)}
    for (name, _, index), row in rows.items():
        ids = work.ids[name, index]
        told = work.naive(work.tokenizer(work.prompts[name])["input_ids"], ids)
        assert (row["loglik"], row["entropy"]) == pytest.approx(told, abs=1e-4)
        assert (row["n_tokens"], row["problem"], row["cut"]) == (len(ids), None, False)
    provenance = json.loads(out.with_suffix(".json").read_text())
    assert provenance["rows"] == 9
    assert provenance["tokens_scored_in_this_run"] == sum(row["n_tokens"] for row in rows.values())
    assert not list(tmp_path.glob(".tokens.parquet.parts"))


def test_traces_are_scored_with_windows_and_the_question_alone(work: Work, tmp_path: Path) -> None:
    texts = {"q0": "add them: it is 0.", "q1": "2", "q2": "four 😀"}
    traces = tmp_path / "traces.parquet"
    records.write(
        traces,
        records.TRACES,
        [{"question_id": name, "source": "r1", "index": 0, "trace": text} for name, text in texts.items()],
    )
    out = tmp_path / "trace-tokens.parquet"
    work.run(out, traces=traces)
    assert records.note(out, "windows") == [4, 16]
    rows = scored(out)
    ids = work.tokenizer(texts["q0"])["input_ids"]
    prompt = work.tokenizer(work.prompts["q0"])["input_ids"]
    row = rows["q0", "tracer1", 0]
    assert row["loglik"] == pytest.approx(work.naive(prompt, ids)[0], abs=1e-4)
    assert row["tail_loglik"] == pytest.approx(
        [work.naive(prompt + ids[:cut], ids[cut:])[0] for cut in (4, 16)], abs=1e-4
    )
    assert sum(row["token_loglik"]) == pytest.approx(row["loglik"], abs=0.1)
    assert rows["q1", "tracer1", 0]["tail_loglik"] == [None, None]
    assert "the tokenizer cannot encode it: character 5 is '😀'" in rows["q2", "tracer1", 0]["problem"]
    question = work.tokenizer(work.prompts["q1"])["input_ids"]
    alone = rows["q1", "question", 0]
    assert alone["loglik"] == pytest.approx(work.naive(question[:1], question[1:])[0], abs=1e-4)


def test_what_cannot_be_scored_is_told_and_the_rest_goes_on(work: Work, tmp_path: Path) -> None:
    long = [5] * 200  # the context is 128
    work.write_samples({**work.ids, ("q0", 0): [], ("q0", 1): [7, 99_999], ("q0", 2): None, ("q0", 3): long})
    out = tmp_path / "tokens.parquet"
    work.run(out)
    rows = scored(out)
    problems = [rows["q0", "completion", index]["problem"] for index in range(4)]
    assert problems[0] == "empty completion"
    assert "token id 99999 is outside the vocabulary of" in problems[1]
    assert problems[2] == "its token ids were not kept: sampling.token_ids was below scoring.samples"
    assert problems[3] == "214 tokens with its prompt, and the context is 128"
    assert all(row["loglik"] is not None for (name, _, _), row in rows.items() if name != "q0")
    assert sum(json.loads(out.with_suffix(".json").read_text())["not_scored"].values()) == 4
    work.run(out, too_long="cut")
    row = scored(out)["q0", "completion", 3]
    assert (row["n_tokens"], row["cut"], row["problem"]) == (128 - 14, True, None)


def test_another_prompt_than_the_samplers_is_refused(work: Work, tmp_path: Path) -> None:
    told = {"question_id": "q0", "token_ids": [0, 1, 2]}
    records.write_json(tmp_path / "sampled.json", {"first_prompt": told})
    with pytest.raises(InputError, match="the sampler's prompt of question 'q0' has other token ids"):
        work.run(tmp_path / "tokens.parquet")


def test_a_killed_job_goes_on_and_its_file_is_the_same(tmp_path: Path, micro_model: Path) -> None:
    work = Work(tmp_path, micro_model, questions=100)
    whole = tmp_path / "whole/tokens.parquet"
    work.run(whole)
    out = tmp_path / "killed/tokens.parquet"
    parts = out.parent / ".tokens.parquet.parts"
    job = subprocess.Popen(work.command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(list(parts.glob("*.parquet"))) < 20:
        assert job.poll() is None, "the job ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.002)
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("*.parquet")}
    assert not out.exists()
    ended = subprocess.run(work.command(out), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert f"{len(kept)} finished batches are kept" in ended.stderr
    assert out.read_bytes() == whole.read_bytes()
    again, once = (json.loads(file.with_suffix(".json").read_text()) for file in (out, whole))
    assert 0 < again["tokens_scored_in_this_run"] < once["tokens_scored_in_this_run"]
    assert not parts.exists()


def test_parts_of_another_job_are_not_taken_for_this_one(
    work: Work, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tokens.parquet"
    parts = tmp_path / ".tokens.parquet.parts"
    parts.mkdir()
    (parts / "job.json").write_text("{}")
    (parts / "0000000.parquet").write_text("not of this job")
    work.run(out)
    assert "parts of another job are thrown away" in capsys.readouterr().err
    assert len(scored(out)) == 12
