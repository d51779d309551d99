"""The golds of the mathematics benchmarks: each agrees with itself, and with no other value."""

import json
from pathlib import Path

import pytest

from leash.verify.assess import assess

DATA = Path(__file__).parents[4] / "shared" / "data"
BENCHMARKS = ["math500", "minerva_math", "olympiadbench", "aime24", "aime25", "amc23", "scibench"]
OPTIONS = {"tolerance": 0.05}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")
# Neighbours whose golds do have the same value, where the texts do not say so at once
EQUAL = {("math500", "5", "x=5"), ("scibench", "0.9731", "1"), ("scibench", "0.65625", "0.66666666666")}


def golds(benchmark: str) -> dict[str, str]:
    rows = map(json.loads, (DATA / f"{benchmark}.jsonl").read_text(encoding="utf-8").splitlines())
    unit = benchmark == "scibench"
    return {
        row["id"]: f"{row['answer']} {row['source_fields']['unit']}" if unit else row["answer"]
        for row in rows
    }


def correct(benchmark: str, answer: str, gold: str) -> bool | str:
    """The verdict, or what was raised."""
    try:
        return assess("numeric" if benchmark == "scibench" else "math", answer, None, [gold], OPTIONS)[0]
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_gold_agrees_with_itself(benchmark: str) -> None:
    found = {name: correct(benchmark, gold, gold) for name, gold in golds(benchmark).items()}
    assert not {name: why for name, why in found.items() if why is not True}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_gold_agrees_with_the_next_question(benchmark: str) -> None:
    texts = [" ".join(gold.split()) for gold in golds(benchmark).values()]
    found = [
        (gold, answer)
        for gold, answer in zip(texts, [*texts[1:], texts[0]], strict=True)
        if gold != answer and correct(benchmark, answer, gold) is True
    ]
    assert {(benchmark, *pair) for pair in found} <= EQUAL
