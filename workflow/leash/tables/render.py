"""A table's rows as CSV (every number, full precision), Markdown and LaTeX (what a reader needs)."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd
from tabulate import tabulate

from leash.records import OUTCOMES
from leash.tables.cells import as_markdown, escape
from leash.tables.layouts import Column, Layout, Line, Section


def csv(sections: list[Section], further: Sequence[Column] = ()) -> str:
    """One row per line of the table: slugs, numbers as repr, nothing where undefined; at the end `further` columns."""
    rows = [
        _record(line) | {column.heading: column.cell(line) or None for column in further}
        for section in sections
        for line in section.lines
    ]
    names = [*COLUMNS, *(column.heading for column in further)]
    # dtype=object keeps a count a count in columns where other rows are empty.
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    return str(frame.to_csv(index=False, lineterminator="\n"))


def markdown(layout: Layout, sections: list[Section], caption: str, warnings: list[str]) -> str:
    """Caption, a table per section, warnings."""
    parts = [f"**{layout.number}. {as_markdown(layout.title)}** {as_markdown(caption)}"]
    for section in sections:
        if section.title:
            parts.append(f"### {as_markdown(section.title)}")
        cells = [[as_markdown(cell) for cell in _cells(layout, line)] for line in section.lines]
        parts.append(
            tabulate(
                cells,
                headers=[column.heading for column in layout.columns],
                tablefmt="pipe",
                disable_numparse=True,
                colalign=["left" if column.is_text else "right" for column in layout.columns],
            )
        )
    parts += [f"> {as_markdown(warning)}" for warning in warnings]
    return "\n\n".join(parts) + "\n"


def latex(slug: str, layout: Layout, sections: list[Section], caption: str, warnings: list[str]) -> str:
    """A booktabs table that spans both columns of a page."""
    width = len(layout.columns)
    body = []
    for section in sections:
        if section.title:
            body += [
                rf"\multicolumn{{{width}}}{{l}}{{\textit{{{escape(section.title)}}}}} \\",
                r"\addlinespace[2pt]",
            ]
        for previous, line in zip([None, *section.lines], section.lines, strict=False):
            if previous is not None and layout.group(previous) != layout.group(line):
                body.append(r"\addlinespace")
            body.append(" & ".join(escape(cell) for cell in _cells(layout, line)) + r" \\")
        body.append(r"\midrule")
    alignment = "".join("l" if column.is_text else "r" for column in layout.columns)
    headings = " & ".join(escape(column.heading) for column in layout.columns)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,graphicx}",
            r"\begin{table*}",
            r"\centering",
            rf"\caption{{{escape(f'{layout.title} {caption}')}}}",
            rf"\label{{tab:{slug}}}",
            r"\resizebox{\textwidth}{!}{%",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            rf"{headings} \\",
            r"\midrule",
            *body[:-1],
            r"\bottomrule",
            r"\end{tabular}}",
            *(rf"\par\smallskip\footnotesize {escape(warning)}" for warning in warnings),
            r"\end{table*}",
            "",
        ]
    )


def _cells(layout: Layout, line: Line) -> list[str]:
    return [column.cell(line) for column in layout.columns]


def _record(line: Line) -> dict[str, Any]:
    comparison, result = line.comparison, line.result
    record: dict[str, Any] = {
        "base": comparison.base,
        "base_checkpoint": comparison.base_checkpoint,
        "target": comparison.target,
        "target_checkpoint": "base" if line.is_base else comparison.checkpoint,
        "method": comparison.method,
        "scope": result.scope,
        "benchmark": result.slug if result.scope == "benchmark" else None,
        "domain": result.domain or None,
        "budget": " ".join(map(str, result.budgets)),
        "questions": result.questions,
    }
    if not line.is_base:
        record |= {name.upper(): value for name, value in result.metrics.items()}
        record |= dict(zip("PESO", result.regions, strict=True)) | {"tail": result.tail}
    for side, numbers in (("base", result.base), ("target", result.target)):
        if side == "target" and line.is_base:
            continue
        record[f"{side}_pass_at_1"] = numbers.pass_at.get(1)
        record[f"{side}_pass_at_budget"] = numbers.pass_at_budget
        record[f"{side}_samples"] = numbers.samples
        record |= {f"{side}_{outcome}": numbers.outcomes[outcome] for outcome in OUTCOMES}
    return record


COLUMNS: Final = (
    *("base", "base_checkpoint", "target", "target_checkpoint", "method"),
    *("scope", "benchmark", "domain", "budget", "questions"),
    *("base_pass_at_1", "base_pass_at_budget", "target_pass_at_1", "target_pass_at_budget"),
    *("SRR", "NDR", "SDS", "NSCR", "P", "E", "S", "O", "tail"),
    *(f"{side}_{name}" for side in ("base", "target") for name in ("samples", *OUTCOMES)),
)
