"""Wall time per rule, from the benchmark files Snakemake writes."""

import csv
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from leash.errors import InputError


class RuleTime(NamedTuple):
    """Jobs of one rule: their summed and longest wall time in seconds, and the largest resident set in MB."""

    rule: str
    jobs: int
    seconds: float
    longest: float
    max_rss: float | None


def summarise(folder: Path) -> list[RuleTime]:
    """One entry per folder `<rule>` that holds TSV files, the longest rule first.

    Raises InputError where the folder is absent or a file is not a Snakemake benchmark.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder; give --benchmarks the one Snakemake writes benchmarks to"
        )
    times = [_of_rule(rule) for rule in sorted(folder.iterdir()) if any(rule.rglob("*.tsv"))]
    return sorted(times, key=lambda time: -time.seconds)


def as_text(times: list[RuleTime]) -> str:
    """The summary as an aligned text table."""
    rows = [
        [
            t.rule,
            t.jobs,
            f"{t.seconds:.1f}",
            f"{t.longest:.1f}",
            "—" if t.max_rss is None else f"{t.max_rss:.0f}",
        ]
        for t in times
    ]
    headings = ["rule", "jobs", "wall time, s", "longest job, s", "largest memory, MB"]
    alignment = ("left", *["right"] * 4)
    return str(
        tabulate(
            rows, headings, tablefmt="simple", disable_numparse=True, colalign=alignment if rows else None
        )
    )


def _of_rule(rule: Path) -> RuleTime:
    jobs = [row for path in sorted(rule.rglob("*.tsv")) for row in _rows(path)]
    seconds = [float(row["s"]) for row in jobs]
    # Snakemake writes "-" or "NA" for a job that ended before it was measured.
    memory = [float(row["max_rss"]) for row in jobs if row["max_rss"] not in ("-", "NA")]
    return RuleTime(rule.name, len(jobs), sum(seconds), max(seconds, default=0.0), max(memory, default=None))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines, delimiter="\t")
        if not {"s", "max_rss"} <= set(reader.fieldnames or ()):
            raise InputError(f"{path}: not a Snakemake benchmark (no columns s and max_rss); delete it")
        return list(reader)
