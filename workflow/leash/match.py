"""Counts of a base and of a trained state, matched question by question -> regions.

python -m leash.match --base BASE/counts.parquet --target TARGET/counts.parquet --out regions.parquet
"""

import argparse
from pathlib import Path

import numpy as np

from leash import records
from leash.dynamics.regions import assign_regions
from leash.errors import InputError, exits_cleanly
from leash.records import Row


def match(base_path: Path, target_path: Path) -> list[Row]:
    """One row per question in the base's order, with its region and both sides' counts.

    Raises InputError where the two files hold different questions, or different n for a question.
    """
    base = records.read_by_question(base_path, records.COUNTS)
    target = records.read_by_question(target_path, records.COUNTS)
    _check_same_questions(base_path, base, target_path, target)
    _check_same_budget(base_path, base, target_path, target)
    regions = assign_regions(_correct(base, list(base)), _correct(target, list(base)))
    return [
        {
            "question_id": name,
            "region": str(region),
            **_prefixed("base_", base[name]),
            **_prefixed("target_", target[name]),
        }
        for name, region in zip(base, regions, strict=True)
    ]


def _correct(counts: dict[str, Row], order: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([counts[name]["correct"] for name in order], dtype=np.int64)


def _prefixed(side: str, counts: Row) -> Row:
    """The columns of one side; a row of a regions file has no others, so the rest is dropped."""
    return {
        side + column: value for column, value in counts.items() if side + column in records.REGIONS.names
    }


def _check_same_questions(
    base_path: Path, base: dict[str, Row], target_path: Path, target: dict[str, Row]
) -> None:
    missing = {
        base_path: [name for name in target if name not in base],
        target_path: [name for name in base if name not in target],
    }
    lacks = [f"{path} lacks {records.listed(names)}" for path, names in missing.items() if names]
    if lacks:
        raise InputError(
            f"base and target hold different questions: {'; '.join(lacks)}; "
            "count both from the same questions file"
        )


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
            f"{base_path} and {target_path}: n differs for {records.listed(unequal)}; "
            "regions are defined at one budget: count both sides at the same --budget"
        )


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.match", description="Match a trained state with its base.")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    records.write(args.out, records.REGIONS, match(args.base, args.target))


if __name__ == "__main__":
    main()
