"""Regions and measures at every smaller budget, in expectation, from one set of samples.

With n samples of a question, c of them correct, k drawn without replacement hold no success with probability
C(n-c, k)/C(n, k) (the complement of Chen et al. 2021, eq. 1). Base and target are drawn independently.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import budgets_of, pair_of
from leash.dynamics.passk import k_grid, solved_at
from leash.dynamics.regions import ExpectedCounts, support_metrics


class AtBudget(NamedTuple):
    """Expected regions at budget k; the measures are those of the expected counts, not expected measures."""

    k: int
    counts: ExpectedCounts
    metrics: dict[str, float]
    base_pass: float
    target_pass: float


def expected_regions(n: int, base_correct: ArrayLike, target_correct: ArrayLike, k: int) -> ExpectedCounts:
    """Expected P, E, S, O (paper, Def. 3.2) at budget k <= n; at k = n the counts themselves.

    The counts of correct samples have shape (questions,), in the same order. Raises ValueError for shapes that
    differ, a count outside 0..n, and k outside 1..n.
    """
    return over_budgets(n, base_correct, target_correct, [k])[0].counts


def over_budgets(
    n: int, base_correct: ArrayLike, target_correct: ArrayLike, budgets: Iterable[int] | None = None
) -> list[AtBudget]:
    """Expected regions, measures and pass@k at each budget (default: powers of two up to n, and n).

    The four measures are those of the expected counts: SRR, say, is E[P]/(E[P] + E[S]). Arguments and errors
    as in `expected_regions`.
    """
    base_correct, target_correct = pair_of(n, base_correct, target_correct)
    grid = budgets_of(n, k_grid(n) if budgets is None else budgets)
    base, target = solved_at(n, base_correct, grid), solved_at(n, target_correct, grid)
    return at_budgets(grid, base, target)


def at_budgets(grid: list[int], base: NDArray[np.float64], target: NDArray[np.float64]) -> list[AtBudget]:
    """`over_budgets` from estimates of pass@k, shape (questions, budgets) each."""
    return [_at_budget(k, base[:, column], target[:, column]) for column, k in enumerate(grid)]


def _at_budget(k: int, base: NDArray[np.float64], target: NDArray[np.float64]) -> AtBudget:
    counts = ExpectedCounts(
        preservation=float(np.sum(base * target)),
        expansion=float(np.sum((1 - base) * target)),
        shrinkage=float(np.sum(base * (1 - target))),
        out_of_support=float(np.sum((1 - base) * (1 - target))),
    )
    return AtBudget(k, counts, support_metrics(counts), float(base.mean()), float(target.mean()))
