"""Intervals, tests and nulls of every comparison, with the verdict in words that rests on them."""

from collections.abc import Iterable
from typing import Any, Final

from leash.dynamics.intervals import OTHER_QUESTIONS, SAME_QUESTIONS
from leash.findings import Finding, by_comparison
from leash.tables.cells import UNDEFINED, as_markdown, interval, number, p_value
from leash.tables.evidence.rows import IDENTITY, MEASURES, NUMBERS, identity, note_on_rounds, numbers
from leash.tables.text import markdown_table

KINDS: Final = {"other_questions": OTHER_QUESTIONS, "same_questions": SAME_QUESTIONS}
_SHOWN: Final = (*MEASURES, "pass_difference")
_HEADINGS: Final = {name: name.upper() for name in MEASURES} | {"pass_difference": "pass@k difference"}
_EXCESSES: Final = (
    *("expansion_over_base", "expansion_over_target"),
    *("shrinkage_over_base", "shrinkage_over_target"),
)
IN_ROUNDS: Final = (
    "Against itself is measured at half of round 0, in which every question has as many samples; what these questions, "
    "drawn again, would give, and what stricter rules of solved, is not known then (—)."
)
COLUMNS: Final = (
    *IDENTITY,
    *NUMBERS,
    "unseen",
    "mcnemar_p",
    *(f"{name}_{kind}_{end}" for name in _SHOWN for kind in KINDS for end in ("low", "high", "undefined")),
    "pass_difference",
    "null_k",
    *("expected_expansion", "expected_shrinkage", "base_null", "target_null"),
    *(f"{name}_{part}" for name in _EXCESSES for part in ("excess", "standard_error")),
    *("change", "beyond_noise", "verdict"),
)
TITLE: Final = "Evidence."
CAPTION: Final = (
    "What the regions rest on. Each measure with two 95 % intervals (2,000 draws), which answer two questions: what "
    f"{OTHER_QUESTIONS} would give (questions drawn again, within each benchmark), and what {SAME_QUESTIONS}, would "
    "give in the long run (each question's rate from a beta prior fitted to the benchmark); — where all draws are "
    "alike and so bound nothing. McNemar: exact test of E = S. O: p ≤: the highest rate, at 95 % confidence, of a "
    "question that neither state solved. Against itself: questions that one half of a model's own samples solves and "
    "the other half does not, in expectation at half the budget; beside it what base and target give at that same "
    "budget, and the excess with its standard error."
)


def csv_rows(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """One row per comparison and scope; fractions and p values in full."""
    return [
        identity(finding)
        | numbers(finding.block)
        | {
            "unseen": finding.block["unseen"],
            "mcnemar_p": finding.block["mcnemar_p"],
            "pass_difference": finding.block["intervals"]["other_questions"]["pass_difference"]["value"],
        }
        | {
            f"{name}_{kind}_{end}": finding.block["intervals"][kind][name][end]
            for name in _SHOWN
            for kind in KINDS
            for end in ("low", "high", "undefined")
        }
        | _null_columns(finding.block["nulls"])
        | {
            "change": finding.block["verdict"]["change"],
            "beyond_noise": finding.block["verdict"]["beyond_noise"],
            "verdict": "; ".join(finding.block["verdict"]["words"]),
        }
        for finding in findings
    ]


def _null_columns(nulls: dict[str, Any] | None) -> dict[str, Any]:
    if nulls is None:
        return {}
    found = {
        "null_k": nulls["k"],
        "expected_expansion": nulls["expansion_over_base"]["observed"],
        "expected_shrinkage": nulls["shrinkage_over_base"]["observed"],
        "base_null": nulls["expansion_over_base"]["null"],
        "target_null": nulls["expansion_over_target"]["null"],
    }
    return found | {
        f"{name}_{part}": nulls[name][part] for name in _EXCESSES for part in ("excess", "standard_error")
    }


def markdown(findings: list[Finding]) -> str:
    """Caption, the verdicts on the last checkpoints, then two tables per comparison and its verdicts."""
    shown = [finding for finding in findings if not finding.repeats]
    parts = [f"**{TITLE}** {as_markdown(CAPTION)}{note_on_rounds(findings, IN_ROUNDS)}", _verdicts(shown)]
    for title, members in by_comparison(shown):
        parts += [f"### {as_markdown(title)}", _intervals(members), _nulls(members), _words(members)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdicts(findings: list[Finding]) -> str:
    """The widest finding of each comparison of a last checkpoint, in words."""
    lines = []
    for title, members in by_comparison(finding for finding in findings if finding.is_final):
        widest = members[-1]
        lines.append(f"- {as_markdown(f'{title}, {widest.name}')} (k = {widest.budgets})")
        lines += [f"  - {as_markdown(line)}" for line in widest.block["verdict"]["words"]]
    return "\n".join(lines)


def _words(members: list[Finding]) -> str:
    """The verdicts that do not stand above the sections already."""
    lines = [
        f"- {as_markdown(finding.name)}: {as_markdown('; '.join(finding.block['verdict']['words']))}"
        for finding in (members[:-1] if members[-1].is_final else members)
    ]
    return "\n".join(lines)


def _intervals(members: list[Finding]) -> str:
    headings = ("Benchmark", "k", "N", *"PESO", "O: p ≤", "McNemar p", "", *_HEADINGS.values())
    rows = []
    for finding in members:
        block = finding.block
        measures = block["metrics"] | {
            "pass_difference": block["intervals"]["other_questions"]["pass_difference"]["value"]
        }
        rows.append(
            [
                *(finding.name, finding.budgets, str(block["questions"]), *map(str, finding.regions)),
                *(p_value(block["unseen"]), p_value(block["mcnemar_p"]), "value"),
                *(number(measures[name], 4) for name in _SHOWN),
            ]
        )
        for kind, about in KINDS.items():
            found = block["intervals"][kind]
            blank = [""] * (len(headings) - len(_SHOWN) - 1)
            rows.append(
                [*blank, about, *(interval(found[name]["low"], found[name]["high"], 4) for name in _SHOWN)]
            )
    return markdown_table(headings, rows, {"Benchmark", ""})


def _nulls(members: list[Finding]) -> str:
    headings = (
        *("Benchmark", "k", "base against itself", "target against itself"),
        *(
            heading
            for letter in "ES"
            for heading in (f"{letter} expected", f"{letter} beyond the base", f"{letter} beyond the target")
        ),
    )
    rows = []
    for finding in members:
        nulls = finding.block["nulls"]
        if nulls is None:
            rows.append([finding.name, *[UNDEFINED] * (len(headings) - 1)])
            continue
        row = [
            finding.name,
            "half of each" if nulls["k"] is None else str(nulls["k"]),
            *(number(nulls[f"expansion_over_{side}"]["null"], 3) for side in ("base", "target")),
        ]
        for region in ("expansion", "shrinkage"):
            row.append(number(nulls[f"{region}_over_base"]["observed"], 3))
            row += [_excess(nulls[f"{region}_over_{side}"]) for side in ("base", "target")]
        rows.append(row)
    return markdown_table(headings, rows, {"Benchmark"})


def _excess(found: dict[str, float | None]) -> str:
    return f"{found['excess']:+.3f} ± {number(found['standard_error'], 3)}"
