"""Support of solutions over a benchmark: which distinct verified answers two states reach, and which they do not."""

from collections.abc import Hashable, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics.passk import solution_support


class SolutionCounts(NamedTuple):
    """Distinct verified answers, summed over questions.

    neither: known from elsewhere, and given by neither state. base_only_kept: of base_only, those to questions that
    the target solves all the same. target_only_solved: of target_only, those to questions that the base solves too.
    """

    both: int
    base_only: int
    target_only: int
    neither: int
    base_only_kept: int
    target_only_solved: int


def count_solutions(
    base: Sequence[Set[Hashable]],
    target: Sequence[Set[Hashable]],
    known: Sequence[Set[Hashable]],
    base_solves: ArrayLike,
    target_solves: ArrayLike,
) -> SolutionCounts:
    """The answers of two states, and among `known` those of neither, over the same questions in the same order.

    The first three hold one set of verified answers per question; `known` may hold those of base and target, or not.
    The last two are booleans of shape (questions,): a state may solve a question by an answer that has no name. Raises
    ValueError where lengths differ, or a state has an answer to a question that it does not solve; TypeError for
    anything but sets.
    """
    support = solution_support(base, target)
    if len(known) != len(base):
        raise ValueError(f"known answers to {len(known)} of {len(base)} questions")
    if not all(isinstance(answers, Set) for answers in known):
        raise TypeError("known answers must be one set per question")
    base_solved = _solved("base", base_solves, support.both + support.base_only)
    target_solved = _solved("target", target_solves, support.both + support.target_only)
    triples = zip(base, target, known, strict=True)
    return SolutionCounts(
        both=int(support.both.sum()),
        base_only=int(support.base_only.sum()),
        target_only=int(support.target_only.sum()),
        neither=sum(len(others - left - right) for left, right, others in triples),
        base_only_kept=int(support.base_only[target_solved].sum()),
        target_only_solved=int(support.target_only[base_solved].sum()),
    )


def retained(counts: SolutionCounts) -> float:
    """The share of the base's answers that the target gives too; NaN where the base has none."""
    return _ratio(counts.both, counts.both + counts.base_only)


def discovered(counts: SolutionCounts) -> float:
    """The share of the target's answers that the base does not give; NaN where the target has none."""
    return _ratio(counts.target_only, counts.both + counts.target_only)


def _solved(side: str, solves: ArrayLike, answers: NDArray[np.int64]) -> NDArray[np.bool_]:
    solved: NDArray[np.bool_] = np.asarray(solves, dtype=bool)
    if solved.shape != answers.shape:
        raise ValueError(f"{side}: solved of shape {solved.shape}, and answers to {answers.size} questions")
    if np.any(~solved & (answers > 0)):
        raise ValueError(f"{side}: a verified answer to a question that it does not solve")
    return solved


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
