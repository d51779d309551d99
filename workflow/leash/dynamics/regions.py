"""Support regions of a trained state against its base, and the four measures of how they shift.

Definition 3.2 of arXiv 2507.14843 and the measures that follow it. A question is solved where at least one
of its k samples is a verified success; the paper's tables use this rule (pass@k of the base is (P + S)/N in
all their rows).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray


class RegionCounts(NamedTuple):
    """Questions in each region: P (solved by both), E (target only), S (base only), O (neither)."""

    preservation: int
    expansion: int
    shrinkage: int
    out_of_support: int


class ExpectedCounts(NamedTuple):
    """Expected questions in each region, which are not whole."""

    preservation: float
    expansion: float
    shrinkage: float
    out_of_support: float


Counts = RegionCounts | ExpectedCounts
REGIONS: Final = RegionCounts._fields

FEW: Final = 3
"""The most successes of a state that a question's region rests on without having been seen often."""


def assign_regions(
    base_correct: NDArray[np.integer], target_correct: NDArray[np.integer]
) -> NDArray[np.str_]:
    """Region name of every question (paper, Def. 3.2).

    Both arguments hold correct samples per question, shape (questions,), in the same order of questions.
    Raises ValueError where the shapes differ.
    """
    base, target = np.asarray(base_correct), np.asarray(target_correct)
    if base.shape != target.shape:
        raise ValueError(f"counts of {base.shape} base and {target.shape} target questions")
    names: NDArray[np.str_] = np.array(REGIONS)
    return names[(base < 1) * 1 + (target < 1) * 2]


def rests_on_few(base_correct: NDArray[np.integer], target_correct: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether a question's region rests on few successes: a state that solves it does so 1 to FEW times.

    One verdict too many, or a few, and the region is another one. Arguments and shape as in `assign_regions`;
    a question that neither state solves rests on none. Raises ValueError where the shapes differ.
    """
    base, target = np.asarray(base_correct), np.asarray(target_correct)
    if base.shape != target.shape:
        raise ValueError(f"counts of {base.shape} base and {target.shape} target questions")
    few: NDArray[np.bool_] = ((base >= 1) & (base <= FEW)) | ((target >= 1) & (target <= FEW))
    return few


def count_regions(regions: NDArray[np.str_]) -> RegionCounts:
    """Questions per region name, of an array of shape (questions,). Raises ValueError on any other name."""
    counts = RegionCounts(*(int(np.count_nonzero(regions == name)) for name in REGIONS))
    if sum(counts) != regions.size:
        raise ValueError(f"not a region: {set(regions.tolist()) - set(REGIONS)}")
    return counts


def srr(counts: Counts) -> float:
    """Support retention rate P/(P+S): the share of what the base solves that the target still solves."""
    return _ratio(counts.preservation, counts.preservation + counts.shrinkage)


def ndr(counts: Counts) -> float:
    """Net discovery rate E/(P+E): the share of what the target solves that the base does not."""
    return _ratio(counts.expansion, counts.preservation + counts.expansion)


def sds(counts: Counts) -> float:
    """Support dynamic score: the harmonic mean of SRR and NDR, 0 where both are 0."""
    retained, discovered = srr(counts), ndr(counts)
    if retained + discovered == 0:
        return 0.0
    return 2 * retained * discovered / (retained + discovered)


def nscr(counts: Counts) -> float:
    """Net support change rate (E-S)/(P+E+S): negative where the target lost more questions than it gained."""
    solved_by_either = counts.preservation + counts.expansion + counts.shrinkage
    return _ratio(counts.expansion - counts.shrinkage, solved_by_either)


def support_metrics(counts: Counts) -> dict[str, float]:
    """The four measures by name: srr, ndr, sds, nscr. NaN where a denominator is empty."""
    return {"srr": srr(counts), "ndr": ndr(counts), "sds": sds(counts), "nscr": nscr(counts)}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
