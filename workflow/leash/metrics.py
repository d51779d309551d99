"""Regions of one comparison on one benchmark -> its numbers, as fractions.

python -m leash.metrics --spec JSON --regions regions.parquet --out metrics.json
with spec = {"base": {"model", "checkpoint"}, "target": {...}, "benchmark", "domain", "budget"}

Of samples drawn in rounds the spec has "rounds" (cumulative) and "always" (ids of questions that every round drew) too,
and --round0 FILE gives the regions of round 0: pass@k up to its size and the outcomes are those of round 0, in which
every question has as many samples.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from leash import records
from leash.dynamics.adaptive import solved_within
from leash.dynamics.passk import k_grid, pass_at_k
from leash.dynamics.regions import count_regions, rests_on_few, support_metrics
from leash.errors import InputError, exits_cleanly
from leash.matched import SIDES, Side, correct_of, drawn_in_rounds, read_regions
from leash.records import OUTCOMES, Row


def summarise(spec: dict[str, Any], path: Path, first_round: Path | None = None) -> dict[str, Any]:
    """The contents of metrics.json: the spec's fields, questions, regions, tail, metrics and both sides;
    and, where questions of one side only were left out, their ids as `dropped`.

    Raises InputError for a regions file that is empty, names an unknown region, or was not matched at the
    spec's budget.
    """
    budget = spec["budget"]
    adaptive = spec.get("rounds") is not None
    if adaptive != (first_round is not None):
        raise InputError("--round0 goes with rounds in --spec: give both or neither")
    rows = read_regions(path, spec["rounds"] if adaptive else [budget])
    at_first = read_regions(first_round, spec["rounds"][:1]) if first_round else rows
    if [row["question_id"] for row in at_first] != [row["question_id"] for row in rows]:
        raise InputError(f"{path} and {first_round}: not the same questions; delete both and run again")
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
        "tail": int(rests_on_few(correct_of(rows, "base"), correct_of(rows, "target")).sum()),
        "metrics": support_metrics(regions),
        **{side: spec[side] | _side(rows, at_first, side, spec) for side in SIDES},
    }


def _side(rows: list[Row], at_first: list[Row], side: Side, spec: dict[str, Any]) -> dict[str, Any]:
    budget = spec["budget"]
    grid = k_grid(budget)
    drawn = {}
    if spec.get("rounds") is None:
        n = np.array([row[f"{side}_n"] for row in rows], dtype=np.int64)
        passes = [float(pass_at_k(n, correct_of(rows, side), k).mean()) for k in grid]
    else:
        passes = solved_within(drawn_in_rounds(rows, at_first, side, spec), grid).mean(axis=0).tolist()
        drawn = {"drawn": sum(row[f"{side}_n"] for row in rows)}
    return {
        "pass_at": {str(k): value for k, value in zip(grid, passes, strict=True)},
        "samples": sum(row[f"{side}_n"] for row in at_first),
        "outcomes": {outcome: _total(row[f"{side}_{outcome}"] for row in at_first) for outcome in OUTCOMES},
        **drawn,
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
    if found - {"rounds", "always"} != wanted or len(found & {"rounds", "always"}) == 1:
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
    parser.add_argument("--round0", type=Path, help="regions of round 0, of samples drawn in rounds")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    records.write_json(args.out, summarise(parse_spec(args.spec), args.regions, args.round0))


if __name__ == "__main__":
    main()
