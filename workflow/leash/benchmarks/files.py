"""Rows of a local file: JSON lines, a JSON array, CSV or Parquet, told apart by the suffix.

An example line of a .jsonl file: {"id": "amc23/0", "question": "How many …?", "answer": "27"}.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from leash.errors import InputError
from leash.records import Row, listed


def read(path: Path) -> list[Row]:
    """All rows, in the order of the file; see `stream`."""
    return list(stream(path))


def stream(path: Path) -> Iterator[Row]:
    """Rows in the order of the file; a cell of a CSV file is text, elsewhere it has the file's own type.

    JSON lines and Parquet are read piece by piece, the others whole. Raises InputError for a file that is
    missing, has another suffix, or is not what its suffix says.
    """
    if path.suffix not in READERS:
        raise InputError(f"{path}: {unknown_suffix(path)}")
    try:
        yield from READERS[path.suffix](path)
    except FileNotFoundError as error:
        raise InputError(f"{path}: not there; correct the path in the config") from error
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read as {path.suffix}: {error}") from error


def unknown_suffix(path: Path) -> str:
    """What an error message says of a file whose suffix has no reader."""
    return f"the suffix {path.suffix!r} is not one of {', '.join(READERS)}: rename or convert the file"


def _json_lines(path: Path) -> Iterator[Row]:
    # not str.splitlines, which also breaks at the U+2028 that JSON text may hold
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _object(_parsed(line, f"{path}: line {number}"), f"{path}: line {number}")


def _json_array(path: Path) -> list[Row]:
    items = _parsed(path.read_text(encoding="utf-8-sig"), str(path))
    if not isinstance(items, list):
        raise InputError(f"{path}: holds no array of objects at its top; for one object a line use .jsonl")
    return [_object(item, f"{path}: item {number}") for number, item in enumerate(items, 1)]


def _csv(path: Path) -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as opened:
        lines = csv.reader(opened, strict=True)
        names = next(lines, [])
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(f"{path}: columns with the same name: {listed(twice)}; rename one of them")
        rows = []
        for cells in filter(None, lines):
            if len(cells) != len(names):
                raise InputError(
                    f"{path}: the row that ends at line {lines.line_num} has {len(cells)} cells, and the header "
                    f"{len(names)}; quote cells that hold commas"
                )
            rows.append(dict(zip(names, cells, strict=True)))
    return rows


def _parquet(path: Path) -> Iterator[Row]:
    with pq.ParquetFile(path) as opened:
        for batch in opened.iter_batches(batch_size=4096):
            yield from batch.to_pylist()


READERS: Final[dict[str, Callable[[Path], Iterable[Row]]]] = {
    ".jsonl": _json_lines,
    ".json": _json_array,
    ".csv": _csv,
    ".parquet": _parquet,
}


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{where}: not valid JSON ({error}); repair it") from error


def _object(item: Any, where: str) -> Row:
    if not isinstance(item, dict):
        raise InputError(f"{where}: not a JSON object but {item!r:.80}; give one object a row")
    return item
