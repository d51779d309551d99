"""The paper's numbers beside a study's own, where model, benchmark and budget are the same.

A study says which pair of the paper each of its comparisons repeats, and under which name the paper has each of
its benchmarks; what it does not name, or measured at another budget, has no number beside it.

In the spec of a table (see leash.comparisons):
"published": {"comparisons": {"model/checkpoint": {"pair": pair, "step": step or null}}, "benchmarks": {slug: name}}
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from leash.comparisons import Comparison, Result, parse_spec
from leash.errors import InputError
from leash.published import Record, aggregate, read, value
from leash.published.record import COUNTS, MEASURES, OVERALL, Row, pairs
from leash.tables.layouts import Column, Layout, Line, Section

# Without the name of the column left of it: a table of 27 columns has no room.
HEADING: Final = "paper"
_PASSES: Final = {
    "base pass@k %": "base_pass",
    "target pass@k %": "target_pass",
    "pass@k %": "target_pass",
}
_PRINTED: Final = {**_PASSES, **{name: name for name in (*MEASURES, *COUNTS)}}
# Passes are fractions in the CSV's own columns, and percentages as the paper prints them.
_IN_CSV: Final = {
    "published_base_pass_at_budget_percent": "base_pass",
    "published_target_pass_at_budget_percent": "target_pass",
    **{f"published_{name}": name for name in (*MEASURES, *COUNTS)},
}


class Repeated(NamedTuple):
    """The pair of the paper that a comparison repeats; with a step, one of its checkpoints (Table 4)."""

    pair: str
    step: int | None = None


class Published(NamedTuple):
    """The record, and what of it a study repeats: by (target, checkpoint), and the paper's name by benchmark."""

    record: Record
    comparisons: Mapping[tuple[str, str], Repeated]
    benchmarks: Mapping[str, str]


def from_spec(spec_text: str, folder: Path | None) -> Published | None:
    """What the spec of a table says of the paper, with the record of `folder`; None where it says nothing.

    Raises InputError for a broken spec or record, and where the spec asks for a record and no folder is given.
    """
    told = parse_spec(spec_text).get("published")
    if told is None:
        return None
    if folder is None:
        raise InputError(
            "--published: missing, and --spec has 'published': give the folder of the paper's numbers"
        )
    repeated = {}
    for state, block in told["comparisons"].items():
        model, _, checkpoint = state.partition("/")
        repeated[model, checkpoint] = Repeated(block["pair"], block["step"])
    return Published(read(folder), repeated, told["benchmarks"])


def published_value(published: Published, comparison: Comparison, result: Result, column: str) -> str:
    """What the paper prints of this result under a column of the record, digits and all; "" for nothing.

    A domain or the overall result has one only where it holds the very benchmarks of the paper's, at its budgets.
    """
    repeated = published.comparisons.get((comparison.target, comparison.checkpoint))
    if repeated is None:
        return ""
    record, pair, step = published.record, *repeated
    found = None
    if result.scope == "benchmark":
        rows = record.support_counts if step is None else record.training_dynamics
        if pair in pairs(rows) and result.slug in published.benchmarks and len(result.budgets) == 1:
            found = value(record, pair, published.benchmarks[result.slug], result.budgets[0], column, step)
    elif column not in _PASSES.values() and step is None and pair in pairs(record.aggregate_support):
        domain = OVERALL if result.scope == "overall" else result.slug
        if _holds_the_same(published, pair, comparison, domain):
            found = aggregate(record, pair, domain, column)
    return "" if found is None else str(found)


def beside_published(layout: Layout, sections: list[Section], published: Published) -> Layout:
    """The layout with a column "paper" right of each column that the paper has a number for in some row."""
    lines = [line for section in sections for line in section.lines]
    columns: list[Column] = []
    for column in layout.columns:
        columns.append(column)
        if column.heading in _PRINTED:
            beside = Column(HEADING, partial(_cell, published, _PRINTED[column.heading]))
            columns += [beside] if any(beside.cell(line) for line in lines) else []
    if len(columns) == len(layout.columns):
        return layout
    note = f" {HEADING}: what the paper prints of the column left of it, at the same model, benchmark and k."
    return layout._replace(columns=tuple(columns), note=layout.note + note)


def csv_columns(published: Published) -> tuple[Column, ...]:
    """Columns for the CSV of any table, with the printed text."""
    return tuple(Column(name, partial(_csv_cell, published, column)) for name, column in _IN_CSV.items())


def _csv_cell(published: Published, column: str, line: Line) -> str:
    if line.is_base and column != "base_pass":
        return ""
    return published_value(published, line.comparison, line.result, column)


def _cell(published: Published, column: str, line: Line) -> str:
    if line.is_base:
        if column != "target_pass":
            return ""
        column = "base_pass"  # the row shows its base alone
    return published_value(published, line.comparison, line.result, column)


def _holds_the_same(published: Published, pair: str, comparison: Comparison, domain: str) -> bool:
    theirs = {
        (row["benchmark"], int(row["k"]))
        for row in _by_benchmark(published.record, pair)
        if domain in (OVERALL, row["domain"])
    }
    ours = [
        (published.benchmarks.get(result.slug), result.budgets)
        for result in comparison.benchmarks
        if domain in (OVERALL, result.domain)
    ]
    wanted = sorted((name, (k,)) for name, k in theirs)
    return (
        bool(theirs)
        and None not in (name for name, _ in ours)
        and sorted(ours, key=str) == sorted(wanted, key=str)
    )


def _by_benchmark(record: Record, pair: str) -> list[Row]:
    """A pair's rows in Tables 3 and 6 to 12, which tell its benchmarks and budgets.

    prorl-1.5b-v2 is in Table 1 alone. Its benchmarks and budgets are those of the pair whose base solved as many
    questions of as many in every domain there: base, questions and samples are then the same.
    """
    bases = {one: _base_solved(record, one) for one in pairs(record.aggregate_support)}
    alike = [one for one in bases if pair in bases and bases[one] == bases[pair]]
    for name in (pair, *alike):
        rows = [row for row in record.support_counts if row["pair"] == name]
        if rows:
            return rows
    return []


def _base_solved(record: Record, pair: str) -> dict[str, tuple[int, int]]:
    return {
        row["domain"]: (int(row["P"]) + int(row["S"]), int(row["E"]) + int(row["O"]))
        for row in record.aggregate_support
        if row["pair"] == pair
    }
