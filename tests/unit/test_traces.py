import json
from pathlib import Path
from typing import Any

import pytest

from leash import records, traces
from leash.errors import InputError

ROOT = Path(__file__).parents[2]
SHARED = next((p / "data" for p in (ROOT / "shared", ROOT.parent / "shared") if (p / "data").is_dir()), None)
COLUMNS = {"trace": "trace", "question": "question", "id": None, "source": None}


def questions(folder: Path, texts: dict[str, str], metadata: str = "{}", gold: str = "1") -> Path:
    path = folder / "questions.parquet"
    rows = [
        {"question_id": name, "question": text, "gold": [gold], "prompt": text, "metadata": metadata}
        for name, text in texts.items()
    ]
    records.write(path, records.QUESTIONS, rows)
    return path


def spec(**sources: Any) -> dict[str, Any]:
    return {"benchmark": "mine", "task": None, "seed": 0, "version": 1, "sources": sources}


def source(file: Path, **changes: Any) -> dict[str, Any]:
    return {"file": str(file), "columns": COLUMNS, "strip_think": False, "text": "{trace}"} | changes


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_traces_find_their_questions_and_the_rest_is_listed(tmp_path: Path) -> None:
    asked = questions(tmp_path, {"a": "What is  1 + 1?", "b": "And 2 + 2?"})
    file = write(
        tmp_path / "r1.jsonl",
        {"question": "What is 1 + 1?", "trace": "<think>It is 2.</think>"},
        {"question": "What is 1 + 1?", "trace": "It is two."},
        {"question": "What is 1 + 1?", "trace": "It is two."},
        {"question": "What is love?", "trace": "Hm."},
    )
    reader = traces.Reader(spec(r1=source(file, strip_think=True, text="<think>\n{trace}")), asked)
    rows = list(reader.rows())
    assert rows == [
        {"question_id": "a", "source": "r1", "index": 0, "trace": "<think>\nIt is 2."},
        {"question_id": "a", "source": "r1", "index": 1, "trace": "<think>\nIt is two."},
    ]
    assert traces.report(reader, len(rows)) == {
        "traces": 2,
        "unmatched": {"r1": ["row 4"]},
        "copies": {"r1": ["row 3"]},
    }


def test_ids_and_sources_can_be_columns(tmp_path: Path) -> None:
    asked = questions(tmp_path, {"a": "same", "b": "same"})
    file = write(
        tmp_path / "all.jsonl",
        {"n": {"id": "b"}, "question": "same", "trace": "one", "by": "QwQ"},
        {"n": {"id": "x"}, "question": "same", "trace": "two", "by": "R1"},  # of two questions: of none
    )
    columns = COLUMNS | {"id": "n.id", "source": "by"}
    reader = traces.Reader(spec(mixed=source(file, columns=columns)), asked)
    assert [(row["question_id"], row["source"]) for row in reader.rows()] == [("b", "QwQ")]
    assert reader.unmatched == {"mixed": ["row 2 (x)"]}


def test_a_style_is_the_solvers_work_on_every_question(tmp_path: Path) -> None:
    metadata = json.dumps({"numbers": [12, 18]})
    asked = questions(tmp_path, {"a": "gcd(12, 18)?"}, metadata, "6")
    reader = traces.Reader(spec(euclid={"style": "euclid"}) | {"task": "gcd"}, asked)
    (row,) = reader.rows()
    assert row["source"] == "euclid"
    assert row["trace"].startswith("<think>")
    assert row["trace"].endswith("</think><answer>6</answer>")
    with pytest.raises(
        InputError, match=r"traces.euclid.style: no style 'euclidean' for task gcd; known: euc"
    ):
        list(traces.Reader(spec(euclid={"style": "euclidean"}) | {"task": "gcd"}, asked).rows())


def test_bad_files_are_explained(tmp_path: Path) -> None:
    asked = questions(tmp_path, {"a": "What is 1 + 1?"})
    strange = write(tmp_path / "strange.jsonl", {"question": "Another?", "trace": "x"})
    with pytest.raises(InputError, match=r"traces.r1: .*strange.jsonl has no trace of a question"):
        list(traces.Reader(spec(r1=source(strange)), asked).rows())
    lacking = write(tmp_path / "lacking.jsonl", {"question": "Another?", "tace": "x"})
    with pytest.raises(InputError, match=r"columns.trace: 'trace' is not a column .* did you mean 'tace'"):
        list(traces.Reader(spec(r1=source(lacking)), asked).rows())
    blank = write(
        tmp_path / "blank.jsonl",
        {"question": "What is 1 + 1?", "trace": ""},
        {"question": "What is 1 + 1?", "trace": 7},
    )
    with pytest.raises(InputError, match=r"(?s)no trace: row 1.*cannot be read: row 2: 7 is not text"):
        list(traces.Reader(spec(r1=source(blank)), asked).rows())
    nameless = source(strange, columns=COLUMNS | {"question": None})
    with pytest.raises(InputError, match=r"name a column of ids or of questions"):
        list(traces.Reader(spec(r1=nameless), asked).rows())


@pytest.mark.skipif(SHARED is None, reason="the recorded traces are not here")
@pytest.mark.parametrize(
    ("name", "found", "left_out"),
    [
        ("deepseek_r1_math500_52", 52, 0),
        ("qwq_32b_math500_52", 52, 0),
        ("gemini_2.0_flash_math500_52", 52, 0),
        ("limo_32b_math500_52", 52, 0),
        ("r1_distill_qwen_32b_math500_52", 52, 0),
        ("s1.1_32b_math500_52", 52, 0),
        ("deepseek_reasoner_2026_math500_30", 30, 0),
        ("r1_distill_7b_8b_math500_40", 40, 0),
        ("skyt1_longcot_aime24_60", 0, 60),
    ],
)
def test_recorded_traces_match_their_questions(tmp_path: Path, name: str, found: int, left_out: int) -> None:
    assert SHARED is not None
    rows = [json.loads(line) for line in (SHARED / "math500.jsonl").read_text(encoding="utf-8").splitlines()]
    key = next(key for key in ("problem", "question") if key in rows[0])
    asked = questions(tmp_path, {f"q{i}": row[key] for i, row in enumerate(rows)})
    file = SHARED / f"traces/{name}.jsonl"
    reader = traces.Reader(spec(them=source(file, columns=COLUMNS | {"source": "model"})), asked)
    if not found:
        with pytest.raises(InputError, match="has no trace of a question of this benchmark"):
            list(reader.rows())
    else:
        assert len(list(reader.rows())) == found
    assert sum(map(len, reader.unmatched.values())) == left_out
    assert not reader.copies
