"""All benchmarks of one comparison, pooled by domain and overall.

python -m leash.pooling --metrics m1.json m2.json --out metrics.json
"""

import argparse
from pathlib import Path
from typing import Any

from leash import records
from leash.dynamics.regions import REGIONS, RegionCounts, support_metrics
from leash.errors import InputError, exits_cleanly
from leash.records import OUTCOMES

Metrics = dict[str, Any]


def pool(paths: list[Path]) -> dict[str, Any]:
    """The pooled file: who is compared, a block per domain (in order of appearance) and one overall.

    Raises InputError where the files are of different comparisons, or name a benchmark twice.
    """
    files = {path: _read(path) for path in paths}
    first = next(iter(files))
    seen: dict[str, Path] = {}
    for path, metrics in files.items():
        if _identities(metrics) != _identities(files[first]):
            raise InputError(
                f"{path}: compares other states than {first}; give --metrics the files of one comparison"
            )
        if metrics["benchmark"] in seen:
            raise InputError(
                f"{path}: benchmark {metrics['benchmark']!r} is also in {seen[metrics['benchmark']]}; "
                "give each benchmark once"
            )
        seen[metrics["benchmark"]] = path
    by_domain: dict[str, list[Metrics]] = {}
    for metrics in files.values():
        by_domain.setdefault(metrics["domain"], []).append(metrics)
    return {
        **_identities(files[first]),
        "domains": {domain: block(members) for domain, members in by_domain.items()},
        "overall": block(list(files.values())),
    }


def block(members: list[Metrics]) -> dict[str, Any]:
    """One pooled block: regions and tail are summed, and the four measures are taken from the sums."""
    regions = RegionCounts(*(sum(metrics["regions"][name] for metrics in members) for name in REGIONS))
    return {
        "questions": sum(metrics["questions"] for metrics in members),
        "benchmarks": [metrics["benchmark"] for metrics in members],
        "budgets": sorted({metrics["budget"] for metrics in members}),
        "regions": regions._asdict(),
        "tail": sum(metrics["tail"] for metrics in members),
        "metrics": support_metrics(regions),
        "base": _pooled_side(members, "base"),
        "target": _pooled_side(members, "target"),
        **_first_rounds(members),
    }


def _first_rounds(members: list[Metrics]) -> dict[str, list[int]]:
    """The sizes of round 0; nothing where every question has as many samples."""
    sizes = {metrics["rounds"][0] for metrics in members if "rounds" in metrics}
    return {"first_rounds": sorted(sizes)} if sizes else {}


def _pooled_side(members: list[Metrics], side: str) -> dict[str, Any]:
    """pass@k over questions, at every k all members have and, as the regions, at each one's own budget."""
    passes = [metrics[side]["pass_at"] for metrics in members]
    weights = [metrics["questions"] for metrics in members]
    shared = set.intersection(*(set(pass_at) for pass_at in passes))
    own_budget = [metrics[side]["pass_at"][str(metrics["budget"])] for metrics in members]
    return {
        "pass_at": {k: _mean([pass_at[k] for pass_at in passes], weights) for k in shared},
        "pass_at_budget": _mean(own_budget, weights),
        "samples": sum(metrics[side]["samples"] for metrics in members),
        "outcomes": {outcome: _total(members, side, outcome) for outcome in OUTCOMES},
    }


def _total(members: list[Metrics], side: str, outcome: str) -> int | None:
    """Samples with an outcome; None where a member does not know."""
    counts = [metrics[side]["outcomes"][outcome] for metrics in members]
    return None if None in counts else sum(counts)


def _mean(values: list[float], weights: list[int]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)


def _identities(metrics: Metrics) -> dict[str, dict[str, str]]:
    return {side: {key: metrics[side][key] for key in ("model", "checkpoint")} for side in ("base", "target")}


def _read(path: Path) -> Metrics:
    metrics = records.read_json(path)
    wanted = {"base", "target", "benchmark", "domain", "budget", "questions", "regions", "tail"}
    if not isinstance(metrics, dict) or not wanted <= set(metrics):
        raise InputError(f"{path}: not the metrics of one benchmark; delete it and run again")
    return metrics


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="leash.pooling", description="Pool the benchmarks of one comparison."
    )
    parser.add_argument("--metrics", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if len(set(args.metrics)) < len(args.metrics):
        raise InputError("--metrics: a file is named twice; give each once")
    records.write_json(args.out, pool(args.metrics))


if __name__ == "__main__":
    main()
