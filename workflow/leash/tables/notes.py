"""What stands above and below a table: its caption, and warnings on outcomes that pass for others."""

from collections.abc import Iterable
from typing import Final

from leash.comparisons import Comparison, Result
from leash.dynamics.evidence import unseen
from leash.records import listed
from leash.tables.cells import p_value
from leash.tables.layouts import Layout, Section, pooled, truncated, unverified

_TRUNCATION_GAP: Final = 0.01
_MOST_NAMED: Final = 8


def caption(layout: Layout, sections: list[Section]) -> str:
    """What follows the title: budget, questions, and the reading of the columns."""
    comparisons = _comparisons(sections)
    if not comparisons:
        return layout.when_empty
    overall = [pooled(comparison) for comparison in comparisons]
    drawn = sorted({k for result in overall for k in result.budgets})
    budgets = " or ".join(str(k) for k in drawn)
    bounds = " or ".join(p_value(unseen(k)) for k in drawn)
    by_benchmark = ", by benchmark" if " or " in budgets else ""
    questions = " or ".join(str(n) for n in sorted({result.questions for result in overall}))
    return (
        f"k = {budgets} samples per question{by_benchmark}; {questions} questions in all. "
        "Solved: at least one verified success in k samples. "
        "Questions solved by both base and target (P), by the target only (E), by the base only (S), "
        f"by neither (O: a rate of p ≤ {bounds} at 95 % confidence). "
        "b/t: base/target; unverified: verdicts that are a verifier timeout or error; —: undefined or not recorded."
        f"{_in_rounds(overall)}{layout.note}"
    )


def _in_rounds(results: Iterable[Result]) -> str:
    """What totals of samples are of, where these were drawn in rounds."""
    sizes = sorted({size for result in results for size in result.first_rounds})
    if not sizes:
        return ""
    return (
        " Drawn in rounds, a question only until a round solved it: pass@1 and what happened to samples (b/t) are of "
        f"the first round, {' or '.join(map(str, sizes))} samples of each question."
    )


def warnings(sections: list[Section]) -> list[str]:
    """One line each on truncation that differs between base and target, on samples without a verdict, on
    truncation that is not known, and on questions that were left out.
    """
    truncation, missing, unknown, dropped = [], [], [], []
    for comparison in _comparisons(sections):
        for result in comparison.benchmarks or (pooled(comparison),):
            where = f"{comparison.label} on {result.label}"
            base, target = truncated(result.base), truncated(result.target)
            if base is None or target is None:
                unknown.append(where)
            elif abs(base - target) > _TRUNCATION_GAP:
                truncation.append(f"{where}: {100 * base:.1f}% and {100 * target:.1f}%")
            lost = unverified(result.base), unverified(result.target)
            if any(lost):
                missing.append(f"{where}: {lost[0] or 0} and {lost[1] or 0}")
            if any(result.dropped):
                dropped.append(f"{where}: {result.dropped[0]} and {result.dropped[1]}")
    lines = []
    if truncation:
        lines.append(
            "Warning: truncation differs: it can pass for shrinkage. Truncated samples of base and target: "
            f"{_joined(truncation)}."
        )
    if missing:
        lines.append(
            "Warning: verifier timeouts and errors count as unsolved. Samples without a verdict of base and "
            f"target: {_joined(missing)}."
        )
    if unknown:
        lines.append(
            "Truncation was not recorded (—), and where it differs it can pass for shrinkage: "
            f"{_joined(unknown)}."
        )
    if dropped:
        lines.append(
            "Left out (on_missing: intersect): questions that only the base, and only the target, has results on: "
            f"{_joined(dropped)}."
        )
    return lines


def _joined(places: Iterable[str]) -> str:
    return listed((place.replace(", ", " ") for place in places), _MOST_NAMED).replace(", ", "; ")


def _comparisons(sections: list[Section]) -> list[Comparison]:
    found = {
        (line.comparison.target, line.comparison.checkpoint): line.comparison
        for s in sections
        for line in s.lines
    }
    return list(found.values())
