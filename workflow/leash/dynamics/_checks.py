"""What the mathematics refuses: counts that cannot be, and budgets beyond the samples."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def whole(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Values as whole numbers, of any shape. Raises ValueError for NaN, infinities, fractions and what is no number."""
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.number) or np.iscomplexobj(array):
        raise ValueError(f"{name} must be whole numbers, not {array.dtype}")
    off = ~np.isfinite(array) | (array != np.floor(array))
    if np.any(off):
        raise ValueError(f"{name} must be whole numbers, not {array[off].flat[0]}")
    return array.astype(np.int64)


def correct_of(n: int, correct: ArrayLike) -> NDArray[np.int64]:
    """Correct samples per question, shape (questions,).

    Raises ValueError for n < 1, any other shape, no questions, and a count outside 0..n.
    """
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n must be a whole number of samples, at least 1, not {n}")
    counts = whole(correct, "counts")
    if counts.ndim != 1:
        raise ValueError(f"counts must be one number per question, not of shape {counts.shape}")
    if not counts.size:
        raise ValueError("counts must hold at least one question")
    off = (counts < 0) | (counts > n)
    if np.any(off):
        raise ValueError(f"counts must lie between 0 and n = {n}, not {counts[off][0]}")
    return counts


def pair_of(n: int, base: ArrayLike, target: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Correct samples of base and target. Raises ValueError as `correct_of`, and for shapes that differ."""
    counts = correct_of(n, base), correct_of(n, target)
    if counts[0].shape != counts[1].shape:
        raise ValueError(f"counts of {counts[0].shape} base and {counts[1].shape} target questions")
    return counts


def budgets_of(n: int, budgets: Iterable[int]) -> list[int]:
    """Budgets as a list. Raises ValueError where there is none, or one outside 1..n."""
    found = list(budgets)
    if not found:
        raise ValueError("k must take at least one value")
    for k in found:
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= n:
            raise ValueError(f"k must be between 1 and n = {n}, not {k}")
    return [int(k) for k in found]


def draws_of(draws: int, confidence: float) -> None:
    """Raises ValueError for fewer than 2 draws, and a confidence outside (0, 1)."""
    if draws < 2:
        raise ValueError(f"draws must be at least 2, not {draws}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
