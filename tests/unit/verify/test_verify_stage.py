"""`python -m leash.verify`: a verdict per sample in order, each answer scored once, nothing hidden."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.verify import VERIFIER_VERSION

SPEC: dict[str, Any] = {
    "verifier": "gym",
    "rules": None,
    "task": "gcd",
    "open_ended": False,
    "timeout": 5.0,
    "tolerance": 0.05,
    "version": VERIFIER_VERSION,
}
QUESTION = {"question_id": "gcd-1", "question": "q", "gold": ["6"], "prompt": "q", "metadata": "{}"}


def sample(index: int, completion: str, finish: str = "stop", question: str = "gcd-1") -> records.Row:
    return {
        "question_id": question,
        "sample_index": index,
        "completion": completion,
        "finish_reason": finish,
        "n_tokens": 3,
        "token_ids": None,
    }


def run(
    folder: Path, spec: Any, samples: list[records.Row], *more: str, gold: str = "6"
) -> subprocess.CompletedProcess[str]:
    records.write(folder / "q", records.QUESTIONS, [{**QUESTION, "gold": [gold]}])
    records.write(folder / "s", records.SAMPLES, samples, group=2)
    files = [f"--{name}={folder / name[0]}" for name in ("questions", "samples", "out")]
    command = [sys.executable, "-m", "leash.verify", "--spec", json.dumps(spec), *files, *more]
    return subprocess.run(command, capture_output=True, text=True)


def test_verdicts_stand_in_the_order_of_the_samples(tmp_path: Path) -> None:
    texts = ["<answer>6</answer>", "<answer> 6</answer>", "<answer>7 \0</answer>", "six", "<think>"]
    samples = [sample(9 - index, text) for index, text in enumerate(texts)]
    part = tmp_path / ".s.part"  # of the job that drew them
    part.touch()
    done = run(tmp_path, SPEC, [*samples, sample(0, "s", "length")])
    assert done.returncode == 0, done.stderr
    assert not part.exists()
    rows = records.read(tmp_path / "o", records.VERDICTS)
    assert [(row["sample_index"], row["outcome"], row["answer"], row["rule"]) for row in rows] == [
        (9, "correct", "6", "answer_tag"),
        (8, "correct", "6", "answer_tag"),
        (7, "wrong", "7\0", "answer_tag"),
        (6, "no_answer", None, None),
        (5, "no_answer", None, None),
        (0, "truncated", None, None),
    ]
    assert [row["seconds"] > 0 for row in rows][1:] == [False, True, False, False, False]
    assert "6 samples, " in done.stderr
    assert "correct 2, wrong 1, no_answer 2, truncated 1, verifier_timeout 0" in done.stderr


def test_mathematics_with_a_cache(tmp_path: Path) -> None:
    spec = {**SPEC, "verifier": "math", "task": "", "rules": ["boxed", "stated"]}
    samples = [
        sample(0, r"\boxed{\frac12}"),
        sample(1, "The answer is 0.5."),
        sample(2, "<answer>0.5</answer>"),
    ]
    cached = f"--cache={tmp_path / 'cache'}"
    for calls in ("calls", "0 calls"):
        done = run(tmp_path, spec, samples, cached, gold="1/2")
        assert done.returncode == 0, done.stderr
        assert calls in done.stderr
        rows = records.read(tmp_path / "o", records.VERDICTS)
        assert [row["outcome"] for row in rows] == ["correct", "correct", "no_answer"]


@pytest.mark.parametrize(
    ("spec", "question", "message"),
    [
        ({}, "gcd-2", "question gcd-2 is not in"),
        ({"task": "gdc"}, "gcd-1", "did you mean 'gcd'"),
        ({"task": "countdown"}, "gcd-1", "gold '6'"),
        ({"verifier": "gmy"}, "gcd-1", "no verifier 'gmy'"),
        ({"timeout": 0}, "gcd-1", "timeout must be more than 0"),
        ({"open_ended": 1}, "gcd-1", "open_ended cannot be 1"),
        ({"version": VERIFIER_VERSION + 1}, "gcd-1", "version is"),
        ({"tasks": "gcd"}, "gcd-1", "exactly the keys"),
        ({"rules": ["box"]}, "gcd-1", "no rule box"),
        ({"rules": []}, "gcd-1", "no rule given"),
    ],
)
def test_bad_input_ends_in_one_line_and_leaves_no_file(
    tmp_path: Path, spec: dict[str, Any], question: str, message: str
) -> None:
    done = run(tmp_path, {**SPEC, **spec}, [sample(0, "<answer>6</answer>", question=question)])
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"q", "s"}


def test_a_spec_that_is_no_json_is_an_input_error(tmp_path: Path) -> None:
    done = run(tmp_path, None, [])
    assert done.returncode == 1
    assert "must be a JSON object" in done.stderr
