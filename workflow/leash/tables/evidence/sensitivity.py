"""The regions under stricter rules of what "solved" means."""

from collections.abc import Iterable
from typing import Any, Final

from leash.dynamics.regions import REGIONS
from leash.findings import Finding, by_comparison
from leash.tables.cells import as_markdown, number
from leash.tables.evidence.rows import IDENTITY, MEASURES, NUMBERS, identity, note_on_rounds, numbers
from leash.tables.text import markdown_table

COLUMNS: Final = (*IDENTITY, "rule", "successes", *NUMBERS)
TITLE: Final = "Sensitivity."
CAPTION: Final = (
    "Regions and measures where a question counts as solved only with so many verified successes among its k samples, "
    "and under the paper's threshold on the rate (Appendix C.4): c/k > ε with ε = −ln ζ / k, which is the same as more "
    "than −ln ζ successes, whatever k. A conclusion that turns with the rule rests on questions solved by chance."
)

IN_ROUNDS: Final = (
    "How many successes all k samples would hold is not known then, so that the stricter rules are left out."
)


def csv_rows(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """One row per comparison, scope and rule."""
    return [
        identity(finding) | {"rule": rule["rule"], "successes": rule["successes"]} | numbers(rule)
        for finding in findings
        for rule in finding.block["sensitivity"]
    ]


def markdown(findings: list[Finding]) -> str:
    """Caption, and a table per comparison."""
    parts = [f"**{TITLE}** {as_markdown(CAPTION)}{note_on_rounds(findings, IN_ROUNDS)}"]
    headings = ("Benchmark", "solved", "successes", *NUMBERS)
    for title, members in by_comparison(finding for finding in findings if not finding.repeats):
        rows = [
            [
                finding.name if not index else "",
                rule["rule"],
                str(rule["successes"]),
                *(str(rule["regions"][name]) for name in REGIONS),
                *(number(rule["metrics"][name], 4) for name in MEASURES),
            ]
            for finding in members
            for index, rule in enumerate(finding.block["sensitivity"])
        ]
        parts += [f"### {as_markdown(title)}", markdown_table(headings, rows, {"Benchmark", "solved"})]
    return "\n\n".join(parts) + "\n"
