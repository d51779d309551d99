"""Verdicts of one model checkpoint on one benchmark -> counts per question.

python -m leash.counts --questions Q.parquet --verdicts V1.parquet V2.parquet --budget K --out counts.parquet

Of recorded completions, --on-missing intersect leaves out questions without a verdict, and --unknown truncated
says that truncation was not recorded. Of samples drawn in rounds, --rounds 32 128 512 says after how many samples of
a question each round ended: it is counted up to the first round that solved it, and what was drawn beyond is left
aside; those of --always ID ... are counted up to the budget.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.records import OUTCOMES, UNSOLVED_OUTCOMES, Row

_UNSEEN = 255
_CORRECT = OUTCOMES.index("correct")


@dataclass(slots=True)
class Drawn:
    """A question's verdicts: the number of the outcome by sample index, and where each correct answer first stands."""

    outcomes: bytearray
    answers: dict[str, int] = field(default_factory=dict)

    @property
    def seen(self) -> int:
        """Samples with a verdict."""
        return len(self.outcomes) - self.outcomes.count(_UNSEEN)

    def add(self, sample_index: int, outcome: str, answer: str | None) -> None:
        """Keep one verdict."""
        self.outcomes[sample_index] = OUTCOMES.index(outcome)
        if outcome == "correct" and answer is not None:
            self.answers[answer] = min(sample_index, self.answers.get(answer, sample_index))

    def stop(self, rounds: Sequence[int]) -> int:
        """The end of the first round that holds a correct sample, else of the last: how many samples count."""
        first = self.outcomes.find(_CORRECT)
        return next((end for end in rounds if 0 <= first < end), rounds[-1])

    def tally(self, stop: int) -> "Tally":
        """What its first `stop` samples add up to."""
        counted = self.outcomes[:stop]
        first_correct = counted.find(_CORRECT)
        return Tally(
            {name: counted.count(number) for number, name in enumerate(OUTCOMES)},
            None if first_correct < 0 else first_correct,
            sum(first < stop for first in self.answers.values()),
        )


class Tally(NamedTuple):
    """What one question's counted verdicts add up to."""

    outcomes: dict[str, int]
    first_correct: int | None
    distinct_correct: int

    @property
    def n(self) -> int:
        """Samples with a verdict."""
        return sum(self.outcomes.values())

    def row(self, question_id: str) -> Row:
        """One row of a counts file."""
        return {
            "question_id": question_id,
            "n": self.n,
            "correct": self.outcomes["correct"],
            "first_correct": self.first_correct,
            "distinct_correct": self.distinct_correct,
            **{outcome: self.outcomes[outcome] for outcome in UNSOLVED_OUTCOMES},
        }


def count(
    questions: Path,
    verdicts: Iterable[Path],
    budget: int,
    intersect: bool = False,
    unknown: Iterable[str] = (),
    rounds: Sequence[int] = (),
    always: Iterable[str] = (),
) -> list[Row]:
    """Counts per question, in the order of the questions file; verdict files are streamed.

    intersect: leave out questions without a single verdict. unknown: outcomes to be null, since the samples do
    not tell. rounds, always: of samples drawn in rounds (see the module). Raises InputError for an unknown outcome, a
    question that is not in the questions file, a sample index that is repeated, rounds that do not rise to the budget,
    and questions whose verdicts are not exactly what is counted; and, without rounds, for an index outside 0..budget-1.
    """
    if budget < 1:
        raise InputError(f"--budget {budget}: it must be at least 1")
    if rounds and (list(rounds) != sorted(set(rounds)) or rounds[0] < 1 or rounds[-1] != budget):
        raise InputError(f"--rounds {rounds}: they must rise, and the last be --budget, {budget}")
    found = {
        question_id: Drawn(bytearray([_UNSEEN]) * budget)
        for question_id in records.read_by_question(questions, records.QUESTIONS)
    }
    for path in verdicts:
        _add_file(found, path, questions, budget, beyond=bool(rounds))
    if intersect:
        found = {name: drawn for name, drawn in found.items() if drawn.seen}
    fixed = set(always)
    stops = {
        name: drawn.stop(rounds) if rounds and name not in fixed else budget for name, drawn in found.items()
    }
    tallies = {name: drawn.tally(stops[name]) for name, drawn in found.items()}
    off = [
        f"{name} (n = {tally.n}{f' of {stops[name]}' if rounds else ''})"
        for name, tally in tallies.items()
        if tally.n != stops[name]
    ]
    if off:
        needed = "a verdict for each sample of their rounds" if rounds else f"exactly {budget} verdicts"
        raise InputError(
            f"{questions}: {len(off)} of {len(tallies)} questions have not {needed}: "
            f"{records.listed(off)}; give --verdicts every shard of the budget, or --budget what was drawn"
        )
    return [tally.row(name) | dict.fromkeys(unknown) for name, tally in tallies.items()]


def _add_file(found: dict[str, Drawn], path: Path, questions: Path, budget: int, beyond: bool) -> None:
    """Add a file's verdicts; beyond: those beyond the budget are left aside, and no error."""
    columns = ["question_id", "sample_index", "outcome", "answer"]
    for row in records.stream(path, records.VERDICTS, columns):
        name, index, outcome = row["question_id"], row["sample_index"], row["outcome"]
        drawn = found.get(name)
        if drawn is None:
            raise InputError(
                f"{path}: question {name!r} is not in {questions}; delete the verdicts and samples that were "
                "made from other questions and run again"
            )
        if outcome not in OUTCOMES:
            raise InputError(
                f"{path}: question {name!r}, sample {index}: unknown outcome {outcome!r} "
                f"(known: {', '.join(OUTCOMES)}); delete the file and run again"
            )
        if beyond and index is not None and index >= budget:
            continue
        if index is None or not 0 <= index < budget:
            raise InputError(
                f"{path}: question {name!r}: sample_index {index} is outside the budget (0 to {budget - 1}); "
                "give --verdicts only the shards of the budget, or raise --budget"
            )
        if drawn.outcomes[index] != _UNSEEN:
            raise InputError(
                f"{path}: question {name!r}: a second verdict for sample_index {index}; "
                "give each shard once, and delete shards that overlap"
            )
        drawn.add(index, outcome, row["answer"])


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.counts", description="Count verdicts per question.")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path, nargs="+", required=True)
    parser.add_argument("--budget", type=int, required=True, help="samples every question must have")
    parser.add_argument("--on-missing", choices=("error", "intersect"), default="error")
    parser.add_argument("--unknown", nargs="+", default=[], choices=UNSOLVED_OUTCOMES)
    parser.add_argument(
        "--rounds", type=int, nargs="+", default=[], help="cumulative; the last is the budget"
    )
    parser.add_argument("--always", nargs="+", default=[], help="questions that every round draws")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    intersect = args.on_missing == "intersect"
    rows = count(
        args.questions, args.verdicts, args.budget, intersect, args.unknown, args.rounds, args.always
    )
    records.write(args.out, records.COUNTS, rows)
    print(f"{args.out}: {len(rows):,} questions", file=sys.stderr)


if __name__ == "__main__":
    main()
