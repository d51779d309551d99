"""The transcribed tables, every cell as it is printed, and how to look one up.

| file | rows | columns |
|---|---|---|
| support_counts | Tables 3, 6 to 12 | table, pair, base, target, domain, benchmark, k; passes, measures, counts |
| training_dynamics | Table 4 | table, pair, benchmark, k, step; target_pass, measures, counts |
| aggregate_support | Table 1 | table, pair, domain (or "overall"); measures, counts |
| precision_entropy | Table 5 | table, metric, model, benchmark (or "Avg"), value |
| pass_at_k | Table 14 | table, model, benchmark, k, pass_at_k |
| perplexity | Table 2 | table, category, reference, target, benchmark, perplexity |

Step 0 is the base, without measures and counts. No number of Table 2 derives from another.
Passes (base_pass, target_pass, pass_at_k) are percentages of questions; measures are SRR, NDR, SDS, NSCR; counts are
P, E, S, O.
"""

import csv
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final, NamedTuple

from leash.errors import InputError

Row = dict[str, str]

FOLDER: Final = Path("results/published")
"""Where the record lies in the repository, which is the working directory of a study."""

MEASURES: Final = ("SRR", "NDR", "SDS", "NSCR")
COUNTS: Final = ("P", "E", "S", "O")
PASSES: Final = ("base_pass", "target_pass")
OVERALL: Final = "overall"
AVERAGE: Final = "Avg"


class _Sheet(NamedTuple):
    """Columns of a file: what names a row, other texts, numbers, whole numbers, and which of them may be empty."""

    key: tuple[str, ...]
    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    whole: tuple[str, ...]
    may_lack: tuple[str, ...] = ()


_SHEETS: Final = {
    "support_counts": _Sheet(
        ("pair", "benchmark", "k"),
        ("table", "base", "target", "domain"),
        (*PASSES, *MEASURES),
        ("k", *COUNTS),
    ),
    "training_dynamics": _Sheet(
        ("pair", "benchmark", "k", "step"),
        ("table",),
        ("target_pass", *MEASURES),
        ("k", "step", *COUNTS),
        (*MEASURES, *COUNTS),
    ),
    "aggregate_support": _Sheet(("pair", "domain"), ("table",), MEASURES, COUNTS),
    "precision_entropy": _Sheet(("metric", "model", "benchmark"), ("table",), ("value",), ()),
    "pass_at_k": _Sheet(("model", "benchmark", "k"), ("table",), ("pass_at_k",), ("k",)),
    "perplexity": _Sheet(("category", "reference", "target", "benchmark"), ("table",), ("perplexity",), ()),
}
FILES: Final = tuple(f"{name}.csv" for name in _SHEETS)


class Record(NamedTuple):
    """The rows of every file, in its order; cells are texts as printed, and empty where the paper has none."""

    support_counts: list[Row]
    training_dynamics: list[Row]
    aggregate_support: list[Row]
    precision_entropy: list[Row]
    pass_at_k: list[Row]
    perplexity: list[Row]


def read(folder: Path) -> Record:
    """All files of a folder.

    Raises InputError for a missing file or column, a cell that is no number where one must be, a negative or
    broken count, and two rows of one name; it gives file and line.
    """
    return Record(**{name: _rows(folder / f"{name}.csv", sheet) for name, sheet in _SHEETS.items()})


def value(
    record: Record, pair: str, benchmark: str, k: int, column: str, step: int | None = None
) -> Decimal | None:
    """A printed number of base against target (Tables 3, 6 to 12) or, with a step, of one checkpoint (Table 4).

    `column` is a pass, measure or count. None where the paper prints none at this very k. Raises ValueError
    for another column, and for a pair that the paper does not have.
    """
    if column not in (*PASSES, *MEASURES, *COUNTS):
        raise ValueError(f"no column {column!r}; there are {', '.join((*PASSES, *MEASURES, *COUNTS))}")
    rows = record.support_counts if step is None else record.training_dynamics
    _check_pair(pair, rows)
    wanted = (pair, benchmark, str(k), None if step is None else str(step))
    if step is not None and column == "base_pass":
        wanted, column = (pair, benchmark, str(k), "0"), "target_pass"
    for row in rows:
        if (row["pair"], row["benchmark"], row["k"], row.get("step")) == wanted:
            return Decimal(row[column]) if row[column] else None
    return None


def aggregate(record: Record, pair: str, domain: str, column: str) -> Decimal | None:
    """A printed measure or count of Table 1: a pair's domain, or "overall". None where Table 1 has no such row.

    Raises ValueError for another column, and for a pair that Table 1 does not have.
    """
    if column not in (*MEASURES, *COUNTS):
        raise ValueError(f"no column {column!r}; there are {', '.join((*MEASURES, *COUNTS))}")
    _check_pair(pair, record.aggregate_support)
    for row in record.aggregate_support:
        if (row["pair"], row["domain"]) == (pair, domain):
            return Decimal(row[column])
    return None


def pairs(rows: list[Row]) -> list[str]:
    """The pairs of a table, in its order."""
    return list(dict.fromkeys(row["pair"] for row in rows))


def steps(record: Record, pair: str) -> list[str]:
    """The steps that Table 4 compares with the base, which is its step 0; none of a pair that it does not have."""
    found = [row["step"] for row in record.training_dynamics if row["pair"] == pair and row["step"] != "0"]
    return list(dict.fromkeys(found))


def benchmarks(record: Record) -> list[str]:
    """The paper's names of the benchmarks that it has counts of."""
    rows = [*record.support_counts, *record.training_dynamics]
    return list(dict.fromkeys(row["benchmark"] for row in rows))


def _check_pair(pair: str, rows: list[Row]) -> None:
    known = pairs(rows)
    if pair not in known:
        raise ValueError(f"the paper's table has no pair {pair!r}; there are {', '.join(known)}")


def _rows(path: Path, sheet: _Sheet) -> list[Row]:
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines, restkey="", restval="")
            columns = list(reader.fieldnames or ())
            rows = list(reader)
    except FileNotFoundError as error:
        raise InputError(f"{path}: not there; it is tracked by git: restore it") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error})") from error
    lacking = [c for c in (*sheet.key, *sheet.labels, *sheet.numbers, *sheet.whole) if c not in columns]
    if lacking:
        raise InputError(f"{path}: lacks the columns {', '.join(dict.fromkeys(lacking))}")
    seen: dict[tuple[str, ...], int] = {}
    for line, row in enumerate(rows, start=2):
        if "" in row:
            raise InputError(f"{path}: line {line} has more cells than there are columns")
        _check(path, line, row, sheet)
        name = tuple(row[column] for column in sheet.key)
        if name in seen:
            raise InputError(f"{path}: lines {seen[name]} and {line} are both {', '.join(name)}")
        seen[name] = line
    if not rows:
        raise InputError(f"{path}: no rows")
    return rows


def _check(path: Path, line: int, row: Row, sheet: _Sheet) -> None:
    for column in (*sheet.key, *sheet.labels):
        if not row[column]:
            raise InputError(f"{path}: line {line}: {column} is empty")
    for column in (*sheet.numbers, *sheet.whole):
        text = row[column]
        if not text and column in sheet.may_lack:
            continue
        try:
            is_number = Decimal(text).is_finite()
        except InvalidOperation:
            is_number = False
        if not is_number or (column in sheet.whole and not (text.isascii() and text.isdigit())):
            kind = "whole number of at least 0" if column in sheet.whole else "number"
            raise InputError(f"{path}: line {line}: {column} is {text!r}, not a {kind}")
