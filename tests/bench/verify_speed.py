"""How fast are verdicts, beside math-verify's?

    python tests/bench/verify_speed.py [--data FOLDER] [--set MATH ...] [--math-verify-calls N]

Four ways over the recorded completions, each in one thread, one call a completion:
  math-verify  parse(gold), parse(completion), verify; in this process, its time limits as they come
  grade        leash.verify.grade: extraction and comparison in this process, nothing kept between calls
  cold         leash.verify.stream.Verifier: in a killable worker, with an empty cache
  warm         the same with the cache that cold has filled, and a new memo
Imports and the worker's start are not timed. --math-verify-calls: only so many, evenly spread, because it is
slow (default: all; 1000 of AIME/AMC).
"""

import argparse
import logging
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from recorded import DATA, FILES, Recorded, completions

from leash import records
from leash.verify import grade
from leash.verify.assess import assess
from leash.verify.cache import Cache
from leash.verify.math.reading import prepare
from leash.verify.pool import Worker
from leash.verify.stream import Options, Verifier

DEFAULT_CALLS = {"AIME/AMC": 1000}
SLOW = 2.0
COLUMNS = {
    "calls": 7,
    "correct": 9,
    "calls/s": 10,
    "ratio": 10,
    "p50 ms": 9,
    "p99 ms": 9,
    "max ms": 9,
    "> 2 s": 7,
}


class Timing(NamedTuple):
    """One way over one set: what it is called, seconds of each call, and completions held to be correct."""

    name: str
    seconds: list[float]
    correct: int

    @property
    def rate(self) -> float:
        return len(self.seconds) / sum(self.seconds)

    def percentile(self, percent: float) -> float:
        return sorted(self.seconds)[min(len(self.seconds) - 1, int(len(self.seconds) * percent / 100))]


def nothing() -> None:
    """Before a call that needs no preparation."""


def timed(
    name: str,
    judge: Callable[[Recorded], bool],
    rows: Iterable[Recorded],
    before: Callable[[], None] = nothing,
) -> Timing:
    """Time each call, and not what `before` does before it."""
    seconds, correct = [], 0
    for row in rows:
        before()
        began = time.perf_counter()
        correct += judge(row)
        seconds.append(time.perf_counter() - began)
    return Timing(name, seconds, correct)


def by_math_verify(row: Recorded) -> bool:
    """Its recommended set-up: both sides by LaTeX and by plain expressions, limits of 5 s at their defaults."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

    configs = (LatexExtractionConfig(), ExprExtractionConfig())
    return bool(verify(parse(f"${row.gold}$", configs), parse(row.completion, configs)))


def by_grade(row: Recorded) -> bool:
    """One call of the interactive function."""
    return grade(row.completion, row.gold).outcome == "correct"


def by_stream(name: str, rows: list[Recorded], cache: Path) -> Timing:
    """As the verification stage does it, files aside."""
    questions = {
        row.question_id: {"question_id": row.question_id, "gold": [row.gold], "metadata": "{}"}
        for row in rows
    }
    with Cache(cache) as kept, Worker(assess, timeout=SLOW, preload=["leash.verify.assess"]) as worker:
        worker.call("math", "1", None, ["1"], {})  # started, and its imports done
        verifier = Verifier(Options("math"), questions, worker, kept)

        def judge(row: Recorded) -> bool:
            sample: records.Row = {
                "question_id": row.question_id,
                "sample_index": 0,
                "completion": row.completion,
                "finish_reason": "stop",
            }
            return bool(verifier.row(sample)["outcome"] == "correct")

        return timed(name, judge, rows)


def spread(rows: list[Recorded], count: int) -> list[Recorded]:
    """So many of the rows, evenly spread over all."""
    return [rows[index * len(rows) // count] for index in range(count)] if count < len(rows) else rows


def show(name: str, timings: list[Timing]) -> None:
    """Print one set's table."""
    print(f"\n{name}")
    print(" " * 12 + "".join(f"{title:>{width}}" for title, width in COLUMNS.items()))
    for one in timings:
        milliseconds = "".join(f"{1000 * seconds:>9.3f}" for seconds in map(one.percentile, (50, 99, 100)))
        print(
            f"{one.name:12}{len(one.seconds):>7,}{one.correct:>9,}{one.rate:>10,.0f}"
            f"{one.rate / timings[0].rate:>9,.1f}x{milliseconds}{sum(each > SLOW for each in one.seconds):>7}"
        )


def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds recorded/")
    parser.add_argument("--set", nargs="+", choices=FILES, default=list(FILES), help="which sets")
    parser.add_argument("--math-verify-calls", type=int, help="calls of math-verify; see above")
    arguments = parser.parse_args()
    logging.getLogger("math_verify").setLevel(logging.CRITICAL)  # it logs each time limit it runs into
    for name in arguments.set:
        rows = completions(arguments.data, name)
        count = arguments.math_verify_calls or DEFAULT_CALLS.get(name, len(rows))
        by_math_verify(rows[0])  # its imports
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "cache.sqlite"
            timings = [
                timed("math-verify", by_math_verify, spread(rows, count)),
                timed("grade", by_grade, rows, prepare.cache_clear),
                by_stream("cold", rows, cache),
                by_stream("warm", rows, cache),
            ]
        show(name, timings)


if __name__ == "__main__":
    main()
