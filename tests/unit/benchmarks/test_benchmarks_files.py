"""The reader of local files: four formats, the same rows, and what it says of a broken one."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leash.benchmarks import files
from leash.errors import InputError

ROWS = [{"question": "1 + 1,\n\u2028or so?", "answer": "2"}, {"question": 'say "a"', "answer": "a"}]


def written(folder: Path, suffix: str) -> Path:
    path = folder / f"questions{suffix}"
    if suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n\n" for row in ROWS))
    elif suffix == ".json":
        path.write_text(json.dumps(ROWS), encoding="utf-8-sig")
    elif suffix == ".csv":
        path.write_text('question,answer\n"1 + 1,\n\u2028or so?",2\n\n"say ""a""",a\n', encoding="utf-8-sig")
    else:
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize("suffix", files.READERS)
def test_every_format_gives_the_same_rows(tmp_path: Path, suffix: str) -> None:
    assert files.read(written(tmp_path, suffix)) == ROWS


def test_json_keeps_numbers_lists_and_objects(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 27.0, "b": ["x"], "c": {"d": null}}')
    assert files.read(path) == [{"a": 27.0, "b": ["x"], "c": {"d": None}}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": \n', r"a\.jsonl: line 2: not valid JSON"),
        ("a.jsonl", b"[1]\n", r"line 1: not a JSON object but \[1\]"),
        ("a.jsonl", b"\xff\xfe", "cannot be read as .jsonl"),
        ("a.json", b'{"a": 1}', r"no array of objects at its top; for one object a line use \.jsonl"),
        ("a.json", b"[{}, 3]", "item 2: not a JSON object but 3"),
        ("a.csv", b"a,b\n1,2\n1,2,3\n", "ends at line 3 has 3 cells, and the header 2"),
        ("a.csv", b"a,a\n1,2\n", "columns with the same name: a"),
        ("a.csv", b'a\n"1\n', "cannot be read as .csv"),
        ("a.parquet", b"PAR1", "cannot be read as .parquet"),
        ("a.txt", b"", r"the suffix '\.txt' is not one of \.jsonl, \.json, \.csv, \.parquet"),
    ],
)
def test_a_broken_file_is_named_with_the_place(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as refused:
        files.read(tmp_path / name)
    assert str(tmp_path / name) in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: not there"):
        files.read(tmp_path / "none.csv")
