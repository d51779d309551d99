"""Which samples a study draws, in which shards, from which seeds. No model is needed to know them."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import count
from math import ceil
from typing import NamedTuple

from leash.errors import InputError
from leash.records import canonical_json

# vLLM seeds the i-th completion of a request with seed + i, so the seeds of two questions must lie at least
# a whole budget apart. Multiples of 2**15 keep budgets up to 32,768 apart; 48 bits of hash fill up 63.
SEED_GAP_BITS = 15
_HASH_BITS = 48


class Shard(NamedTuple):
    """Samples [start, stop) of each question it is asked for: one sampling job, one file, never changed."""

    round: int
    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """File name without extension."""
        return f"r{self.round}-s{self.number}"


class Asked(NamedTuple):
    """A shard of a later round, and the questions it is asked for."""

    shard: Shard
    questions: tuple[str, ...]


def shards(budget: int, shard_samples: int) -> list[Shard]:
    """The shards of an exhaustive draw, and of round 0, which are of every question of a benchmark.

    A larger budget adds shards and leaves the others as they are.
    """
    return [
        Shard(0, number, start, start + shard_samples)
        for number, start in enumerate(range(0, budget, shard_samples))
    ]


def first_round(rounds: Sequence[int], shard_samples: int) -> list[Shard]:
    """The shards of round 0 of an adaptive draw; `rounds` as in leash.dynamics.adaptive."""
    return shards(rounds[0], min(shard_samples, rounds[0]))


def later_round(
    number: int,
    start: int,
    stop: int,
    questions: Sequence[str],
    drawn: Iterable[Asked],
    most: int,
) -> list[Asked]:
    """The shards that hold samples [start, stop) of the questions, each of at most `most` samples in all.

    Of the round's shards that are `drawn` already, those that hold some of these samples are kept as they are, though
    they may hold others too, unless they overlap one that is kept; only what no kept shard holds is put into new ones.
    These get numbers that no drawn shard has, kept or not, so that none is written over. So a list of questions that
    has changed draws nothing twice.
    """
    missing = {question: [(start, stop)] for question in questions}
    there, kept = sorted(drawn), []
    for one in there:
        span = max(start, one.shard.start), min(stop, one.shard.stop)
        holds = [question for question in one.questions if question in missing]
        overlaps = any(not _holds(missing[question], span) for question in holds)
        if span[0] >= span[1] or not holds or overlaps:
            continue
        kept.append(one)
        for question in holds:
            missing[question] = _without(missing[question], span)
    groups: dict[tuple[int, int], list[str]] = {}
    for question, spans in missing.items():
        for span in spans:
            groups.setdefault(span, []).append(question)
    taken = {one.shard.number for one in there}
    free = (at for at in count() if at not in taken)
    new = [
        Asked(Shard(number, next(free), *span), tuple(some))
        for whole, together in sorted(groups.items())
        for some in _at_most(together, most)
        for span in _ranges(*whole, max(1, most // len(some)))
    ]
    return sorted([*kept, *new])


def questions_sha256(questions: Sequence[str]) -> str:
    """What a sampling spec says of the questions that a shard of a later round is asked for."""
    return hashlib.sha256(canonical_json(list(questions)).encode()).hexdigest()


def _holds(spans: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in spans)


def _without(spans: list[tuple[int, int]], span: tuple[int, int]) -> list[tuple[int, int]]:
    """The spans less one that lies within one of them."""
    left = []
    for first, last in spans:
        if first <= span[0] and span[1] <= last:
            left += [(first, span[0]), (span[1], last)]
        else:
            left.append((first, last))
    return [(first, last) for first, last in left if first < last]


def _at_most(questions: list[str], most: int) -> list[list[str]]:
    """The questions in parts of about the same size, none larger than `most`."""
    parts = ceil(len(questions) / most)
    size = ceil(len(questions) / parts)
    return [questions[at : at + size] for at in range(0, len(questions), size)]


def _ranges(start: int, stop: int, most: int) -> list[tuple[int, int]]:
    """[start, stop) in ranges of about the same length, none longer than `most`."""
    length = ceil((stop - start) / ceil((stop - start) / most))
    return [(at, min(at + length, stop)) for at in range(start, stop, length)]


def question_seed(study_seed: int, model: str, checkpoint: str, benchmark: str, question_id: str) -> int:
    """Seed of sample 0 of a question; sample i has this seed plus i, in whichever shard it is drawn.

    A multiple of 2**15 below 2**63, from SHA-256 of the arguments.
    """
    key = "\x1f".join((str(study_seed), model, checkpoint, benchmark, question_id)).encode()
    return int.from_bytes(hashlib.sha256(key).digest()[: _HASH_BITS // 8], "big") << SEED_GAP_BITS


def question_seeds(
    study_seed: int, model: str, checkpoint: str, benchmark: str, question_ids: list[str]
) -> dict[str, int]:
    """Seeds of all questions of a benchmark. Raises InputError if two are the same (odds of 1 in 10**8)."""
    seeds = {
        question_id: question_seed(study_seed, model, checkpoint, benchmark, question_id)
        for question_id in question_ids
    }
    if len(set(seeds.values())) != len(seeds):
        raise InputError(
            f"{benchmark}: two questions have the same sampling seed; change `seed` in the config"
        )
    return seeds
