"""pass@k from a fixed number of samples per question, and which verified answers they reach."""

from collections.abc import Hashable, Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import budgets_of, correct_of, whole


def pass_at_k(n: ArrayLike, correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Unbiased estimate of pass@k per question, 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, eq. 1).

    `n` and `correct` hold samples and correct samples per question, shape (questions,) or scalars.
    NaN where n < k. Exactly 0 where none is correct and exactly 1 where fewer than k are wrong.
    Raises ValueError where k < 1, a number is not whole, or a count lies outside 0..n.
    """
    drawn, successes = np.broadcast_arrays(
        np.atleast_1d(whole(n, "samples n")), np.atleast_1d(whole(correct, "correct samples"))
    )
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if np.any(successes < 0) or np.any(successes > drawn):
        raise ValueError("correct samples must lie between 0 and n")
    estimate = np.full(drawn.shape, np.nan)
    for samples in np.unique(drawn[drawn >= k]):
        here = drawn == samples
        estimate[here] = 1.0 - _all_fail(int(samples), k)[successes[here]]
    return estimate


def prefix_pass_at_k(n: ArrayLike, first_correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """The paper's reading of pass@k (Sec. 3.1): 1 where one of the first k samples is correct, else 0.

    `n` holds samples, `first_correct` the 0-based index of the first correct one per question, NaN or None
    where there is none; shape (questions,) or scalars. NaN where n < k. Over a random order of the samples
    its mean is `pass_at_k`, and at k = n they are the same. Raises ValueError where k < 1, and for an index
    that is not whole or lies outside 0..n-1.
    """
    drawn, first = np.broadcast_arrays(
        np.atleast_1d(whole(n, "samples n")), np.atleast_1d(np.asarray(first_correct, dtype=np.float64))
    )
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    known = ~np.isnan(first)
    index = whole(first[known], "first_correct")
    if np.any(index < 0) or np.any(index >= drawn[known]):
        raise ValueError("first_correct must lie between 0 and n - 1, or be NaN where no sample is correct")
    return np.where(drawn < k, np.nan, (known & (first < k)) * 1.0)


def solved_at(n: int, correct: ArrayLike, budgets: Iterable[int]) -> NDArray[np.float64]:
    """`pass_at_k` of equally many samples at several budgets, shape (questions, budgets).

    Raises ValueError for a count outside 0..n and a budget outside 1..n.
    """
    counts = correct_of(n, correct)
    return np.column_stack([1.0 - _all_fail(int(n), k)[counts] for k in budgets_of(n, budgets)])


def k_grid(budget: int) -> list[int]:
    """Powers of two up to the budget, and the budget itself: where pass@k is reported."""
    if budget < 1:
        raise ValueError(f"a budget must be at least 1, not {budget}")
    return sorted({2**power for power in range(budget.bit_length())} | {budget})


class SolutionSupport(NamedTuple):
    """Distinct verified answers per question, shape (questions,) each: of both, of base only, of target only."""

    both: NDArray[np.int64]
    base_only: NDArray[np.int64]
    target_only: NDArray[np.int64]


def solution_support(base: Sequence[Set[Hashable]], target: Sequence[Set[Hashable]]) -> SolutionSupport:
    """Support of solutions instead of questions, for tasks with many right answers.

    Both arguments hold, per question in the same order, the distinct answers found correct. All three counts
    are 0 at a question that neither solves. Raises ValueError where the lengths differ, TypeError for
    anything but sets.
    """
    if len(base) != len(target):
        raise ValueError(f"answers to {len(base)} base and {len(target)} target questions")
    for answers in (*base, *target):
        if not isinstance(answers, Set):
            raise TypeError(f"answers must be one set per question, not {type(answers).__name__}")
    pairs = list(zip(base, target, strict=True))
    return SolutionSupport(
        both=np.array([len(left & right) for left, right in pairs], dtype=np.int64),
        base_only=np.array([len(left - right) for left, right in pairs], dtype=np.int64),
        target_only=np.array([len(right - left) for left, right in pairs], dtype=np.int64),
    )


def _all_fail(n: int, k: int) -> NDArray[np.float64]:
    """Chance that k of n samples hold no success, for c = 0..n successes: prod over i in (n-c, n] of 1 - k/i.

    The product of factors in [0, 1] neither overflows as binomials do, nor cancels as their logarithms do.
    """
    factors = np.maximum(1.0 - k / np.arange(n, 0, -1), 0.0)
    return np.concatenate(([1.0], np.cumprod(factors)))
