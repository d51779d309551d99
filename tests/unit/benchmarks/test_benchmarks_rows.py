"""Rows made questions: columns, golds, ids, and every way in which a table can be wrong."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.benchmarks import files, rows
from leash.config import Columns
from leash.errors import InputError
from leash.records import Row

DATA = Path(__file__).parents[4] / "shared" / "data"


def made(table: list[Row], size: int | None = None, **columns: Any) -> list[Row]:
    return rows.questions(
        rows.Table(table, Columns(**columns), "mine", "data.jsonl"), len(table) if size is None else size
    )


def one(gold: Any, **columns: Any) -> list[str]:
    return made([{"question": "?", "answer": gold, "unit": " $m$ "}], **columns)[0]["gold"]


@pytest.mark.parametrize(
    ("cell", "gold"),
    [
        ("27.0", ["27.0"]),
        (27, ["27"]),
        (27.0, ["27"]),
        (-0.0, ["0"]),
        (0.1, ["0.1"]),
        (1e-7, ["1e-07"]),
        (10**400, [str(10**400)]),
        (["a", "b"], ["a", "b"]),
        ([1, "x"], ["1", "x"]),
        (" 5 ", [" 5 "]),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_gold_is_text_a_number_or_several(cell: Any, gold: list[str]) -> None:
    assert one(cell) == gold


def test_a_unit_follows_every_gold_and_a_blank_one_none() -> None:
    assert one(["1", 2], unit="unit") == ["1 $m$", "2 $m$"]
    blank = [{"question": "?", "answer": "1", "unit": {"name": name}} for name in (" ", None)]
    blank[1]["question"] = "??"
    assert [row["gold"] for row in made(blank, unit="unit.name")] == [["1"], ["1"]]


def test_a_dotted_path_reaches_nested_objects_and_a_literal_name_comes_first() -> None:
    table = [{"a.b": "literal", "a": {"b": "nested", "c": {"d": "deep"}}, "answer": "1"}]
    assert made(table, question="a.b")[0]["question"] == "literal"
    assert made(table, question="a.c.d")[0]["question"] == "deep"


def test_without_an_id_column_a_hash_of_the_text_names_the_question() -> None:
    text = "a\x07 question\r\n\u200b"
    row = made([{"question": text, "answer": "1"}])[0]
    assert row["question"] == text
    assert row["question_id"] == "mine-" + hashlib.sha256(text.encode()).hexdigest()[:12]


def test_ids_and_metadata_come_from_their_columns() -> None:
    table = [{"question": "?", "answer": "1", "n": 7, "more": {"level": 3, "tags": ["\ud800", None]}}]
    row = made(table, id="n", metadata=["more.level", "more.tags"])[0]
    assert row["question_id"] == "7"
    assert json.loads(row["metadata"]) == {"more.level": 3, "more.tags": ["\ud800", None]}
    assert row["metadata"].isascii()


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=6, unique=True))
def test_ids_do_not_depend_on_the_order_of_the_rows(texts: list[str]) -> None:
    table = [{"question": text, "answer": text} for text in texts if text.isprintable()]
    if not table:
        return
    forward = {row["question"]: row["question_id"] for row in made(table)}
    assert forward == {row["question"]: row["question_id"] for row in made(table[::-1])}


def test_another_number_of_rows_is_told_with_both_numbers() -> None:
    with pytest.raises(
        InputError, match=r"benchmarks\.mine\.size: data\.jsonl has 1 rows, and size says 674"
    ):
        made([{"question": "?", "answer": "1"}], size=674)


QUESTION: dict[str, Any] = {"id": "q1", "question": "a?", "answer": "1", "more": {"unit": "m"}}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"gold": "anwser"},
            "columns.gold: 'anwser' is not a column of data.jsonl; it has id, question, answer",
        ),
        ({"gold": "anwser"}, "did you mean 'answer'?"),
        ({"unit": "more.units"}, "columns.unit: 'more.units' is not a column"),
        ({"unit": "more.units"}, "did you mean 'more.unit'?"),
        ({"id": "zzz"}, "columns.id: 'zzz' is not a column"),
        ({"metadata": ["answer", "levl"]}, "columns.metadata: 'levl' is not a column"),
    ],
)
def test_a_column_that_is_not_there_is_told_with_those_that_are(
    columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        made([QUESTION], **columns)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("change", "columns", "message"),
    [
        ({"answer": " \n"}, {}, "columns.gold: 'answer' is empty in data.jsonl: row 2;"),
        ({"answer": None}, {"id": "id"}, "columns.gold: 'answer' is empty in data.jsonl: row 2 (q2);"),
        ({"answer": []}, {}, "columns.gold: 'answer' is empty"),
        ({"answer": ["1", ""]}, {}, "columns.gold: 'answer' is empty"),
        ({"answer": float("nan")}, {}, "columns.gold: 'answer' is empty"),
        ({"question": ""}, {"id": "id"}, "columns.question: 'question' is empty in data.jsonl: row 2 (q2);"),
        ({"answer": True}, {}, "columns.gold: data.jsonl: row 2: answer: True is neither text nor a number"),
        ({"answer": {"x": 1}}, {}, "is neither text nor a number"),
        ({"answer": [["1"]]}, {}, "is neither text nor a number"),
        ({"question": 5}, {}, "columns.question: data.jsonl: row 2: question: 5 is not text"),
        ({"question": "ab\ud800"}, {}, "row 2: question: character 3 is a lone surrogate"),
        ({"answer": "\udfff"}, {}, "row 2: answer: character 1 is a lone surrogate"),
        ({"id": ""}, {"id": "id"}, "columns.id: data.jsonl: row 2 (): id: '' is empty or has control"),
        ({"id": "a\x1b[2J"}, {"id": "id"}, r"id: 'a\x1b[2J' is empty or has control characters"),
        (
            {"id": "q1"},
            {"id": "id"},
            "columns.id: the same id stands more than once in data.jsonl: row 1 (q1)",
        ),
        ({"question": "a?"}, {}, "the same question stands more than once in data.jsonl: row 1, row 2;"),
        ({"question": "a?"}, {"id": "id"}, "row 1 (q1), row 2 (q2); take all but one out"),
        ({"more": b"x"}, {"metadata": ["more"]}, "columns.metadata: data.jsonl: JSON cannot hold a cell"),
    ],
    ids=str,
)
def test_a_wrong_row_is_listed(change: Row, columns: dict[str, Any], message: str) -> None:
    second = {"id": "q2", "question": "b?", "answer": "2"} | change
    with pytest.raises(InputError) as refused:
        made([QUESTION, second], **columns)
    assert str(refused.value).startswith("benchmarks.mine.columns.")
    assert message in str(refused.value)


def test_a_repeated_question_passes_with_ids_and_the_same_gold_and_is_told() -> None:
    table = [QUESTION | {"id": name, "answer": gold} for name, gold in (("q1", "1 m"), ("q2", "1  m"))]
    assert rows.repeated(made(table, id="id")) == [["q1", "q2"]]


def test_many_repeated_ids_are_told_in_short() -> None:
    table = [QUESTION | {"question": f"{index}?", "id": str(index % 8)} for index in range(80)]
    with pytest.raises(InputError) as refused:
        made(table, id="id")
    assert "row 1 (0), row 9 (0), row 17 (0) and 7 more; row 2 (1)" in str(refused.value)
    assert "; and 3 more; name a column" in str(refused.value)


UNIT = {"unit": "source_fields.unit"}


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the shared data")
@pytest.mark.parametrize(
    ("name", "size", "columns", "first"),
    [
        ("math500", 500, {}, "\\left( 3, \\frac{\\pi}{2} \\right)"),
        ("minerva_math", 272, {}, "1.6"),
        ("olympiadbench", 675, {}, "2"),
        ("aime24", 30, {}, "204"),
        ("aime25", 30, {}, "70"),
        ("amc23", 40, {"gold": "source_fields.answer_raw"}, "27"),
        ("scibench", 692, UNIT, "50.7 $\\mathrm{atm}$"),
    ],
)
def test_the_math_benchmarks_and_scibench_load(
    name: str, size: int, columns: dict[str, Any], first: str
) -> None:
    table = rows.Table(files.read(DATA / f"{name}.jsonl"), Columns(id="id", **columns), name, name)
    questions = rows.questions(table, size)
    assert len({row["question_id"] for row in questions}) == size
    assert questions[0]["gold"] == [first]
    assert len(rows.repeated(questions)) == (2 if name == "scibench" else 0)
