"""pass@k from a fixed number of samples per question."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pass_at_k(n: ArrayLike, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Unbiased estimate of pass@k per question, 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, eq. 1).

    `n` and `correct` hold samples and correct samples per question, shape (questions,) or scalars.
    NaN where n < k. Exactly 0 where none is correct and exactly 1 where fewer than k are wrong.
    Raises ValueError where k < 1 or a count lies outside 0..n.
    """
    drawn, successes = np.broadcast_arrays(np.atleast_1d(n), np.atleast_1d(correct))
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if np.any(successes < 0) or np.any(successes > drawn):
        raise ValueError("correct samples must lie between 0 and n")
    estimate = np.full(drawn.shape, np.nan)
    for samples in np.unique(drawn[drawn >= k]):
        here = drawn == samples
        estimate[here] = 1.0 - _all_fail(int(samples), k)[successes[here]]
    return estimate


def k_grid(budget: int) -> list[int]:
    """Powers of two up to the budget, and the budget itself: where pass@k is reported."""
    if budget < 1:
        raise ValueError(f"a budget must be at least 1, not {budget}")
    return sorted({2**power for power in range(budget.bit_length())} | {budget})


def _all_fail(n: int, k: int) -> NDArray[np.float64]:
    """Chance that k of n samples hold no success, for c = 0..n successes: prod over i in (n-c, n] of 1 - k/i.

    The product of factors in [0, 1] neither overflows as binomials do, nor cancels as their logarithms do.
    """
    factors = np.maximum(1.0 - k / np.arange(n, 0, -1), 0.0)
    return np.concatenate(([1.0], np.cumprod(factors)))
