"""Answers with a known verdict, one pair of right and wrong for each way an answer may be written."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from leash.verify import grade

HERE = Path(__file__).parent
SHARED = HERE.parents[3] / "shared" / "cases" / "math_answers.jsonl"

CASES: dict[str, list[dict[str, Any]]] = defaultdict(list)
for _case in json.loads((HERE / "cases.json").read_text(encoding="utf-8")):
    CASES[_case["kind"]].append(_case)


def misjudged(case: dict[str, Any]) -> str:
    """What is wrong about the verdict on a case; empty where it is as expected."""
    verdict = grade(case["completion"], case["gold"], finish_reason=case.get("finish_reason", "stop"))
    if (verdict.outcome == "correct") == case["expected"]:
        return ""
    return f"{case['kind']}: {case['completion'][-200:]!r} for {case['gold']!r} is {verdict}"


@pytest.mark.parametrize("kind", CASES)
def test_every_case_of_a_kind(kind: str) -> None:
    assert not [wrong for wrong in map(misjudged, CASES[kind]) if wrong]


def test_the_cases_hold_rights_and_wrongs() -> None:
    cases = [case for kind in CASES.values() for case in kind]
    assert len(cases) == 110
    assert {case["expected"] for case in cases} == {True, False}


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared cases are not here")
def test_the_shared_cases_have_no_false_positive_and_few_misses() -> None:
    cases = [json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines()]
    judged = [(case["expected"], misjudged(case)) for case in cases]
    false_positives = [wrong for expected, wrong in judged if wrong and not expected]
    misses = [wrong for expected, wrong in judged if wrong and expected]
    assert not false_positives, "\n".join(false_positives)
    assert len(misses) <= 0.02 * len(cases), "\n".join(misses)
