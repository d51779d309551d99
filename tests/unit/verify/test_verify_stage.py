"""`python -m leash.verify`: a verdict per sample in order, each answer scored once, nothing hidden."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.errors import InputError
from leash.verify import VERIFIER_VERSION
from leash.verify import __main__ as stage
from leash.verify.pool import Reply

SPEC: dict[str, Any] = {
    "verifier": "gym",
    "task": "gcd",
    "open_ended": False,
    "timeout": 5.0,
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


def run(folder: Path, spec: Any, samples: list[records.Row]) -> subprocess.CompletedProcess[str]:
    records.write(folder / "q", records.QUESTIONS, [QUESTION])
    records.write(folder / "s", records.SAMPLES, samples, group=2)
    files = [f"--{name}={folder / name[0]}" for name in ("questions", "samples", "out")]
    command = [sys.executable, "-m", "leash.verify", "--spec", json.dumps(spec), *files]
    return subprocess.run(command, capture_output=True, text=True)


def test_verdicts_stand_in_the_order_of_the_samples(tmp_path: Path) -> None:
    texts = ["<answer>6</answer>", "<answer> 6</answer>", "<answer>7 \0</answer>", "six", "<think>"]
    samples = [sample(9 - index, text) for index, text in enumerate(texts)]
    done = run(tmp_path, SPEC, [*samples, sample(0, "s", "length")])
    assert done.returncode == 0, done.stderr
    rows = records.read(tmp_path / "o", records.VERDICTS)
    assert [(row["sample_index"], row["outcome"], row["answer"]) for row in rows] == [
        (9, "correct", "6"),
        (8, "correct", "6"),
        (7, "wrong", "7\0"),
        (6, "no_answer", None),
        (5, "no_answer", None),
        (0, "truncated", None),
    ]
    assert [row["seconds"] > 0 for row in rows] == [True, False, True, False, False, False]
    assert "6 samples, 3 scorings: correct 2, wrong 1, no_answer 2, truncated 1" in done.stderr


@pytest.mark.parametrize(
    ("spec", "question", "message"),
    [
        ({}, "gcd-2", "question gcd-2 is not in"),
        ({"task": "gdc"}, "gcd-1", "did you mean 'gcd'"),
        ({"task": "countdown"}, "gcd-1", "does not verify as task 'countdown'"),
        ({"verifier": "gmy"}, "gcd-1", "no verifier 'gmy'"),
        ({"timeout": 0}, "gcd-1", "timeout must be more than 0"),
        ({"open_ended": 1}, "gcd-1", "open_ended cannot be 1"),
        ({"version": VERIFIER_VERSION + 1}, "gcd-1", "version is"),
        ({"tasks": "gcd"}, "gcd-1", "exactly the keys"),
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


class FakeWorker:
    """Replies from a script; counts the calls."""

    def __init__(self, **replies: Reply) -> None:
        self.replies, self.calls = replies, 0

    def call(self, task: str, answer: str, gold: str, metadata: str) -> Reply:
        assert (task, gold, metadata) == ("gcd", "6", "{}")
        self.calls += 1
        return self.replies.get(answer, Reply([answer == gold, ""], None, "", 0.25))


def test_failures_of_the_verifier_are_outcomes_of_their_own_and_logged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    worker = FakeWorker(
        slow=Reply(None, "timeout", "killed after 5 s", 5.0), bad=Reply(None, "error", "ValueError: x", 0.1)
    )
    verifier = stage.Verifier(SPEC, {"gcd-1": QUESTION}, worker)  # type: ignore[arg-type]
    for text, outcome in (("slow", "verifier_timeout"), ("bad", "verifier_error"), ("7", "wrong")):
        found, seconds = verifier.verdict(sample(3, f"<answer>{text}</answer>"))
        assert (found.outcome, found.answer) == (outcome, text)
        assert seconds > 0
        assert verifier.verdict(sample(4, f"<answer>{text}</answer>")) == (found, 0.0)
    assert worker.calls == 4  # one of them proved the gold
    log = capsys.readouterr().err.splitlines()
    assert log == [
        "verifier_timeout: gcd-1 sample 3: answer 'slow': killed after 5 s",
        "verifier_error: gcd-1 sample 3: answer 'bad': ValueError: x",
    ]


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "_MEMO_ENTRIES", 2)
    worker = FakeWorker()
    verifier = stage.Verifier(SPEC, {"gcd-1": QUESTION}, worker)  # type: ignore[arg-type]
    for text in ("1", "2", "1", "3", "1", "2", "x" * 2000, "x" * 2000):
        verifier.verdict(sample(0, f"<answer>{text}</answer>"))
    assert worker.calls - 1 == len(["1", "2", "3", "2", "x", "x"])


def test_a_gold_that_does_not_verify_is_an_input_error() -> None:
    for reply in (Reply([False, "score 0"], None, "", 0.1), Reply(None, "error", "KeyError: 'numbers'", 0.1)):
        with pytest.raises(InputError, match=r"gcd-1: its own gold '6' does not verify.*(score 0|numbers)"):
            stage.Verifier(SPEC, {"gcd-1": QUESTION}, FakeWorker(**{"6": reply}))  # type: ignore[arg-type]
