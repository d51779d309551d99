"""Verdicts of one model checkpoint on one open-ended benchmark -> the distinct verified answers to each question.

python -m leash.solutions --verdicts V1.parquet V2.parquet --out solutions.parquet

A solution is an answer that was verified as correct, told apart from others as the verifier writes it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.records import Row


class Solutions(NamedTuple):
    """How many samples gave each answer, by question as first met; and the correct samples whose answer is null."""

    answers: dict[str, Counter[str]]
    unnamed: int

    def rows(self) -> Iterator[Row]:
        """Rows of a solutions file: within a question the most frequent answer first, then by its text."""
        for name, found in self.answers.items():
            for answer, samples in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])):
                yield {"question_id": name, "answer": answer, "samples": samples}


def solutions(verdicts: Iterable[Path]) -> Solutions:
    """The verified answers in verdict files, which are streamed.

    Raises InputError for a sample index that is null or below 0, and for a second verdict on a sample.
    """
    answers: dict[str, Counter[str]] = {}
    seen: dict[str, bytearray] = {}  # one byte per sample index
    unnamed = 0
    for path in verdicts:
        columns = ["question_id", "sample_index", "outcome", "answer"]
        for row in records.stream(path, records.VERDICTS, columns):
            _see(seen.setdefault(row["question_id"], bytearray()), path, row)
            if row["outcome"] != "correct":
                continue
            if row["answer"] is None:
                unnamed += 1
                continue
            answers.setdefault(row["question_id"], Counter())[row["answer"]] += 1
    return Solutions(answers, unnamed)


def _see(seen: bytearray, path: Path, row: Row) -> None:
    name, index = row["question_id"], row["sample_index"]
    if index is None or index < 0:
        raise InputError(
            f"{path}: question {name!r}: sample_index {index} cannot be; delete the file and run again"
        )
    if index >= len(seen):
        seen.extend(bytes(index + 1 - len(seen)))
    if seen[index]:
        raise InputError(
            f"{path}: question {name!r}: a second verdict for sample_index {index}; "
            "give each shard once, and delete shards that overlap"
        )
    seen[index] = 1


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.solutions", description="List distinct verified answers.")
    parser.add_argument("--verdicts", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    found = solutions(args.verdicts)
    total = records.write(args.out, records.SOLUTIONS, found.rows())
    unnamed = f"; left out, as their answer is null: {found.unnamed:,} samples" if found.unnamed else ""
    print(f"{args.out}: {total:,} answers to {len(found.answers):,} questions{unnamed}", file=sys.stderr)


if __name__ == "__main__":
    main()
