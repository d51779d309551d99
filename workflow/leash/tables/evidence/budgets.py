"""The expected regions, measures and pass@k at every smaller budget."""

from collections.abc import Iterable
from typing import Any, Final

from leash.dynamics.regions import REGIONS
from leash.findings import Finding, by_comparison
from leash.tables.cells import as_markdown, interval, number, p_value, percent
from leash.tables.evidence.rows import IDENTITY, MEASURES, NUMBERS, identity, note_on_rounds, numbers
from leash.tables.evidence.summary import KINDS
from leash.tables.text import markdown_table

_DIFFERENCE: Final = ("value", "low", "high")
_PASSES: Final = ("base_pass", "target_pass", "base_prefix_pass", "target_prefix_pass")
COLUMNS: Final = (
    *IDENTITY,
    "k",
    *NUMBERS,
    "unseen",
    *_PASSES,
    *(f"pass_difference_{part}" for part in _DIFFERENCE),
    *(f"{name}_{kind}_{end}" for name in MEASURES for kind in KINDS for end in ("low", "high")),
)
TITLE: Final = "Budgets."
CAPTION: Final = (
    "What base and target are expected to show at every budget k up to the one drawn, from the same samples: exact "
    "(hypergeometric), the two independent; the measures are those of the expected counts. O: p ≤: the highest rate, "
    "at 95 % confidence, of a question of which none of k samples was correct. pass@k in percent, target less base, "
    "with a 95 % band that holds at all k of the column together. The CSV has the intervals of every measure, and "
    "pass@k as the paper reads it, from the first k samples (prefix)."
)

IN_ROUNDS: Final = (
    "Up to the size of round 0 all is expected from round 0; beyond, a question counts in full from the round that "
    "solved it, and within that round by the share of orders in which a success comes early enough: unbiased."
)


def csv_rows(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """One row per comparison, benchmark and k."""
    return [
        identity(finding)
        | {"k": at["k"], "unseen": at["unseen"]}
        | numbers(at)
        | {name: at[name] for name in _PASSES}
        | {f"pass_difference_{part}": (at["pass_difference"] or {}).get(part) for part in _DIFFERENCE}
        | {
            f"{name}_{kind}_{end}": at["intervals"][kind][name][end]
            for name in MEASURES
            for kind in KINDS
            for end in ("low", "high")
        }
        for finding in findings
        for at in finding.block.get("over_budgets", [])
    ]


def markdown(findings: list[Finding]) -> str:
    """Caption, and a table per comparison."""
    parts = [f"**{TITLE}** {as_markdown(CAPTION)}{note_on_rounds(findings, IN_ROUNDS)}"]
    headings = (
        *("Benchmark", "k", *"PESO", "O: p ≤", *(name.upper() for name in MEASURES)),
        *("base pass@k %", "target pass@k %", "difference", "band"),
    )
    for title, members in by_comparison(finding for finding in findings if finding.scope == "benchmark"):
        rows = [
            [finding.name if not index else "", *_cells(at)]
            for finding in members
            for index, at in enumerate(finding.block["over_budgets"])
        ]
        parts += [f"### {as_markdown(title)}", markdown_table(headings, rows, {"Benchmark"})]
    return "\n\n".join(parts) + "\n"


def _cells(at: dict[str, Any]) -> list[str]:
    difference = at["pass_difference"] or {}
    low, high = (_hundredfold(difference.get(end)) for end in ("low", "high"))
    return [
        str(at["k"]),
        *(number(at["regions"][name], 3) for name in REGIONS),
        p_value(at["unseen"]),
        *(number(at["metrics"][name], 4) for name in MEASURES),
        *(percent(at[f"{side}_pass"]) for side in ("base", "target")),
        percent(at["target_pass"] - at["base_pass"]),
        interval(low, high, 2),
    ]


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else 100 * value
