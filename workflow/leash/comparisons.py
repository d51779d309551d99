"""The metrics of a study, in the order and under the labels that a table or figure is asked for.

spec = {"models": {slug: {"label": text, "method": "rlvr" | "sft" | null}},
        "checkpoints": {"model/checkpoint": label}, "benchmarks": {slug: label},
        "comparisons": [[target model, checkpoint], ...]}
Its order is the order of everything, and a model's last comparison is its final checkpoint.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from leash import records
from leash.dynamics.regions import RegionCounts
from leash.errors import InputError

Scope = Literal["benchmark", "domain", "overall"]


class Side(NamedTuple):
    """One state's numbers: pass@k as fractions, then totals over questions; None: not recorded."""

    pass_at: dict[int, float]
    pass_at_budget: float
    samples: int
    outcomes: dict[str, int | None]


class Result(NamedTuple):
    """Base against target on one benchmark, or pooled; `slug` names the benchmark or domain.

    `tail` counts the questions whose region rests on few successes (dynamics.regions.rests_on_few); `dropped`
    those that only the base, and only the target, had, and that were left out. `first_rounds`: sizes of round 0, whose
    samples the sides' totals are of, where samples were drawn in rounds.
    """

    scope: Scope
    slug: str
    label: str
    domain: str
    budgets: tuple[int, ...]
    questions: int
    regions: RegionCounts
    tail: int
    metrics: dict[str, float]
    base: Side
    target: Side
    dropped: tuple[int, int] = (0, 0)
    first_rounds: tuple[int, ...] = ()


class Comparison(NamedTuple):
    """One trained state against its base; slugs, then labels. Without a pooled file `overall` is None."""

    base: str
    base_checkpoint: str
    base_label: str
    target: str
    checkpoint: str
    target_label: str
    checkpoint_label: str
    method: str | None
    is_final: bool
    benchmarks: tuple[Result, ...]
    domains: tuple[Result, ...]
    overall: Result | None

    @property
    def label(self) -> str:
        """The target with its checkpoint, as a table names it."""
        return state_label(self.target_label, self.checkpoint_label)


def load(spec_text: str, metrics: Iterable[Path], pooled: Iterable[Path]) -> list[Comparison]:
    """Every comparison of the spec, each with its own files wherever any of that kind are given.

    Raises InputError for a broken spec or file, a state or benchmark the spec does not name, and a
    comparison without files.
    """
    spec = parse_spec(spec_text)
    by_benchmark: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    by_state: dict[tuple[str, str], dict[str, Any]] = {}
    for path in metrics:
        contents, state = _read(path, {"benchmark", "domain", "budget"}, spec)
        if contents["benchmark"] not in spec["benchmarks"]:
            raise InputError(f"{path}: --spec names no benchmark {contents['benchmark']!r}; add its label")
        by_benchmark.setdefault(state, {})[contents["benchmark"]] = contents
    for path in pooled:
        contents, state = _read(path, {"domains", "overall"}, spec)
        by_state[state] = contents
    states = [(str(model), str(checkpoint)) for model, checkpoint in spec["comparisons"]]
    for option, found in (("--metrics", by_benchmark), ("--pooled", by_state)):
        lacking = [
            f"{model}/{checkpoint}" for model, checkpoint in states if (model, checkpoint) not in found
        ]
        if found and lacking:
            raise InputError(
                f"{option}: no file of {records.listed(lacking)}; give one, or drop it from --spec"
            )
    final = dict(states)
    return [
        _comparison(
            spec, state, final[state[0]] == state[1], by_benchmark.get(state, {}), by_state.get(state)
        )
        for state in states
    ]


def state_label(model_label: str, checkpoint_label: str) -> str:
    """A model with its checkpoint, as a table names it."""
    if checkpoint_label in ("", model_label):
        return model_label
    return f"{model_label} ({checkpoint_label})"


def by_model(comparisons: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    """Comparisons grouped by target model, in order."""
    groups: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault(comparison.target, []).append(comparison)
    return groups


def _comparison(
    spec: dict[str, Any],
    state: tuple[str, str],
    is_final: bool,
    files: dict[str, dict[str, Any]],
    pooled: dict[str, Any] | None,
) -> Comparison:
    model, checkpoint = state
    any_file = pooled or next(iter(files.values()), None)
    if any_file is None:
        raise InputError(f"{model}/{checkpoint}: no --metrics and no --pooled file; give at least one")
    base = any_file["base"]
    benchmarks = tuple(
        _result("benchmark", slug, label, files[slug]["domain"], files[slug])
        for slug, label in spec["benchmarks"].items()
        if slug in files
    )
    domains: dict[str, Any] = pooled["domains"] if pooled else {}
    # A JSON file keeps no order of domains worth having: they follow the benchmarks of the spec.
    order = {
        domain: min(_place(spec, slug) for slug in block["benchmarks"]) for domain, block in domains.items()
    }
    return Comparison(
        base=base["model"],
        base_checkpoint=base["checkpoint"],
        base_label=spec["models"][base["model"]]["label"],
        target=model,
        checkpoint=checkpoint,
        target_label=spec["models"][model]["label"],
        checkpoint_label=spec["checkpoints"].get(f"{model}/{checkpoint}", checkpoint),
        method=spec["models"][model].get("method"),
        is_final=is_final,
        benchmarks=benchmarks,
        domains=tuple(
            _result("domain", domain, domain, domain, domains[domain])
            for domain in sorted(domains, key=lambda domain: order[domain])
        ),
        overall=_result("overall", "overall", "overall", "", pooled["overall"]) if pooled else None,
    )


def _place(spec: dict[str, Any], benchmark: str) -> int:
    known = list(spec["benchmarks"])
    return known.index(benchmark) if benchmark in known else len(known)


def _result(scope: Scope, slug: str, label: str, domain: str, block: dict[str, Any]) -> Result:
    budgets = tuple(block["budgets"]) if "budgets" in block else (block["budget"],)
    return Result(
        scope=scope,
        slug=slug,
        label=label,
        domain=domain,
        budgets=budgets,
        questions=block["questions"],
        regions=RegionCounts(**block["regions"]),
        tail=block["tail"],
        metrics={name: _number(value) for name, value in block["metrics"].items()},
        base=_side(block["base"], budgets),
        target=_side(block["target"], budgets),
        dropped=_dropped(block),
        first_rounds=tuple(block.get("first_rounds", block.get("rounds", ())[:1])),
    )


def _side(side: dict[str, Any], budgets: tuple[int, ...]) -> Side:
    # Metrics files are written with sorted keys, and "1024" sorts before "2".
    pass_at = {k: _number(side["pass_at"][str(k)]) for k in sorted(int(k) for k in side["pass_at"])}
    at_budget = side["pass_at_budget"] if "pass_at_budget" in side else side["pass_at"][str(budgets[0])]
    return Side(pass_at, _number(at_budget), side["samples"], side["outcomes"])


def _dropped(block: dict[str, Any]) -> tuple[int, int]:
    lost = block.get("dropped", {})
    return len(lost.get("base", ())), len(lost.get("target", ()))


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _read(path: Path, wanted: set[str], spec: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, str]]:
    contents = records.read_json(path)
    if not isinstance(contents, dict) or not wanted | {"base", "target"} <= set(contents):
        raise InputError(f"{path}: lacks one of {', '.join(sorted(wanted))}; delete it and run again")
    for side in ("base", "target"):
        if contents[side]["model"] not in spec["models"]:
            raise InputError(f"{path}: --spec names no model {contents[side]['model']!r}; add its label")
    return contents, (contents["target"]["model"], contents["target"]["checkpoint"])


def parse_spec(text: str) -> dict[str, Any]:
    """The spec of a table or figure, see above. Raises InputError where it lacks one of its keys."""
    spec = records.parse_spec(text)
    lacking = {"models", "checkpoints", "benchmarks", "comparisons"} - set(
        spec if isinstance(spec, dict) else ()
    )
    if lacking:
        raise InputError(f"--spec: lacks {', '.join(sorted(lacking))}")
    return dict(spec)
