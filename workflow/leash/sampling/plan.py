"""Which samples a study draws, in which shards, from which seeds. No model is needed to know them."""

import hashlib
from typing import NamedTuple

from leash.errors import InputError

# vLLM seeds the i-th completion of a request with seed + i, so the seeds of two questions must lie at least
# a whole budget apart. Multiples of 2**15 keep budgets up to 32,768 apart; 48 bits of hash fill up 63.
SEED_GAP_BITS = 15
_HASH_BITS = 48


class Shard(NamedTuple):
    """Samples [start, stop) of every question of a benchmark: one sampling job, one file, never changed."""

    round: int
    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """File name without extension."""
        return f"r{self.round}-s{self.number}"


def shards(budget: int, shard_samples: int) -> list[Shard]:
    """The shards of an exhaustive draw. A larger budget adds shards and leaves the others as they are."""
    return [
        Shard(0, number, start, start + shard_samples)
        for number, start in enumerate(range(0, budget, shard_samples))
    ]


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
