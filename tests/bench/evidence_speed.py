"""How long do budgets and intervals take, and how much memory?

    python tests/bench/evidence_speed.py [--questions 1400 14000] [--n 8192] [--draws 2000] [--budgets 14]

Each size in turn: seconds of `over_budgets`, of both intervals at all budgets, and of the band; then the most
memory that the process has held so far.
"""

import argparse
import resource
from time import perf_counter

import numpy as np

from leash.dynamics.band import simultaneous_band
from leash.dynamics.budgets import over_budgets
from leash.dynamics.intervals import other_questions, same_questions


def main() -> None:
    parser = argparse.ArgumentParser(description="Seconds of the evidence.")
    parser.add_argument("--questions", type=int, nargs="+", default=[1400, 14000])
    parser.add_argument("--n", type=int, default=8192)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--budgets", type=int, default=14, help="powers of two up to n, the largest so many")
    args = parser.parse_args()
    budgets = [args.n >> power for power in range(args.budgets) if args.n >> power][::-1]
    for questions in args.questions:
        random = np.random.default_rng(0)
        rates = random.beta(0.3, 0.2, (2, questions))
        base, target = random.binomial(args.n, rates)
        told = []
        start = perf_counter()
        for name, call in (
            ("budgets", lambda: over_budgets(args.n, base, target, budgets)),  # noqa: B023
            ("other questions", lambda: other_questions(args.n, base, target, budgets, draws=args.draws)),  # noqa: B023
            ("same questions", lambda: same_questions(args.n, base, target, budgets, draws=args.draws)),  # noqa: B023
            ("band", lambda: simultaneous_band(args.n, base, target, budgets, draws=args.draws)),  # noqa: B023
        ):
            before = perf_counter()
            call()
            told.append(f"{name} {perf_counter() - before:.2f} s")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{questions} questions, n = {args.n}, {len(budgets)} budgets, {args.draws} draws: "
            f"{perf_counter() - start:.2f} s ({', '.join(told)}); {memory:.2f} GiB"
        )


if __name__ == "__main__":
    main()
