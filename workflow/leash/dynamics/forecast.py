"""How long questions will stay open where they are drawn on, in rounds, only until one round solves them.

Rounds are cumulative: [32, 128] draws 32 samples of every question, then 96 more of those without a success. The
chances are those of a question being open at the start of each round. Expected draws are these times the sizes of
the rounds.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln

from leash.dynamics._checks import correct_of
from leash.dynamics.passk import pass_at_k
from leash.dynamics.priors import Beta, fit_beta

Floats = NDArray[np.float64]


def open_from_pilot(n: int, correct: ArrayLike, rounds: Sequence[int]) -> Floats:
    """Chance that each question of a pilot is open at the start of each round, shape (questions, rounds).

    The pilot's n samples, `correct` of them correct per question, shape (questions,), are the protocol's first n,
    in random order: within them a question without a success after m draws has the chance C(n-c, m)/C(n, m).
    Beyond them it is 0 for one that the pilot solved; else the rate is drawn from the benchmark's beta prior,
    fitted to the pilot, after n failures, so that 0 of n is no rate of 0. Raises ValueError for counts outside
    0..n, and for rounds that do not rise from at least 1.
    """
    counts = correct_of(n, correct)
    starts = _starts(rounds)
    prior = fit_beta(n, counts)
    unsolved = Beta(prior.successes, prior.failures + n)
    columns = [
        1 - pass_at_k(n, counts, start)
        if start <= n
        else np.where(counts == 0, _failing(unsolved, start - n), 0.0)
        for start in starts[1:]
    ]
    return np.column_stack([np.ones(counts.size), *columns])


def open_from_prior(prior: Beta, rounds: Sequence[int]) -> Floats:
    """Chance that a question with a rate from the prior is open at the start of each round, shape (rounds,).

    Raises ValueError for rounds that do not rise from at least 1.
    """
    return np.array([_failing(prior, start) for start in _starts(rounds)])


def _failing(rates: Beta, draws: int) -> float:
    """Mean of (1 - p)^draws over the distribution."""
    a, b = rates
    return float(np.exp(betaln(a, b + draws) - betaln(a, b)))


def _starts(rounds: Sequence[int]) -> list[int]:
    ends = list(rounds)
    if not ends or ends[0] < 1 or any(one >= after for one, after in pairwise(ends)):
        raise ValueError(f"rounds must rise from at least 1, not {ends}")
    return [0, *ends[:-1]]
