"""Regions at every smaller budget, in expectation, from one set of samples; and what resampling alone would give.

With n samples of a question, c of them correct, k drawn without replacement hold no success with probability
C(n-c, k)/C(n, k) (the complement of Chen et al. 2021, eq. 1). Base and target are drawn independently.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics.passk import pass_at_k
from leash.dynamics.regions import ExpectedCounts


def expected_regions(n: int, base_correct: ArrayLike, target_correct: ArrayLike, k: int) -> ExpectedCounts:
    """Expected P, E, S, O at budget k <= n; at k = n the counts themselves.

    The counts of correct samples have shape (questions,), in the same order. Raises ValueError for shapes that
    differ, a count outside 0..n, and k outside 1..n.
    """
    base, target = _solved(n, base_correct, k), _solved(n, target_correct, k)
    if base.shape != target.shape:
        raise ValueError(f"counts of {base.shape} base and {target.shape} target questions")
    return ExpectedCounts(
        preservation=float(np.sum(base * target)),
        expansion=float(np.sum((1 - base) * target)),
        shrinkage=float(np.sum(base * (1 - target))),
        out_of_support=float(np.sum((1 - base) * (1 - target))),
    )


def self_discordance(n: int, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Per question, the chance that k of a model's own samples hold no success and k others do.

    The null of expansion, and of shrinkage: what a model shows against itself at budget k, exactly, over all
    ways to draw two disjoint sets of k from its n samples. Shape (questions,). Raises ValueError where 2k > n.
    """
    if 2 * k > n:
        raise ValueError(f"two sets of {k} samples need {2 * k}, and there are {n}")
    # no success in the first k, less no success in all 2k
    return _solved(n, correct, 2 * k) - _solved(n, correct, k)


class Excess(NamedTuple):
    """Observed less null, in questions: the excess and its standard error over questions."""

    observed: float
    null: float
    excess: float
    standard_error: float


def excess_expansion(n: int, base_correct: ArrayLike, target_correct: ArrayLike, k: int) -> Excess:
    """Expected E at budget k against the base's own null (a base resampled gains so many questions).

    Raises ValueError as `expected_regions` and `self_discordance` do.
    """
    base, target = _solved(n, base_correct, k), _solved(n, target_correct, k)
    return _excess((1 - base) * target, self_discordance(n, base_correct, k))


def excess_shrinkage(n: int, base_correct: ArrayLike, target_correct: ArrayLike, k: int) -> Excess:
    """Expected S at budget k against the base's own null (a base resampled loses so many questions).

    Raises ValueError as `expected_regions` and `self_discordance` do.
    """
    base, target = _solved(n, base_correct, k), _solved(n, target_correct, k)
    return _excess(base * (1 - target), self_discordance(n, base_correct, k))


def _excess(observed: NDArray[np.float64], null: NDArray[np.float64]) -> Excess:
    if observed.shape != null.shape:
        raise ValueError(f"counts of {null.shape} base and {observed.shape} target questions")
    difference = observed - null
    error = np.sqrt(difference.size) * np.std(difference, ddof=1) if difference.size > 1 else float("nan")
    return Excess(float(observed.sum()), float(null.sum()), float(difference.sum()), float(error))


def _solved(n: int, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Chance of at least one success in k of the n samples, shape (questions,)."""
    counts = np.asarray(correct)
    if counts.ndim != 1 or not np.issubdtype(counts.dtype, np.number):
        raise ValueError("counts must be one number per question")
    if not np.all(np.isfinite(counts)) or np.any(counts != np.floor(counts)):
        raise ValueError("counts must be whole numbers")
    if not 1 <= k <= n:
        raise ValueError(f"k must be between 1 and n = {n}, not {k}")
    return pass_at_k(n, counts.astype(np.int64), k)
