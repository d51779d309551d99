"""What a comparison shows, in words that rest on the tests of `evidence` and `nulls` and on nothing else."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from leash.dynamics.evidence import AtThreshold, mcnemar
from leash.dynamics.nulls import Excess, Nulls

CHANGES: Final = {-1: "net shrinkage", 0: "no net change", 1: "net expansion"}
CRITICAL: Final = 1.96


class Verdict(NamedTuple):
    """The net change of support at k = n, and what speaks for it.

    `change` is a value of CHANGES, from the sign of E - S; `p` is McNemar's. `otherwise`: the stricter rules
    of "solved" under which E - S has another sign or none; None where no stricter rule is known. `nulls` is None for a
    single sample.
    """

    change: str
    p: float
    beyond_noise: bool
    otherwise: list[AtThreshold] | None
    nulls: Nulls | None


def verdict(rules: Sequence[AtThreshold], nulls: Nulls | None, *, significance: float = 0.05) -> Verdict:
    """The verdict on the rules of `sensitivity`, of which the first is that of the study, and on the nulls.

    Beyond resampling noise where McNemar's p < significance. Raises ValueError without rules, and for a
    significance outside (0, 1).
    """
    if not rules:
        raise ValueError("a verdict needs the regions under at least one rule of solved")
    if not 0 < significance < 1:
        raise ValueError(f"significance must lie between 0 and 1, not {significance}")
    sign = _sign(rules[0])
    p = mcnemar(rules[0].counts)
    return Verdict(
        change=CHANGES[sign],
        p=p,
        beyond_noise=p < significance,
        otherwise=[rule for rule in rules if _sign(rule) != sign] if len(rules) > 1 else None,
        nulls=nulls,
    )


def in_words(found: Verdict) -> list[str]:
    """One line a finding."""
    if found.change == CHANGES[0]:
        lines = [f"{CHANGES[0]} beyond resampling noise: E = S, p = {found.p:.3g}"]
    else:
        answer = "yes" if found.beyond_noise else "no"
        lines = [f"{found.change} beyond resampling noise: {answer}, p = {found.p:.3g}"]
    lines.append(f"depends on the threshold: {_threshold(found.otherwise)}")
    if found.nulls is not None:
        k, *excesses = found.nulls
        budget = "half of each budget" if k is None else f"k = {k}"
        lines.append(_beyond("expansion", budget, *excesses[:2]))
        lines.append(_beyond("shrinkage", budget, *excesses[2:]))
    return lines


def _threshold(otherwise: Sequence[AtThreshold] | None) -> str:
    if otherwise is None:
        return "not known, as a question was drawn on only until it was solved"
    by_count = [str(rule.successes) for rule in otherwise if rule.rule.startswith("at least")]
    by_rate = [rule.rule for rule in otherwise if not rule.rule.startswith("at least")]
    where = ([f"at {', '.join(by_count)}"] if by_count else []) + by_rate
    return f"yes, {'; '.join(where)}" if where else "no"


def _sign(rule: AtThreshold) -> int:
    return int(np.sign(rule.counts.expansion - rule.counts.shrinkage))


def _beyond(region: str, budget: str, over_base: Excess, over_target: Excess) -> str:
    """Against the larger of the two nulls, so that neither model's noise explains an excess."""
    whose, larger = max(("base", over_base), ("target", over_target), key=lambda null: null[1].null)
    answer = "yes" if larger.excess > CRITICAL * larger.standard_error else "no"
    return (
        f"{region} at {budget} beyond a model against itself: {answer}, {larger.observed:.1f} expected, "
        f"{larger.null:.1f} in the {whose} against itself, excess {larger.excess:+.1f} "
        f"(standard error {larger.standard_error:.1f})"
    )
