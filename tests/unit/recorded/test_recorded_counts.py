"""Recorded counts: what is read, what stays unknown, and what is refused with its rows."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash import match, metrics, records
from leash.errors import InputError
from leash.recorded import counts
from leash.recorded.table import Spec
from leash.records import Row

ROWS: list[Row] = [{"id": "a", "n": 4, "c": 3}, {"id": "b", "n": 4, "c": 0}]


def spec(**columns: str) -> Spec:
    return Spec("models.m.recorded.b", "b", {"id": "id", "n": "n", "correct": "c"} | columns, 4, "error")


def jsonl(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_what_is_not_recorded_is_null(tmp_path: Path) -> None:
    found = counts.read(spec(), jsonl(tmp_path / "c.jsonl", ROWS))
    nothing = dict.fromkeys(("first_correct", "distinct_correct", *records.UNSOLVED_OUTCOMES))
    assert found == [
        {"question_id": "a", "n": 4, "correct": 3} | nothing,
        {"question_id": "b", "n": 4, "correct": 0} | nothing,
    ]


def test_a_mapped_outcome_is_kept(tmp_path: Path) -> None:
    rows = [row | {"more": {"cut": index}} for index, row in enumerate(ROWS)]
    found = counts.read(spec(truncated="more.cut"), jsonl(tmp_path / "c.jsonl", rows))
    assert [(row["truncated"], row["wrong"]) for row in found] == [(0, None), (1, None)]


def test_every_kind_of_file_gives_the_same(tmp_path: Path) -> None:
    wanted = counts.read(spec(), jsonl(tmp_path / "c.jsonl", ROWS))
    (tmp_path / "c.json").write_text(json.dumps(ROWS))
    (tmp_path / "c.csv").write_text("id,n,c\na,4,3.0\nb, 4 ,0\n")
    pq.write_table(
        pa.Table.from_pylist([row | {"c": float(row["c"])} for row in ROWS]), tmp_path / "c.parquet"
    )
    for suffix in ("json", "csv", "parquet"):
        assert counts.read(spec(), tmp_path / f"c.{suffix}") == wanted


@given(st.dictionaries(st.text(alphabet="abc/-0", min_size=1), st.integers(0, 4), min_size=1))
def test_counts_are_read_as_they_stand(
    tmp_path_factory: pytest.TempPathFactory, correct: dict[str, int]
) -> None:
    file = tmp_path_factory.mktemp("counts") / "c.jsonl"
    jsonl(file, [{"id": name, "n": 4, "c": c} for name, c in correct.items()])
    assert {row["question_id"]: row["correct"] for row in counts.read(spec(), file)} == correct


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], r"c\.jsonl: holds no rows; name a file"),
        ([{"id": "a", "n": 4, "c": 5}], r"more correct than samples: row 1 \(a\): 5 of 4; repair"),
        ([{"id": "a", "n": 4, "c": -1}], r"c is not a count: row 1 \(a\): -1 is negative"),
        ([{"id": "a", "n": 4, "c": float("nan")}], r"row 1 \(a\): is blank or NaN"),
        ([{"id": "a", "n": 4, "c": float("inf")}], r"inf is not a whole number"),
        ([*ROWS, {"id": "x", "n": 4}], r"c is not a count: row 3 \(x\): is blank or NaN"),
        ([{"id": "a", "n": 4, "c": 1.5}], r"1\.5 is not a whole number"),
        ([{"id": "a", "n": 4, "c": True}], r"True is not a whole number"),
        ([{"id": "a", "n": "4", "c": "three"}], r"three is not a whole number"),
        (
            [{"id": "a", "n": 0, "c": 0}],
            r"n is not the benchmark's budget, 4: row 1 \(a\): n = 0; set benchmarks\.b",
        ),
        ([*ROWS, {"id": "x", "n": 3, "c": 0}], r"budget, 4: row 3 \(x\): n = 3"),
        ([*ROWS, ROWS[0]], r"the same id stands more than once: a \(rows 1 and 3\); leave one"),
        ([*ROWS, {"id": None, "n": 4, "c": 0}], r"no id: row 3"),
        ([{"id": ["a"], "n": 4, "c": 0}], r"an id cannot be read: row 1"),
        (
            [{"id": "a", "n": 4, "corect": 0}],
            r"columns\.correct: 'c' is not a column of .*c\.jsonl; it has id, n, c",
        ),
    ],
    ids=str,
)
def test_a_broken_file_is_refused_with_its_rows(tmp_path: Path, rows: list[Row], message: str) -> None:
    with pytest.raises(InputError, match=message):
        counts.read(spec(), jsonl(tmp_path / "c.jsonl", rows))


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "n": 4, "c": 9} for i in range(25)] + [{"id": "z", "n": 2, "c": 0}]
    with pytest.raises(InputError) as refused:
        counts.read(spec(), jsonl(tmp_path / "c.jsonl", rows))
    assert "row 20 (q19): 9 of 4 and 5 more" in str(refused.value)
    assert "row 26 (z): n = 2" in str(refused.value)


def test_outcomes_must_fit_into_n(tmp_path: Path) -> None:
    rows = [{"id": "a", "n": 4, "c": 3, "w": 2}]
    with pytest.raises(InputError, match=r"more outcomes than samples: row 1 \(a\): 5 of 4"):
        counts.read(spec(wrong="w"), jsonl(tmp_path / "c.jsonl", rows))
    every = dict.fromkeys(records.UNSOLVED_OUTCOMES, "w")
    with pytest.raises(InputError, match=r"do not add up to n: row 1 \(a\): 3 of 4"):
        counts.read(spec(**every), jsonl(tmp_path / "c.jsonl", [rows[0] | {"w": 0}]))


def write(path: Path, correct: dict[str, int]) -> Path:
    rows = [{"id": name, "n": 4, "c": c} for name, c in correct.items()]
    records.write(path, records.COUNTS, counts.read(spec(), jsonl(path.with_suffix(".jsonl"), rows)))
    return path


def test_ids_of_one_side_are_an_error_or_are_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base = write(tmp_path / "base.parquet", {"a": 1, "b": 0, "only-base": 1})
    target = write(tmp_path / "target.parquet", {"b": 2, "a": 0, "only-target": 1})
    with pytest.raises(InputError, match=r"lacks only-target; .*lacks only-base; .*on_missing: intersect"):
        match.match(base, target)
    out = tmp_path / "regions.parquet"
    arguments: list[Any] = [
        "match",
        "--base",
        base,
        "--target",
        target,
        "--on-missing",
        "intersect",
        "--out",
        out,
    ]
    monkeypatch.setattr("sys.argv", list(map(str, arguments)))
    match.main()
    assert "only the base has them: only-base" in capsys.readouterr().err
    side = {"model": "m", "checkpoint": "final"}
    told = metrics.summarise(
        {"base": side, "target": side, "benchmark": "b", "domain": "d", "budget": 4}, out
    )
    assert told["dropped"] == {"base": ["only-base"], "target": ["only-target"]}
    assert told["questions"] == 2
    assert told["regions"] == {"preservation": 0, "expansion": 1, "shrinkage": 1, "out_of_support": 0}
    assert told["base"]["outcomes"] == {"correct": 1} | dict.fromkeys(records.UNSOLVED_OUTCOMES)


def test_no_common_question_is_an_error(tmp_path: Path) -> None:
    base, target = write(tmp_path / "base.parquet", {"a": 1}), write(tmp_path / "target.parquet", {"b": 1})
    with pytest.raises(InputError, match="no question is in both"):
        match.match(base, target, intersect=True)
