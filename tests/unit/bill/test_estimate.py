"""What a cell will take: numbers made by hand."""

from dataclasses import dataclass
from math import exp
from pathlib import Path

import pytest
from scipy.special import betaln

from leash.bill import prior
from leash.bill.disk import Drawn, Found, Rates
from leash.bill.estimate import Amounts, Others, estimate, spent
from leash.bill.prior import Length
from leash.bill.request import Cell, Cost
from leash.published.record import FOLDER, read

CELL = Cell("base/final", "sums", "", "Base", "base", "Sums", 2, 128, (32, 128), 90, (None, None))
NOTHING = Cost(None, None, None)
ALONE = Others([], [])
# 64 samples, 32 of each of two questions; 10 tokens and 20 bytes a sample, 1/32 s a token, 1/20 s of verification
SHARD = Drawn(Path("r0-s0.json"), 0, 0, 32, 64, 640, 5.0, 20.0, "NVIDIA H200", 1280, 3.2)
PILOT = Found([SHARD], 0, Rates(32, [32, 0], [5, 15]))
EMPTY = Found([], 0, None)


def hours(*seconds: float) -> object:
    return pytest.approx(sum(seconds) / 3600)


def test_exhaustive_from_the_pilot() -> None:
    made = estimate(CELL, PILOT, ALONE, Cost(2.0, None, None), Length(0, ""), 64)
    # 2 x 128 samples; 2560 tokens at 1/32 s and two jobs' starts of 5 s
    assert made.exhaustive[:2] == (256, 2560)
    assert made.exhaustive.hours == hours(80, 10)
    assert made.exhaustive.bytes == 5120
    assert made.exhaustive.verify_hours == hours(12.8)
    assert made.exhaustive.price == pytest.approx(2 * 90 / 3600)
    assert set(made.sources[:5]) == {"pilot"}
    assert made.sources.response == ""


def test_adaptive_from_the_pilot_draws_on_the_open_question_alone_and_it_is_long() -> None:
    made = estimate(CELL, PILOT, ALONE, NOTHING, Length(0, ""), 64).adaptive
    # 32 samples of 5 tokens and 128 of 15; one job in round 0, two in round 1
    assert (made.samples, made.tokens) == (pytest.approx(160), pytest.approx(2080))
    assert made.hours == hours(65, 15)
    assert made.verify_hours == hours(8)
    assert made.price is None


def test_all_from_the_prior() -> None:
    made = estimate(CELL, EMPTY, ALONE, NOTHING, Length(50.0, "Table 5"), 64)
    assert made.exhaustive == Amounts(256, 12800, None, 12800 * 4.5, None, None)
    a, b = prior.RATES
    still_open = exp(betaln(a, b + 32) - betaln(a, b))
    assert made.adaptive.samples == pytest.approx(2 * (32 + 96 * still_open))
    assert made.adaptive.tokens == pytest.approx(50 * made.adaptive.samples)
    assert made.sources[:6] == ("prior", "prior", "", "prior", "", "Table 5")


def test_no_completion_is_longer_than_max_tokens() -> None:
    assert estimate(CELL, EMPTY, ALONE, NOTHING, Length(8000, ""), 64).exhaustive.tokens == 256 * 90


def test_what_the_user_states() -> None:
    cost = Cost(3.0, 100.0, 50.0)
    made = estimate(CELL, EMPTY, ALONE, cost, Length(50, "cost.response_tokens"), 64)
    assert made.exhaustive.hours == hours(128)
    assert made.exhaustive.price == pytest.approx(3 * 128 / 3600)
    assert (made.sources.speed, made.sources.length) == ("stated", "stated")


@dataclass
class SpeedCase:
    own: str
    family: str
    stated: float | None
    source: str
    on_gpu: bool


@pytest.mark.parametrize(
    "case",
    [
        SpeedCase("H200", "H200", 1.0, "pilot", True),
        SpeedCase("", "H200", 1.0, "other pilot", True),
        SpeedCase("CPU (x86_64)", "H200", 1.0, "other pilot", True),
        SpeedCase("CPU (x86_64)", "", 1.0, "stated", True),
        SpeedCase("CPU (x86_64)", "", None, "pilot", False),
        SpeedCase("", "CPU (x86_64)", None, "other pilot", False),
        SpeedCase("", "", None, "", False),
    ],
)
def test_whose_speed_it_is(case: SpeedCase) -> None:
    def on(device: str) -> list[Drawn]:
        return [SHARD._replace(device=device)] if device else []

    found = Found(on(case.own), 0, None)
    made = estimate(
        CELL, found, Others(on(case.family), []), Cost(1.0, case.stated, None), Length(10, ""), 64
    )
    assert (made.sources.speed, made.sources.on_gpu) == (case.source, case.on_gpu)
    assert (made.exhaustive.hours is None) == (case.source == "")
    assert (made.exhaustive.price is None) == (not case.on_gpu)


def test_verification_is_told_by_the_same_benchmark_elsewhere() -> None:
    made = estimate(CELL, EMPTY, Others([], [SHARD]), NOTHING, Length(10, ""), 64)
    assert made.exhaustive.verify_hours == hours(12.8)
    assert made.sources.verify == "other pilot"


def test_a_pilot_of_empty_completions_tells_no_speed_and_no_tokens() -> None:
    silent = Found([SHARD._replace(tokens=0)], 0, Rates(32, [32, 0], [0, 0]))
    made = estimate(CELL, silent, ALONE, NOTHING, Length(50, ""), 64)
    assert (made.exhaustive.tokens, made.adaptive.tokens, made.exhaustive.hours) == (0, 0, None)
    assert made.adaptive.samples == pytest.approx(160)


def test_spent_is_every_round() -> None:
    later = SHARD._replace(round=1, samples=96, tokens=1440, bytes=10, verifying=None)
    taken = spent(Found([SHARD, later], 0, None), Cost(2.0, None, None))
    assert taken is not None
    assert (taken.samples, taken.tokens, taken.bytes) == (160, 2080, 1290)
    assert taken.hours == hours(50)
    assert taken.verify_hours == hours(3.2)
    assert taken.price == pytest.approx(2 * 50 / 3600)
    assert spent(EMPTY, NOTHING) is None


def test_the_prior_rates_are_those_of_the_papers_tables() -> None:
    record = read(FOLDER)
    averages = [
        float(row["value"])
        for row in record.precision_entropy
        if row["metric"] == "avg@32" and row["benchmark"] == "Avg"
    ]
    a, b = prior.RATES
    assert a / (a + b) == pytest.approx(sum(averages) / len(averages) / 100, abs=0.001)
    rows = [row for row in record.support_counts if row["k"] == "8192" and row["domain"] == "math"]
    solved = sum(2 * int(row["P"]) + int(row["S"]) + int(row["E"]) for row in rows)
    questions = sum(int(row[name]) for row in rows for name in "PESO")
    unsolved = exp(betaln(a, b + 8192) - betaln(a, b))
    assert 1 - unsolved == pytest.approx(solved / (2 * questions), abs=0.001)


@pytest.mark.parametrize(
    ("model", "benchmark", "tokens", "source"),
    [
        ("DeepSeek-1.5B", "AIME2024", 16363, "Table 5, DeepSeek-1.5B, AIME2024"),
        ("DAPO-32B", "SciBench", 4989, "Table 5, DAPO-32B, mean of the benchmarks"),
        (None, None, 7067.11, "Table 5, mean of the models, mean of the benchmarks"),
        ("Phi-4", "Minerva", 6356.56, "Table 5, mean of the models, Minerva"),
    ],
)
def test_prior_lengths(model: str | None, benchmark: str | None, tokens: float, source: str) -> None:
    found = prior.response_length(read(FOLDER).precision_entropy, model, benchmark)
    assert found == (pytest.approx(tokens, abs=0.01), source)
