"""A benchmark's rates: a beta distribution fitted to its counts, so that a count of 0 is no rate of 0."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import betaln, digamma

from leash.dynamics._checks import correct_of

LARGEST = 1e6
"""Bound of both parameters, where the counts show no spread beyond the binomial's."""


class Beta(NamedTuple):
    """A beta distribution of rates, of density p^(successes - 1) (1 - p)^(failures - 1)."""

    successes: float
    failures: float


def fit_beta(n: int, correct: ArrayLike) -> Beta:
    """The beta prior of a model's rates: maximum likelihood of the beta-binomial over all questions.

    The counts have shape (questions,). Neither parameter falls under 1/(2 questions), half a success or half a
    failure in the whole benchmark; where all samples are wrong, or all are right, that and 1/2 are the prior,
    for the likelihood then has no maximum. Raises ValueError for counts outside 0..n.
    """
    counts, times = np.unique(correct_of(n, correct), return_counts=True)
    least = 1 / (2 * times.sum())
    if counts[-1] == 0:
        return Beta(least, 0.5)
    if counts[0] == n:
        return Beta(0.5, least)

    def loss(logs: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        a, b = np.exp(logs)
        value = np.sum(times * (betaln(counts + a, n - counts + b) - betaln(a, b)))
        common = digamma(a + b) - digamma(n + a + b)
        slope = [
            a * np.sum(times * (digamma(counts + a) - digamma(a) + common)),
            b * np.sum(times * (digamma(n - counts + b) - digamma(b) + common)),
        ]
        return -float(value), -np.array(slope)

    mean = np.sum(times * counts) / (n * times.sum())
    start = np.log(np.maximum([mean, 1 - mean], least))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(np.log(least), np.log(LARGEST))] * 2)
    a, b = np.exp(found.x)
    return Beta(float(a), float(b))
