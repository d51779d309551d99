"""How many samples would drawing in rounds take, of those that an exhaustive study takes?

    python tests/bench/adaptive_replay.py [--rounds 4 8 16 32 64 128] [--long 32 128 512 2048 8192] [--draws 200]
                                          [--data FOLDER]

First the recorded counts, of 128 samples, replayed in random order: exact in expectation. Then budgets that nobody
recorded, with each question's rate taken in two ways: c/n, at which a question without a success never has one and
takes the whole budget; and drawn from its posterior under the beta prior fitted to the model's counts, which leaves
it a small rate (how small rests on the prior's tail). The ratio is to an oracle that stops at each first success.
"""

import argparse
from pathlib import Path

import numpy as np
from coverage import SETS, N, recorded_counts
from numpy.typing import NDArray
from recorded import DATA

from leash.dynamics.adaptive import Replay, replay_counts, replay_rates
from leash.dynamics.priors import fit_beta


def posterior_rates(correct: NDArray[np.int64], draws: int) -> NDArray[np.float64]:
    """Rates of every question, `draws` of each, shape (draws * questions,)."""
    prior = fit_beta(N, correct)
    random = np.random.default_rng(0)
    shape = (draws, correct.size)
    return random.beta(prior.successes + correct, prior.failures + N - correct, shape).ravel()


def told(label: str, found: Replay) -> str:
    return (
        f"  {label:<32} k = {found.budget:<5} share {found.share:.4f}  "
        f"of the oracle {found.over_oracle:.3f}  samples a question {found.drawn.mean():.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Samples of an adaptive study.")
    parser.add_argument("--rounds", type=int, nargs="+", default=[4, 8, 16, 32, 64, 128])
    parser.add_argument("--long", type=int, nargs="+", default=[32, 128, 512, 2048, 8192])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--data", type=Path, default=DATA)
    args = parser.parse_args()
    for name in SETS:
        print(f"{name}: rounds {args.rounds} and {args.long}")
        for model, correct in zip(("base", "target"), recorded_counts(args.data, name), strict=True):
            print(told(f"{model}, recorded", replay_counts(N, correct, args.rounds)))
            print(told(f"{model}, rates c/n", replay_rates(correct / N, args.long)))
            rates = posterior_rates(correct, args.draws)
            print(told(f"{model}, rates of the posterior", replay_rates(rates, args.long)))


if __name__ == "__main__":
    main()
