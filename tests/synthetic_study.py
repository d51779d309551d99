"""Made-up studies, written with the real stages from counts onwards."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leash import records
from leash.match import match
from leash.metrics import summarise
from leash.pooling import pool


class Study(NamedTuple):
    """A presentation spec and the files that belong to it."""

    spec: dict[str, Any]
    metrics: list[Path]
    pooled: list[Path]

    @property
    def spec_text(self) -> str:
        return json.dumps(self.spec)


def write_counts(path: Path, correct: Sequence[int], n: int, truncated: int = 0, timeouts: int = 0) -> Path:
    """A counts file of questions q0, q1, ... with these correct samples; all others are wrong."""
    rows = []
    for index, successes in enumerate(correct):
        cut, timed_out = min(truncated, n - successes), min(timeouts, max(0, n - successes - truncated))
        row = dict.fromkeys(records.UNSOLVED_OUTCOMES, 0)
        row |= {"truncated": cut, "verifier_timeout": timed_out, "wrong": n - successes - cut - timed_out}
        row |= {
            "question_id": f"q{index}",
            "n": n,
            "correct": successes,
            "distinct_correct": min(successes, 1),
        }
        row["first_correct"] = 0 if successes else None
        rows.append(row)
    records.write(path, records.COUNTS, rows)
    return path


def write_study(
    folder: Path,
    targets: dict[str, tuple[str, Sequence[str]]],
    benchmarks: dict[str, tuple[str, int]],
    questions: int = 40,
    truncated: int = 0,
    timeouts: int = 0,
) -> Study:
    """targets: {slug: (method, checkpoints)}, all of the base "qwen"; benchmarks: {slug: (domain, budget)}.

    RLVR sharpens (more correct where some are, none where few are); SFT only redraws.
    `truncated` and `timeouts` are per question of the targets.
    """
    random = np.random.default_rng(0)
    rates = {
        slug: random.beta(0.35, 0.9, questions) * (random.random(questions) > 0.15) for slug in benchmarks
    }
    metrics, pooled = [], []
    for model, (method, checkpoints) in targets.items():
        for step, checkpoint in enumerate(checkpoints, start=1):
            files = []
            for slug, (domain, budget) in benchmarks.items():
                place = folder / model / checkpoint / slug
                base = np.random.default_rng(1).binomial(budget, rates[slug])
                sharpened = rates[slug] ** (1 + 0.4 * step / len(checkpoints)) * 1.25
                rate = np.minimum(sharpened, 1) if method == "rlvr" else rates[slug]
                target = random.binomial(budget, rate)
                base_counts = write_counts(folder / "qwen" / slug / "counts.parquet", base.tolist(), budget)
                counts = write_counts(place / "counts.parquet", target.tolist(), budget, truncated, timeouts)
                regions = place / "regions.parquet"
                records.write(regions, records.REGIONS, match(base_counts, counts))
                spec = {
                    "base": {"model": "qwen", "checkpoint": "main"},
                    "target": {"model": model, "checkpoint": checkpoint},
                    "benchmark": slug,
                    "domain": domain,
                    "budget": budget,
                }
                files.append(place / "metrics.json")
                records.write_json(files[-1], summarise(spec, regions))
            pooled.append(folder / model / checkpoint / "metrics.json")
            records.write_json(pooled[-1], pool(files))
            metrics += files
    spec = {
        "models": {
            "qwen": {"label": "Qwen base", "method": None},
            **{model: {"label": model.upper(), "method": method} for model, (method, _) in targets.items()},
        },
        "checkpoints": {f"{m}/{c}": c.replace("-", " ") for m, (_, steps) in targets.items() for c in steps},
        "benchmarks": {slug: slug.title() for slug in benchmarks},
        "comparisons": [[m, c] for m, (_, steps) in targets.items() for c in steps],
    }
    return Study(spec, metrics, pooled)
