"""What reading recorded results has in common: the spec, cells of whole numbers, and problems told together."""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.benchmarks import cells
from leash.errors import InputError
from leash.records import Row

_MOST_NAMED: Final = 20
_WHOLE: Final = re.compile(r"[+-]?\d+(?:\.0*)?")
_KEYS: Final[dict[str, tuple[type, ...]]] = {
    "where": (str,),
    "benchmark": (str,),
    "columns": (dict,),
    "budget": (int,),
    "on_missing": (str,),
}
HELP: Final = "JSON: " + ", ".join(_KEYS)


class Spec(NamedTuple):
    """`where`: the config's key of the results; `columns`: see config.RecordedColumns."""

    where: str
    benchmark: str
    columns: Mapping[str, str | None]
    budget: int
    on_missing: str

    def column(self, key: str) -> str:
        """The path of a column that must be given."""
        path = self.columns.get(key)
        if path is None:
            raise InputError(f"--spec: columns.{key} is missing")
        return path


def parse_spec(text: str) -> Spec:
    """The --spec argument. Raises InputError for a key that is missing, unknown or of another type."""
    spec = records.parse_spec(text)
    if not isinstance(spec, dict) or spec.keys() != _KEYS.keys():
        raise InputError(f"--spec: must be a JSON object with exactly the keys {', '.join(_KEYS)}")
    for key, kinds in _KEYS.items():
        if type(spec[key]) not in kinds:
            raise InputError(f"--spec: {key} cannot be {spec[key]!r}")
    return Spec(**spec)


class Problems:
    """What is wrong with a file, in the order found: each kind with its remedy and the rows that have it."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[str]] = {}

    def add(self, what: str, row: str, remedy: str) -> None:
        """Note one row."""
        self._found.setdefault((what, remedy), []).append(row)

    def check(self, file: Path) -> None:
        """Raise InputError that tells all of them, if there are any."""
        if self._found:
            told = [
                f"{what}: {records.listed(rows, _MOST_NAMED)}; {remedy}"
                for (what, remedy), rows in self._found.items()
            ]
            raise InputError(f"{file}: " + "\n  ".join(told))


def label(number: int, name: str) -> str:
    """'row 3 (its id)', counted from 1."""
    return f"row {number} ({name})" if name else f"row {number}"


def check_column(file: Path, where: str, key: str, path: str, known: Iterable[str]) -> None:
    """Raise InputError, with the nearest column, where no row has this one."""
    known = list(dict.fromkeys(known))
    if path in known:
        return
    close = difflib.get_close_matches(path, known, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise InputError(
        f"{where}.columns.{key}: {path!r} is not a column of {file}; it has {records.listed(known, 20)}{hint}"
    )


def name_of(row: Row, path: str | None) -> str:
    """The id in a row, '' where it is blank. Raises CellError for a cell that is no text and no number."""
    return "" if path is None else cells.value(cells.at(row, path))


def whole(cell: Any) -> int:
    """A whole number from 0 up, also as text. Raises CellError for anything else, blanks and NaN too."""
    try:
        text = cells.value(cell).strip()
    except (OverflowError, cells.CellError) as error:
        raise cells.CellError(f"{cell!r:.40} is not a whole number") from error
    if text.lower() in ("", "nan"):
        raise cells.CellError("is blank or NaN")
    if not _WHOLE.fullmatch(text):
        raise cells.CellError(f"{text:.40} is not a whole number")
    number = int(text.partition(".")[0])
    if number < 0:
        raise cells.CellError(f"{number} is negative")
    return number


def score(cell: Any) -> float | None:
    """A recorded verdict: a number or a truth value, also as text; None for a blank. Raises CellError."""
    if isinstance(cell, bool):
        return float(cell)
    text = cells.value(cell).strip().lower()
    if text in ("", "nan"):
        return None
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text)
    except ValueError as error:
        raise cells.CellError(f"{text:.40} is not a number") from error


def spelt(text: str) -> str:
    """A question's text without differences of spacing."""
    return " ".join(text.split())
