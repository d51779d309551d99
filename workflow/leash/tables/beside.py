"""The paper's numbers beside a study's own, where model, benchmark and budget are the same.

A study says which pair of the paper each of its comparisons repeats, and under which name the paper has each of
its benchmarks; what it does not name, or measured at another budget, has no number beside it.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from leash.comparisons import Comparison, Result
from leash.published import Record, aggregate, value
from leash.published.record import COUNTS, MEASURES, OVERALL
from leash.tables.layouts import Column, Layout, Line, Section

_PASSES: Final = {
    "base pass@k %": "base_pass",
    "target pass@k %": "target_pass",
    "pass@k %": "target_pass",
}
_PRINTED: Final = {**_PASSES, **{name: name for name in (*MEASURES, *COUNTS)}}


class Repeated(NamedTuple):
    """The pair of the paper that a comparison repeats; with a step, one of its checkpoints (Table 4)."""

    pair: str
    step: int | None = None


class Published(NamedTuple):
    """The record, and what of it a study repeats: by (target, checkpoint), and the paper's name by benchmark."""

    record: Record
    comparisons: Mapping[tuple[str, str], Repeated]
    benchmarks: Mapping[str, str]


def published_value(published: Published, comparison: Comparison, result: Result, column: str) -> str:
    """What the paper prints of this result under a column of the record, digits and all; "" for nothing.

    A domain or the overall result has one only where it holds the very benchmarks of the paper's, at its budgets.
    """
    repeated = published.comparisons.get((comparison.target, comparison.checkpoint))
    if repeated is None:
        return ""
    found = None
    if result.scope == "benchmark":
        if result.slug in published.benchmarks and len(result.budgets) == 1:
            name = published.benchmarks[result.slug]
            found = value(published.record, repeated.pair, name, result.budgets[0], column, repeated.step)
    elif column not in _PASSES.values() and repeated.step is None:
        domain = OVERALL if result.scope == "overall" else result.slug
        if _holds_the_same(published, repeated.pair, comparison, domain):
            found = aggregate(published.record, repeated.pair, domain, column)
    return "" if found is None else str(found)


def beside_published(layout: Layout, sections: list[Section], published: Published) -> Layout:
    """The layout with a column "X, paper" right of each column X that the paper has a number for in some row."""
    lines = [line for section in sections for line in section.lines]
    columns: list[Column] = []
    for column in layout.columns:
        columns.append(column)
        if column.heading in _PRINTED:
            beside = Column(f"{column.heading}, paper", partial(_cell, published, _PRINTED[column.heading]))
            columns += [beside] if any(beside.cell(line) for line in lines) else []
    if len(columns) == len(layout.columns):
        return layout
    note = " X, paper: what the paper prints for the same model, benchmark and k, where it has it."
    return layout._replace(columns=tuple(columns), note=layout.note + note)


def _cell(published: Published, column: str, line: Line) -> str:
    if line.is_base:
        if column != "target_pass":
            return ""
        column = "base_pass"  # the row shows its base alone
    return published_value(published, line.comparison, line.result, column)


def _holds_the_same(published: Published, pair: str, comparison: Comparison, domain: str) -> bool:
    theirs = {
        (row["benchmark"], int(row["k"]))
        for row in published.record.support_counts
        if row["pair"] == pair and domain in (OVERALL, row["domain"])
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
