"""Rows of a file or a hub dataset made questions: columns picked, cells checked, ids given.

An example, with columns {gold: answer, unit: source_fields.unit}: the row {"question": "Predict the pressure …",
"answer": "50.7", "source_fields": {"unit": "atm"}} has the gold ["50.7 atm"].
"""

import difflib
import hashlib
import json
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from leash.benchmarks import cells
from leash.config import Columns
from leash.errors import InputError
from leash.records import Row, listed

Cell = TypeVar("Cell")


class Table(NamedTuple):
    """Rows, and what messages about them say: the benchmark's slug, and the file or dataset they come from."""

    rows: list[Row]
    columns: Columns
    benchmark: str
    source: str
    where: str = ""  # in the config, if not at the benchmark

    def wrong(self, key: str, what: str) -> InputError:
        """The error of a benchmark's key."""
        return InputError(f"{self.where or f'benchmarks.{self.benchmark}'}.{key}: {what}")

    def label(self, index: int) -> str:
        """'row 3 (its id)', counted from 1; without the id where no column holds it."""
        name = cells.at(self.rows[index], self.columns.id) if self.columns.id else None
        return f"row {index + 1}" + (f" ({name})" if name is not None else "")


def questions(table: Table, size: int) -> list[Row]:
    """question_id, question, gold and metadata of each row, in order.

    Raises InputError for another number of rows than `size`, a column that is not there, an empty question or
    gold, cells of a type that is none of theirs, and for ids or questions that stand more than once. A question
    may be repeated where its rows have ids of their own and the same gold (SciBench has two such pairs).
    """
    if len(table.rows) != size:
        raise table.wrong(
            "size",
            f"{table.source} has {len(table.rows):,} rows, and size says {size:,}: correct size, or take the "
            "version of the data that has so many",
        )
    _check_columns(table)
    texts = _column(table, "question", cells.text)
    golds = _column(table, "gold", cells.values)
    units = _column(table, "unit", cells.value) if table.columns.unit else [""] * size
    _check_filled(table, "question", texts)
    _check_filled(table, "gold", golds)
    made = [
        {
            "question_id": name,
            "question": question,
            "gold": [f"{one} {unit.strip()}" if unit else one for one in gold],
            "metadata": metadata,
        }
        for name, question, gold, unit, metadata in zip(
            _ids(table, texts), texts, golds, units, _metadata(table), strict=True
        )
    ]
    _check_repeated(table, made)
    return made


def repeated(rows: Iterable[Row]) -> list[list[str]]:
    """Groups of question_ids that have the same question text."""
    rows = list(rows)
    return [[rows[index]["question_id"] for index in group] for group in _groups(rows, "question")]


def _column(table: Table, key: str, read: Callable[[Any], Cell]) -> list[Cell]:
    path = getattr(table.columns, key)
    found = []
    for index, row in enumerate(table.rows):
        try:
            found.append(read(cells.at(row, path)))
        except cells.CellError as error:
            raise table.wrong(
                f"columns.{key}", f"{table.source}: {table.label(index)}: {path}: {error}"
            ) from error
    return found


def _ids(table: Table, texts: list[str]) -> list[str]:
    if table.columns.id is None:
        return [f"{table.benchmark}-{hashlib.sha256(text.encode()).hexdigest()[:12]}" for text in texts]
    return _column(table, "id", _id)


def _id(cell: Any) -> str:
    name = cells.value(cell)
    if not name or any(unicodedata.category(character) == "Cc" for character in name):
        raise cells.CellError(
            f"{name!r} is empty or has control characters; repair it, or leave columns.id out"
        )
    return name


def _metadata(table: Table) -> list[str]:
    kept = [{path: cells.at(row, path) for path in table.columns.metadata} for row in table.rows]
    try:
        # in ASCII, so that any text can be written
        return [json.dumps(row, sort_keys=True, allow_nan=False) for row in kept]
    except (TypeError, ValueError) as error:
        raise table.wrong(
            "columns.metadata", f"{table.source}: JSON cannot hold a cell ({error}): leave that column out"
        ) from error


def _check_columns(table: Table) -> None:
    known = dict.fromkeys(path for row in table.rows for path in cells.paths(row))
    single = [(key, getattr(table.columns, key)) for key in ("question", "gold", "id", "unit")]
    for key, path in [*single, *(("metadata", path) for path in table.columns.metadata)]:
        if path is None or path in known:
            continue
        close = difflib.get_close_matches(path, known, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise table.wrong(
            f"columns.{key}",
            f"{path!r} is not a column of {table.source}; it has {listed(known, 20)}{hint}",
        )


def _check_filled(table: Table, key: str, values: list[Any]) -> None:
    empty = [table.label(index) for index, value in enumerate(values) if not value]
    if empty:
        raise table.wrong(
            f"columns.{key}",
            f"{getattr(table.columns, key)!r} is empty in {table.source}: {listed(empty)}; fill it, or take "
            "these rows out and lower size",
        )


def _check_repeated(table: Table, made: list[Row]) -> None:
    if table.columns.id is not None and (same := _groups(made, "question_id")):
        raise table.wrong(
            "columns.id",
            f"the same id stands more than once in {table.source}: {_told(table, same)}; name a column that "
            "tells the rows apart, or leave columns.id out",
        )
    same = [
        group
        for group in _groups(made, "question")
        if table.columns.id is None or len({_unspaced(made[index]["gold"]) for index in group}) > 1
    ]
    if same:
        raise table.wrong(
            "columns.question",
            f"the same question stands more than once in {table.source}: {_told(table, same)}; take all but one "
            "out (those that are meant need columns.id and the same gold)",
        )


def _unspaced(gold: list[str]) -> tuple[str, ...]:
    return tuple("".join(one.split()) for one in gold)


def _groups(rows: list[Row], key: str) -> list[list[int]]:
    """Indices of the rows that have the same value, for each value that stands more than once."""
    found: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        found.setdefault(row[key], []).append(index)
    return [group for group in found.values() if len(group) > 1]


def _told(table: Table, groups: list[list[int]]) -> str:
    return "; ".join(listed((table.label(index) for index in group), 3) for group in groups[:5]) + (
        f"; and {len(groups) - 5} more" if len(groups) > 5 else ""
    )
