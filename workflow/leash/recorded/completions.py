"""A file of completions, read piece by piece: a row per completion, or a row per question with a list of them.

{"id": "aime24/84", "question": "…", "gold": "33", "completion": "… \\boxed{33}", "score": 1}
{"id": "aime24/84", "question": "…", "gold": "33", "samples": [{"completion": "…", "score": 1}, …]}
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from leash.benchmarks import cells, files
from leash.recorded.table import check_column
from leash.records import Row

Columns = Mapping[str, str | None]


class Group(NamedTuple):
    """A row of the file, counted from 1, and the objects that hold its completions; None if they are no list."""

    number: int
    row: Row
    items: list[Any] | None


def read(file: Path, columns: Columns, where: str) -> Iterator[Group]:
    """Every row. Raises InputError where the first lacks a column that is mapped."""
    for number, row in enumerate(files.stream(file), 1):
        nested = columns.get("samples")
        if number == 1:
            _check(file, columns, where, row)
        if nested is None:
            yield Group(number, row, [row])
        else:
            items = cells.at(row, nested)
            yield Group(number, row, items if isinstance(items, list) else None)


def _check(file: Path, columns: Columns, where: str, row: Row) -> None:
    nested = columns.get("samples")
    outer, inner = list(cells.paths(row)), list(cells.paths(row))
    if nested:
        check_column(file, where, "samples", nested, outer)
        items = cells.at(row, nested)
        first = items[0] if isinstance(items, list) and items else {}
        inner = list(cells.paths(first)) if isinstance(first, dict) else []
    of_row = ["id"] if columns.get("id") else ["question"]
    for keys, known in ((of_row, outer), (["completion", "score", "finish_reason"], inner)):
        for key in keys:
            path = columns.get(key)
            # an empty list of samples is told with its row
            if path is not None and known:
                check_column(file, where, key, path, known)
