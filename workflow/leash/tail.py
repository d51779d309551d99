"""The verdicts that a question's region hangs on, looked at twice.

python -m leash.tail --spec JSON --questions Q.parquet --regions R.parquet --base-verdicts V.parquet ...
                     --target-verdicts V.parquet ... --out tail.parquet
with spec = {"verifier", "task", "tolerance", "version"}

A question is in the tail where a state that solves it does so three times or fewer: there, one or a few false
verdicts make the region. For each such question, every answer that counted as correct gets a second opinion.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from leash import records
from leash.dynamics.regions import rests_on_few
from leash.errors import InputError, exits_cleanly
from leash.records import Row
from leash.verify.opinion import OPINION_VERSION, opinion
from leash.verify.pool import Reply, Worker

SIDES: Final = ("base", "target")
OPINIONS: Final = ("disagrees", "none", "agrees")

_TIMEOUT: Final = 2.0  # seconds for one opinion
_SPEC_KEYS: Final = {
    "verifier": (str,),
    "task": (str, type(None)),
    "tolerance": (int, float),
    "version": (int,),
}


class Calls(Protocol):
    """What a Worker does; a test may put something else in its place."""

    def call(self, *arguments: object) -> Reply:
        """The function's value, or how it failed."""
        ...


@dataclass(slots=True)
class Answer:
    """One distinct answer among a side's correct samples: the first that gave it, its rule, and how many did."""

    sample_index: int
    rule: str | None
    samples: int


Answers = dict[str, dict[str | None, Answer]]  # question -> extracted text -> Answer


def audit(
    spec: Row, questions: Path, regions: Path, verdicts: Mapping[str, list[Path]], worker: Calls
) -> Iterator[Row]:
    """Rows of a tail file: question by question as in the regions file, base before target, by sample index.

    `verdicts` holds each side's files, which are streamed; a worker calls `opinion`. Raises InputError where
    the regions file counts other successes than its verdicts hold, or a question has no gold answer.
    """
    by_question = records.read_by_question(regions, records.REGIONS)
    tail = _tail(by_question)
    answers = {side: _correct_answers(side, by_question, tail, regions, verdicts[side]) for side in SIDES}
    columns = ["question_id", "gold", "metadata"]
    asked = {
        row["question_id"]: row
        for row in records.stream(questions, records.QUESTIONS, columns)
        if row["question_id"] in tail
    }
    for name in tail:
        if name not in asked:
            raise InputError(
                f"{regions}: question {name!r} is not in {questions}; match counts of its questions"
            )
        for side in SIDES:
            found = answers[side].get(name, {})
            for extracted, answer in sorted(found.items(), key=lambda pair: pair[1].sample_index):
                verdict, how = _opinion(spec, extracted, asked[name], worker)
                yield {
                    "question_id": name,
                    "region": by_question[name]["region"],
                    "side": side,
                    "correct": by_question[name][f"{side}_correct"],
                    "sample_index": answer.sample_index,
                    "samples": answer.samples,
                    "extracted": extracted,
                    "rule": answer.rule,
                    "gold": asked[name]["gold"],
                    "opinion": verdict,
                    "how": how,
                }


def _tail(by_question: dict[str, Row]) -> list[str]:
    correct = {
        side: np.array([row[f"{side}_correct"] for row in by_question.values()], dtype=np.int64)
        for side in SIDES
    }
    few = rests_on_few(correct["base"], correct["target"])
    return [name for name, is_few in zip(by_question, few, strict=True) if is_few]


def _correct_answers(
    side: str, by_question: dict[str, Row], tail: Iterable[str], regions: Path, files: list[Path]
) -> Answers:
    """The distinct answers of the tail's questions; every question's successes are counted and compared."""
    answers: Answers = {name: {} for name in tail}
    counted: Counter[str] = Counter()
    columns = ["question_id", "sample_index", "outcome", "extracted", "rule"]
    for file in files:
        for row in records.stream(file, records.VERDICTS, columns):
            if row["outcome"] == "correct":
                counted[row["question_id"]] += 1
                if row["question_id"] in answers:
                    _add(answers[row["question_id"]], row)
    wanted = Counter({name: row[f"{side}_correct"] for name, row in by_question.items()})
    if counted != wanted:
        off = [
            f"{name} ({wanted[name]} and {counted[name]})"
            for name in sorted(wanted | counted)
            if wanted[name] != counted[name]
        ]
        raise InputError(
            f"{regions} and {records.listed(map(str, files), 1)}: correct samples of the {side} differ for "
            f"{records.listed(off)}; count and match these verdicts again"
        )
    return answers


def _add(found: dict[str | None, Answer], row: Row) -> None:
    answer = found.get(row["extracted"])
    if answer is None:
        found[row["extracted"]] = Answer(row["sample_index"], row["rule"], 1)
        return
    answer.samples += 1
    if row["sample_index"] < answer.sample_index:
        answer.sample_index, answer.rule = row["sample_index"], row["rule"]


def _opinion(spec: Row, extracted: str | None, question: Row, worker: Calls) -> tuple[str, str]:
    if extracted is None:
        return "none", "the verdict holds no answer"
    reply = worker.call(
        spec["verifier"], extracted, question["gold"], spec["task"], question["metadata"], spec["tolerance"]
    )
    if reply.failure:
        return "none", f"{reply.failure}: {reply.detail}"
    right, how = reply.value
    return {True: "agrees", False: "disagrees", None: "none"}[right], how


def parse_spec(text: str) -> Row:
    """The --spec argument. Raises InputError for a key that is missing, unknown or of another type."""
    spec = records.parse_spec(text)
    if not isinstance(spec, dict) or spec.keys() != _SPEC_KEYS.keys():
        raise InputError(f"--spec: must be a JSON object with exactly the keys {', '.join(_SPEC_KEYS)}")
    for key, kinds in _SPEC_KEYS.items():
        if type(spec[key]) not in kinds:
            raise InputError(f"--spec: {key} cannot be {spec[key]!r}")
    if spec["version"] != OPINION_VERSION:
        raise InputError(f"--spec: version is {spec['version']}, and this code makes {OPINION_VERSION}")
    return spec


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="leash.tail", description="A second opinion where few verdicts decide."
    )
    parser.add_argument("--spec", required=True, help="JSON: " + ", ".join(_SPEC_KEYS))
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--regions", type=Path, required=True)
    parser.add_argument("--base-verdicts", type=Path, nargs="+", required=True)
    parser.add_argument("--target-verdicts", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_spec(args.spec)
    opinions: Counter[str] = Counter()
    with Worker(opinion, timeout=_TIMEOUT, preload=["leash.verify.opinion", "sympy"]) as worker:

        def rows() -> Iterator[Row]:
            verdicts = {"base": args.base_verdicts, "target": args.target_verdicts}
            for row in audit(spec, args.questions, args.regions, verdicts, worker):
                opinions[row["opinion"]] += 1
                yield row

        records.write(args.out, records.TAIL, rows())
    counts = ", ".join(f"{name} {opinions[name]:,}" for name in OPINIONS)
    print(f"{args.out}: {opinions.total():,} answers: {counts}", file=sys.stderr)


if __name__ == "__main__":
    main()
