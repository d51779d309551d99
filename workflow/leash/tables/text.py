"""Rows as CSV, and as one Markdown table."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tabulate import tabulate

from leash.tables.cells import as_markdown


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A row per mapping, under the columns; None is an empty cell. Raises ValueError for any other key."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[str]) -> str:
    """Plain cells as a Markdown table; the columns under the headings of `left` are text, the others numbers."""
    return str(
        tabulate(
            [[as_markdown(cell) for cell in row] for row in rows],
            headers=[as_markdown(heading) for heading in headings],
            tablefmt="pipe",
            disable_numparse=True,
            colalign=["left" if heading in left else "right" for heading in headings],
        )
    )
