"""Means over questions with their intervals, and what a trace costs at each position."""

from collections.abc import Sequence
from math import isnan, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import draws_of

Floats = NDArray[np.float64]

ROOM: Final = 1 << 21
"""Numbers held at once."""
_NORMAL: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


class Mean(NamedTuple):
    """A mean over questions and its 95 % interval; `sd` is the standard deviation over questions (n - 1).

    All are NaN where no question has a value; the bounds are NaN where they cannot be told: a single question, or
    questions that all have the same value.
    """

    value: float
    low: float
    high: float
    questions: int
    sd: float


def mean_over_questions(
    values: ArrayLike, *, draws: int = 2000, confidence: float = 0.95, seed: int = 0
) -> Mean:
    """The mean of `values`, shape (questions,), with a percentile interval: questions are drawn again.

    NaN means that a question has no value: it is left out. The same seed draws the same questions of as many, so
    that the intervals of base and target go together. Raises ValueError for any other shape, an infinite value,
    draws < 2 and a confidence outside (0, 1).
    """
    draws_of(draws, confidence)
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.any(np.isinf(array)):
        raise ValueError("values must be one finite number per question, or NaN")
    known = array[~np.isnan(array)]
    if not known.size:
        return Mean(np.nan, np.nan, np.nan, 0, np.nan)
    sd = float(known.std(ddof=1)) if known.size > 1 else float("nan")
    low = high = float("nan")
    if np.ptp(known) > 1e-12:
        tail = (1 - confidence) / 2
        means = _resampled(known, draws, np.random.default_rng(seed))
        low, high = (float(bound) for bound in np.quantile(means, [tail, 1 - tail]))
    return Mean(float(known.mean()), low, high, known.size, sd)


def _resampled(values: Floats, draws: int, random: np.random.Generator) -> Floats:
    most = max(1, ROOM // values.size)
    means = [
        values[random.integers(values.size, size=(min(most, draws - start), values.size))].mean(axis=1)
        for start in range(0, draws, most)
    ]
    return np.concatenate(means)


def pooled_mean(means: Sequence[Mean]) -> Mean:
    """The mean over the questions of several benchmarks together, each question with the same weight.

    Value and standard deviation are those of all questions in one list; the interval is the normal one, value ± 1.96
    standard errors.
    """
    held = [mean for mean in means if mean.questions]
    questions = sum(mean.questions for mean in held)
    if not questions:
        return Mean(np.nan, np.nan, np.nan, 0, np.nan)
    value = sum(mean.questions * mean.value for mean in held) / questions
    within = sum((mean.questions - 1) * mean.sd**2 for mean in held if not isnan(mean.sd))
    between = sum(mean.questions * (mean.value - value) ** 2 for mean in held)
    if questions == 1 or within + between <= 1e-24:
        return Mean(value, np.nan, np.nan, questions, np.nan if questions == 1 else 0.0)
    sd = sqrt((within + between) / (questions - 1))
    margin = _NORMAL * sd / sqrt(questions)
    return Mean(value, value - margin, value + margin, questions, sd)


def first_position(part: int) -> int:
    """First token, counted from 1, of a part of a trace: the parts are tokens 1, 2-3, 4-7, 8-15, ..."""
    return int(2**part)


def mean_by_position(values: ArrayLike) -> Floats:
    """Mean of the values of a trace's tokens, shape (tokens,), in each part that the trace reaches, shape (parts,).

    The last part may be cut short by the trace's end. Raises ValueError for any other shape.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"values must be one number per token, not of shape {array.shape}")
    if not array.size:
        return np.zeros(0)
    starts = np.array([first_position(part) - 1 for part in range(array.size.bit_length())])
    lengths = np.diff(np.append(starts, array.size))
    found: Floats = np.add.reduceat(array, starts) / lengths
    return found
