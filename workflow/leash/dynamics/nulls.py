"""What resampling alone would give: the regions of a model against itself, and what is observed beyond them.

Two disjoint halves of a model's own samples solve a question independently given its rate, so that the null
and the expected regions at the same budget estimate what they estimate without bias.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import budgets_of, correct_of, pair_of
from leash.dynamics.passk import solved_at


class Excess(NamedTuple):
    """Observed less null, in questions: the excess and its standard error over questions (NaN for just one)."""

    observed: float
    null: float
    excess: float
    standard_error: float


class Nulls(NamedTuple):
    """Expected E and S at budget k, each beyond the base against itself and the target against itself.

    k is None where benchmarks are pooled whose budgets differ.
    """

    k: int | None
    expansion_over_base: Excess
    expansion_over_target: Excess
    shrinkage_over_base: Excess
    shrinkage_over_target: Excess


def self_discordance(n: int, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Per question, the chance that k of a model's own samples hold no success and k others do.

    The null of expansion, and of shrinkage: what a model shows against itself at budget k, exactly, over all
    ways to draw two disjoint sets of k from its n samples. Shape (questions,), as the counts. Raises
    ValueError where 2k > n, k < 1, and for a count outside 0..n.
    """
    counts = correct_of(n, correct)
    budgets_of(n, [k])
    if 2 * k > n:
        raise ValueError(f"two sets of {k} samples need {2 * k}, and there are {n}")
    # no success in the first k, less no success in all 2k
    solved: NDArray[np.float64] = np.diff(solved_at(n, counts, [k, 2 * k]), axis=1)[:, 0]
    return solved


def against_nulls(n: int, base_correct: ArrayLike, target_correct: ArrayLike, k: int | None = None) -> Nulls:
    """Expected E and S at budget k beside both models against themselves.

    The counts have shape (questions,), in the same order. Without k: the largest budget that two halves of
    the n samples allow, n // 2. Raises ValueError as `self_discordance`, and for shapes that differ.
    """
    base_correct, target_correct = pair_of(n, base_correct, target_correct)
    if k is None:
        if n < 2:
            raise ValueError("one sample has no two halves: n must be at least 2")
        k = n // 2
    nulls = [self_discordance(n, correct, k) for correct in (base_correct, target_correct)]
    base, target = (solved_at(n, correct, [k])[:, 0] for correct in (base_correct, target_correct))
    gained, lost = (1 - base) * target, base * (1 - target)
    return Nulls(k, *(_excess(observed, null) for observed in (gained, lost) for null in nulls))


def pooled_nulls(parts: Sequence[Nulls]) -> Nulls:
    """The nulls of several benchmarks as one, each at its own k. Raises ValueError without any."""
    if not parts:
        raise ValueError("pooling needs at least one benchmark")
    budgets = {part.k for part in parts}
    added = [_added(excesses) for excesses in zip(*(part[1:] for part in parts), strict=True)]
    return Nulls(budgets.pop() if len(budgets) == 1 else None, *added)


def _added(parts: Sequence[Excess]) -> Excess:
    """Sums; the standard error of a sum of independent parts, NaN where one of them is."""
    return Excess(
        observed=sum(part.observed for part in parts),
        null=sum(part.null for part in parts),
        excess=sum(part.excess for part in parts),
        standard_error=float(np.sqrt(sum(part.standard_error**2 for part in parts))),
    )


def _excess(observed: NDArray[np.float64], null: NDArray[np.float64]) -> Excess:
    difference = observed - null
    error = np.sqrt(difference.size) * np.std(difference, ddof=1) if difference.size > 1 else float("nan")
    return Excess(float(observed.sum()), float(null.sum()), float(difference.sum()), float(error))
