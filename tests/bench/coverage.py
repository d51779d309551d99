"""How often do the 95 % intervals hold the truth?

    python tests/bench/coverage.py [--studies 400] [--questions 500] [--draws 1000] [--data FOLDER]

Simulated studies with rates like the recorded ones: pairs of rates (base, target) from the discrete law on a
grid that makes the recorded pairs of counts most likely (no beta, nor independence of the two models: neither is
taken from the intervals under test). True for other questions: the measures of that law. True for these
questions: the measures of the rates that were drawn.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from recorded import DATA
from scipy.special import expit
from scipy.stats import binom

from leash.dynamics.intervals import MEASURES, Intervals, other_questions, same_questions
from leash.dynamics.regions import ExpectedCounts, support_metrics

N = 128
SETS = ("deepscaler32k", "limit_rlvr_qwen7b_math500_n128")
Law = tuple[NDArray[np.float64], NDArray[np.float64]]


def recorded_counts(data: Path, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Correct samples of base and target, of N each."""

    def rows(file: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (data / "recorded" / name / file).read_text().splitlines()]

    if name == "deepscaler32k":
        base, target = ({row["id"]: row["c"] for row in rows(file)} for file in ("base.jsonl", "rl.jsonl"))
        return np.array(list(base.values())), np.array([target[question] for question in base])
    both = rows("per_question_counts.jsonl")
    return np.array([row["base_correct"] for row in both]), np.array([row["rl_correct"] for row in both])


def joint_law(base: NDArray[np.int64], target: NDArray[np.int64], points: int = 80, steps: int = 1500) -> Law:
    """The grid of rates and the weight of each pair, by expectation maximisation."""
    rates = expit(np.linspace(-12, 9, points))
    left, right = (binom.pmf(counts[:, None], N, rates) for counts in (base, target))
    weights = np.full((points, points), 1 / points**2)
    for _ in range(steps):
        weights *= left.T @ (right / ((left @ weights) * right).sum(axis=1)[:, None])
        weights /= weights.sum()
    return rates, weights


def truth(
    base: NDArray[np.float64], target: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> dict[str, float]:
    """The measures of pairs of chances of being solved, with their weights."""
    share = np.full(base.size, 1 / base.size) if weights is None else weights
    cells = (base * target, (1 - base) * target, base * (1 - target), (1 - base) * (1 - target))
    counts = ExpectedCounts(*(float(share @ cell) for cell in cells))
    return support_metrics(counts) | {"pass_difference": counts.expansion - counts.shrinkage}


def held(intervals: Intervals, true: dict[str, float]) -> list[bool]:
    return [intervals.of[name].low <= true[name] <= intervals.of[name].high for name in MEASURES]


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of the intervals in simulated studies.")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--data", type=Path, default=DATA)
    args = parser.parse_args()
    for name in SETS:
        rates, weights = joint_law(*recorded_counts(args.data, name))
        random = np.random.default_rng(0)
        first, second = (axis.ravel() for axis in np.meshgrid(rates, rates, indexing="ij"))
        law = truth(1 - (1 - first) ** N, 1 - (1 - second) ** N, weights.ravel())
        found: dict[str, list[list[bool]]] = {"other questions": [], "same questions": []}
        for study in range(args.studies):
            pairs = random.choice(weights.size, args.questions, p=weights.ravel())
            chances = first[pairs], second[pairs]
            counts = [random.binomial(N, chance) for chance in chances]
            options: dict[str, Any] = {"draws": args.draws, "seed": study}
            found["other questions"].append(held(other_questions(N, *counts, [N], **options)[0], law))
            true = truth(*(1 - (1 - chance) ** N for chance in chances))
            found["same questions"].append(held(same_questions(N, *counts, [N], **options)[0], true))
        print(f"{name}: {args.studies} studies of {args.questions} questions; true NSCR {law['nscr']:+.4f}")
        for kind, studies in found.items():
            shares = zip(MEASURES, np.mean(studies, axis=0), strict=True)
            print(f"  {kind:<16}", "  ".join(f"{measure} {share:.1%}" for measure, share in shares))


if __name__ == "__main__":
    main()
