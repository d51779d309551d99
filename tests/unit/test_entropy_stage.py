from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leash import entropy, records
from leash.errors import InputError
from leash.records import ENTROPY
from synthetic_scoring import scored, unscored, write_tokens, write_verdicts

Verdict = tuple[str, int, str, str | None]


def completion(question: str, index: int, entropies: list[float]) -> dict[str, Any]:
    return scored(question, "completion", [-0.1] * len(entropies), index=index, entropies=entropies)


def wrong(question: str, samples: int) -> list[Verdict]:
    return [(question, index, "wrong", "0") for index in range(samples)]


def test_every_number_of_a_small_file(tmp_path: Path) -> None:
    outcomes: list[Verdict] = [
        ("a", 0, "correct", "7"),
        ("a", 1, "correct", "7"),
        ("a", 2, "wrong", "NA"),
        ("a", 3, "no_answer", None),
        ("b", 0, "truncated", None),
        ("b", 1, "no_answer", None),
        ("b", 2, "truncated", None),
        ("b", 3, "truncated", None),
        ("c", 0, "verifier_timeout", "x"),
        ("c", 1, "verifier_error", "y"),
        ("c", 2, "correct", "1/2"),
        ("c", 3, "wrong", "3"),
        ("a", 4, "wrong", "beyond the first four"),
    ]
    late, early = outcomes[6:], outcomes[:6]
    verdicts = [
        write_verdicts(tmp_path / f"{n}.parquet", rows) for n, rows in (("late", late), ("early", early))
    ]
    tokens = write_tokens(
        tmp_path / "tokens.parquet",
        [
            completion("a", 0, [1.0, 2.0]),
            completion("a", 1, [0.25] * 4),
            unscored("a", "completion", "empty completion", index=2),
            completion("a", 3, [0.0]),
            completion("a", 4, [100.0]),
            *(unscored("b", "completion", "empty completion", index=index) for index in range(4)),
            *(completion("c", index, [0.5] * 3) for index in range(4)),
            scored("a", "trace", [-1.0], "r1"),
        ],
    )
    rows = {row["question_id"]: row for row in entropy.measure(tokens, verdicts, 4)}
    plain = 0.5 * log(2) + 0.5 * log(4)
    assert rows["a"] == {
        "question_id": "a",
        "samples": 4,
        "correct": 2,
        "n_tokens": pytest.approx((2 + 4 + 1) / 3),
        "scored": 3,
        "token_entropy": pytest.approx((1.5 + 0.25 + 0.0) / 3),
        "answer_entropy": pytest.approx(plain),
        "answer_entropy_mm": pytest.approx(plain + 2 / 8),
        "distinct_answers": 2,
        "na": 1,
        "unclassified": 0,
    }
    assert (rows["b"]["answer_entropy"], rows["b"]["na"], rows["b"]["distinct_answers"]) == (0.0, 4, 0)
    assert (rows["b"]["scored"], rows["b"]["n_tokens"], rows["b"]["token_entropy"]) == (0, None, None)
    assert (rows["c"]["answer_entropy"], rows["c"]["unclassified"]) == (pytest.approx(log(2)), 2)
    assert rows["c"]["answer_entropy_mm"] == pytest.approx(log(2) + 1 / 4)


def test_a_question_without_a_class_has_no_entropy(tmp_path: Path) -> None:
    verdicts = write_verdicts(tmp_path / "v.parquet", [("a", 0, "verifier_error", None)])
    (row,) = entropy.measure(None, [verdicts], 1)
    assert (row["answer_entropy"], row["answer_entropy_mm"], row["unclassified"]) == (None, None, 1)
    assert (row["scored"], row["token_entropy"]) == (0, None)


def test_the_command_streams_row_groups_and_writes_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    rows = [(f"q{q}", s, "wrong", str(random.integers(9))) for q in range(5) for s in range(8)]
    verdicts = tmp_path / "v.parquet"
    names = ("question_id", "sample_index", "outcome", "answer")
    records.write(verdicts, records.VERDICTS, [dict(zip(names, row, strict=True)) for row in rows], group=7)
    tokens = write_tokens(tmp_path / "t.parquet", [completion(q, s, [0.5, 1.5]) for q, s, _, _ in rows])
    out = tmp_path / "deep/entropy.parquet"
    argv = ["entropy", "--tokens", tokens, "--verdicts", verdicts, "--samples", 8, "--out", out]
    monkeypatch.setattr("sys.argv", [*map(str, argv)])
    entropy.main()
    found = records.read(out, ENTROPY)
    assert [row["question_id"] for row in found] == ["q0", "q1", "q2", "q3", "q4"]
    for row in found:
        answers = [answer for question, _, _, answer in rows if question == row["question_id"]]
        shares = np.unique(answers, return_counts=True)[1] / 8
        assert row["answer_entropy"] == pytest.approx(-(shares * np.log(shares)).sum())
        assert row["token_entropy"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("verdicts", "complaint"),
    [
        ([], "--verdicts: no verdict in .*v.parquet; verify samples first"),
        (wrong("a", 1), r"1 of 1 questions lack one of their first 2 verdicts: a \(has 1\)"),
        ([*wrong("a", 2), ("a", 1, "wrong", "1")], "v.parquet: question 'a', sample 1: a second verdict"),
        ([*wrong("a", 1), ("a", 1, "maybe", "1")], "sample 1: unknown outcome 'maybe'"),
        (
            [*wrong("a", 1), ("a", 1, "correct", None)],
            "v.parquet: .*sample 1: correct, and yet without an answer",
        ),
        ([*wrong("a", 1), ("a", -1, "wrong", "0")], "v.parquet: question 'a': -1 is no sample index"),
        ([("a", None, "wrong", "0")], "None is no sample index"),
    ],
)
def test_verdicts_that_cannot_be(tmp_path: Path, verdicts: list[Any], complaint: str) -> None:
    path = write_verdicts(tmp_path / "v.parquet", verdicts)
    with pytest.raises(InputError, match=complaint):
        entropy.measure(None, [path], 2)


def broken(**change: Any) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [completion("a", 0, [0.5]), completion("a", 1, [0.5]) | change]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (lambda: [], "1 of 1 questions lack one of their first 2 completions: a"),
        (lambda: [completion("a", 0, [0.5])], "lack one of their first 2 completions"),
        (lambda: [completion("zz", 0, [0.5])], "question 'zz', sample 0: scored, and has no verdict"),
        (broken(index=0), "sample 0: no sample index, or one that was scored before"),
        (broken(index=None), "sample None: no sample index"),
        (broken(entropy=float("nan")), "sample 1: an entropy of nan over 1 tokens cannot be"),
        (broken(entropy=None), "an entropy of None"),
        (broken(entropy=-1.0), "an entropy of -1.0 over 1 tokens"),
        (broken(n_tokens=0), "over 0 tokens"),
        (broken(n_tokens=None), "over None tokens"),
    ],
)
def test_scores_that_cannot_be(tmp_path: Path, rows: Any, complaint: str) -> None:
    verdicts = write_verdicts(tmp_path / "v.parquet", wrong("a", 2))
    tokens = write_tokens(tmp_path / "tokens.parquet", rows())
    with pytest.raises(InputError, match=complaint):
        entropy.measure(tokens, [verdicts], 2)


def test_samples_and_files_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--samples 0"):
        entropy.measure(None, [], 0)
    verdicts = write_verdicts(tmp_path / "v.parquet", wrong("a", 1))
    broken_file = tmp_path / "tokens.parquet"
    broken_file.write_bytes(b"")
    with pytest.raises(InputError, match=r"tokens.parquet: not a whole Parquet file"):
        entropy.measure(broken_file, [verdicts], 1)
    with pytest.raises(InputError, match="not there"):
        entropy.measure(tmp_path / "none.parquet", [verdicts], 1)
