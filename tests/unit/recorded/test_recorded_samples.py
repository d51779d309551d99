"""Recorded completions: both forms, questions made of them, scores, and what is refused with its rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from leash import counts, records
from leash.benchmarks import recorded as questions_of
from leash.benchmarks.__main__ import questions
from leash.errors import InputError
from leash.recorded import agreement
from leash.recorded.samples import Reader
from leash.recorded.table import Spec
from leash.records import Row

COLUMNS: dict[str, str | None] = {
    **{"id": "id", "question": "question", "gold": "gold", "completion": "completion"},
    **{"samples": None, "score": None, "finish_reason": None},
}
FLAT: list[Row] = [
    {"id": name, "question": f"{name}?", "gold": "1", "completion": f"{name}{index}", "score": index}
    for index in range(2)
    for name in ("a", "b")
]
NESTED: list[Row] = [
    {
        "id": name,
        "question": f"{name}?",
        "gold": "1",
        "samples": [{"completion": f"{name}{index}", "score": index} for index in range(2)],
    }
    for name in ("a", "b")
]


def jsonl(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def asked(folder: Path, texts: dict[str, str] | None = None) -> Path:
    rows = [
        {"question_id": name, "question": text, "gold": ["1"], "prompt": None, "metadata": "{}"}
        for name, text in (texts or {"a": "a?", "b": "b?"}).items()
    ]
    records.write(folder / "q.parquet", records.QUESTIONS, rows)
    return folder / "q.parquet"


def read(
    folder: Path,
    rows: list[Row],
    on_missing: str = "error",
    texts: dict[str, str] | None = None,
    **columns: Any,
) -> list[Row]:
    spec = Spec("models.m.recorded.b", "b", COLUMNS | columns, 2, on_missing)
    return list(Reader(spec, jsonl(folder / "s.jsonl", rows), asked(folder, texts)).rows())


def test_both_forms_give_the_same_samples(tmp_path: Path) -> None:
    flat = read(tmp_path, FLAT, score="score")
    nested = read(tmp_path, NESTED, samples="samples", score="score")
    assert sorted(flat, key=lambda row: row["completion"]) == nested
    assert [(row["question_id"], row["sample_index"], row["completion"], row["score"]) for row in nested] == [
        ("a", 0, "a0", 0.0),
        ("a", 1, "a1", 1.0),
        ("b", 0, "b0", 0.0),
        ("b", 1, "b1", 1.0),
    ]
    assert "score" not in read(tmp_path, FLAT)[0]


def test_a_question_is_known_by_its_text_where_it_has_no_id(tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != "id"} for row in FLAT]
    rows[0]["question"] = " a?\n"
    assert [row["question_id"] for row in read(tmp_path, rows, id=None)] == ["a", "b", "a", "b"]
    with pytest.raises(InputError, match="a and b have the same text"):
        read(tmp_path, rows, id=None, texts={"a": "?", "b": " ? "})


def test_a_lone_surrogate_is_no_obstacle(tmp_path: Path) -> None:
    rows = [row | {"completion": "\ud800"} for row in FLAT]
    assert read(tmp_path, rows)[0]["completion"] == "?"


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([], {}, r"s\.jsonl: no completions"),
        (FLAT[:3], {}, r"not the benchmark's budget, 2: b: 1; set benchmarks\.b\.budget"),
        ([*FLAT, FLAT[0]], {}, r"budget, 2: a: 3"),
        (
            NESTED[:1],
            {"samples": "samples"},
            r"no completion of questions that .*q\.parquet has: b; add them",
        ),
        (
            [*NESTED, NESTED[1]],
            {"samples": "samples"},
            r"the same question stands more than once: row 3 \(b\)",
        ),
        ([*FLAT, FLAT[0] | {"id": "z"}], {}, r"questions that are not in .*: row 5 \(z\); take them out"),
        ([*FLAT[:3], FLAT[3] | {"completion": None}], {}, r"a completion is no text: row 4 \(b\), sample 1"),
        (
            [*FLAT[:3], FLAT[3] | {"score": "x"}],
            {"score": "score"},
            r"a score cannot be read: row 4 .*x is not",
        ),
        (
            [FLAT[0] | {"question": "c?"}, *FLAT[1:]],
            {},
            r"another text than that of the question .*: row 1 \(a\)",
        ),
        ([NESTED[0] | {"samples": 3}, NESTED[1]], {"samples": "samples"}, r"no list of samples: row 1 \(a\)"),
        (FLAT, {"completion": "text"}, r"columns\.completion: 'text' is not a column"),
        (FLAT, {"score": "scores"}, r"columns\.score: 'scores' is not a column .*did you mean 'score'"),
    ],
    ids=str,
)
def test_a_broken_file_is_refused_with_its_rows(
    tmp_path: Path, rows: list[Row], columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, rows, **columns)


def test_intersect_leaves_out_what_only_one_side_has(tmp_path: Path) -> None:
    rows = [*NESTED[:1], NESTED[1] | {"id": "z"}]
    spec = Spec("models.m.recorded.b", "b", COLUMNS | {"samples": "samples"}, 2, "intersect")
    reader = Reader(spec, jsonl(tmp_path / "s.jsonl", rows), asked(tmp_path))
    assert {row["question_id"] for row in reader.rows()} == {"a"}
    assert list(reader.left_out) == ["z"]


def verdicts(path: Path, outcomes: list[tuple[str, int, str]]) -> Path:
    rows = [
        {"question_id": name, "sample_index": index, "outcome": outcome, "seconds": 0.0}
        | dict.fromkeys(("answer", "extracted", "rule"))
        for name, index, outcome in outcomes
    ]
    records.write(path, records.VERDICTS, rows)
    return path


def test_counts_leave_out_unanswered_questions_and_do_not_claim_truncation(tmp_path: Path) -> None:
    file = verdicts(tmp_path / "v.parquet", [("a", 0, "correct"), ("a", 1, "no_answer")])
    with pytest.raises(InputError, match="b \\(n = 0\\)"):
        counts.count(asked(tmp_path), [file], 2)
    rows = counts.count(asked(tmp_path), [file], 2, intersect=True, unknown=["truncated"])
    assert [(row["question_id"], row["truncated"], row["no_answer"]) for row in rows] == [("a", None, 1)]


def test_scores_are_compared_with_verdicts(tmp_path: Path) -> None:
    samples = tmp_path / "samples.parquet"
    nested = [*NESTED[:1], {**NESTED[1], "samples": [{"completion": "", "score": s} for s in (None, 0.5)]}]
    records.write(samples, records.SCORED_SAMPLES, read(tmp_path, nested, samples="samples", score="score"))
    told = [("a", 0, "correct"), ("a", 1, "correct"), ("b", 0, "wrong"), ("b", 1, "verifier_error")]
    found = agreement.compare(samples, verdicts(tmp_path / "v.parquet", told))
    both = {"question_id": "a", "scored": 2, "both": 1, "recorded_only": 0, "verified_only": 1, "neither": 0}
    one = {"question_id": "b", "scored": 1, "both": 0, "recorded_only": 0, "verified_only": 0, "neither": 1}
    assert found == [both | {"first_differing": 0}, one | {"first_differing": None}]
    with pytest.raises(InputError, match="not of the samples in"):
        agreement.compare(samples, verdicts(tmp_path / "v.parquet", told[:3]))


@pytest.mark.parametrize(("rows", "samples"), [(FLAT, None), (NESTED, "samples")])
def test_questions_are_made_of_completions(tmp_path: Path, rows: list[Row], samples: str | None) -> None:
    file = jsonl(tmp_path / "s.jsonl", rows)
    spec = {"recorded": str(file), "benchmark": "b", "columns": COLUMNS | {"samples": samples}, "version": 1}
    assert questions(spec) == [
        {"question_id": name, "question": f"{name}?", "gold": ["1"], "metadata": "{}", "prompt": None}
        for name in ("a", "b")
    ]


def test_rows_of_one_question_must_agree_on_its_gold(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "s.jsonl", [*FLAT[:3], FLAT[3] | {"gold": "2"}])
    with pytest.raises(InputError, match=r"rows of one question differ in its text or gold: b; repair"):
        questions_of.questions("b", file, COLUMNS)
