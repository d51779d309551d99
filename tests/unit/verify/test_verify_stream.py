"""Samples to verdicts: each distinct answer judged once, every outcome told apart, failures never "wrong"."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import stand_ins
from leash import records
from leash.errors import InputError
from leash.verify import stream
from leash.verify.cache import Cache
from leash.verify.pool import Reply
from leash.verify.stream import Options, Verifier, grade_many

MATH = Options()
GYM = Options("gym", task="gcd", timeout=5.0)


def question(gold: str | Sequence[str] = "6", name: str = "q1") -> records.Row:
    golds = [gold] if isinstance(gold, str) else list(gold)
    return {"question_id": name, "question": "q", "gold": golds, "prompt": "q", "metadata": "{}"}


def sample(index: int, completion: str, finish: str = "stop", name: str = "q1") -> records.Row:
    return {
        "question_id": name,
        "sample_index": index,
        "completion": completion,
        "finish_reason": finish,
        "n_tokens": 3,
        "token_ids": None,
    }


def graded(
    folder: Path,
    golds: Sequence[str | Sequence[str]],
    completions: Sequence[str],
    options: Options = MATH,
    **more: Any,
) -> tuple[stream.Tally, list[records.Row]]:
    """Each completion to each question, through files."""
    questions = [question(gold, f"q{index}") for index, gold in enumerate(golds)]
    rows = [
        sample(index, text, name=one["question_id"])
        for one in questions
        for index, text in enumerate(completions)
    ]
    records.write(folder / "q", records.QUESTIONS, questions)
    records.write(folder / "s", records.SAMPLES, rows, group=3)
    tally = grade_many(folder / "s", folder / "q", folder / "o", options, **more)
    return tally, records.read(folder / "o", records.VERDICTS)


class FakeWorker:
    """Replies from a script; counts the calls."""

    def __init__(self, **replies: Reply) -> None:
        self.replies, self.calls = replies, list[str]()

    def call(
        self, verifier: str, answer: str, together: str | None, gold: list[str], options: dict[str, Any]
    ) -> Reply:
        assert verifier in ("gym", "math")
        assert set(options) == {"task", "metadata", "open_ended", "tolerance"}
        self.calls.append(answer)
        correct = answer in gold or together in gold
        return self.replies.get(answer, Reply([correct, "", answer], None, "", 0.25))


def verifier_of(worker: FakeWorker, options: Options = GYM, gold: str = "6") -> Verifier:
    return Verifier(options, {"q1": question(gold)}, worker, Cache(None))  # type: ignore[arg-type]


def test_failures_of_the_verifier_are_outcomes_of_their_own_and_logged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    worker = FakeWorker(
        slow=Reply(None, "timeout", "killed after 5 s", 5.0), bad=Reply(None, "error", "ValueError: x", 0.1)
    )
    verifier = verifier_of(worker)
    for text, outcome in (("slow", "verifier_timeout"), ("bad", "verifier_error"), ("7", "wrong")):
        row = verifier.row(sample(3, f"<answer>{text}</answer>"))
        assert (row["outcome"], row["answer"], row["extracted"], row["rule"]) == (
            outcome,
            text,
            text,
            "answer_tag",
        )
        assert row["seconds"] > 0
        assert verifier.row(sample(3, f"<answer>{text}</answer>")) == {**row, "seconds": 0}
    assert worker.calls == ["6", "slow", "bad", "7"]  # the first proved the gold
    assert verifier.scored == 4
    assert capsys.readouterr().err.splitlines() == [
        "verifier_timeout: q1 sample 3: answer 'slow': killed after 5 s",
        "verifier_error: q1 sample 3: answer 'bad': ValueError: x",
    ]


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_MEMO_ENTRIES", 2)
    worker = FakeWorker()
    verifier = verifier_of(worker)
    for text in ("1", "2", "1", "3", "1", "2", "x" * 2000, "x" * 2000):
        verifier.row(sample(0, f"<answer>{text}</answer>"))
    assert [text[:1] for text in worker.calls[1:]] == ["1", "2", "3", "2", "x", "x"]


def test_a_gold_that_does_not_verify_is_an_input_error() -> None:
    for reply in (
        Reply([False, "score 0", "6"], None, "", 0.1),
        Reply(None, "error", "KeyError: 'numbers'", 0.1),
    ):
        with pytest.raises(InputError, match=r"q1: .*gold '6'.*(score 0|numbers)"):
            verifier_of(FakeWorker(**{"6": reply}))


def test_integers_and_the_golds_own_text_need_no_worker(tmp_path: Path) -> None:
    tally, rows = graded(tmp_path, ["6"], [r"\boxed{6}", r"\boxed{+06}", r"\boxed{7}", r"\boxed{-6}"])
    assert [(row["outcome"], row["answer"]) for row in rows] == [
        ("correct", "6"),
        ("correct", "6"),
        ("wrong", "7"),
        ("wrong", "-6"),
    ]
    assert tally.scored <= 1
    assert all(row["seconds"] == 0 for row in rows)


def test_outcomes_and_their_counts(tmp_path: Path) -> None:
    completions = [
        *(r"\boxed{0.5}", r"\boxed{\frac12}", r"\boxed{1/3}", "The answer is 0.5.", "no idea", "<think>"),
        *(r"\boxed{0.5", "<answer>0.50", ""),
    ]
    tally, rows = graded(tmp_path, [r"\frac{1}{2}"], completions)
    outcomes = [row["outcome"] for row in rows]
    assert outcomes == [
        *("correct correct wrong correct".split()),
        *["no_answer"] * 3,
        "correct",
        "no_answer",
    ]
    assert tally.samples == len(completions) == tally.outcomes.total()
    assert tally.outcomes == {one: outcomes.count(one) for one in set(outcomes)}
    assert {row["answer"] for row in rows if row["outcome"] == "correct"} == {"0.5"}
    assert [row["rule"] for row in rows[:4]] == ["boxed", "boxed", "boxed", "stated"]
    for row in rows:
        if row["outcome"] == "no_answer":
            assert (row["answer"], row["extracted"], row["rule"], row["seconds"]) == (None, None, None, 0)


def test_truncation_is_told_from_no_answer(tmp_path: Path) -> None:
    records.write(tmp_path / "q", records.QUESTIONS, [question()])
    texts = ["I think", r"\boxed{6", r"\boxed{6} or", "<answer>6", "<answer>6</answer>"]
    records.write(
        tmp_path / "s", records.SAMPLES, [sample(index, text, "length") for index, text in enumerate(texts)]
    )
    grade_many(tmp_path / "s", tmp_path / "q", tmp_path / "o", Options())
    outcomes = [row["outcome"] for row in records.read(tmp_path / "o", records.VERDICTS)]
    assert outcomes == ["truncated", "truncated", "correct", "truncated", "correct"]


def test_boxes_of_one_sentence_are_one_answer(tmp_path: Path) -> None:
    pair = r"k = \boxed{45}, n = \boxed{2}"
    loose = r"For the first it is \boxed{45} apples, for the second \boxed{2}."
    _, rows = graded(tmp_path, ["45, 2", "2", "k=45, n=2", "45"], [pair, loose])
    outcomes = {row["question_id"]: [] for row in rows}
    for row in rows:
        outcomes[row["question_id"]].append(row["outcome"])
    assert outcomes == {
        "q0": ["correct", "correct"],
        "q1": ["wrong", "correct"],  # joined by nothing but names, they are one answer of two values
        "q2": ["correct", "correct"],
        "q3": ["wrong", "wrong"],
    }
    assert rows[0]["extracted"] == "k = 45, n = 2"


def test_several_golds_are_alternatives(tmp_path: Path) -> None:
    _, rows = graded(tmp_path, [["0.5", "1/3"]], [r"\boxed{\frac{1}{3}}", r"\boxed{1/2}", r"\boxed{0.4}"])
    assert [(row["outcome"], row["answer"]) for row in rows] == [
        ("correct", "0.5"),
        ("correct", "0.5"),
        ("wrong", "0.4"),
    ]


def test_the_numeric_verifier_takes_its_tolerance(tmp_path: Path) -> None:
    completions = [r"\boxed{50}", r"\boxed{51.5 \text{ atm}}", r"\boxed{49}"]
    for tolerance, expected in ((0.05, "correct correct correct"), (0.03, "correct correct wrong")):
        options = Options("numeric", tolerance=tolerance)
        _, rows = graded(tmp_path, [r"50.7 $\mathrm{atm}$"], completions, options)
        assert [row["outcome"] for row in rows] == expected.split(), tolerance


def test_a_sample_of_an_unknown_question_leaves_no_file(tmp_path: Path) -> None:
    records.write(tmp_path / "q", records.QUESTIONS, [question()])
    records.write(tmp_path / "s", records.SAMPLES, [sample(0, r"\boxed{6}"), sample(1, "a", name="q2")])
    with pytest.raises(InputError, match="question q2 is not in"):
        grade_many(tmp_path / "s", tmp_path / "q", tmp_path / "o", Options())
    assert {path.name for path in tmp_path.iterdir()} == {"q", "s"}


def test_an_answer_too_long_to_be_read_is_wrong_and_kept_short(tmp_path: Path) -> None:
    _, rows = graded(tmp_path, ["x+1"], [r"\boxed{" + "9" * 200_000 + "}"])
    assert rows[0]["outcome"] == "wrong"
    assert len(rows[0]["extracted"]) == 1000
    assert len(rows[0]["answer"]) <= 300


BAD = {
    "hang": "verifier_timeout",
    "power": "verifier_timeout",
    "memory": "verifier_error",
    "raise": "verifier_error",
    "crash": "verifier_error",
}


def test_whatever_the_verifier_does_the_other_samples_get_their_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "assess", stand_ins.assess)
    texts = [text for bad in BAD for text in (bad, f"after {bad}", "right")]
    options = Options("math", rules=("answer_tag",), timeout=1.0)
    cache = tmp_path / "cache"
    for expected_calls in (12, 5):  # failures are not kept: only they are tried again
        tally, rows = graded(
            tmp_path,
            [["gold", "right"]],
            [f"<answer>{text}</answer>" for text in texts],
            options,
            cache=cache,
        )
        assert [row["outcome"] for row in rows] == [
            outcome for bad in BAD for outcome in (BAD[bad], "wrong", "correct")
        ]
        assert tally.outcomes == {"verifier_timeout": 2, "verifier_error": 3, "wrong": 5, "correct": 5}
        assert tally.scored in (expected_calls, expected_calls + 1)
