"""Counts of a base and of a trained state, matched question by question -> regions.

python -m leash.match --base BASE/counts.parquet --target TARGET/counts.parquet --out regions.parquet

With --on-missing intersect, questions that only one side has are left out; the regions file names them. With
--rounds the samples were drawn in rounds, so that n differs from question to question; those of --always have all.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from leash import records
from leash.dynamics.evidence import by_waiting_time, clopper_pearson
from leash.dynamics.regions import assign_regions
from leash.errors import InputError, exits_cleanly
from leash.records import Row

_MOST_NAMED = 20


def dropped(base_path: Path, target_path: Path) -> dict[str, list[str]]:
    """The questions that only one side has, by that side."""
    base = records.read_by_question(base_path, records.COUNTS)
    target = records.read_by_question(target_path, records.COUNTS)
    return {
        "base": [name for name in base if name not in target],
        "target": [name for name in target if name not in base],
    }


def match(
    base_path: Path,
    target_path: Path,
    intersect: bool = False,
    rounds: Sequence[int] = (),
    always: Iterable[str] = (),
) -> list[Row]:
    """One row per question in the base's order, with its region and both sides' counts.

    intersect: of the questions that both sides have. Raises InputError where the two files hold different
    questions, and for a question with a different n on the two sides; with rounds, with an n that is none of them.
    """
    base = records.read_by_question(base_path, records.COUNTS)
    target = records.read_by_question(target_path, records.COUNTS)
    if intersect:
        base = {name: row for name, row in base.items() if name in target}
        target = {name: target[name] for name in base}
        if not base:
            raise InputError(f"{base_path} and {target_path}: no question is in both; correct the ids")
    _check_same_questions(base_path, base, target_path, target)
    if rounds:
        _check_rounds(base_path, base, rounds)
        _check_rounds(target_path, target, rounds)
    else:
        _check_same_budget(base_path, base, target_path, target)
    fixed = set(always) if rounds else set(base)
    regions = assign_regions(_correct(base, list(base)), _correct(target, list(base)))
    sides = {
        "base": (base, _rates(base_path, base, fixed)),
        "target": (target, _rates(target_path, target, fixed)),
    }
    return [
        {"question_id": name, "region": str(region)}
        | {key: value for side, found in sides.items() for key, value in _side(side, name, *found).items()}
        for name, region in zip(base, regions, strict=True)
    ]


def _correct(counts: dict[str, Row], order: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([counts[name]["correct"] for name in order], dtype=np.int64)


def _rates(path: Path, counts: dict[str, Row], fixed: set[str]) -> dict[str, tuple[float, float]]:
    """The bounds of each question's rate; `fixed` are the questions whose n was set before they were drawn.

    Raises InputError for a count outside 0..n.
    """
    bounds: dict[str, tuple[float, float]] = {}
    for n in {row["n"] for row in counts.values()}:
        here = [name for name, row in counts.items() if row["n"] == n]
        try:
            low, high = clopper_pearson(n, _correct(counts, here))
        except ValueError as error:
            raise InputError(f"{path}: {error}; delete the file and run again") from error
        bounds |= {name: (float(low[i]), float(high[i])) for i, name in enumerate(here)}
    # n depends on the outcomes here, and the place of the first success does not
    waited = {name: row for name, row in counts.items() if name not in fixed and row["correct"]}
    return bounds | {name: by_waiting_time(row["first_correct"] + 1) for name, row in waited.items()}


def _side(side: str, name: str, counts: dict[str, Row], rates: dict[str, tuple[float, float]]) -> Row:
    """The columns of one side; a row of a regions file has no others, so the rest is dropped."""
    columns = {f"{side}_{column}": value for column, value in counts[name].items()}
    columns |= {f"{side}_rate_low": rates[name][0], f"{side}_rate_high": rates[name][1]}
    return {column: value for column, value in columns.items() if column in records.REGIONS.names}


def _check_same_questions(
    base_path: Path, base: dict[str, Row], target_path: Path, target: dict[str, Row]
) -> None:
    missing = {
        base_path: [name for name in target if name not in base],
        target_path: [name for name in base if name not in target],
    }
    lacks = [
        f"{_named(path)} lacks {records.listed(names, _MOST_NAMED)}"
        for path, names in missing.items()
        if names
    ]
    if lacks:
        raise InputError(
            f"base and target hold different questions: {'; '.join(lacks)}; "
            "count both from the same questions file; of recorded results, correct the files, or set on_missing: "
            "intersect on the benchmark to leave these questions out"
        )


def _named(path: Path) -> str:
    """A counts file, and the file of recorded counts that it was read from."""
    source = records.note(path, "source")
    return f"{path} (from {source})" if source else str(path)


def _check_same_budget(
    base_path: Path, base: dict[str, Row], target_path: Path, target: dict[str, Row]
) -> None:
    unequal = [
        f"{name} ({row['n']} and {target[name]['n']})"
        for name, row in base.items()
        if row["n"] != target[name]["n"]
    ]
    if unequal:
        raise InputError(
            f"{base_path} and {target_path}: n differs for {records.listed(unequal, _MOST_NAMED)}; "
            "regions are defined at one budget: count both sides at the same --budget"
        )


def _check_rounds(path: Path, counts: dict[str, Row], rounds: Sequence[int]) -> None:
    off = [f"{name} ({row['n']})" for name, row in counts.items() if row["n"] not in rounds]
    if off:
        raise InputError(
            f"{path}: n is none of the rounds {', '.join(map(str, rounds))}: {records.listed(off, _MOST_NAMED)}; count "
            "with the same --rounds"
        )


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.match", description="Match a trained state with its base.")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--on-missing", choices=("error", "intersect"), default="error")
    parser.add_argument(
        "--rounds", type=int, nargs="+", default=[], help="cumulative; the last is the budget"
    )
    parser.add_argument("--always", nargs="+", default=[], help="questions that every round draws")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    intersect = args.on_missing == "intersect"
    rows = match(args.base, args.target, intersect, args.rounds, args.always)
    lost = dropped(args.base, args.target) if intersect else {}
    schema = records.REGIONS
    if any(lost.values()):
        schema = schema.with_metadata({"dropped": json.dumps(lost)})
        for side, names in lost.items():
            print(f"left out, since only the {side} has them: {', '.join(names) or 'none'}", file=sys.stderr)
    records.write(args.out, schema, rows)


if __name__ == "__main__":
    main()
