"""The tail audit: the answers that regions hang on, with a second opinion on each.

python -m leash.tables.tail --spec JSON --tails MODEL/CHECKPOINT/BENCHMARK/tail.parquet ...
                            --out-csv F.csv --out-md F.md                      (spec: see leash.comparisons)
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.comparisons import parse_spec, state_label
from leash.dynamics.regions import FEW
from leash.errors import InputError, exits_cleanly
from leash.records import Row
from leash.tables.cells import as_markdown, count
from leash.tables.text import csv_text, markdown_table

COLUMNS: Final = ("target", "target_checkpoint", "benchmark", *records.TAIL.names)
_READING_ORDER: Final = ("disagrees", "none", "agrees")
_HEADINGS: Final = (
    *("opinion", "target", "benchmark", "question", "region", "side"),
    *("successes", "answer", "samples", "gold", "rule", "how"),
)
_NUMBERS: Final = {"successes", "samples"}
_LONGEST: Final = 60  # characters of a cell


class Place(NamedTuple):
    """Whose audit a file is, by slugs."""

    target: str
    checkpoint: str
    benchmark: str


def read(spec: dict[str, Any], paths: list[Path]) -> list[Row]:
    """The rows of all tail files with the slugs of their places; disagreements first, then no opinion.

    Within each, the order of the spec and of the files. Raises InputError for a file that stands where the
    spec names no comparison or benchmark, and for a comparison that lacks a file.
    """
    order = [
        Place(model, checkpoint, benchmark)
        for model, checkpoint in spec["comparisons"]
        for benchmark in spec["benchmarks"]
        if [model, checkpoint, benchmark] not in spec.get("unaudited", [])
    ]
    places = {Place(*path.absolute().parts[-4:-1]): path for path in paths}
    strange = [str(path) for place, path in places.items() if place not in order]
    if strange:
        raise InputError(
            f"--tails: no comparison or benchmark of --spec: {records.listed(strange)}; leave it out"
        )
    lacking = ["/".join(place) for place in order if place not in places]
    if lacking:
        raise InputError(f"--tails: no file of {records.listed(lacking)}; give one, or drop it from --spec")
    rows = [
        {"target": place.target, "target_checkpoint": place.checkpoint, "benchmark": place.benchmark} | row
        for place in order
        for row in records.stream(places[place], records.TAIL)
    ]
    return sorted(rows, key=lambda row: _READING_ORDER.index(row["opinion"]))


def as_csv(rows: list[Row]) -> str:
    """Every row in full, golds as a JSON list."""
    return csv_text(COLUMNS, (row | {"gold": json.dumps(row["gold"], ensure_ascii=False)} for row in rows))


def markdown(spec: dict[str, Any], rows: list[Row]) -> str:
    """A caption and the rows that a person should read, their long texts shortened."""
    shown = [row for row in rows if row["opinion"] != "agrees" or row["correct"] <= FEW]
    caption = as_markdown(_caption(rows, len(rows) - len(shown)))
    if not rows:
        return f"**Tail audit.** {caption}\n"
    table = markdown_table(_HEADINGS, (_cells(spec, row) for row in shown), set(_HEADINGS) - _NUMBERS)
    return f"**Tail audit.** {caption}\n\n{table}\n"


def _caption(rows: list[Row], left_out: int) -> str:
    if not rows:
        return f"In this study no question's region rests on {FEW} or fewer verified successes of a state."
    labels = {(*_place(row), row["question_id"]): row["region"] for row in rows}
    regions = ", ".join(
        f"{name.replace('_', ' ')} {n}" for name, n in sorted(Counter(labels.values()).items())
    )
    opinions = Counter(row["opinion"] for row in rows)
    return (
        f"The {len(labels)} labels (question and comparison: {regions}) that rest on {FEW} or fewer verified "
        f"successes of base or target, so that a few false verdicts would make another region, and the {len(rows)} "
        "different answers that counted as correct for them. A second opinion, which shares no code with the "
        f"verifier, disagrees with {opinions['disagrees']}, has nothing to say on {opinions['none']} and agrees "
        f"with {opinions['agrees']}. It changes no number: where it does not agree, read the completion. "
        "successes: correct samples of the side (base or target) on the question; samples: how many of them gave "
        "this answer; rule: what found it in the completion; how: what the opinion compared. "
        f"Answers it agrees with on a side with more than {FEW} successes ({left_out}) are in the CSV only, and so "
        "are long texts in full."
    )


def _place(row: Row) -> Place:
    return Place(row["target"], row["target_checkpoint"], row["benchmark"])


def _cells(spec: dict[str, Any], row: Row) -> list[str]:
    target, checkpoint, benchmark = _place(row)
    label = spec["checkpoints"].get(f"{target}/{checkpoint}", checkpoint)
    return [
        row["opinion"],
        state_label(spec["models"][target]["label"], label),
        spec["benchmarks"][benchmark],
        row["question_id"],
        row["region"].replace("_", " "),
        row["side"],
        count(row["correct"]),
        _short(row["extracted"] or ""),
        count(row["samples"]),
        _short(" or ".join(row["gold"])),
        row["rule"] or "",
        _short(row["how"]),
    ]


def _short(text: str) -> str:
    """One line without control characters, cut where it is too long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.tail", description="Write the tail audit of a study.")
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--tails", type=Path, nargs="+", required=True, help="tail.parquet per benchmark")
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_spec(args.spec)
    rows = read(spec, args.tails)
    records.write_text(args.out_csv, as_csv(rows))
    records.write_text(args.out_md, markdown(spec, rows))


if __name__ == "__main__":
    main()
