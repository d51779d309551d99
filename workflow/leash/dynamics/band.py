"""The difference of two models' pass@k, with a band that holds the whole curve at once."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import budgets_of, draws_of, pair_of
from leash.dynamics.passk import k_grid, solved_at

ROOM: Final = 1 << 20
"""Weights held at once."""


class Band(NamedTuple):
    """pass@k of target less base over a grid, shape (budgets,) each, and the critical value of the maximum."""

    budgets: list[int]
    difference: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    critical: float

    def gains(self) -> list[int]:
        """Budgets at which the target is ahead, all of them at the band's confidence."""
        return [k for k, low in zip(self.budgets, self.low, strict=True) if low > 0]

    def losses(self) -> list[int]:
        """Budgets at which the base is ahead, all of them at the band's confidence."""
        return [k for k, high in zip(self.budgets, self.high, strict=True) if high < 0]


def simultaneous_band(
    n: int,
    base_correct: ArrayLike,
    target_correct: ArrayLike,
    budgets: Iterable[int] | None = None,
    *,
    draws: int = 4000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Band:
    """A paired band around the difference of pass@k (Chen et al. 2021, eq. 1): studentised sup-t.

    Questions are drawn again, both models' counts of each together. The critical value is the quantile of the
    largest distance over the grid, in standard errors, of a draw's mean difference from the observed one.
    Where no two questions differ in their difference the standard error is 0 and says nothing; there the band
    is [-1, 1]. The counts have shape (questions,); budgets as in `over_budgets`. Raises ValueError for fewer
    than two questions, shapes that differ, a count outside 0..n, a budget outside 1..n, draws < 2 and a
    confidence outside (0, 1).
    """
    base, target = pair_of(n, base_correct, target_correct)
    grid = budgets_of(n, k_grid(n) if budgets is None else budgets)
    difference = solved_at(n, target, grid) - solved_at(n, base, grid)
    return band_of(difference, grid, draws=draws, confidence=confidence, seed=seed)


def band_of(
    difference: NDArray[np.float64],
    grid: list[int],
    *,
    draws: int = 4000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Band:
    """`simultaneous_band` from each question's difference of pass@k over the grid, shape (questions, budgets).

    Raises ValueError for fewer than two questions, draws < 2 and a confidence outside (0, 1).
    """
    draws_of(draws, confidence)
    questions = len(difference)
    if questions < 2:
        raise ValueError("a band over questions needs at least 2 of them")
    mean = difference.mean(axis=0)
    rows = difference - mean
    error = rows.std(axis=0, ddof=1) / np.sqrt(questions)
    varies = error > 1e-12
    critical = 0.0
    if varies.any():
        farthest = _farthest(rows[:, varies] / (questions * error[varies]), draws, seed)
        critical = float(np.quantile(farthest, confidence))
    return Band(
        grid,
        mean,
        error,
        np.where(varies, mean - critical * error, -1.0),
        np.where(varies, mean + critical * error, 1.0),
        critical,
    )


def _farthest(scaled: NDArray[np.float64], draws: int, seed: int) -> NDArray[np.float64]:
    """Per draw of questions, the largest absolute sum over the columns, shape (draws,)."""
    random = np.random.default_rng(seed)
    questions, columns = scaled.shape
    most = max(1, ROOM // max(questions, columns))
    found = []
    for start in range(0, draws, most):
        many = min(most, draws - start)
        chosen = random.integers(questions, size=(many, questions)) + np.arange(many)[:, None] * questions
        weights = np.bincount(chosen.ravel(), minlength=many * questions).reshape(many, questions)
        found.append(np.abs(weights.astype(np.float64) @ scaled).max(axis=1))
    return np.concatenate(found)
