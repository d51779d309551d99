from collections.abc import Iterable
from pathlib import Path

import pytest

from leash import counts, records
from leash.errors import InputError

Verdict = tuple[str, int | None, str | None, str | None]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.parquet"
    blank = {"question": "?", "gold": ["1"], "prompt": "?", "metadata": "{}"}
    records.write(path, records.QUESTIONS, [{"question_id": name, **blank} for name in ("b", "a")])
    return path


def shard(path: Path, verdicts: Iterable[Verdict]) -> Path:
    columns = ("question_id", "sample_index", "outcome", "answer")
    rows = [dict(zip(columns, verdict, strict=True)) | {"seconds": 0.1} for verdict in verdicts]
    records.write(path, records.VERDICTS, rows)
    return path


def filled(question: str, start: int, stop: int) -> list[Verdict]:
    return [(question, index, "wrong", "0") for index in range(start, stop)]


def test_counts_over_shards_in_any_order(questions: Path, tmp_path: Path) -> None:
    late = shard(
        tmp_path / "r1.parquet", [("a", 3, "correct", "7"), ("a", 4, "correct", None), *filled("b", 3, 5)]
    )
    early = shard(
        tmp_path / "r0.parquet",
        [
            ("a", 2, "correct", "1/2"),
            ("a", 1, "correct", "7"),
            ("a", 0, "truncated", None),
            ("b", 0, "no_answer", None),
            ("b", 1, "verifier_timeout", None),
            ("b", 2, "verifier_error", None),
        ],
    )
    none = dict.fromkeys(records.UNSOLVED_OUTCOMES, 0)
    assert counts.count(questions, [late, early], 5) == [
        {"question_id": "b", "n": 5, "correct": 0, "first_correct": None, "distinct_correct": 0}
        | none
        | {"wrong": 2, "no_answer": 1, "verifier_timeout": 1, "verifier_error": 1},
        {"question_id": "a", "n": 5, "correct": 4, "first_correct": 1, "distinct_correct": 2}
        | none
        | {"truncated": 1},
    ]


def test_the_command_line_writes_what_the_schema_says(
    questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = shard(tmp_path / "v.parquet", [("a", 0, "correct", "7"), ("b", 0, "wrong", None)])
    out = tmp_path / "deep/counts.parquet"
    argv = ["counts", "--questions", questions, "--verdicts", verdicts, "--budget", 1, "--out", out]
    monkeypatch.setattr("sys.argv", [*map(str, argv)])
    counts.main()
    assert [(row["question_id"], row["correct"]) for row in records.read(out, records.COUNTS)] == [
        ("b", 0),
        ("a", 1),
    ]


@pytest.mark.parametrize(
    ("verdicts", "complaint"),
    [
        ([("a", 0, "maybe", None)], "v.parquet: question 'a', sample 0: unknown outcome 'maybe'"),
        ([("a", 0, None, None)], "unknown outcome None"),
        ([("zz", 0, "wrong", None)], r"v.parquet: question 'zz' is not in .*questions.parquet"),
        ([("a", 0, "wrong", None)] * 2, "v.parquet: question 'a': a second verdict for sample_index 0"),
        ([("a", 2, "wrong", None)], "sample_index 2 is outside the budget"),
        ([("a", -1, "wrong", None)], "sample_index -1 is outside the budget"),
        ([("a", None, "wrong", None)], "sample_index None is outside the budget"),
        ([*filled("a", 0, 2), *filled("b", 0, 1)], r"1 of 2 questions .* 2 verdicts: b \(n = 1\); give"),
        ([], r"b \(n = 0\), a \(n = 0\)"),
    ],
)
def test_refuses_verdicts_that_do_not_fit(
    questions: Path, tmp_path: Path, verdicts: list[Verdict], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        counts.count(questions, [shard(tmp_path / "v.parquet", verdicts)], 2)


def test_a_repeat_across_shards_is_found(questions: Path, tmp_path: Path) -> None:
    shards = [shard(tmp_path / f"{name}.parquet", filled("a", 0, 1)) for name in ("one", "two")]
    with pytest.raises(InputError, match=r"two.parquet.*second verdict"):
        counts.count(questions, shards, 2)


def test_a_budget_of_nothing_is_refused(questions: Path) -> None:
    with pytest.raises(InputError, match="--budget 0"):
        counts.count(questions, [], 0)
