"""Cells of a table row: found by column name or dotted path, and read as text."""

import math
from collections.abc import Iterator
from typing import Any

from leash.records import Row


class CellError(Exception):
    """A cell cannot be read; the message says what is wrong with it, not where it is."""


def at(row: Row, path: str) -> Any:
    """The cell of a column, or of a dotted path into nested objects; None where there is none."""
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def paths(row: Row, above: str = "") -> Iterator[str]:
    """Names of a row's columns, those of nested objects as dotted paths."""
    for key, value in row.items():
        yield above + key
        if isinstance(value, dict):
            yield from paths(value, f"{above}{key}.")


def text(cell: Any) -> str:
    """A text cell as it stands, '' for a blank or missing one.

    Raises CellError for a cell of another type and for text that no file can hold.
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):  # NaN: the blank of pandas
        return ""
    if not isinstance(cell, str):
        raise CellError(f"{cell!r:.80} is not text")
    try:
        cell.encode()
    except UnicodeEncodeError as error:
        raise CellError(
            f"character {error.start + 1} is a lone surrogate, which no file can hold: repair the text"
        ) from error
    return cell if cell.strip() else ""


def value(cell: Any) -> str:
    """A text or number cell as text: 27 and 27.0 are '27', another float keeps all its digits.

    Raises CellError as `text` does.
    """
    if isinstance(cell, float) and not math.isnan(cell):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if cell is not None and not isinstance(cell, float | str):
        raise CellError(f"{cell!r:.80} is neither text nor a number")
    return text(cell)


def values(cell: Any) -> list[str]:
    """A cell of one or of several values, each as `value` reads it; [] where it or one of them is blank."""
    found = [value(one) for one in (cell if isinstance(cell, list) else [cell])]
    return found if all(found) else []
