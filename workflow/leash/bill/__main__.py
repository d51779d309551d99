"""The bill of a study: what each cell will take under either protocol, what it has taken, and by what that is known.

python -m leash.bill --spec JSON --results results/<study> --published results/published --out-json plan.json

A cell's plan of record is kept in --out-json from one call to the next: the first one that rests on a pilot, or the
first of all where it was drawn to its end without. What it has taken stands against that one.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leash import records
from leash.bill import prior
from leash.bill.disk import Found, look
from leash.bill.estimate import PROTOCOLS, Amounts, Estimate, Others, estimate, spent
from leash.bill.last import VERSION, last_plan
from leash.bill.request import Cell, Request, parse
from leash.errors import InputError, exits_cleanly
from leash.published.record import Row, read


def plan(
    request: Request, results: Path, published: Path, before: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The plan as JSON. `before` is the one made last.

    Raises InputError for what on disk cannot be read, and without the paper's Table 5 where it is needed.
    """
    found = {cell: look(results, cell, request.keys) for cell in request.cells}
    lengths = _lengths(request, found, published)
    kept = {(one["state"], one["benchmark"]): one for one in (before or {}).get("cells", ())}
    cells = []
    for cell in request.cells:
        others = Others(
            [one for other in request.cells if other.family == cell.family for one in found[other].pilot],
            [
                one
                for other in request.cells
                if other.benchmark == cell.benchmark
                for one in found[other].pilot
            ],
        )
        made = estimate(cell, found[cell], others, request.cost, lengths[cell], request.shard_samples)
        now = _block(request, cell, made, spent(found[cell], request.cost))
        cells.append(now | {"planned": _of_record(now, kept.get((cell.state, cell.benchmark)))})
    return {
        "version": VERSION,
        "results": str(results),
        "protocol": request.protocol,
        "per_gpu_hour": request.cost.per_gpu_hour,
        "prior": {"rates": list(prior.RATES), "bytes_per_token": prior.BYTES_PER_TOKEN},
        "devices": sorted({shard.device for one in found.values() for shard in one.drawn}),
        "others": sum(one.others for one in found.values()),
        "cells": cells,
    }


def _lengths(request: Request, found: Mapping[Cell, Found], published: Path) -> dict[Cell, prior.Length]:
    """The length that each cell takes for granted. Table 5 is read only where nothing else tells one."""
    stated = request.cost.response_tokens
    if stated is not None:
        return dict.fromkeys(request.cells, prior.Length(stated, "cost.response_tokens"))
    rows: list[Row] | None = None
    lengths = {}
    for cell in request.cells:
        if found[cell].pilot:
            lengths[cell] = prior.Length(0.0, "")
            continue
        rows = read(published).precision_entropy if rows is None else rows
        lengths[cell] = prior.response_length(rows, *cell.paper)
    return lengths


def _block(request: Request, cell: Cell, made: Estimate, taken: Amounts | None) -> dict[str, Any]:
    return {
        "state": cell.state,
        "benchmark": cell.benchmark,
        "label": cell.label,
        "benchmark_label": cell.benchmark_label,
        "questions": cell.questions,
        "budget": cell.budget,
        "max_tokens": cell.max_tokens,
        "rounds": list(cell.rounds),
        "exhaustive": made.exhaustive._asdict(),
        "adaptive": made.adaptive._asdict(),
        "sources": made.sources._asdict(),
        "spent": None if taken is None else taken._asdict(),
        "facts": [cell.digest, cell.questions, list(cell.rounds), request.shard_samples, request.protocol],
    }


def _of_record(now: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The amounts that a cell's spending is held against, and whether they rest on a pilot; None for none.

    A plan made when all was drawn is none. Other rounds, another protocol or way of drawing begins a plan of its own.
    """
    kept: dict[str, Any] | None = before["planned"] if before and before["facts"] == now["facts"] else None
    drawn = now["spent"]["samples"] if now["spent"] else 0
    by_pilot = now["sources"]["length"] == "pilot"
    if drawn >= now["questions"] * now["budget"] or (kept and (kept["by_pilot"] or not by_pilot)):
        return kept
    protocol = now["facts"][-1]
    return {"by_pilot": by_pilot, "amounts": now[protocol]}


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.bill", description="What a study will cost, and has cost.")
    parser.add_argument("--spec", required=True, help="what is planned (leash.specs.bill)")
    parser.add_argument("--results", type=Path, required=True, help="folder of the study; it need not exist")
    parser.add_argument("--published", type=Path, required=True, help="folder of the transcribed tables")
    parser.add_argument("--out-json", type=Path, required=True)
    args = parser.parse_args()
    request = parse(args.spec)
    if request.protocol not in PROTOCOLS:
        raise InputError(f"--spec: protocol is {request.protocol!r}, not one of {', '.join(PROTOCOLS)}")
    records.write_json(args.out_json, plan(request, args.results, args.published, last_plan(args.out_json)))


if __name__ == "__main__":
    main()
