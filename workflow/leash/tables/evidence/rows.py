"""Columns that the three tables share."""

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
