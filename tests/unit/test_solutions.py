"""The distinct verified answers of a state: which are listed, how often, and what is refused."""

from pathlib import Path

import pytest

from leash import records, solutions
from leash.errors import InputError

HOSTILE = 'a|b\nc, "d" \\ $x$\r\0é'


def verdict(question: str, index: int | None, answer: str | None, outcome: str = "correct") -> records.Row:
    return {
        "question_id": question,
        "sample_index": index,
        "outcome": outcome,
        "answer": answer,
        "extracted": answer,
        "rule": "boxed",
        "seconds": 0.0,
    }


def written(folder: Path, *shards: list[records.Row]) -> list[Path]:
    paths = [folder / f"r0-s{number}.parquet" for number in range(len(shards))]
    for path, rows in zip(paths, shards, strict=True):
        records.write(path, records.VERDICTS, rows, group=2)
    return paths


def listed(paths: list[Path]) -> list[tuple[str, str, int]]:
    return [(row["question_id"], row["answer"], row["samples"]) for row in solutions.solutions(paths).rows()]


def test_each_verified_answer_has_a_row_with_its_samples_over_all_shards(tmp_path: Path) -> None:
    paths = written(
        tmp_path,
        [
            verdict("q2", 0, "2+3"),
            verdict("q1", 0, "5"),
            verdict("q1", 1, "7", "wrong"),
            verdict("q1", 2, "6"),
        ],
        [verdict("q2", 1, "3+2"), verdict("q1", 4, "6"), verdict("q1", 3, "5", "verifier_error")],
        [verdict("q2", 2, "3+2"), verdict("q3", 0, None, "no_answer")],
    )
    assert listed(paths) == [("q2", "3+2", 2), ("q2", "2+3", 1), ("q1", "6", 2), ("q1", "5", 1)]


def test_equally_frequent_answers_stand_by_their_text_whatever_the_order_of_samples(tmp_path: Path) -> None:
    rows = [verdict("q", 0, "b"), verdict("q", 1, "a"), verdict("q", 2, "c")]
    assert listed(written(tmp_path, rows)) == listed(written(tmp_path, rows[::-1]))
    assert [answer for _, answer, _ in listed(written(tmp_path, rows))] == ["a", "b", "c"]


def test_a_correct_sample_without_an_answer_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = written(tmp_path, [verdict("q", 0, None), verdict("q", 1, ""), verdict("r", 0, None)])
    out = tmp_path / "made/solutions.parquet"
    monkeypatch.setattr("sys.argv", ["solutions", "--verdicts", *map(str, paths), "--out", str(out)])
    solutions.main()
    assert records.read(out, records.SOLUTIONS) == [{"question_id": "q", "answer": "", "samples": 1}]
    told = capsys.readouterr().err
    assert told.endswith(": 1 answers to 1 questions; left out, as their answer is null: 2 samples\n")


def test_answers_with_any_character_come_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [verdict("q|1", 0, HOSTILE), verdict("q|1", 1, HOSTILE), verdict("q|1", 2, HOSTILE.strip("é"))]
    out = tmp_path / "solutions.parquet"
    (path,) = written(tmp_path, rows)
    monkeypatch.setattr("sys.argv", ["solutions", "--verdicts", str(path), "--out", str(out)])
    solutions.main()
    found = {row["answer"]: row["samples"] for row in records.read(out, records.SOLUTIONS)}
    assert found == {HOSTILE: 2, HOSTILE.strip("é"): 1}
    assert "null" not in capsys.readouterr().err


def test_verdicts_without_a_solution_make_an_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = written(tmp_path, [], [verdict("q", 0, "3", "wrong")])
    out = tmp_path / "solutions.parquet"
    monkeypatch.setattr("sys.argv", ["solutions", "--verdicts", *map(str, paths), "--out", str(out)])
    solutions.main()
    assert records.read(out, records.SOLUTIONS) == []


def test_a_shard_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    (path,) = written(tmp_path, [verdict("q", 0, "1", "wrong"), verdict("q", 9, "5")])
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(path.read_bytes())
    with pytest.raises(
        InputError, match=r"copy.parquet: question 'q': a second verdict for sample_index 0; give each"
    ):
        solutions.solutions([path, copy])


@pytest.mark.parametrize("index", [None, -1])
def test_a_sample_index_that_cannot_be_is_refused(tmp_path: Path, index: int | None) -> None:
    with pytest.raises(InputError, match=rf"r0-s0.parquet: question 'q': sample_index {index} cannot be;"):
        solutions.solutions(written(tmp_path, [verdict("q", index, "1")]))


def test_a_file_that_is_missing_or_of_another_kind_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.parquet: not there"):
        solutions.solutions([tmp_path / "none.parquet"])
    records.write(tmp_path / "other.parquet", records.SOLUTIONS, [])
    with pytest.raises(InputError, match=r"other.parquet: lacks the columns sample_index, outcome"):
        solutions.solutions([tmp_path / "other.parquet"])
