"""The bill of a study, and what of it was spent: CSV, and Markdown that `snakemake plan` prints.

python -m leash.tables.plan --plan plan.json --out-csv F.csv --out-md F.md
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.tables.cells import UNDEFINED, as_markdown, count, per_side
from leash.tables.text import csv_text, markdown_table

Block = Mapping[str, Any]

AMOUNTS: Final = ("samples", "tokens", "hours", "bytes", "verify_hours", "price")
SOURCES: Final = ("rates", "length", "speed", "disk", "verify")
_KINDS: Final = ("pilot", "other pilot", "stated", "prior")
_SIDES: Final = ("exhaustive", "adaptive", "planned", "spent")
COLUMNS: Final = (
    *("scope", "state", "benchmark", "questions", "budget", "rounds"),
    *(f"{side}_{amount}" for side in _SIDES for amount in AMOUNTS),
    *(f"{name}_from" for name in SOURCES),
    *("length_source", "hours_on", "planned_from"),
)
_CPU_MARK: Final = "†"


class Sum(NamedTuple):
    """An amount of one row or several: None where no row knows it, `is_whole` where each does."""

    value: float | None
    is_whole: bool = True


class Units(NamedTuple):
    """How a table writes its amounts: headings, and what each is divided by; whether all hours are of jobs on a CPU."""

    headings: dict[str, str]
    divisors: dict[str, float]
    only_cpu: bool


def as_csv(plan: Block) -> str:
    """One row per state and benchmark, and one of totals, in bytes, hours, and the currency of the config.

    A total of what not every row knows is empty.
    """
    rows = [*map(_csv_cell, plan["cells"])]
    total: dict[str, Any] = {"scope": "total", "questions": sum(cell["questions"] for cell in plan["cells"])}
    for side in _SIDES:
        for amount in AMOUNTS:
            found = _sum(plan["cells"], side, amount)
            total[f"{side}_{amount}"] = found.value if found.is_whole else None
    return csv_text(COLUMNS, [*rows, total] if rows else [])


def markdown(plan: Block) -> str:
    """A caption, the bill with its total, and, once something is drawn, what was planned against what was spent."""
    cells = plan["cells"]
    if not cells:
        return "**The bill.** Nothing is drawn: every result of the study is recorded.\n"
    units = _units(plan)
    lines = [
        [
            *_names(cell),
            *_pairs(_sums([cell], units), ("exhaustive", "adaptive"), units, cell),
            rests_on(cell),
        ]
        for cell in cells
    ]
    totals = _pairs(_sums(cells, units), ("exhaustive", "adaptive"), units)
    lines.append(["total", "", count(sum(cell["questions"] for cell in cells)), "", *totals, ""])
    headings = ["model", "benchmark", "questions", "k", *units.headings.values()]
    text = {"model", "benchmark", "rests on"}
    parts = [
        f"**The bill.** {as_markdown(' '.join(_caption(plan, units)))}",
        markdown_table([*headings, "rests on"], lines, text),
    ]
    drawn = [cell for cell in cells if cell["spent"]]
    if drawn:
        parts += _spending(plan, drawn, units)
    return "\n\n".join(parts) + "\n"


def rests_on(cell: Block) -> str:
    """By what a cell's amounts are known: "pilot", or "pilot (rates, length), prior (speed)"."""
    sources = cell["sources"]
    groups = {kind: [name for name in SOURCES if sources[name] == kind] for kind in _KINDS}
    found = {kind: names for kind, names in groups.items() if names}
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{kind} ({', '.join(names)})" for kind, names in found.items())


def short(value: float | None) -> str:
    """A number in three significant digits, whole from 100 on: 0.0123, 4.56, 1234."""
    if value is None:
        return UNDEFINED
    if value == 0:
        return "0"
    if value < 0.001:
        return "<0.001"
    return f"{value:.0f}" if value >= 99.95 else f"{value:.3g}"


def _spending(plan: Block, drawn: Sequence[Block], units: Units) -> list[str]:
    sides = ("planned", "spent")
    lines = [
        [
            *_names(cell),
            *_pairs(_sums([cell], units), sides, units, cell),
            _planned_from(cell) or "none was made before",
        ]
        for cell in drawn
    ]
    lines.append(["total", "", "", "", *_pairs(_sums(drawn, units), sides, units), ""])
    finished = sum(cell["spent"]["samples"] >= cell["questions"] * cell["budget"] for cell in drawn)
    caption = (
        f"Planned/spent in each cell, of the {count(len(drawn))} of {count(len(plan['cells']))} rows that are begun; "
        f"{count(finished)} have all their samples. Planned is the first plan that rests on a pilot, or the first of "
        "all where the row was drawn to its end without one."
    )
    headings = ["model", "benchmark", "questions", "k", *units.headings.values(), "plan rests on"]
    table = markdown_table(headings, lines, {"model", "benchmark", "plan rests on"})
    return ["### Planned against spent", as_markdown(caption), table]


def _caption(plan: Block, units: Units) -> Iterable[str]:
    cells = plan["cells"]
    ends = max((cell["rounds"] for cell in cells), key=len)[:-1]
    below = f"at {', '.join(map(str, ends))}, as far as these are below k, and at k" if ends else "at k"
    yield (
        "Exhaustive/adaptive in each cell. Exhaustive: every question gets its k samples. Adaptive, expected: rounds "
        f"that end {below} samples, for the questions that no round before has solved. "
        f"This study's protocol: {plan['protocol']}."
    )
    yield (
        "Pilot: the samples of round 0 that lie on disk. Other pilot: of the same base or its successors (speed), on "
        "the same benchmark (verify). Disk is that of the samples. Hours hold the engine's start in each job, where a "
        "pilot tells it."
    )
    if any(cell["sources"]["rates"] == "prior" for cell in cells):
        a, b = plan["prior"]["rates"]
        yield f"Prior rates of success: beta({a}, {b}), from the paper's Tables 5 to 12."
    if any(cell["sources"]["length"] == "prior" for cell in cells):
        yield (
            "Prior length: the response length of the paper's Table 5, by model and benchmark where it has them, else "
            "a mean (length_source in the CSV), and never above max_tokens; cost.response_tokens replaces it. "
            "Every question has the mean: those that stay open are longer, so that adaptive tokens are rather low."
        )
    if any(cell["sources"]["disk"] == "prior" for cell in cells):
        yield f"Prior disk: {plan['prior']['bytes_per_token']} bytes of compressed samples per token."
    if plan["devices"]:
        yield f"Drawn so far on: {', '.join(plan['devices'])}."
    if units.only_cpu:
        yield "Hours are those of jobs on a CPU, and have no price."
    elif any(_on_cpu(cell) for cell in cells):
        yield f"{_CPU_MARK}: hours of jobs on a CPU, without a price; set cost.tokens_per_second to plan for a GPU."
    yield from _lacking(plan)


def _lacking(plan: Block) -> Iterable[str]:
    """What is not known, and how to fill it."""
    cells = plan["cells"]
    slow = [cell for cell in cells if not cell["sources"]["speed"]]
    unverified = [cell for cell in cells if not cell["sources"]["verify"]]
    if slow:
        yield (
            f"No hours in {count(len(slow))} rows, as neither a pilot nor the config tells the speed: set "
            "cost.tokens_per_second, or draw a pilot."
        )
    if unverified:
        yield f"No verification time in {count(len(unverified))} rows, as no pilot tells it."
    if slow or unverified:
        cell = (slow or unverified)[0]
        path = f"{plan['results']}/{cell['state']}/{cell['benchmark']}/verdicts/r0-s0.parquet"
        yield f"A pilot: snakemake {path}"
    if plan["others"]:
        yield (
            f"{count(plan['others'])} shards on disk are left out, as this config would draw them otherwise."
        )


def _units(plan: Block) -> Units:
    """GB or MB, hours or minutes, by how much the whole study takes exhaustively."""
    cells = plan["cells"]
    known = [cell for cell in cells if cell["sources"]["speed"]]
    only_cpu = bool(known) and all(map(_on_cpu, known))
    device = "job" if only_cpu else "GPU"
    headings = {"samples": "samples", "tokens": "tokens, M"}
    divisors = {"samples": 1.0, "tokens": 1e6, "price": 1.0}
    for amount, (large, divisor), (small, smaller) in (
        ("hours", (f"{device}-hours", 1.0), (f"{device}-minutes", 1 / 60)),
        ("bytes", ("disk, GB", 1e9), ("disk, MB", 1e6)),
        ("verify_hours", ("CPU-hours to verify", 1.0), ("CPU-minutes to verify", 1 / 60)),
    ):
        total = _sum(cells, "exhaustive", amount).value
        is_small = total is not None and total < divisor
        headings[amount], divisors[amount] = (small, smaller) if is_small else (large, divisor)
    return Units(headings | ({} if plan["per_gpu_hour"] is None else {"price": "price"}), divisors, only_cpu)


def _on_cpu(cell: Block) -> bool:
    return bool(cell["sources"]["speed"]) and not cell["sources"]["on_gpu"]


def _names(cell: Block) -> list[str]:
    return [cell["label"], cell["benchmark_label"], count(cell["questions"]), count(cell["budget"])]


def _side(cell: Block, side: str) -> Block | None:
    found: Block | None = cell[side]
    return found["amounts"] if side == "planned" and found else found


def _sum(cells: Iterable[Block], side: str, amount: str) -> Sum:
    values = [None if (one := _side(cell, side)) is None else one[amount] for cell in cells]
    known = [value for value in values if value is not None]
    return Sum(sum(known) if known else None, len(known) == len(values))


def _sums(cells: Sequence[Block], units: Units) -> dict[str, dict[str, Sum]]:
    return {amount: {side: _sum(cells, side, amount) for side in _SIDES} for amount in units.headings}


def _pairs(
    sums: Mapping[str, Mapping[str, Sum]], sides: Sequence[str], units: Units, cell: Block | None = None
) -> list[str]:
    """A cell of two sides for each amount; a total that some rows lack is "≥ 12"."""

    def written(amount: str, found: Sum) -> str:
        if found.value is None:
            return UNDEFINED
        value = found.value / units.divisors[amount]
        text = f"{value:.0f}" if amount == "samples" else short(value)
        return text if found.is_whole else f"≥ {text}"

    def mark(amount: str) -> str:
        return _CPU_MARK if amount == "hours" and cell and _on_cpu(cell) and not units.only_cpu else ""

    return [
        per_side(written(amount, found[side]) for side in sides) + mark(amount)
        for amount, found in sums.items()
    ]


def _planned_from(cell: Block) -> str:
    return "" if cell["planned"] is None else "pilot" if cell["planned"]["by_pilot"] else "prior"


def _csv_cell(cell: Block) -> dict[str, Any]:
    sources = cell["sources"]
    amounts = {
        f"{side}_{amount}": None if (one := _side(cell, side)) is None else one[amount]
        for side in _SIDES
        for amount in AMOUNTS
    }
    return {
        "scope": "benchmark",
        "state": cell["state"],
        "benchmark": cell["benchmark"],
        "questions": cell["questions"],
        "budget": cell["budget"],
        "rounds": " ".join(map(str, cell["rounds"])),
        **amounts,
        **{f"{name}_from": sources[name] for name in SOURCES},
        "length_source": sources["response"],
        "hours_on": "" if not sources["speed"] else "GPU" if sources["on_gpu"] else "CPU",
        "planned_from": _planned_from(cell),
    }


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.plan", description="Write the bill of a study.")
    parser.add_argument("--plan", type=Path, required=True, help="what leash.bill wrote")
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    args = parser.parse_args()
    plan = records.read_json(args.plan)
    if not isinstance(plan, dict) or not {"cells", "protocol", "prior"} <= set(plan):
        raise InputError(f"{args.plan}: not a plan of leash.bill; delete it and run snakemake plan again")
    records.write_text(args.out_csv, as_csv(plan))
    records.write_text(args.out_md, markdown(plan))


if __name__ == "__main__":
    main()
