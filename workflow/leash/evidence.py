"""Regions of one comparison on all its benchmarks -> what speaks for them, by benchmark, domain and overall.

python -m leash.evidence --spec JSON --regions BENCHMARK/regions.parquet ... --out evidence.json
with spec = {"base": {"model", "checkpoint"}, "target": {...}, "seed", "benchmarks": {slug: {"domain", "budget"}}}

Of samples drawn in rounds each benchmark has "rounds" and "always" too (see leash.metrics), and --round0 FILE ... gives
the regions of round 0, BENCHMARK/round0/regions.parquet. What needs as many samples of each question is then taken from
round 0 (a model against itself) or not known (stricter rules of solved; these questions, drawn again).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from leash import records
from leash.dynamics.adaptive import Samples, solved_within
from leash.dynamics.band import Band, band_of, simultaneous_band
from leash.dynamics.budgets import AtBudget, at_budgets, over_budgets
from leash.dynamics.evidence import AtThreshold, mcnemar, pooled_sensitivity, sensitivity, unseen
from leash.dynamics.intervals import (
    SAME_QUESTIONS,
    Group,
    Interval,
    Intervals,
    other_questions,
    over_questions,
    pooled,
    pooled_questions,
    same_questions,
)
from leash.dynamics.nulls import Nulls, against_nulls, pooled_nulls
from leash.dynamics.passk import k_grid, prefix_pass_at_k
from leash.dynamics.verdict import in_words, verdict
from leash.errors import InputError, exits_cleanly
from leash.matched import SIDES, Side, correct_of, drawn_in_rounds, read_regions

T = TypeVar("T")


class Member(NamedTuple):
    """A benchmark of the comparison at budget n; correct samples of each question, of shape (questions,).

    `first`: per side, index of each question's first correct sample, NaN where none is correct; None where it was not
    recorded. `rounds`: both sides' samples, where they were drawn in rounds; else every question has n samples.
    """

    slug: str
    domain: str
    n: int
    base: NDArray[np.int64]
    target: NDArray[np.int64]
    first: dict[Side, NDArray[np.float64] | None]
    rounds: tuple[Samples, Samples] | None = None

    @property
    def solved(self) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """Whether each question was solved within the budget, as one sample of pass@budget."""
        return 1, np.minimum(self.base, 1), np.minimum(self.target, 1)


class Parts(NamedTuple):
    """What a benchmark gives to a pool; without nulls where a question has a single sample."""

    member: Member
    rules: list[AtThreshold]
    nulls: Nulls | None


def weigh(spec: dict[str, Any], paths: Sequence[Path], first_rounds: Sequence[Path] = ()) -> dict[str, Any]:
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
    firsts = {path.absolute().parents[1].name: path for path in first_rounds}
    adaptive = {slug for slug, block in spec["benchmarks"].items() if "rounds" in block}
    if set(firsts) != adaptive or len(firsts) < len(first_rounds) or adaptive not in (set(), set(by_folder)):
        raise InputError(
            f"--round0: {', '.join(map(str, first_rounds)) or 'no file'}; --spec needs exactly one file of each "
            "benchmark that was drawn in rounds, and these are all or none"
        )
    parts = [
        _parts(_member(slug, block, by_folder[slug], firsts.get(slug)))
        for slug, block in spec["benchmarks"].items()
    ]
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


def _member(slug: str, block: dict[str, Any], path: Path, first_round: Path | None) -> Member:
    budget = block["budget"]
    rows = read_regions(path, block.get("rounds", [budget]))
    base, target = (correct_of(rows, side) for side in SIDES)
    first = {side: _first(rows, side) for side in SIDES}
    member = Member(slug, block["domain"], budget, base, target, first)
    if first_round is None:
        return member
    at_first = read_regions(first_round, block["rounds"][:1])
    if [row["question_id"] for row in at_first] != [row["question_id"] for row in rows]:
        raise InputError(f"{path} and {first_round}: not the same questions; delete both and run again")
    in_rounds = [drawn_in_rounds(rows, at_first, side, block) for side in SIDES]
    return member._replace(rounds=(in_rounds[0], in_rounds[1]))


def _first(rows: list[records.Row], side: Side) -> NDArray[np.float64] | None:
    if any(row[f"{side}_correct"] and row[f"{side}_first_correct"] is None for row in rows):
        return None
    return np.array([row[f"{side}_first_correct"] for row in rows], dtype=np.float64)


def _parts(member: Member) -> Parts:
    if member.rounds is None:
        counts = member.n, member.base, member.target
        return Parts(member, sensitivity(*counts), against_nulls(*counts) if member.n > 1 else None)
    base, target = member.rounds
    first = base.rounds[0]
    return Parts(
        member,
        sensitivity(*member.solved, thresholds=[1], zetas=[]),
        against_nulls(first, base.first_round, target.first_round) if first > 1 else None,
    )


class Over(NamedTuple):
    """What a benchmark is expected to show at each budget: regions, both kinds of interval, the difference's band."""

    expected: list[AtBudget]
    intervals: tuple[list[Intervals], list[Intervals]]
    band: Band | None


def _over(member: Member, seed: int) -> Over:
    several = member.base.size > 1
    if member.rounds is None:
        counts = member.n, member.base, member.target
        return Over(
            over_budgets(*counts),
            (other_questions(*counts, seed=seed), same_questions(*counts, seed=seed)),
            simultaneous_band(*counts, seed=seed) if several else None,
        )
    grid = k_grid(member.n)
    base, target = (solved_within(side, grid) for side in member.rounds)
    others = over_questions(base, target, grid, seed=seed)
    return Over(
        at_budgets(grid, base, target),
        (others, [_unknown(one) for one in others]),
        band_of(target - base, grid, seed=seed) if several else None,
    )


def _unknown(found: Intervals) -> Intervals:
    """The same measures without an interval for these questions: their n depends on what was drawn."""
    nothing = {name: Interval(one.value, np.nan, np.nan, np.nan) for name, one in found.of.items()}
    return Intervals(SAME_QUESTIONS, found.k, nothing)


def _benchmark(part: Parts, seed: int) -> dict[str, Any]:
    over = _over(part.member, seed)
    last = over.intervals[0][-1], over.intervals[1][-1]
    block = {"domain": part.member.domain} | _block([part], last)
    block["over_budgets"] = [
        {
            "k": at.k,
            "regions": at.counts._asdict(),
            "metrics": at.metrics,
            "base_pass": at.base_pass,
            "target_pass": at.target_pass,
            **{f"{side}_prefix_pass": _prefix(part.member, side, at.k) for side in SIDES},
            "unseen": unseen(at.k),
            "pass_difference": None
            if over.band is None
            else {
                "value": float(over.band.difference[index]),
                "low": float(over.band.low[index]),
                "high": float(over.band.high[index]),
            },
            "intervals": {kind: _intervals(found[index]) for kind, found in _by_kind(over.intervals)},
        }
        for index, at in enumerate(over.expected)
    ]
    return block


def _prefix(member: Member, side: Side, k: int) -> float | None:
    first = member.first[side]
    return None if first is None else float(prefix_pass_at_k(member.n, first, k).mean())


def _pool(parts: list[Parts], seed: int) -> dict[str, Any]:
    if parts[0].member.rounds is None:
        groups = [Group(part.member.n, part.member.base, part.member.target) for part in parts]
        return _block(parts, pooled(groups, seed=seed))
    solved = [part.member.solved for part in parts]
    others = pooled_questions(
        [(base[:, None].astype(float), target[:, None].astype(float)) for _, base, target in solved],
        seed=seed,
    )
    return _block(parts, (others, _unknown(others)))


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
        **_rounds(parts),
        "verdict": {"change": found.change, "beyond_noise": found.beyond_noise, "words": in_words(found)},
    }


def _rounds(parts: list[Parts]) -> dict[str, list[int]]:
    """The sizes of the first rounds; nothing where every question has as many samples."""
    firsts = {part.member.rounds[0].rounds[0] for part in parts if part.member.rounds}
    return {"first_rounds": sorted(firsts)} if firsts else {}


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
        found = set(block) if isinstance(block, dict) else set()
        if found not in ({"domain", "budget"}, {"domain", "budget", "rounds", "always"}):
            raise InputError(
                f"--spec: benchmarks.{slug} must be an object of exactly domain and budget, or these with rounds "
                "and always"
            )
        if type(block["budget"]) is not int or block["budget"] < 1:
            raise InputError(f"--spec: benchmarks.{slug}.budget must be a whole number of samples")
    return dict(spec)


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.evidence", description="What speaks for a comparison.")
    parser.add_argument("--spec", required=True, help="JSON: who is compared, and the benchmarks in order")
    parser.add_argument("--regions", type=Path, nargs="+", required=True)
    parser.add_argument(
        "--round0", type=Path, nargs="+", default=[], help="regions of round 0, if drawn in rounds"
    )
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    records.write_json(args.out, weigh(parse_spec(args.spec), args.regions, args.round0))


if __name__ == "__main__":
    main()
