"""A file of counts per question -> counts.parquet.

python -m leash.recorded.counts --spec JSON --file COUNTS.jsonl --out counts.parquet
with spec = {"where", "benchmark", "columns", "budget", "on_missing"}

What the file does not say stays null: the first correct sample, how many different answers were correct, and
each outcome that no column holds. So no table takes "not recorded" for "none".
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from leash import records
from leash.benchmarks import cells, files
from leash.errors import InputError, exits_cleanly
from leash.recorded.table import HELP, Problems, Spec, check_column, label, name_of, parse_spec, whole
from leash.records import UNSOLVED_OUTCOMES, Row

_REPAIR: Final = "repair these rows, or take these questions out"


def read(spec: Spec, file: Path) -> list[Row]:
    """Rows of a counts file, in the order of the file.

    Raises InputError for an empty file and columns that are not there; and, all together with their rows, for
    ids that are blank or stand twice, cells that are no whole number from 0 up, more correct samples (or other
    outcomes) than samples, and another number of samples than the budget.
    """
    rows = list(files.stream(file))
    if not rows:
        raise InputError(f"{file}: holds no rows; name a file with one row per question under {spec.where}")
    columns = {"n": spec.column("n"), "correct": spec.column("correct")}
    columns |= {one: path for one in UNSOLVED_OUTCOMES if (path := spec.columns.get(one))}
    known = [path for row in rows for path in cells.paths(row)]
    for key, path in {"id": spec.column("id"), **columns}.items():
        check_column(file, spec.where, key, path, known)
    problems = Problems()
    found: dict[str, int] = {}
    counts = []
    for number, row in enumerate(rows, 1):
        counted = _row(spec, columns, row, number, problems)
        if counted is None:
            continue
        name = counted["question_id"]
        if name in found:
            twice = f"{name} (rows {found[name]} and {number})"
            problems.add(
                "the same id stands more than once", twice, "leave one row of each, or name another id column"
            )
        found.setdefault(name, number)
        counts.append(counted)
    problems.check(file)
    return counts


def _row(spec: Spec, columns: dict[str, str], row: Row, number: int, problems: Problems) -> Row | None:
    try:
        name = name_of(row, spec.column("id"))
    except cells.CellError as error:
        problems.add("an id cannot be read", f"{label(number, '')}: {error}", _REPAIR)
        return None
    if not name:
        problems.add("no id", label(number, ""), _REPAIR)
        return None
    where = label(number, name)
    values = {}
    for key, path in columns.items():
        try:
            values[key] = whole(cells.at(row, path))
        except cells.CellError as error:
            problems.add(f"{path} is not a count", f"{where}: {error}", _REPAIR)
    if values.keys() != columns.keys():
        return None
    n, correct = values["n"], values["correct"]
    others = sum(values.get(outcome, 0) for outcome in UNSOLVED_OUTCOMES)
    if n != spec.budget:
        problems.add(
            f"n is not the benchmark's budget, {spec.budget}",
            f"{where}: n = {n}",
            f"set benchmarks.{spec.benchmark}.budget to what was drawn; regions are defined at one n for all questions",
        )
    if correct > n:
        problems.add("more correct than samples", f"{where}: {correct} of {n}", _REPAIR)
    elif correct + others > n:
        problems.add("more outcomes than samples", f"{where}: {correct + others} of {n}", _REPAIR)
    elif len(columns) == 2 + len(UNSOLVED_OUTCOMES) and correct + others < n:
        problems.add("outcomes do not add up to n", f"{where}: {correct + others} of {n}", _REPAIR)
    return {
        "question_id": name,
        "n": n,
        "correct": correct,
        "first_correct": None,
        "distinct_correct": None,
        **{outcome: values.get(outcome) for outcome in UNSOLVED_OUTCOMES},
    }


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.recorded.counts", description="Read recorded counts.")
    parser.add_argument("--spec", required=True, help=HELP)
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    # so that what is told of these counts later names the file that they came from
    schema = records.COUNTS.with_metadata({"source": json.dumps(str(args.file))})
    total = records.write(args.out, schema, read(parse_spec(args.spec), args.file))
    print(f"{args.out}: {total:,} questions of {args.file}", file=sys.stderr)


if __name__ == "__main__":
    main()
