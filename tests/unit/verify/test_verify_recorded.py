"""Verdicts beside the scores that came with recorded completions, disagreements counted and told by kind."""

import re
from functools import cache

import pytest

from bench.recorded import DATA, FILES, Recorded, completions
from leash.verify import Verdict, grade
from leash.verify.extract import extract

pytestmark = pytest.mark.skipif(
    not (DATA / "recorded").is_dir(), reason="the recorded completions are not here"
)

SIZES = {"MATH": 800, "AIME/AMC": 7000, "Minerva greedy": 544}
# 37/4 m as \frac{37}{4m}; 1.70e4 as 1.70e+06: the recorder took both for right
RECORDER_WRONG = {"minerva_math/104", "minerva_math/166"}
# a plain number in any notation: what the AIME and AMC recorder could read
PLAIN = re.compile(r"-?[\d,]+(?:\.0*)?")


@cache
def judged(name: str) -> list[tuple[Recorded, Verdict]]:
    return [(row, grade(row.completion, row.gold)) for row in completions(DATA, name)]


def answer_of(row: Recorded) -> str:
    found = extract(row.completion)
    return found.answer if found else ""


def told(rows: list[Recorded]) -> str:
    return "\n".join(f"{row.question_id}: {answer_of(row)!r} for {row.gold!r}" for row in rows)


@pytest.mark.parametrize("name", FILES)
def test_the_set_is_whole_and_no_verdict_fails(name: str) -> None:
    assert len(judged(name)) == SIZES[name]
    failed = [row for row, verdict in judged(name) if verdict.outcome.startswith("verifier")]
    assert not failed, told(failed)


@pytest.mark.parametrize("name", FILES)
def test_no_recorded_success_is_lost(name: str) -> None:
    lost = [row for row, verdict in judged(name) if row.correct and verdict.outcome != "correct"]
    assert {row.question_id for row in lost} <= RECORDER_WRONG, told(lost)
    assert len(lost) <= 2, told(lost)


def test_math_has_one_success_more_than_recorded() -> None:
    gained = [row for row, verdict in judged("MATH") if verdict.outcome == "correct" and not row.correct]
    assert {row.question_id for row in gained} <= {"math_cot_100/72"}, told(gained)  # 10000 for 10{,}000
    assert len(gained) <= 1, told(gained)


def test_integers_gain_only_what_is_an_expression_with_their_value() -> None:
    gained = [row for row, verdict in judged("AIME/AMC") if verdict.outcome == "correct" and not row.correct]
    assert not [row for row in gained if PLAIN.fullmatch(answer_of(row))], told(gained)
    assert len(gained) <= 30, told(gained)


def test_minerva_gains_other_notations_and_finer_values() -> None:
    gained = [(row, verdict) for row, verdict in judged("Minerva greedy") if verdict.outcome == "correct"]
    rows = [row for row, verdict in gained if not row.correct]
    kinds = [verdict.detail.partition(": ")[2] for row, verdict in gained if not row.correct]
    assert {re.sub(r"\d+", "8", kind) for kind in kinds} <= {
        "numbers",
        "form",
        "rounded",
        "values at 8 points",
    }, told(rows)
    assert len(rows) <= 30, told(rows)
