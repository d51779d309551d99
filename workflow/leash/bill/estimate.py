"""What a cell will cost under either protocol, and by what that is known.

Exhaustive: every question gets the whole budget. Adaptive: in rounds, until one round solves it.
"""

from collections.abc import Iterable
from math import ceil
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leash.bill import prior
from leash.bill.disk import Drawn, Found
from leash.bill.request import Cell, Cost
from leash.dynamics.forecast import open_from_pilot, open_from_prior
from leash.dynamics.priors import Beta

Source = Literal["pilot", "other pilot", "stated", "prior", ""]
PROTOCOLS: Final = ("exhaustive", "adaptive")
_HOUR: Final = 3600


class Amounts(NamedTuple):
    """What a cell takes, or has taken: None where it is not known.

    Samples, tokens, bytes; hours are those of a GPU (of a job, on CPU), and of a core that verifies. The price is
    that of GPU-hours: None for CPU.
    """

    samples: float
    tokens: float
    hours: float | None
    bytes: float
    verify_hours: float | None
    price: float | None


class Speed(NamedTuple):
    """GPU-seconds of a token, and of a job beside its tokens; on CPU, seconds of a job."""

    per_token: float
    per_job: float
    source: Source
    on_gpu: bool


class Sources(NamedTuple):
    """By what each amount is known; "" is not at all. `response` says where a prior length comes from."""

    rates: Source
    length: Source
    speed: Source
    disk: Source
    verify: Source
    response: str
    on_gpu: bool


class Estimate(NamedTuple):
    """Amounts by protocol, and their sources."""

    exhaustive: Amounts
    adaptive: Amounts
    sources: Sources


class Others(NamedTuple):
    """Pilots elsewhere in the study: of the cell's family (its speed), and on its benchmark (its verification)."""

    family: list[Drawn]
    benchmark: list[Drawn]


class _Draw(NamedTuple):
    """Samples, tokens and jobs."""

    samples: float
    tokens: float
    jobs: float


def estimate(
    cell: Cell, found: Found, others: Others, cost: Cost, length: prior.Length, shard_samples: int
) -> Estimate:
    """What a cell will take. `length` is of a completion where no pilot tells it; `max_tokens` bounds it."""
    pilot = found.pilot
    samples, tokens = sum(one.samples for one in pilot), sum(one.tokens for one in pilot)
    per_sample = tokens / samples if samples else min(length.tokens, cell.max_tokens)
    speed = speed_of(pilot, others.family, cost)
    size = sum(one.bytes for one in pilot) / max(1, tokens) if samples else prior.BYTES_PER_TOKEN
    verifying, verify_source = _verifying(pilot, others.benchmark)

    def amounts(draw: _Draw) -> Amounts:
        hours = None if speed is None else (draw.tokens * speed.per_token + draw.jobs * speed.per_job) / _HOUR
        checked = None if verifying is None else draw.samples * verifying / _HOUR
        price = _price(hours, speed is not None and speed.on_gpu, cost)
        return Amounts(draw.samples, draw.tokens, hours, draw.tokens * size, checked, price)

    whole = cell.questions * cell.budget
    return Estimate(
        amounts(_Draw(whole, whole * per_sample, ceil(cell.budget / shard_samples))),
        amounts(_adaptive(cell, found, per_sample, shard_samples)),
        Sources(
            rates="pilot" if found.rates else "prior",
            length="pilot" if samples else "stated" if cost.response_tokens else "prior",
            speed=speed.source if speed else "",
            disk="pilot" if samples else "prior",
            verify=verify_source,
            response="" if samples else length.source,
            on_gpu=speed is not None and speed.on_gpu,
        ),
    )


def speed_of(pilot: Iterable[Drawn], family: Iterable[Drawn], cost: Cost) -> Speed | None:
    """A GPU's speed before a CPU's, and among these the cell's own before its family's; None where none is known.

    What the user states is of a GPU, and stands after a pilot on one.
    """
    sources: list[tuple[Source, list[Drawn]]] = [("pilot", list(pilot)), ("other pilot", list(family))]
    for on_gpu in (True, False):
        for source, shards in sources:
            drawn = [one for one in shards if one.on_gpu == on_gpu and one.tokens and one.drawing]
            if drawn:
                tokens, seconds = sum(one.tokens for one in drawn), sum(one.drawing for one in drawn)
                starting = sum(one.starting for one in drawn) / len(drawn)
                return Speed(seconds / tokens, starting, source, on_gpu)
        if on_gpu and cost.tokens_per_second:
            return Speed(1 / cost.tokens_per_second, 0.0, "stated", True)
    return None


def spent(found: Found, cost: Cost) -> Amounts | None:
    """What the shards that lie on disk have taken; None where there are none."""
    if not found.drawn:
        return None
    times = [one.verifying for one in found.drawn if one.verifying is not None]
    hours = sum(one.starting + one.drawing for one in found.drawn) / _HOUR
    return Amounts(
        samples=sum(one.samples for one in found.drawn),
        tokens=sum(one.tokens for one in found.drawn),
        hours=hours,
        bytes=sum(one.bytes for one in found.drawn),
        verify_hours=sum(times) / _HOUR if times else None,
        price=_price(hours, all(one.on_gpu for one in found.drawn), cost),
    )


def _price(hours: float | None, on_gpu: bool, cost: Cost) -> float | None:
    return None if hours is None or not on_gpu or cost.per_gpu_hour is None else hours * cost.per_gpu_hour


def _verifying(pilot: list[Drawn], elsewhere: list[Drawn]) -> tuple[float | None, Source]:
    """Seconds of a core for one sample, and whose they are."""
    sources: tuple[tuple[Source, list[Drawn]], ...] = (("pilot", pilot), ("other pilot", elsewhere))
    for source, shards in sources:
        timed = [(one.verifying, one.samples) for one in shards if one.verifying is not None]
        if timed:
            return sum(seconds for seconds, _ in timed) / sum(samples for _, samples in timed), source
    return None, ""


def _adaptive(cell: Cell, found: Found, per_sample: float, shard_samples: int) -> _Draw:
    """Expected draws in rounds. A pilot knows that the questions that stay open are the long ones."""
    rounds = cell.rounds
    sizes = np.diff(rounds, prepend=0)
    if found.rates is None:
        chances = open_from_prior(Beta(*prior.RATES), rounds)
        samples = cell.questions * float(chances @ sizes)
        any_open = 1 - (1 - chances) ** cell.questions
        return _Draw(samples, samples * per_sample, _jobs(any_open, sizes, shard_samples))
    chances = open_from_pilot(found.rates.n, found.rates.correct, rounds)
    draws = chances @ sizes
    lengths = np.asarray(found.rates.lengths)
    relative = lengths / lengths.mean() if lengths.mean() else np.ones_like(lengths)
    return _Draw(
        cell.questions * float(draws.mean()),
        cell.questions * float((draws * relative).mean()) * per_sample,
        _jobs(1 - np.prod(1 - chances, axis=0), sizes, shard_samples),
    )


def _jobs(any_open: NDArray[np.float64], sizes: NDArray[np.int64], shard_samples: int) -> float:
    """Expected sampling jobs: those of each round, if any question is open at its start."""
    return float(any_open @ np.ceil(sizes / shard_samples))
