"""The shifts of perplexity of a study, in the order and under the labels that a table or figure is asked for.

The spec is that of leash.comparisons. A file is what leash.shift writes: one per comparison and benchmark.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import exp, nan
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.comparisons import parse_spec, state_label
from leash.dynamics.perplexity import Mean, pooled_mean
from leash.errors import InputError
from leash.shift import ALL, FEW, REGIONS

OVERALL: Final = "all benchmarks"
REGION_LABELS: Final = {
    "shrinkage": "shrinkage",
    "expansion": "expansion",
    "out_of_support": "out of support",
    "preservation": "preservation",
    ALL: "all",
}
_KEYS: Final = {"base", "target", "benchmark", "windows", "comparable", "note", "traces", "left_out", "cells"}

Block = dict[str, Any]


class Shift(NamedTuple):
    """A comparison on one benchmark, or (slug "") on all of them: slugs, labels, and the cells of shift.json."""

    base: str
    base_checkpoint: str
    base_label: str
    target: str
    checkpoint: str
    label: str
    is_final: bool
    slug: str
    name: str
    windows: tuple[int, ...]
    comparable: bool
    left_out: dict[str, int]
    cells: list[Block]

    @property
    def title(self) -> str:
        """Who is compared with whom, as a heading says it."""
        return f"{self.label} against {self.base_label}"


def load(spec_text: str, paths: Iterable[Path]) -> list[Shift]:
    """Every shift: comparisons as in the spec, in each its benchmarks.

    Raises InputError for a broken spec or file, a state or benchmark that the spec does not name, files of other
    windows, and a comparison without a file.
    """
    spec = parse_spec(spec_text)
    found: dict[tuple[str, str], dict[str, Shift]] = {}
    first: tuple[Path, tuple[int, ...]] | None = None
    for path in paths:
        shift = _read(path, spec)
        found.setdefault((shift.target, shift.checkpoint), {})[shift.slug] = shift
        first = first or (path, shift.windows)
        if shift.windows != first[1]:
            raise InputError(
                f"{path}: its windows are other than those of {first[0]}; score the traces of both anew"
            )
    states = [(str(model), str(checkpoint)) for model, checkpoint in spec["comparisons"]]
    lacking = [f"{model}/{checkpoint}" for model, checkpoint in states if (model, checkpoint) not in found]
    if lacking:
        raise InputError(f"--shifts: no file of {records.listed(lacking)}; give one, or drop it from --spec")
    return [found[state][slug] for state in states for slug in spec["benchmarks"] if slug in found[state]]


def by_comparison(shifts: Iterable[Shift]) -> Iterator[list[Shift]]:
    """The shifts of each comparison, in order."""
    for _, group in groupby(shifts, key=lambda shift: (shift.target, shift.checkpoint)):
        yield list(group)


def overall(members: Sequence[Shift]) -> Shift:
    """A comparison's benchmarks as one, each question with the same weight; see `pooled_mean` for the intervals.

    Benchmarks whose tokens are not comparable are left out.
    """
    cells = [
        pool(held)
        for key in _keys(members)
        if (
            held := [c for m in members if m.comparable for c in m.cells if (c["region"], c["source"]) == key]
        )
    ]
    left_out: dict[str, int] = {}
    for member in members:
        for why, traces in member.left_out.items():
            left_out[why] = left_out.get(why, 0) + traces
    comparable = any(member.comparable for member in members)
    return members[0]._replace(slug="", name=OVERALL, comparable=comparable, left_out=left_out, cells=cells)


def _keys(members: Sequence[Shift]) -> list[tuple[str, str]]:
    sources = sorted({cell["source"] for member in members for cell in member.cells})
    return [(region, source) for region in (*REGIONS, ALL) for source in sources]


def pool(cells: Sequence[Block]) -> Block:
    """One cell of the same region and source of several benchmarks."""
    questions = sum(cell["questions"] for cell in cells)
    pooled: Block = {
        "region": cells[0]["region"],
        "source": cells[0]["source"],
        "questions": questions,
        "traces": sum(cell["traces"] for cell in cells),
        "few": questions < FEW,
        "difference": _pooled(cell["difference"] for cell in cells),
        "beyond_question": _pooled(cell["beyond_question"] for cell in cells),
    }
    for side in ("base", "target"):
        nll = _pooled(cell[side]["nll"] for cell in cells)
        pooled[side] = {
            "perplexity": _pooled(cell[side]["perplexity"] for cell in cells),
            "geometric": {
                end: None if nll[end] is None else exp(nll[end]) for end in ("value", "low", "high")
            },
            "nll": nll,
        }
    pooled["tails"] = [
        {"window": tails[0]["window"]}
        | {name: _pooled(tail[name] for tail in tails) for name in ("difference", "whole")}
        for tails in zip(*(cell["tails"] for cell in cells), strict=True)
    ]
    longest = max(cells, key=lambda cell: len(cell["profile"]))["profile"]
    pooled["profile"] = [
        {"first": part["first"], "last": part["last"], "traces": sum(here["traces"] for here in reach)}
        | _pooled(reach)
        for index, part in enumerate(longest)
        if (reach := [cell["profile"][index] for cell in cells if len(cell["profile"]) > index])
    ]
    return pooled


def _pooled(blocks: Iterable[Block]) -> Block:
    means = [
        Mean(
            value=_number(block["value"]),
            low=_number(block["low"]),
            high=_number(block["high"]),
            questions=block["questions"],
            sd=_number(block["sd"]),
        )
        for block in blocks
    ]
    pooled = pooled_mean(means)
    return {name: None if value != value else value for name, value in pooled._asdict().items()}


def _number(value: float | None) -> float:
    return nan if value is None else value


def _read(path: Path, spec: dict[str, Any]) -> Shift:
    contents = records.read_json(path)
    if not isinstance(contents, dict) or set(contents) != _KEYS:
        raise InputError(f"{path}: not the shift of a comparison; delete it and run again")
    for side in ("base", "target"):
        if contents[side]["model"] not in spec["models"]:
            raise InputError(f"{path}: --spec names no model {contents[side]['model']!r}; add its label")
    if contents["benchmark"] not in spec["benchmarks"]:
        raise InputError(f"{path}: --spec names no benchmark {contents['benchmark']!r}; add its label")
    base, target = contents["base"], contents["target"]
    state = f"{target['model']}/{target['checkpoint']}"
    final = {str(model): str(checkpoint) for model, checkpoint in spec["comparisons"]}
    return Shift(
        base=base["model"],
        base_checkpoint=base["checkpoint"],
        base_label=spec["models"][base["model"]]["label"],
        target=target["model"],
        checkpoint=target["checkpoint"],
        label=state_label(
            spec["models"][target["model"]]["label"], spec["checkpoints"].get(state, target["checkpoint"])
        ),
        is_final=final.get(target["model"]) == target["checkpoint"],
        slug=contents["benchmark"],
        name=spec["benchmarks"][contents["benchmark"]],
        windows=tuple(contents["windows"]),
        comparable=contents["comparable"],
        left_out=contents["left_out"],
        cells=contents["cells"],
    )
