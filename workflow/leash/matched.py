"""Regions files, as the stages after matching read them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from leash import records
from leash.dynamics.adaptive import Samples
from leash.errors import InputError
from leash.records import Row

Side = Literal["base", "target"]
SIDES: Final[tuple[Side, Side]] = ("base", "target")


def read_regions(path: Path, sizes: Iterable[int]) -> list[Row]:
    """The rows of a regions file. Raises InputError for one without rows, or with an n that is none of the sizes."""
    rows = records.read(path, records.REGIONS)
    if not rows:
        raise InputError(
            f"{path}: holds no questions; check the benchmark's source, delete the file and run again"
        )
    known = set(sizes)
    off = [row["question_id"] for row in rows if not {row["base_n"], row["target_n"]} <= known]
    if off:
        told = ", ".join(map(str, sorted(known)))
        raise InputError(
            f"{path}: not matched at the budget {told}: {records.listed(off)}; match counts of that budget"
        )
    return rows


def drawn_in_rounds(rows: list[Row], at_first: list[Row], side: Side, spec: Mapping[str, Any]) -> Samples:
    """One side of regions drawn in rounds; `at_first` are those of round 0."""
    always = set(spec["always"])
    return Samples(
        tuple(spec["rounds"]),
        np.array([row[f"{side}_n"] for row in rows], dtype=np.int64),
        correct_of(rows, side),
        np.array([row[f"{side}_first_correct"] for row in rows], dtype=np.float64),
        correct_of(at_first, side),
        np.array([row["question_id"] in always for row in rows]),
    )


def correct_of(rows: list[Row], side: Side) -> NDArray[np.int64]:
    """Correct samples of each question, shape (questions,)."""
    return np.array([row[f"{side}_correct"] for row in rows], dtype=np.int64)
