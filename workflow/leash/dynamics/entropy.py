"""Entropy of a question's answers: how many different answers a model gives, and how evenly, in nats.

Sampling sees no class that it did not draw, so the plug-in entropy of n samples is too low, and never above ln n.
The correction of Miller and Madow (1955) adds the leading term of that bias.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import whole


def answer_entropy(counts: ArrayLike) -> float:
    """Plug-in entropy of samples in classes, in nats: 0 where all fall into one, ln n where no two do.

    `counts` holds samples per class, shape (classes,); a class without samples adds nothing. NaN where there is no
    sample at all. Raises ValueError for a count that is negative or not whole, and any other shape.
    """
    held = _held(counts)
    if not held.size:
        return float("nan")
    n = held.sum()
    return float(np.sum(held / n * np.log(n / held)))  # exactly 0 for one class, as ln n - (c ln c)/n is not


def miller_madow(counts: ArrayLike) -> float:
    """`answer_entropy` plus (m - 1)/(2n), in nats, for n samples in m classes that have any.

    Arguments, NaN and errors as in `answer_entropy`.
    """
    held = _held(counts)
    if not held.size:
        return float("nan")
    return answer_entropy(held) + (held.size - 1) / (2 * float(held.sum()))


def _held(counts: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(counts)
    # an empty list has the type of floats and no values
    found = whole(array, "counts") if array.size else array.astype(np.int64)
    if found.ndim != 1:
        raise ValueError(f"counts must be one number per class, not of shape {found.shape}")
    if np.any(found < 0):
        raise ValueError(f"counts must be at least 0, not {found[found < 0][0]}")
    return found[found > 0]
