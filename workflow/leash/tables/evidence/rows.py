"""Columns that the three tables share."""

from collections.abc import Iterable
from typing import Any, Final

from leash.dynamics.regions import REGIONS
from leash.findings import Finding

IDENTITY: Final = (
    *("base", "base_checkpoint", "target", "target_checkpoint"),
    *("scope", "benchmark", "domain", "budget", "questions"),
)
MEASURES: Final = ("srr", "ndr", "sds", "nscr")
NUMBERS: Final = (*"PESO", *(name.upper() for name in MEASURES))


def identity(finding: Finding) -> dict[str, Any]:
    """Who is compared, on what, at which budget."""
    return {
        "base": finding.base,
        "base_checkpoint": finding.base_checkpoint,
        "target": finding.target,
        "target_checkpoint": finding.checkpoint,
        "scope": finding.scope,
        "benchmark": finding.slug if finding.scope == "benchmark" else None,
        "domain": finding.domain or None,
        "budget": " ".join(map(str, finding.block["budgets"])),
        "questions": finding.block["questions"],
    }


def numbers(block: dict[str, Any]) -> dict[str, Any]:
    """Regions and measures of a block that has both."""
    regions = {letter: block["regions"][name] for letter, name in zip("PESO", REGIONS, strict=True)}
    return regions | {name.upper(): block["metrics"][name] for name in MEASURES}


def note_on_rounds(findings: Iterable[Finding], meaning: str) -> str:
    """A note on samples drawn in rounds, and what that means for a table; nothing where all questions have as many."""
    firsts = sorted({size for finding in findings for size in finding.block.get("first_rounds", ())})
    if not firsts:
        return ""
    sizes = " or ".join(map(str, firsts))
    return (
        f" Drawn in rounds (the first of {sizes} samples), a question only until a round solved it; its region is "
        f"that of k samples all the same. {meaning}"
    )
