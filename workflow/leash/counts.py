"""Verdicts of one model checkpoint on one benchmark -> counts per question.

python -m leash.counts --questions Q.parquet --verdicts V1.parquet V2.parquet --budget K --out counts.parquet

Of recorded completions, --on-missing intersect leaves out questions without a verdict, and --unknown truncated
says that truncation was not recorded.
"""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.records import OUTCOMES, UNSOLVED_OUTCOMES, Row


@dataclass(slots=True)
class Tally:
    """What one question's verdicts add up to. `seen` holds one byte per sample index of the budget."""

    seen: bytearray
    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    first_correct: int | None = None
    correct_answers: set[str] = field(default_factory=set)

    @property
    def n(self) -> int:
        """Samples with a verdict."""
        return sum(self.outcomes.values())

    def add(self, sample_index: int, outcome: str, answer: str | None) -> None:
        """Count one verdict."""
        self.seen[sample_index] = 1
        self.outcomes[outcome] += 1
        if outcome != "correct":
            return
        if self.first_correct is None or sample_index < self.first_correct:
            self.first_correct = sample_index
        if answer is not None:
            self.correct_answers.add(answer)

    def row(self, question_id: str) -> Row:
        """One row of a counts file."""
        return {
            "question_id": question_id,
            "n": self.n,
            "correct": self.outcomes["correct"],
            "first_correct": self.first_correct,
            "distinct_correct": len(self.correct_answers),
            **{outcome: self.outcomes[outcome] for outcome in UNSOLVED_OUTCOMES},
        }


def count(
    questions: Path,
    verdicts: Iterable[Path],
    budget: int,
    intersect: bool = False,
    unknown: Iterable[str] = (),
) -> list[Row]:
    """Counts per question, in the order of the questions file; verdict files are streamed.

    intersect: leave out questions without a single verdict. unknown: outcomes to be null, since the samples do
    not tell. Raises InputError for an unknown outcome, a question that is not in the questions file, a sample index
    that is repeated or outside 0..budget-1, and questions whose verdicts are not exactly the budget.
    """
    if budget < 1:
        raise InputError(f"--budget {budget}: it must be at least 1")
    tallies = {
        question_id: Tally(bytearray(budget))
        for question_id in records.read_by_question(questions, records.QUESTIONS)
    }
    for path in verdicts:
        _add_file(tallies, path, questions, budget)
    if intersect:
        tallies = {name: tally for name, tally in tallies.items() if tally.n}
    off = [f"{name} (n = {tally.n})" for name, tally in tallies.items() if tally.n != budget]
    if off:
        raise InputError(
            f"{questions}: {len(off)} of {len(tallies)} questions have not exactly {budget} verdicts: "
            f"{records.listed(off)}; give --verdicts every shard of the budget, or --budget what was drawn"
        )
    return [tally.row(name) | dict.fromkeys(unknown) for name, tally in tallies.items()]


def _add_file(tallies: dict[str, Tally], path: Path, questions: Path, budget: int) -> None:
    columns = ["question_id", "sample_index", "outcome", "answer"]
    for row in records.stream(path, records.VERDICTS, columns):
        name, index, outcome = row["question_id"], row["sample_index"], row["outcome"]
        tally = tallies.get(name)
        if tally is None:
            raise InputError(
                f"{path}: question {name!r} is not in {questions}; delete the verdicts and samples that were "
                "made from other questions and run again"
            )
        if outcome not in tally.outcomes:
            raise InputError(
                f"{path}: question {name!r}, sample {index}: unknown outcome {outcome!r} "
                f"(known: {', '.join(OUTCOMES)}); delete the file and run again"
            )
        if index is None or not 0 <= index < budget:
            raise InputError(
                f"{path}: question {name!r}: sample_index {index} is outside the budget (0 to {budget - 1}); "
                "give --verdicts only the shards of the budget, or raise --budget"
            )
        if tally.seen[index]:
            raise InputError(
                f"{path}: question {name!r}: a second verdict for sample_index {index}; "
                "give each shard once, and delete shards that overlap"
            )
        tally.add(index, outcome, row["answer"])


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.counts", description="Count verdicts per question.")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path, nargs="+", required=True)
    parser.add_argument("--budget", type=int, required=True, help="samples every question must have")
    parser.add_argument("--on-missing", choices=("error", "intersect"), default="error")
    parser.add_argument("--unknown", nargs="+", default=[], choices=UNSOLVED_OUTCOMES)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rows = count(args.questions, args.verdicts, args.budget, args.on_missing == "intersect", args.unknown)
    records.write(args.out, records.COUNTS, rows)
    print(f"{args.out}: {len(rows):,} questions", file=sys.stderr)


if __name__ == "__main__":
    main()
