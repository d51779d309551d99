"""What regions rest on: the test of their difference, their threshold, and what a count of zero bounds."""

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, binomtest

from leash.dynamics._checks import correct_of, pair_of
from leash.dynamics.regions import RegionCounts, assign_regions, count_regions, support_metrics

THRESHOLDS: Final = (1, 2, 3, 5, 10)
ZETAS: Final = (0.01, 0.05, 0.1)


def mcnemar(counts: RegionCounts) -> float:
    """Exact two-sided p value of E = S in expectation: McNemar's test on the questions solved by one side only.

    1 where there are none.
    """
    discordant = counts.expansion + counts.shrinkage
    return float(binomtest(counts.expansion, discordant).pvalue) if discordant else 1.0


class AtThreshold(NamedTuple):
    """Regions and metrics where "solved" needs at least `successes` correct samples."""

    rule: str
    successes: int
    counts: RegionCounts
    metrics: dict[str, float]


def sensitivity(
    n: int,
    base_correct: ArrayLike,
    target_correct: ArrayLike,
    thresholds: Sequence[int] = THRESHOLDS,
    zetas: Sequence[float] = ZETAS,
) -> list[AtThreshold]:
    """Regions under stricter rules of "solved": successes, then c/k > epsilon(n, zeta) (paper, Appendix C.4).

    The counts have shape (questions,). Raises ValueError for counts outside 0..n, shapes that
    differ, a threshold under 1 and zeta outside (0, 1).
    """
    base, target = pair_of(n, base_correct, target_correct)
    if any(least < 1 for least in thresholds):
        raise ValueError(f"a threshold must be at least 1 success, not {min(thresholds)}")
    rules = [(f"at least {least}", least) for least in thresholds]
    rules += [(f"c/k > epsilon at zeta = {zeta:g}", least_above(n, epsilon(n, zeta))) for zeta in zetas]
    found = []
    for rule, least in rules:
        counts = count_regions(assign_regions(base // least, target // least))
        found.append(AtThreshold(rule, least, counts, support_metrics(counts)))
    return found


def pooled_sensitivity(parts: Sequence[Sequence[AtThreshold]]) -> list[AtThreshold]:
    """Several benchmarks as one, rule by rule: regions are added, and the measures taken from the sums.

    `successes` is what all benchmarks need; the epsilon rule needs the same at every n. Raises ValueError without
    any, and for rules that differ.
    """
    if not parts:
        raise ValueError("pooling needs at least one benchmark")
    found = []
    for rules in zip(*parts, strict=True):
        if len({(rule.rule, rule.successes) for rule in rules}) > 1:
            raise ValueError(f"rules that differ: {sorted({rule.rule for rule in rules})}")
        counts = RegionCounts(
            *(sum(numbers) for numbers in zip(*(rule.counts for rule in rules), strict=True))
        )
        found.append(rules[0]._replace(counts=counts, metrics=support_metrics(counts)))
    return found


def by_waiting_time(place: int, confidence: float = 0.95) -> tuple[float, float]:
    """Exact bounds of a rate from the place (from 1 on) of the first success in the order drawn.

    The place is geometric whatever later stopped the drawing, which a count among the samples drawn is not. low:
    P(T <= place) = (1 - confidence)/2 there; high: P(T >= place) is, and 1 at the first place. Raises ValueError for a
    place under 1.
    """
    if place < 1:
        raise ValueError(f"the first success stands at place 1 or later, not {place}")
    tail = (1 - confidence) / 2
    low = -np.expm1(np.log1p(-tail) / place)
    high = 1.0 if place == 1 else -np.expm1(np.log(tail) / (place - 1))
    return float(low), float(high)


def epsilon(k: int, zeta: float) -> float:
    """The rate below which k samples miss with probability above zeta: -ln(zeta)/k (paper, Appendix C.4).

    Raises ValueError for k < 1 and zeta outside (0, 1).
    """
    if k < 1 or not 0 < zeta < 1:
        raise ValueError(f"k must be at least 1 and zeta between 0 and 1, not {k} and {zeta}")
    return -log(zeta) / k


def least_above(n: int, rate: float) -> int:
    """The smallest count of n whose share is above a rate."""
    return int(np.floor(rate * n + 1e-9)) + 1


def clopper_pearson(
    n: int, correct: ArrayLike, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact lower and upper bounds of each question's rate, shape (questions,) each.

    Two-sided, but one-sided at c = 0 and c = n, where the other bound is certain: 0 of n bounds the rate by
    1 - (1 - confidence)^(1/n). Raises ValueError for counts outside 0..n.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    counts = correct_of(n, correct)
    tail = np.where((counts == 0) | (counts == n), 1 - confidence, (1 - confidence) / 2)
    low = np.where(counts == 0, 0.0, beta.ppf(tail, np.maximum(counts, 1), n - counts + 1))
    high = np.where(counts == n, 1.0, beta.ppf(1 - tail, counts + 1, np.maximum(n - counts, 1)))
    return low, high


def unseen(k: int, confidence: float = 0.95) -> float:
    """The highest rate a question can have, at this confidence, of which none of k samples was correct.

    What "out of support" says of a question. Raises ValueError for k < 1.
    """
    return float(clopper_pearson(k, [0], confidence)[1][0])
