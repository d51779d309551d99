"""The tail audit's file: which questions are in it, which answers, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash import records, tail
from leash.dynamics.regions import FEW, rests_on_few
from leash.errors import InputError
from leash.match import match
from leash.verify.opinion import OPINION_VERSION
from leash.verify.pool import Reply
from synthetic_study import write_counts

SPEC: dict[str, Any] = {"verifier": "math", "task": None, "tolerance": 0.0, "version": OPINION_VERSION}
GOLD = ["1/2", "0.50"]


class Opinions:
    """A worker that knows its opinions by heart."""

    def __init__(self, **replies: Reply) -> None:
        self.replies, self.asked = replies, 0

    def call(self, *arguments: object) -> Reply:
        verifier, extracted, gold, task, metadata, tolerance = arguments
        assert (verifier, gold, task, metadata, tolerance) == ("math", GOLD, None, "{}", 0.0)
        self.asked += 1
        return self.replies.get(str(extracted), Reply([True, "numbers"], None, "", 0.0))


def verdict(
    question: str, index: int, extracted: str | None, outcome: str = "correct", rule: str = "boxed"
) -> records.Row:
    return {
        "question_id": question,
        "sample_index": index,
        "outcome": outcome,
        "answer": "1/2",
        "extracted": extracted,
        "rule": rule,
        "seconds": 0.0,
    }


def write_questions(folder: Path, number: int) -> Path:
    rows = [
        {"question_id": f"q{i}", "question": "?", "gold": GOLD, "prompt": "?", "metadata": "{}"}
        for i in range(number)
    ]
    records.write(folder / "questions.parquet", records.QUESTIONS, rows)
    return folder / "questions.parquet"


def write_regions(folder: Path, base: list[int], target: list[int], n: int = 9) -> Path:
    sides = [
        write_counts(folder / f"{name}-counts.parquet", c, n)
        for name, c in (("base", base), ("target", target))
    ]
    records.write(folder / "regions.parquet", records.REGIONS, match(*sides))
    return folder / "regions.parquet"


def write_verdicts(folder: Path, name: str, *shards: list[records.Row]) -> list[Path]:
    paths = [folder / f"{name}-r0-s{index}.parquet" for index in range(len(shards))]
    for path, rows in zip(paths, shards, strict=True):
        records.write(path, records.VERDICTS, rows, group=2)
    return paths


def audited(
    folder: Path, worker: Opinions, verdicts: dict[str, list[Path]], questions: int = 4
) -> list[records.Row]:
    regions = folder / "regions.parquet"
    rows = list(tail.audit(SPEC, write_questions(folder, questions), regions, verdicts, worker))
    records.write(folder / "tail.parquet", records.TAIL, rows)
    return records.read(folder / "tail.parquet", records.TAIL)


def small(folder: Path) -> dict[str, list[Path]]:
    """q0: P, base 1 and target 4; q1: P, 4 and 4; q2: E, target 3; q3: O."""
    write_regions(folder, base=[1, 4, 0, 0], target=[4, 4, 3, 0])
    many = [verdict("q1", index, "0.5") for index in range(4)]
    return {
        "base": write_verdicts(
            folder, "base", [verdict("q0", 8, "0.5"), verdict("q3", 0, "2", "wrong")], many
        ),
        "target": write_verdicts(
            folder,
            "target",
            [verdict("q2", 5, "2/4"), verdict("q0", 4, "one half", rule="stated"), *many],
            [verdict("q0", i, "0.5") for i in (7, 6)] + [verdict("q0", 2, "0.5", rule="answer_tag")],
            [verdict("q2", 1, "2/4", rule="stated"), verdict("q2", 0, None), verdict("q2", 2, "7", "wrong")],
        ),
    }


def test_each_distinct_answer_of_a_question_in_the_tail_has_a_row(tmp_path: Path) -> None:
    verdicts = small(tmp_path)
    worker = Opinions(
        **{"one half": Reply([None, "words"], None, "", 0.0), "2/4": Reply([False, "numbers"], None, "", 0.0)}
    )
    rows = audited(tmp_path, worker, verdicts)
    names = (
        "question_id",
        "side",
        "correct",
        "sample_index",
        "samples",
        "extracted",
        "rule",
        "opinion",
        "how",
    )
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("q0", "base", 1, 8, 1, "0.5", "boxed", "agrees", "numbers"),
        ("q0", "target", 4, 2, 3, "0.5", "answer_tag", "agrees", "numbers"),
        ("q0", "target", 4, 4, 1, "one half", "stated", "none", "words"),
        ("q2", "target", 3, 0, 1, None, "boxed", "none", "the verdict holds no answer"),
        ("q2", "target", 3, 1, 2, "2/4", "stated", "disagrees", "numbers"),
    ]
    assert [row["region"] for row in rows] == ["preservation"] * 3 + ["expansion"] * 2
    assert all(row["gold"] == GOLD for row in rows)
    assert worker.asked == 4


def test_an_opinion_that_was_killed_or_failed_is_none(tmp_path: Path) -> None:
    verdicts = small(tmp_path)
    killed = Reply(None, "timeout", "killed after 2 s", 2.0)
    rows = audited(
        tmp_path, Opinions(**{"one half": killed, "2/4": killed._replace(failure="error")}), verdicts
    )
    assert [(row["opinion"], row["how"]) for row in rows if row["extracted"] in ("one half", "2/4")] == [
        ("none", "timeout: killed after 2 s"),
        ("none", "error: killed after 2 s"),
    ]


def test_regions_that_count_other_successes_than_the_verdicts_are_refused(tmp_path: Path) -> None:
    verdicts = small(tmp_path)
    cut = {**verdicts, "base": verdicts["base"][:1]}
    with pytest.raises(
        InputError,
        match=r"regions.parquet and \S*base-r0-s0.parquet: correct samples of the base differ for q1 \(4 and 0\);",
    ):
        audited(tmp_path, Opinions(), cut)
    records.write(
        verdicts["target"][2], records.VERDICTS, [verdict("q3", 1, "0.5"), verdict("stranger", 1, "0.5")]
    )
    with pytest.raises(
        InputError,
        match=r"target-r0-s0.parquet and 2 more: .*the target .*q2 \(3 and 1\), q3 \(0 and 1\), stranger \(0 and 1\);",
    ):
        audited(tmp_path, Opinions(), verdicts)


def test_a_question_without_its_gold_is_named(tmp_path: Path) -> None:
    verdicts = small(tmp_path)
    with pytest.raises(InputError, match=r"regions.parquet: question 'q2' is not in .*questions.parquet"):
        audited(tmp_path, Opinions(), verdicts, questions=2)


def test_a_study_without_a_tail_makes_an_empty_file(tmp_path: Path) -> None:
    write_regions(tmp_path, base=[4, 0], target=[0, 0])
    verdicts = {
        "base": write_verdicts(tmp_path, "base", [verdict("q0", index, "0.5") for index in range(4)]),
        "target": write_verdicts(tmp_path, "target", [verdict("q0", 0, None, "no_answer")]),
    }
    assert audited(tmp_path, Opinions(), verdicts) == []


def test_the_command_line_asks_a_real_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts, out = small(tmp_path), tmp_path / "out.parquet"
    argv = ["tail", "--spec", json.dumps(SPEC), "--questions", str(write_questions(tmp_path, 4))]
    argv += ["--regions", str(tmp_path / "regions.parquet"), "--out", str(out)]
    for side, paths in verdicts.items():
        argv += [f"--{side}-verdicts", *map(str, paths)]
    monkeypatch.setattr("sys.argv", argv)
    tail.main()
    assert [(row["opinion"], row["how"]) for row in records.read(out, records.TAIL)] == [
        ("agrees", "numbers"),
        ("agrees", "numbers"),
        ("none", "words"),
        ("none", "the verdict holds no answer"),
        ("agrees", "numbers"),
    ]
    assert "5 answers: disagrees 0, none 2, agrees 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [({"version": 0}, "version is 0"), ({"task": 3}, "task cannot be 3"), ({"more": 1}, "exactly the keys")],
)
def test_a_spec_that_is_off_is_explained(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=f"--spec: .*{complaint}"):
        tail.parse_spec(json.dumps(SPEC | changes))


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30))
def test_a_label_is_in_the_tail_where_a_state_solved_it_three_times_or_fewer(
    pairs: list[tuple[int, int]],
) -> None:
    base, target = (np.array([pair[side] for pair in pairs], dtype=int) for side in (0, 1))
    brute = [any(c in range(1, FEW + 1) for c in pair) for pair in pairs]
    assert FEW == 3
    assert rests_on_few(base, target).tolist() == brute
    assert rests_on_few(target, base).tolist() == brute


def test_the_sides_must_have_the_same_questions() -> None:
    with pytest.raises(ValueError, match="questions"):
        rests_on_few(np.array([1, 2]), np.array([1]))
