"""Regions of one comparison on one benchmark -> its numbers, as fractions.

python -m leash.metrics --spec JSON --regions regions.parquet --out metrics.json
with spec = {"base": {"model", "checkpoint"}, "target": {...}, "benchmark", "domain", "budget"}
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leash import records
from leash.dynamics.passk import k_grid, pass_at_k
from leash.dynamics.regions import count_regions, rests_on_few, support_metrics
from leash.errors import InputError, exits_cleanly
from leash.records import OUTCOMES, Row


def summarise(spec: dict[str, Any], path: Path) -> dict[str, Any]:
    """The contents of metrics.json: the spec's fields, questions, regions, tail, metrics and both sides;
    and, where questions of one side only were left out, their ids as `dropped`.

    Raises InputError for a regions file that is empty, names an unknown region, or was not matched at the
    spec's budget.
    """
    rows = records.read(path, records.REGIONS)
    budget = spec["budget"]
    if not rows:
        raise InputError(
            f"{path}: holds no questions; check the benchmark's source, delete the file and run again"
        )
    off = [row["question_id"] for row in rows if {row["base_n"], row["target_n"]} != {budget}]
    if off:
        raise InputError(
            f"{path}: not matched at the budget {budget}: {records.listed(off)}; match counts of that budget"
        )
    try:
        regions = count_regions(np.array([row["region"] for row in rows]))
    except ValueError as error:
        raise InputError(f"{path}: {error}; delete the file and run again") from error
    lost = records.note(path, "dropped")
    return {
        **spec,
        **({} if lost is None else {"dropped": lost}),
        "questions": len(rows),
        "regions": regions._asdict(),
        "tail": int(rests_on_few(_correct(rows, "base"), _correct(rows, "target")).sum()),
        "metrics": support_metrics(regions),
        "base": spec["base"] | _side(rows, "base", budget),
        "target": spec["target"] | _side(rows, "target", budget),
    }


def _correct(rows: list[Row], side: Literal["base", "target"]) -> NDArray[np.int64]:
    return np.array([row[f"{side}_correct"] for row in rows], dtype=np.int64)


def _side(rows: list[Row], side: Literal["base", "target"], budget: int) -> dict[str, Any]:
    n = np.array([row[f"{side}_n"] for row in rows], dtype=np.int64)
    return {
        "pass_at": {str(k): float(pass_at_k(n, _correct(rows, side), k).mean()) for k in k_grid(budget)},
        "samples": int(n.sum()),
        "outcomes": {outcome: _total(row[f"{side}_{outcome}"] for row in rows) for outcome in OUTCOMES},
    }


def _total(counts: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


def parse_spec(text: str) -> dict[str, Any]:
    """The spec, checked for its fields. Raises InputError that names what is wrong."""
    spec = records.parse_spec(text)
    wanted = {"base", "target", "benchmark", "domain", "budget"}
    found = set(spec) if isinstance(spec, dict) else set()
    if found != wanted:
        raise InputError(
            f"--spec: must hold exactly {', '.join(sorted(wanted))}; it lacks {sorted(wanted - found)} "
            f"and has beside them {sorted(found - wanted)}"
        )
    for side in ("base", "target"):
        if not isinstance(spec[side], dict) or set(spec[side]) != {"model", "checkpoint"}:
            raise InputError(f"--spec: {side} must be an object of exactly model and checkpoint")
    if type(spec["budget"]) is not int or spec["budget"] < 1:
        raise InputError(f"--spec: budget must be a whole number of samples, not {spec['budget']!r}")
    return dict(spec)


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.metrics", description="Numbers of one comparison.")
    parser.add_argument("--spec", required=True, help="JSON: who is compared, on what, at which budget")
    parser.add_argument("--regions", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    records.write_json(args.out, summarise(parse_spec(args.spec), args.regions))


if __name__ == "__main__":
    main()
