"""Files: whole or absent, and a clear word where they are neither."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from leash import records
from leash.errors import InputError

ROW = {"question_id": "q", "question": "?", "gold": ["1"], "prompt": "?", "metadata": "{}"}


def rows(count: int) -> list[records.Row]:
    return [ROW | {"question_id": f"q{i}"} for i in range(count)]


def test_rows_come_back_as_written_across_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "deep/questions.parquet"
    assert records.write(path, records.QUESTIONS, iter(rows(25)), group=10) == 25
    assert records.read(path, records.QUESTIONS) == rows(25)


def test_no_rows_make_a_readable_file(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    assert records.write(path, records.QUESTIONS, []) == 0
    assert records.read(path, records.QUESTIONS) == []


@pytest.mark.parametrize("keep", [0, 10, -1])
def test_a_truncated_file_is_named_with_what_to_delete(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "r0-s0.parquet"
    records.write(path, records.QUESTIONS, rows(5))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(
        InputError,
        match=r"r0-s0\.parquet: not a whole Parquet file .*; delete it and run again with it as the target",
    ):
        records.read(path, records.QUESTIONS)


def test_garbage_inside_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r0-s0.parquet"
    records.write(path, records.QUESTIONS, rows(5000))
    content = bytearray(path.read_bytes())
    content[8:400] = bytes(392)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"r0-s0\.parquet: not a whole Parquet file"):
        records.read(path, records.QUESTIONS)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "questions.parquet"
    records.write(path, records.QUESTIONS, rows(1))
    with pytest.raises(InputError, match="lacks the columns sample_index, completion"):
        records.read(path, records.SAMPLES)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.parquet: not there"):
        records.read(tmp_path / "absent.parquet", records.QUESTIONS)


def test_duplicate_questions_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "questions.parquet"
    records.write(path, records.QUESTIONS, [*rows(3), *rows(2)])
    with pytest.raises(InputError, match="question_id stands more than once: q0, q1"):
        records.read_by_question(path, records.QUESTIONS)


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "questions.parquet"
    records.write(path, records.QUESTIONS, rows(3))

    def broken() -> object:
        yield ROW
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        records.write(path, records.QUESTIONS, broken())
    assert records.read(path, records.QUESTIONS) == rows(3)
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_and_what_is_finished_stays(tmp_path: Path) -> None:
    path = tmp_path / "questions.parquet"
    records.write(path, records.QUESTIONS, rows(3))
    code = (
        "import random, sys\nfrom pathlib import Path\nfrom leash import records\n"
        "from leash.errors import exits_cleanly\n"
        "rows = ({'question_id': str(i), 'question': str(random.random()) * 50, 'gold': [], 'prompt': '',"
        " 'metadata': ''} for i in range(100_000))\n"
        "exits_cleanly(lambda: records.write(Path(sys.argv[1]), records.QUESTIONS, rows))()\n"
    )

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    ended = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        preexec_fn=small_disk,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert f"error: {path}: no space left to write it" in ended.stderr
    assert "every finished file is kept" in ended.stderr
    assert records.read(path, records.QUESTIONS) == rows(3)
    assert list(tmp_path.iterdir()) == [path]


def test_json_has_one_spelling_and_null_for_nan(tmp_path: Path) -> None:
    path = tmp_path / "metrics.json"
    records.write_json(path, {"b": float("nan"), "a": [1.5, float("nan")]})
    assert records.read_json(path) == {"a": [1.5, None], "b": None}
    assert records.canonical_json({"b": 1, "a": "é"}) == '{"a":"\\u00e9","b":1}'


def test_broken_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "metrics.json"
    path.write_text("{")
    with pytest.raises(InputError, match=r"metrics\.json: not valid JSON"):
        records.read_json(path)
