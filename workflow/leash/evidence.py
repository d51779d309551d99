"""Regions of one comparison on all its benchmarks -> what speaks for them, by benchmark, domain and overall.

python -m leash.evidence --spec JSON --regions BENCHMARK/regions.parquet ... --out evidence.json
with spec = {"base": {"model", "checkpoint"}, "target": {...}, "seed", "benchmarks": {slug: {"domain", "budget"}}}
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from leash import records
from leash.dynamics.band import simultaneous_band
from leash.dynamics.budgets import over_budgets
from leash.dynamics.evidence import AtThreshold, mcnemar, pooled_sensitivity, sensitivity, unseen
from leash.dynamics.intervals import Group, Intervals, other_questions, pooled, same_questions
from leash.dynamics.nulls import Nulls, against_nulls, pooled_nulls
from leash.dynamics.passk import prefix_pass_at_k
from leash.dynamics.verdict import in_words, verdict
from leash.errors import InputError, exits_cleanly

T = TypeVar("T")


class Member(NamedTuple):
    """A benchmark of the comparison: n samples of each question, correct ones of shape (questions,).

    `first`: per side, index of each question's first correct sample, NaN where none is correct; None where it was not
    recorded.
    """

    slug: str
    domain: str
    n: int
    base: NDArray[np.int64]
    target: NDArray[np.int64]
    first: dict[str, NDArray[np.float64] | None]


class Parts(NamedTuple):
    """What a benchmark gives to a pool; without nulls where a question has a single sample."""

    member: Member
    rules: list[AtThreshold]
    nulls: Nulls | None


def weigh(spec: dict[str, Any], paths: Sequence[Path]) -> dict[str, Any]:
    """The contents of evidence.json: base, target, and a block per benchmark, per domain and overall.

    Raises InputError for a regions file that is empty, was not matched at its benchmark's budget, or lies in a folder
    that no benchmark of the spec is named after, and for a benchmark without a file.
    """
    by_folder = {path.absolute().parent.name: path for path in paths}
    if set(by_folder) != set(spec["benchmarks"]) or len(by_folder) < len(paths):
        raise InputError(
            f"--regions: of {', '.join(map(str, paths))}, --spec needs exactly one file in a folder of each of "
            f"{', '.join(spec['benchmarks'])}"
        )
    parts = [_parts(_member(slug, block, by_folder[slug])) for slug, block in spec["benchmarks"].items()]
    domains: dict[str, list[Parts]] = {}
    for part in parts:
        domains.setdefault(part.member.domain, []).append(part)
    seed = spec["seed"]
    return {
        "base": spec["base"],
        "target": spec["target"],
        "benchmarks": {part.member.slug: _benchmark(part, seed) for part in parts},
        "domains": {domain: _pool(members, seed) for domain, members in domains.items()},
        "overall": _pool(parts, seed),
    }


def _member(slug: str, block: dict[str, Any], path: Path) -> Member:
    rows = records.read(path, records.REGIONS)
    if not rows:
        raise InputError(
            f"{path}: holds no questions; check the benchmark's source, delete the file and run again"
        )
    budget = block["budget"]
    off = [row["question_id"] for row in rows if {row["base_n"], row["target_n"]} != {budget}]
    if off:
        raise InputError(
            f"{path}: not matched at the budget {budget}: {records.listed(off)}; match counts of that budget"
        )
    base, target = (
        np.array([row[f"{side}_correct"] for row in rows], dtype=np.int64) for side in ("base", "target")
    )
    first = {side: _first(rows, side) for side in ("base", "target")}
    return Member(slug, block["domain"], budget, base, target, first)


def _first(rows: list[records.Row], side: str) -> NDArray[np.float64] | None:
    if any(row[f"{side}_correct"] and row[f"{side}_first_correct"] is None for row in rows):
        return None
    return np.array([row[f"{side}_first_correct"] for row in rows], dtype=np.float64)


def _parts(member: Member) -> Parts:
    counts = member.n, member.base, member.target
    return Parts(member, sensitivity(*counts), against_nulls(*counts) if member.n > 1 else None)


def _benchmark(part: Parts, seed: int) -> dict[str, Any]:
    counts = part.member.n, part.member.base, part.member.target
    intervals = other_questions(*counts, seed=seed), same_questions(*counts, seed=seed)
    block = {"domain": part.member.domain} | _block([part], (intervals[0][-1], intervals[1][-1]))
    band = simultaneous_band(*counts, seed=seed) if part.member.base.size > 1 else None
    block["over_budgets"] = [
        {
            "k": at.k,
            "regions": at.counts._asdict(),
            "metrics": at.metrics,
            "base_pass": at.base_pass,
            "target_pass": at.target_pass,
            **{f"{side}_prefix_pass": _prefix(part.member, side, at.k) for side in ("base", "target")},
            "unseen": unseen(at.k),
            "pass_difference": None
            if band is None
            else {
                "value": float(band.difference[index]),
                "low": float(band.low[index]),
                "high": float(band.high[index]),
            },
            "intervals": {kind: _intervals(found[index]) for kind, found in _by_kind(intervals)},
        }
        for index, at in enumerate(over_budgets(*counts))
    ]
    return block


def _prefix(member: Member, side: str, k: int) -> float | None:
    first = member.first[side]
    return None if first is None else float(prefix_pass_at_k(member.n, first, k).mean())


def _pool(parts: list[Parts], seed: int) -> dict[str, Any]:
    groups = [Group(part.member.n, part.member.base, part.member.target) for part in parts]
    return _block(parts, pooled(groups, seed=seed))


def _block(parts: list[Parts], intervals: tuple[Intervals, Intervals]) -> dict[str, Any]:
    """What every scope has."""
    rules = pooled_sensitivity([part.rules for part in parts])
    nulls = [part.nulls for part in parts if part.nulls]
    against = pooled_nulls(nulls) if len(nulls) == len(parts) else None
    found = verdict(rules, against)
    budgets = sorted({part.member.n for part in parts})
    return {
        "questions": sum(part.member.base.size for part in parts),
        "budgets": budgets,
        "regions": rules[0].counts._asdict(),
        "metrics": rules[0].metrics,
        "unseen": unseen(budgets[0]),
        "mcnemar_p": mcnemar(rules[0].counts),
        "intervals": {kind: _intervals(one) for kind, one in _by_kind(intervals)},
        "nulls": None
        if against is None
        else {
            "k": against.k,
            **{name: excess._asdict() for name, excess in zip(Nulls._fields[1:], against[1:], strict=True)},
        },
        "sensitivity": [
            {
                "rule": rule.rule,
                "successes": rule.successes,
                "regions": rule.counts._asdict(),
                "metrics": rule.metrics,
            }
            for rule in rules
        ],
        "verdict": {"change": found.change, "beyond_noise": found.beyond_noise, "words": in_words(found)},
    }


def _by_kind(intervals: tuple[T, T]) -> list[tuple[str, T]]:
    return list(zip(("other_questions", "same_questions"), intervals, strict=True))


def _intervals(found: Intervals) -> dict[str, Any]:
    return {name: interval._asdict() for name, interval in found.of.items()}


def parse_spec(text: str) -> dict[str, Any]:
    """The spec, checked for its fields. Raises InputError that names what is wrong."""
    spec = records.parse_spec(text)
    wanted = {"base", "target", "benchmarks", "seed"}
    if not isinstance(spec, dict) or set(spec) != wanted:
        raise InputError(f"--spec: must be an object of exactly {', '.join(sorted(wanted))}")
    for side in ("base", "target"):
        if not isinstance(spec[side], dict) or set(spec[side]) != {"model", "checkpoint"}:
            raise InputError(f"--spec: {side} must be an object of exactly model and checkpoint")
    if type(spec["seed"]) is not int or spec["seed"] < 0:
        raise InputError(f"--spec: seed must be a whole number of at least 0, not {spec['seed']!r}")
    if not isinstance(spec["benchmarks"], dict) or not spec["benchmarks"]:
        raise InputError("--spec: benchmarks must be an object with at least one benchmark")
    for slug, block in spec["benchmarks"].items():
        if not isinstance(block, dict) or set(block) != {"domain", "budget"}:
            raise InputError(f"--spec: benchmarks.{slug} must be an object of exactly domain and budget")
        if type(block["budget"]) is not int or block["budget"] < 1:
            raise InputError(f"--spec: benchmarks.{slug}.budget must be a whole number of samples")
    return dict(spec)


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.evidence", description="What speaks for a comparison.")
    parser.add_argument("--spec", required=True, help="JSON: who is compared, and the benchmarks in order")
    parser.add_argument("--regions", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    records.write_json(args.out, weigh(parse_spec(args.spec), args.regions))


if __name__ == "__main__":
    main()
