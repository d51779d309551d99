"""Every style works every question out: each step holds, and the trace comes to the gold answer."""

import json
import re
from fractions import Fraction
from random import Random

import pytest

from leash.errors import InputError
from leash.records import Row
from leash.training.corpus import completion_text
from leash.training.traces import STYLES, prime_factors, write_trace
from leash.verify import grade

ALL_STYLES = [(task, style) for task, styles in STYLES.items() for style in styles]
NUMBER = r"-?\d+"
STEP = re.compile(rf"{NUMBER}(?:[+\-*/%×]{NUMBER})*=(?:{NUMBER})(?:[+\-*/%×]{NUMBER})*")


def value(expression: str) -> Fraction:
    """An independent reading of one side of a step: Python's own, on exact fractions."""
    return Fraction(
        eval(re.sub(r"\d+", r"Fraction(\g<0>)", expression.replace("×", "*")), {"Fraction": Fraction})
    )


def traces(
    task: str, style: str, questions: dict[str, list[Row]]
) -> list[tuple[dict[str, object], str, str]]:
    rng = Random(5)
    return [
        (
            metadata := json.loads(row["metadata"]),
            row["gold"][0],
            write_trace(task, style, metadata, row["gold"], rng),
        )
        for row in questions[task]
    ]


def steps(trace: str) -> list[str]:
    return [step for step in trace.split() if step != "no" and "=" in step]


@pytest.mark.parametrize(("task", "style"), ALL_STYLES)
def test_every_step_is_true_arithmetic(task: str, style: str, questions: dict[str, list[Row]]) -> None:
    checked = 0
    for _, _, trace in traces(task, style, questions):
        for step in steps(trace):
            assert STEP.fullmatch(step), trace
            left, right = step.split("=")
            assert value(left) == value(right), trace
            checked += 1
    assert checked or style == "direct"


@pytest.mark.parametrize(("task", "style"), ALL_STYLES)
def test_completion_is_verified_correct(task: str, style: str, questions: dict[str, list[Row]]) -> None:
    rng = Random(6)
    for row in questions[task]:
        trace = write_trace(task, style, json.loads(row["metadata"]), row["gold"], rng)
        completion = completion_text(trace, row["gold"][0])
        assert grade(completion, row["gold"], task=task, metadata=row["metadata"]).outcome == "correct"


@pytest.mark.parametrize("style", ["forward", "search"])
def test_countdown_ends_at_the_target(style: str, questions: dict[str, list[Row]]) -> None:
    for metadata, _, trace in traces("countdown", style, questions):
        assert trace.endswith(f"={metadata['target']}")


def test_countdown_backward_starts_at_the_target(questions: dict[str, list[Row]]) -> None:
    for metadata, _, trace in traces("countdown", "backward", questions):
        assert trace.startswith(f"{metadata['target']}=")


def test_countdown_uses_each_number_once(questions: dict[str, list[Row]]) -> None:
    for metadata, _, trace in traces("countdown", "forward", questions):
        used = [number for step in steps(trace) for number in re.findall(r"\d+", step)]
        made = [step.split("=")[1].lstrip("-") for step in steps(trace)]
        for number in [
            *made,
            *made[:-1],
        ]:  # each result stands once as a result, and all but the last as an input
            used.remove(number)
        assert sorted(map(int, used)) == sorted(metadata["numbers"])


def test_countdown_search_misses_once_or_twice_first(questions: dict[str, list[Row]]) -> None:
    missed = []
    for metadata, _, trace in traces("countdown", "search", questions):
        *attempts, _ = trace.split(" no ")
        assert all(not attempt.endswith(f"={metadata['target']}") for attempt in attempts)
        missed.append(len(attempts))
    assert set(missed) == {1, 2}


@pytest.mark.parametrize(("style", "sign"), [("up", 1), ("down", -1)])
def test_prime_divisors_come_in_order(style: str, sign: int, questions: dict[str, list[Row]]) -> None:
    for metadata, gold, trace in traces("prime_factorization", style, questions):
        divisors = [int(step.split("/")[1].split("=")[0]) for step in steps(trace)]
        last = int(re.split("=", trace)[-1])
        primes = [*divisors, last]
        assert primes == sorted(primes, reverse=sign < 0)
        assert sorted(primes) == sorted(int(part) for part in gold.split("×"))
        assert trace.startswith(str(metadata["number"]))


def test_prime_split_trees_differ(questions: dict[str, list[Row]]) -> None:
    row = next(row for row in questions["prime_factorization"] if row["gold"][0].count("×") >= 3)
    rng = Random(1)
    texts = {
        write_trace("prime_factorization", "split", json.loads(row["metadata"]), row["gold"], rng)
        for _ in range(30)
    }
    assert len(texts) > 1


@pytest.mark.parametrize("style", ["left", "group"])
def test_chain_sum_ends_at_the_sum(style: str, questions: dict[str, list[Row]]) -> None:
    for _, gold, trace in traces("chain_sum", style, questions):
        assert trace.endswith(f"={gold}")


def test_chain_sum_group_takes_sums_first() -> None:
    metadata = {"expression": "15 - 43 - 75"}
    assert write_trace("chain_sum", "group", metadata, ["-103"], Random(0)) == "43+75=118 15-118=-103"
    assert write_trace("chain_sum", "left", metadata, ["-103"], Random(0)) == "15-43=-28 -28-75=-103"
    assert write_trace("chain_sum", "direct", metadata, ["-103"], Random(0)) == ""


@pytest.mark.parametrize("style", ["euclid", "subtract"])
def test_gcd_reaches_zero_by_the_answer(style: str, questions: dict[str, list[Row]]) -> None:
    for _, gold, trace in traces("gcd", style, questions):
        assert re.search(rf"(%|\*){gold}=0$", trace), trace


def test_gcd_factors_ends_in_the_shared_product(questions: dict[str, list[Row]]) -> None:
    for _, gold, trace in traces("gcd", "factors", questions):
        assert value(trace.split()[-1]) == int(gold)


def test_prime_factors_multiply_back() -> None:
    for number in range(1, 1000):
        factors = prime_factors(number)
        product = 1
        for factor in factors:
            product *= factor
            assert all(factor % divisor for divisor in range(2, factor))
        assert product == number


@pytest.mark.parametrize(
    ("task", "metadata", "gold"),
    [
        ("countdown", {"numbers": [3, 5], "target": 8}, ["3*5"]),
        ("prime_factorization", {"number": 12}, ["2 × 3 × 3"]),
        ("chain_sum", {"expression": "1 + 1"}, ["3"]),
        ("gcd", {"numbers": [4, 6]}, ["3"]),
    ],
)
def test_trace_that_misses_the_gold_is_refused(task: str, metadata: Row, gold: list[str]) -> None:
    for style in STYLES[task]:
        with pytest.raises(InputError, match="comes to"):
            write_trace(task, style, metadata, gold, Random(0))


@pytest.mark.parametrize(
    ("task", "metadata", "gold"),
    [
        ("gcd", {}, ["1"]),
        ("countdown", {"numbers": [1], "target": 1}, ["__import__('os')"]),
        ("countdown", {"numbers": [1], "target": 1}, ["1 +"]),
        ("chain_sum", {"expression": "1 + x"}, ["1"]),
    ],
)
def test_unfit_metadata_is_refused(task: str, metadata: Row, gold: list[str]) -> None:
    for style in STYLES[task]:
        with pytest.raises(InputError, match=r"no \w+ trace can be written"):
            write_trace(task, style, metadata, gold, Random(0))
