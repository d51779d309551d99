"""The audit of the paper's tables: every number that does not follow from the counts printed beside it.

python -m leash.tables.audit --published results/published --out-csv F.csv --out-md F.md
"""

import argparse
from pathlib import Path
from typing import Final

from leash import records
from leash.errors import exits_cleanly
from leash.published.audit import BY_BENCHMARK, Check, checks
from leash.published.record import read
from leash.tables.cells import as_markdown, count
from leash.tables.text import csv_text, markdown_table

COLUMNS: Final = ("table", "row", "column", "printed", "recomputed", "rounding", "note")
_HEADINGS: Final = ("table", "row", "column", "printed", "recomputed", "does rounding explain it?", "note")


def as_csv(found: list[Check]) -> str:
    """One row per mismatch."""
    cells = (_cells(check) for check in found if not check.agrees)
    return csv_text(COLUMNS, (dict(zip(COLUMNS, row, strict=True)) for row in cells))


def markdown(found: list[Check]) -> str:
    """A caption, what was checked table by table, and the mismatches."""
    mismatches = [check for check in found if not check.agrees]
    unexplained = [check for check in mismatches if not _explained(check)]
    rows = {(check.table, check.row) for check in found if check.table in BY_BENCHMARK}
    broken = rows & {(check.table, check.row) for check in unexplained}
    caption = (
        f"{count(len(found))} printed numbers of the paper that follow from others in it, made again in exact "
        f"arithmetic: {count(len(found) - len(mismatches))} agree when rounded half up, "
        f"{count(len(mismatches) - len(unexplained))} when rounded otherwise, {count(len(unexplained))} do not. "
        f"Of the {count(len(rows))} rows of Tables 3 and 6 to 12, {count(len(rows - broken))} are consistent to "
        "rounding."
    )
    parts = [f"**Audit of the published tables.** {as_markdown(caption)}", _summary(found)]
    if mismatches:
        numbers = {"table", "printed", "recomputed"}
        parts.append(markdown_table(_HEADINGS, map(_cells, mismatches), set(_HEADINGS) - numbers))
        parts.append(
            "Rounded twice: to one digit more first, and that to the digits printed. Of the numbers it is made "
            "from: their own rounding leaves room for it."
        )
    return "\n\n".join(parts) + "\n"


def _summary(found: list[Check]) -> str:
    tables = sorted({check.table for check in found})
    lines = []
    for table in tables:
        here = [check for check in found if check.table == table]
        rounding = [check for check in here if not check.agrees and _explained(check)]
        unexplained = [check for check in here if not _explained(check)]
        lines.append(
            [
                count(table),
                count(len({check.row for check in here})),
                count(len({check.row for check in here} - {check.row for check in unexplained})),
                count(len(here)),
                count(len(rounding)),
                count(len(unexplained)),
            ]
        )
    headings = (
        *("table", "rows", "rows consistent to rounding"),
        *("numbers", "explained by another rounding", "not explained"),
    )
    return markdown_table(headings, lines, ())


def _explained(check: Check) -> bool:
    return not check.rounding.startswith("no")


def _cells(check: Check) -> list[str]:
    where = [count(check.table), check.row, check.column]
    return [*where, check.printed, check.recomputed, check.rounding, check.note]


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.audit", description="Audit the paper's tables.")
    parser.add_argument("--published", type=Path, required=True, help="folder of the transcribed tables")
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    args = parser.parse_args()
    found = checks(read(args.published))
    records.write_text(args.out_csv, as_csv(found))
    records.write_text(args.out_md, markdown(found))


if __name__ == "__main__":
    main()
