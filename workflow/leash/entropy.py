"""Verdicts and scored completions of one state on one benchmark -> precision and entropy per question.

python -m leash.entropy [--tokens tokens.parquet] --verdicts V.parquet ... --samples N --out entropy.parquet

Of every question the first N samples: how many were correct (avg@N), how long the completions are, token entropy, and
answer entropy over the verifier's classes of answers. Without --tokens there are only answers: length and token
entropy are then null.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite, isnan
from pathlib import Path
from typing import Final

from leash import records
from leash.dynamics.entropy import answer_entropy, miller_madow
from leash.errors import InputError, exits_cleanly
from leash.records import ENTROPY, OUTCOMES, TOKENS, Row

_NA: Final = ("no_answer", "truncated")
_ANSWERED: Final = ("correct", "wrong")


@dataclass(slots=True)
class Tally:
    """What one question's samples add up to. `judged` and `asked` hold one byte per sample index."""

    judged: bytearray
    asked: bytearray
    classes: Counter[str] = field(default_factory=Counter)
    correct: int = 0
    na: int = 0
    unclassified: int = 0
    scored: int = 0
    tokens: int = 0
    entropies: float = 0.0

    def row(self, question_id: str) -> Row:
        """One row of an entropy file."""
        counts = [*self.classes.values(), self.na]
        return {
            "question_id": question_id,
            "samples": sum(self.judged),
            "correct": self.correct,
            "n_tokens": self.tokens / self.scored if self.scored else None,
            "scored": self.scored,
            "token_entropy": self.entropies / self.scored if self.scored else None,
            "answer_entropy": _known(answer_entropy(counts)),
            "answer_entropy_mm": _known(miller_madow(counts)),
            "distinct_answers": len(self.classes),
            "na": self.na,
            "unclassified": self.unclassified,
        }


def measure(tokens: Path | None, verdicts: Iterable[Path], samples: int) -> list[Row]:
    """Rows of an entropy file, in the order in which the verdicts name the questions; files are streamed.

    Raises InputError for samples < 1, an unknown outcome, a judged sample without an answer, a second verdict or a
    second score of a sample, a score that cannot be, files without a question, scores of a question without verdicts,
    and questions that lack one of the first `samples` verdicts or, with tokens, one of their completions.
    """
    if samples < 1:
        raise InputError(f"--samples {samples}: it must be at least 1")
    tallies: dict[str, Tally] = {}
    paths = list(verdicts)
    for path in paths:
        for row in _first(path, samples):
            tally = tallies.setdefault(row["question_id"], Tally(bytearray(samples), bytearray(samples)))
            _judge(path, tally, row)
    if not tallies:
        raise InputError(f"--verdicts: no verdict in {records.listed(map(str, paths))}; verify samples first")
    lacking = [f"{name} (has {sum(t.judged)})" for name, t in tallies.items() if sum(t.judged) < samples]
    if lacking:
        raise InputError(
            f"--verdicts: {len(lacking)} of {len(tallies)} questions lack one of their first {samples} verdicts: "
            f"{records.listed(lacking)}; give every shard that holds them, or lower --samples"
        )
    if tokens is not None:
        _add_scores(tokens, tallies, samples)
    return [tally.row(name) for name, tally in tallies.items()]


def _first(path: Path, samples: int) -> Iterator[Row]:
    columns = ["question_id", "sample_index", "outcome", "answer"]
    for row in records.stream(path, records.VERDICTS, columns):
        index = row["sample_index"]
        if index is None or index < 0:
            raise InputError(
                f"{path}: question {row['question_id']!r}: {index} is no sample index; delete the file and run again"
            )
        if index < samples:
            yield row


def _judge(path: Path, tally: Tally, row: Row) -> None:
    index, outcome, answer = row["sample_index"], row["outcome"], row["answer"]
    where = f"{path}: question {row['question_id']!r}, sample {index}"
    if tally.judged[index]:
        raise InputError(f"{where}: a second verdict; give each shard once, and delete shards that overlap")
    if outcome not in OUTCOMES:
        raise InputError(
            f"{where}: unknown outcome {outcome!r} (known: {', '.join(OUTCOMES)}); delete the file and run again"
        )
    tally.judged[index] = 1
    tally.correct += outcome == "correct"
    if outcome in _NA:
        tally.na += 1
    elif outcome not in _ANSWERED:
        tally.unclassified += 1
    elif answer is None:
        raise InputError(f"{where}: {outcome}, and yet without an answer; delete the file and run again")
    else:
        tally.classes[answer] += 1


def _add_scores(path: Path, tallies: dict[str, Tally], samples: int) -> None:
    columns = ["question_id", "kind", "index", "n_tokens", "entropy", "problem"]
    for row in records.stream(path, TOKENS, columns):
        index = row["index"]
        if row["kind"] != "completion" or (index is not None and index >= samples):
            continue
        tally = tallies.get(row["question_id"])
        where = f"{path}: question {row['question_id']!r}, sample {index}"
        if tally is None:
            raise InputError(f"{where}: scored, and has no verdict; give the verdicts of the same samples")
        if index is None or index < 0 or tally.asked[index]:
            raise InputError(f"{where}: no sample index, or one that was scored before; score them again")
        tally.asked[index] = 1
        if row["problem"] is None:
            tally.scored += 1
            tally.tokens += _scored_tokens(where, row)
            tally.entropies += row["entropy"] / row["n_tokens"]
    lacking = [name for name, tally in tallies.items() if not all(tally.asked)]
    if lacking:
        raise InputError(
            f"{path}: {len(lacking)} of {len(tallies)} questions lack one of their first {samples} completions: "
            f"{records.listed(lacking)}; score so many of each question, or lower --samples"
        )


def _scored_tokens(where: str, row: Row) -> int:
    """Tokens of a completion that was scored."""
    tokens, entropy = row["n_tokens"], row["entropy"]
    # summed in float64 from float32: a deterministic token may come out a little below 0
    if not tokens or tokens < 1 or entropy is None or not isfinite(entropy) or entropy < -1e-3 * tokens:
        raise InputError(f"{where}: an entropy of {entropy} over {tokens} tokens cannot be; score it again")
    return int(tokens)


def _known(value: float) -> float | None:
    return None if isnan(value) else value


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.entropy", description="Precision and entropy per question.")
    parser.add_argument("--tokens", type=Path, help="scored completions; without it only answers are told")
    parser.add_argument("--verdicts", type=Path, nargs="+", required=True)
    parser.add_argument("--samples", type=int, required=True, help="first samples of every question")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rows = measure(args.tokens, args.verdicts, args.samples)
    records.write(args.out, ENTROPY, rows)
    unclassified = sum(row["unclassified"] for row in rows)
    lost = f"; {unclassified:,} samples have no class: the verifier gave no verdict" if unclassified else ""
    print(f"{args.out}: {len(rows):,} questions{lost}", file=sys.stderr)


if __name__ == "__main__":
    main()
