"""Recorded scores against the verdicts given here, by state and benchmark.

python -m leash.tables.agreement --spec JSON --agreements MODEL/CHECKPOINT/BENCHMARK/agreement.parquet ...
                                 --out-csv F.csv --out-md F.md                 (spec: see leash.comparisons)
"""

import argparse
from pathlib import Path
from typing import Any, Final

from leash import records
from leash.comparisons import parse_spec, state_label
from leash.errors import InputError, exits_cleanly
from leash.records import Row
from leash.tables.cells import as_markdown, percent
from leash.tables.text import csv_text, markdown_table

_SUMS: Final = ("scored", "both", "recorded_only", "verified_only", "neither")
COLUMNS: Final = (
    "model",
    "checkpoint",
    "benchmark",
    "questions",
    *_SUMS,
    "differing_questions",
    "solved_differs",
)
_TEXT: Final = ("Model", "Benchmark")
_HEADINGS: Final = (
    *_TEXT,
    *("scored", "both", "recorded only", "verified only", "neither", "agree %"),
    *("questions that differ", "solved differs"),
)
_CAPTION: Final = (
    "Samples with a recorded score, by who takes them for correct: both, the record only (a score of 1), the verifier "
    "of this study only, neither. solved differs: questions that one of the two takes for solved and the other does "
    "not, so that a region would change. Every number of the other tables comes from this study's verifier. "
    "agreement.parquet beside each state's verdicts has the questions, and the first sample that differs."
)


def read(spec: dict[str, Any], paths: list[Path]) -> list[Row]:
    """A row per file, in the order given. Raises InputError for a file that the spec has no labels for."""
    rows = []
    for path in paths:
        model, checkpoint, benchmark = path.absolute().parts[-4:-1]
        if model not in spec["models"] or benchmark not in spec["benchmarks"]:
            raise InputError(f"--agreements: --spec names no model or benchmark of {path}; leave it out")
        found = records.read(path, records.AGREEMENT)
        rows.append(
            {
                "model": model,
                "checkpoint": checkpoint,
                "benchmark": benchmark,
                "questions": len(found),
                **{name: sum(row[name] for row in found) for name in _SUMS},
                "differing_questions": sum(row["first_differing"] is not None for row in found),
                "solved_differs": sum(
                    _solved(row, "recorded_only") != _solved(row, "verified_only") for row in found
                ),
            }
        )
    return rows


def _solved(row: Row, by: str) -> bool:
    return bool(row["both"] + row[by])


def markdown(spec: dict[str, Any], rows: list[Row]) -> str:
    """A caption and a table, by labels."""
    table = markdown_table(_HEADINGS, ([str(cell) for cell in _cells(spec, row)] for row in rows), _TEXT)
    return f"**Recorded agreement.** {as_markdown(_CAPTION)}\n\n{table}\n"


def _cells(spec: dict[str, Any], row: Row) -> list[Any]:
    state = f"{row['model']}/{row['checkpoint']}"
    agreed = (row["both"] + row["neither"]) / row["scored"] if row["scored"] else None
    return [
        state_label(spec["models"][row["model"]]["label"], spec["checkpoints"].get(state, row["checkpoint"])),
        spec["benchmarks"][row["benchmark"]],
        *(row[name] for name in _SUMS),
        percent(agreed),
        row["differing_questions"],
        row["solved_differs"],
    ]


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.agreement", description="Tabulate recorded scores.")
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--agreements", type=Path, nargs="+", required=True)
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_spec(args.spec)
    rows = read(spec, args.agreements)
    records.write_text(args.out_csv, csv_text(COLUMNS, rows))
    records.write_text(args.out_md, markdown(spec, rows))


if __name__ == "__main__":
    main()
