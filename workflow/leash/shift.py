"""How likely base and target find others' traces on one benchmark: by region and source, and style against ability.

python -m leash.shift --spec JSON --regions regions.parquet --base B/perplexity.parquet --target T/perplexity.parquet
                      [--base-tokens B/trace-tokens.parquet --target-tokens T/trace-tokens.parquet]
                      --seed N --out shift.json
with spec = {"base": {"model", "checkpoint"}, "target": {...}, "benchmark": slug}

Only traces that both sides scored, over the same tokens, enter. Several traces of one source and question are averaged
first; then every question counts once, and intervals are over questions. A difference is log ppl(target) - log
ppl(base), per trace the difference of the two negative log-likelihoods per token.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from math import exp, isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leash import records
from leash.dynamics.perplexity import Mean, first_position, mean_by_position, mean_over_questions
from leash.errors import InputError, exits_cleanly
from leash.records import PERPLEXITY, Row
from leash.scoring.read import TraceKey, trace_logliks, windows

REGIONS: Final = ("shrinkage", "expansion", "out_of_support", "preservation")
"""The paper's order of its Table 2, and then what base and target both solve."""
ALL: Final = "all"
FEW: Final = 5
"""A cell of fewer questions is marked: its interval says little."""
TOKENIZERS_DIFFER: Final = "tokenizers differ: per-token values are not comparable"

Profiles = dict[TraceKey, NDArray[np.float64]]


class Pair(NamedTuple):
    """A trace that both sides scored: its rows of the two perplexity files."""

    key: TraceKey
    region: str
    base: Row
    target: Row

    @property
    def difference(self) -> float:
        """log ppl(target) - log ppl(base)."""
        return float(self.target["nll"] - self.base["nll"])

    @property
    def beyond_question(self) -> float | None:
        """The difference less that on the question's text alone; None where that was not scored."""
        base, target = self.base["question_nll"], self.target["question_nll"]
        return None if base is None or target is None else self.difference - (target - base)

    def tail(self, index: int) -> float | None:
        """The difference on the tokens after a window; None where the trace has none."""
        base, target = self.base["tail_nll"][index], self.target["tail_nll"][index]
        return None if base is None or target is None else float(target - base)


class Sides(NamedTuple):
    """Rows of both perplexity files by trace, and the windows of their tails."""

    base: dict[TraceKey, Row]
    target: dict[TraceKey, Row]
    windows: list[int]

    @property
    def comparable(self) -> bool:
        """Whether every trace that neither model's context cut short has as many tokens on both sides."""
        return all(
            self.target[key]["n_tokens"] == base["n_tokens"]
            for key, base in self.base.items()
            if not any(row["problem"] is not None or row["cut"] for row in (base, self.target[key]))
        )


def shift(
    spec: dict[str, Any], regions: Path, sides: Sides, profiles: tuple[Profiles, Profiles] | None, seed: int
) -> dict[str, Any]:
    """The contents of shift.json; `profiles` are `read_profile` of base and target.

    Where the two tokenizers differ, each side's own perplexity is all there is: differences are null.
    """
    region_of = {
        name: row["region"] for name, row in records.read_by_question(regions, records.REGIONS).items()
    }
    pairs, left_out = _pairs(region_of, sides)
    comparable = sides.comparable
    sources = sorted({pair.key[1] for pair in pairs})
    cells = []
    for region in (*REGIONS, ALL):
        for source in sources:
            held = [pair for pair in pairs if pair.key[1] == source and region in (pair.region, ALL)]
            if held:
                cell = _cell(held, sides.windows, comparable, seed)
                profile = _profile(held, profiles, seed) if comparable and profiles else []
                cells.append({"region": region, "source": source} | cell | {"profile": profile})
    return spec | {
        "windows": sides.windows,
        "comparable": comparable,
        "note": None if comparable else TOKENIZERS_DIFFER,
        "traces": len(pairs),
        "left_out": dict(sorted(left_out.items())),
        "cells": cells,
    }


def _pairs(region_of: dict[str, str], sides: Sides) -> tuple[list[Pair], Counter[str]]:
    """Traces to compare, and how many are left out, by why."""
    pairs, left_out = [], Counter[str]()
    for key, base in sides.base.items():
        target = sides.target[key]
        problems = {
            side: row["problem"]
            for side, row in (("base", base), ("target", target))
            if row["problem"] is not None
        }
        if key[0] not in region_of:
            left_out["its question is not compared"] += 1
        elif problems:
            # the numbers in a problem are the trace's own
            why = re.sub(r"\d+", "N", next(iter(problems.values())))
            left_out[f"{' and '.join(problems)}: {why}"] += 1
        elif (base["cut"] or target["cut"]) and base["n_tokens"] != target["n_tokens"]:
            left_out["cut to the model's context, to other lengths"] += 1
        else:
            pairs.append(Pair(key, region_of[key[0]], base, target))
    return pairs, left_out


def _cell(pairs: Sequence[Pair], after: list[int], comparable: bool, seed: int) -> dict[str, Any]:
    questions = len({pair.key[0] for pair in pairs})
    cell: dict[str, Any] = {"questions": questions, "traces": len(pairs), "few": questions < FEW}
    for side in ("base", "target"):
        nll = _by_question(pairs, [getattr(pair, side)["nll"] for pair in pairs])
        geometric = mean_over_questions(nll, seed=seed)
        cell[side] = {
            "perplexity": _block(mean_over_questions(np.exp(np.minimum(nll, 700.0)), seed=seed)),
            "geometric": {end: _exp(getattr(geometric, end)) for end in ("value", "low", "high")},
            "nll": _block(geometric),
        }
    if not comparable:
        return cell | {"difference": None, "beyond_question": None, "tails": []}
    whole = [pair.difference for pair in pairs]

    def mean(values: Sequence[float | None]) -> dict[str, Any]:
        return _block(mean_over_questions(_by_question(pairs, values), seed=seed))

    tails = []
    for index, window in enumerate(after):
        tail = [pair.tail(index) for pair in pairs]
        # A trace that ends within the window is in neither: else the two would differ by which traces they are of.
        same = [None if at is None else full for at, full in zip(tail, whole, strict=True)]
        tails.append({"window": window, "difference": mean(tail), "whole": mean(same)})
    return cell | {
        "difference": mean(whole),
        "beyond_question": mean([pair.beyond_question for pair in pairs]),
        "tails": tails,
    }


def _by_question(pairs: Sequence[Pair], values: Sequence[float | None]) -> NDArray[np.float64]:
    """Mean of each question's traces that have a value, shape (questions,); NaN where none has."""
    of: dict[str, list[float]] = {pair.key[0]: [] for pair in pairs}
    for pair, value in zip(pairs, values, strict=True):
        if value is not None:
            of[pair.key[0]].append(value)
    return np.array([np.mean(held) if held else np.nan for held in of.values()])


def _profile(pairs: Sequence[Pair], profiles: tuple[Profiles, Profiles], seed: int) -> list[dict[str, Any]]:
    """The difference by position, parts of doubling length; in each the traces that reach it."""
    base, target = profiles
    held = [pair for pair in pairs if pair.key in base and pair.key in target]
    found = []
    for part in range(max((base[pair.key].size for pair in held), default=0)):
        here = [pair for pair in held if base[pair.key].size > part]
        values = [float(base[pair.key][part] - target[pair.key][part]) for pair in here]
        found.append(
            {
                "first": first_position(part),
                "last": first_position(part + 1) - 1,
                "traces": len(here),
                **_block(mean_over_questions(_by_question(here, values), seed=seed)),
            }
        )
    return found


def read(base: Path, target: Path) -> Sides:
    """Both perplexity files. Raises InputError for other windows or other traces, and a trace that stands twice."""
    after = windows(base)
    if windows(target) != after:
        raise InputError(
            f"{target}: its windows are {windows(target)}, and those of {base} {after}; score both anew"
        )
    sides = _keyed(base), _keyed(target)
    for path, here, other in ((base, sides[0], sides[1]), (target, sides[1], sides[0])):
        lacking = [
            f"{name} ({source} {index})" for name, source, index in other if (name, source, index) not in here
        ]
        if lacking:
            raise InputError(
                f"{path}: lacks traces that the other side has: {records.listed(lacking)}; score the same traces"
            )
    return Sides(*sides, after)


def _keyed(path: Path) -> dict[TraceKey, Row]:
    rows: dict[TraceKey, Row] = {}
    for row in records.stream(path, PERPLEXITY):
        key = row["question_id"], row["source"], row["index"]
        if key in rows:
            raise InputError(f"{path}: trace {key} stands twice; delete the file and run again")
        if row["problem"] is None and not (row["nll"] is not None and isfinite(row["nll"])):
            raise InputError(
                f"{path}: trace {key}: {row['nll']} is no log-likelihood; delete the file and run again"
            )
        rows[key] = row
    if not rows:
        raise InputError(f"{path}: holds no traces; name a source of traces of this benchmark")
    return rows


def read_profile(path: Path, rows: dict[TraceKey, Row]) -> Profiles:
    """Mean log-likelihood of each trace in each part of it, see `mean_by_position`.

    Raises InputError for tokens that are not those of the perplexity file.
    """
    found = {}
    for key, values in trace_logliks(path):
        if key not in rows or rows[key]["n_tokens"] != values.size:
            raise InputError(
                f"{path}: trace {key} has {values.size} tokens here; measure its perplexity anew"
            )
        found[key] = mean_by_position(values)
    return found


def _block(mean: Mean) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in mean._asdict().items()}


def _exp(value: float) -> float | None:
    return exp(value) if value <= 700 else None


def parse_spec(text: str) -> dict[str, Any]:
    """The spec, checked for its fields. Raises InputError that names what is wrong."""
    spec = records.parse_spec(text)
    if not isinstance(spec, dict) or set(spec) != {"base", "target", "benchmark"}:
        raise InputError("--spec: must be an object of exactly base, target and benchmark")
    for side in ("base", "target"):
        if not isinstance(spec[side], dict) or set(spec[side]) != {"model", "checkpoint"}:
            raise InputError(f"--spec: {side} must be an object of exactly model and checkpoint")
    return dict(spec)


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="leash.shift", description="Perplexity of traces, base against target."
    )
    parser.add_argument("--spec", required=True, help="JSON: who is compared, on which benchmark")
    parser.add_argument("--regions", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True, help="perplexity.parquet of the base")
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--base-tokens", type=Path, help="trace-tokens.parquet of the base, for the profile")
    parser.add_argument("--target-tokens", type=Path)
    parser.add_argument("--seed", type=int, required=True, help="of the draws that the intervals rest on")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    spec, sides, profiles = parse_spec(args.spec), read(args.base, args.target), None
    if args.seed < 0 or (args.base_tokens is None) != (args.target_tokens is None):
        raise InputError("--seed must be at least 0, and --base-tokens and --target-tokens go together")
    if args.base_tokens is not None:
        profiles = read_profile(args.base_tokens, sides.base), read_profile(args.target_tokens, sides.target)
    records.write_json(args.out, shift(spec, args.regions, sides, profiles, args.seed))


if __name__ == "__main__":
    main()
