"""Verify a file of samples: python -m leash.verify --spec JSON --questions FILE --samples FILE --out FILE."""

import argparse
import sys
from collections import Counter, OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from leash import records
from leash.console import Progress, claim_stdout
from leash.errors import InputError, exits_cleanly
from leash.verify import VERIFIER_VERSION, VERIFIERS, Verdict, answered, extract, gym, unanswered
from leash.verify.pool import Reply, Worker

_SPEC_KEYS: Final = {
    "verifier": (str,),
    "task": (str,),
    "open_ended": (bool,),
    "timeout": (int, float),
    "version": (int,),
}
_MEMO_ENTRIES: Final = 16_384
_MEMO_LONGEST: Final = 1_000  # characters; longer answers hardly repeat, and are scored each time


class Verifier:
    """Verdicts of one benchmark's samples. Each distinct (question, answer) is scored once.

    Raises InputError where the questions are not of the spec's task: the first gold must verify.
    """

    def __init__(self, spec: records.Row, questions: dict[str, records.Row], worker: Worker) -> None:
        self._task, self._open_ended = spec["task"], spec["open_ended"]
        self._questions, self._worker = questions, worker
        self._memo: OrderedDict[tuple[str, str], Verdict] = OrderedDict()
        self.scored = 0
        for row in list(questions.values())[:1]:
            self._prove(row)

    def verdict(self, sample: records.Row) -> tuple[Verdict, float]:
        """The verdict and the seconds its scoring took: 0 for no answer and for one already scored."""
        answer = extract.answer(sample["completion"])
        if answer is None:
            return unanswered(sample["finish_reason"]), 0.0
        key = (sample["question_id"], answer)
        if key in self._memo:
            self._memo.move_to_end(key)
            return self._memo[key], 0.0
        question = self._questions[sample["question_id"]]
        reply = self._score(question, answer)
        verdict = self._verdict(question, answer, reply)
        if reply.failure:
            print(
                f"{verdict.outcome}: {sample['question_id']} sample {sample['sample_index']}: "
                f"answer {answer[:200]!r}: {reply.detail}",
                file=sys.stderr,
            )
        if len(answer) <= _MEMO_LONGEST:
            self._memo[key] = verdict
            if len(self._memo) > _MEMO_ENTRIES:
                self._memo.popitem(last=False)
        return verdict, reply.seconds

    def _score(self, question: records.Row, answer: str) -> Reply:
        self.scored += 1
        return self._worker.call(self._task, answer, question["gold"][0], question["metadata"])

    def _verdict(self, question: records.Row, answer: str, reply: Reply) -> Verdict:
        if reply.failure:
            return Verdict(f"verifier_{reply.failure}", gym.canonical(self._task, answer), reply.detail)
        correct, detail = reply.value
        return answered(self._task, answer, question["gold"][0], self._open_ended, correct, detail)

    def _prove(self, question: records.Row) -> None:
        gold = question["gold"][0]
        reply = self._score(question, gold)
        if reply.failure or not reply.value[0]:
            detail = reply.detail if reply.failure else reply.value[1]
            raise InputError(
                f"question {question['question_id']}: its own gold {gold!r} does not verify as task "
                f"{self._task!r} ({detail}); give the spec the task that made the questions"
            )


def parse_spec(text: str) -> records.Row:
    """The --spec argument. Raises InputError for a key that is missing, unknown or of another type."""
    spec = records.parse_spec(text)
    if not isinstance(spec, dict) or spec.keys() != _SPEC_KEYS.keys():
        raise InputError(f"--spec: must be a JSON object with exactly the keys {', '.join(_SPEC_KEYS)}")
    for key, kinds in _SPEC_KEYS.items():
        if type(spec[key]) not in kinds:
            raise InputError(f"--spec: {key} cannot be {spec[key]!r}")
    if spec["verifier"] not in VERIFIERS:
        raise InputError(f"--spec: no verifier {spec['verifier']!r}; known are {', '.join(VERIFIERS)}")
    if spec["timeout"] <= 0:
        raise InputError(f"--spec: timeout must be more than 0 seconds, not {spec['timeout']}")
    if spec["version"] != VERIFIER_VERSION:
        raise InputError(f"--spec: version is {spec['version']}, and this code makes {VERIFIER_VERSION}")
    return spec


@exits_cleanly
def main() -> None:
    """Command line; see the module's first line."""
    parser = argparse.ArgumentParser(prog="python -m leash.verify", description=__doc__)
    parser.add_argument("--spec", required=True, help="JSON: " + ", ".join(_SPEC_KEYS))
    parser.add_argument("--questions", required=True, type=Path, help="questions file")
    parser.add_argument("--samples", required=True, type=Path, help="samples file")
    parser.add_argument("--out", required=True, type=Path, help="verdicts file to write")
    arguments = parser.parse_args()
    spec = parse_spec(arguments.spec)
    progress = Progress(claim_stdout(), "verify", _count(arguments.samples), "samples")
    questions = records.read_by_question(arguments.questions, records.QUESTIONS)
    outcomes: Counter[str] = Counter()
    with Worker(gym.score, timeout=spec["timeout"], preload=["reasoning_gym", "leash.verify.gym"]) as worker:
        verifier = Verifier(spec, questions, worker)

        def rows() -> Iterator[records.Row]:
            columns = ["question_id", "sample_index", "completion", "finish_reason"]
            for sample in records.stream(arguments.samples, records.SAMPLES, columns):
                if sample["question_id"] not in questions:
                    raise InputError(
                        f"{arguments.samples}: question {sample['question_id']} is not in "
                        f"{arguments.questions}; the samples were drawn for other questions: draw them again"
                    )
                verdict, seconds = verifier.verdict(sample)
                outcomes[verdict.outcome] += 1
                progress.update(outcomes.total())
                yield {
                    "question_id": sample["question_id"],
                    "sample_index": sample["sample_index"],
                    "outcome": verdict.outcome,
                    "answer": verdict.answer,
                    "seconds": seconds,
                }

        total = records.write(arguments.out, records.VERDICTS, rows())
    counts = ", ".join(f"{outcome} {outcomes[outcome]:,}" for outcome in records.OUTCOMES)
    print(f"{arguments.out}: {total:,} samples, {verifier.scored:,} scorings: {counts}", file=sys.stderr)


def _count(samples: Path) -> int:
    return sum(1 for _ in records.stream(samples, records.SAMPLES, ["sample_index"]))


if __name__ == "__main__":
    main()
