"""A file of samples -> a file of verdicts, in constant memory."""

import json
import re
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from leash import records
from leash.errors import InputError
from leash.verify import cache as caching
from leash.verify.assess import TOGETHER, assess
from leash.verify.cache import Cache, Judged
from leash.verify.extract import Extracted, extract
from leash.verify.math.labels import of_fraction
from leash.verify.pool import Reply, Worker
from leash.verify.verdict import VERIFIER_VERSION, Verdict, check_rules, explained, failed, unanswered

_MEMO_ENTRIES: Final = 65_536
_MEMO_LONGEST: Final = 1000  # characters; longer answers hardly repeat
_LONGEST_KEPT: Final = 1000  # characters of an extracted answer in a verdicts file
_LONGEST_SCORED: Final = 100_000  # characters; a longer answer is wrong without being read
_BETWEEN_DIGITS: Final = re.compile(r"(?<=\d)\s+(?=\d)")
_NUMBER: Final = re.compile(r"([+-]?)(\d{1,15}|\d{1,3}(?:(?:,|\{,\})\d{3}){1,4})(\.\d{1,15})?")
_FRACTION: Final = re.compile(r"([+-]?)\\[dt]?frac\{(\d{1,15})\}\{(\d{1,15})\}")
PRELOAD: Final = {
    "gym": ["reasoning_gym", "leash.verify.assess"],
    "math": ["leash.verify.assess"],
    "numeric": ["leash.verify.assess"],
}


class Options(NamedTuple):
    """How a benchmark is verified; see config.Benchmark.

    rules: of extraction; None for the verifier's own. timeout: seconds of one call.
    """

    verifier: str = "math"
    rules: tuple[str, ...] | None = None
    timeout: float = 2.0
    tolerance: float = 0.05
    task: str = ""
    open_ended: bool = False


class Tally(NamedTuple):
    """What a run came to: samples, calls of the verifier, and samples per outcome."""

    samples: int
    scored: int
    outcomes: Counter[str]


def grade_many(
    samples: Path,
    questions: Path,
    out: Path,
    options: Options,
    cache: Path | None = None,
    progress: Callable[[int], object] | None = None,
) -> Tally:
    """Verify a samples file into a verdicts file.

    cache: file of verdicts already given, read and added to; None for none.
    progress: called with the samples done so far.
    Raises InputError for a sample of an unknown question, a gold that the verifier cannot read, and a broken
    file; nothing is written then.
    """
    asked = records.read_by_question(questions, records.QUESTIONS)
    outcomes: Counter[str] = Counter()
    with (
        Cache(cache) as kept,
        Worker(assess, timeout=options.timeout, preload=PRELOAD[options.verifier]) as worker,
    ):
        verifier = Verifier(options, asked, worker, kept)
        columns = ["question_id", "sample_index", "completion", "finish_reason"]

        def rows() -> Iterator[records.Row]:
            for sample in records.stream(samples, records.SAMPLES, columns):
                if sample["question_id"] not in asked:
                    raise InputError(
                        f"{samples}: question {sample['question_id']} is not in {questions}; the samples were "
                        "drawn for other questions: draw them again"
                    )
                row = verifier.row(sample)
                outcomes[row["outcome"]] += 1
                if progress:
                    progress(outcomes.total())
                yield row

        total = records.write(out, records.VERDICTS, rows())
    return Tally(total, verifier.scored, outcomes)


class Verifier:
    """Verdicts of one benchmark's samples; each distinct (question, answer) is judged once.

    Raises InputError where a gold is empty or does not verify against itself: nothing is verified then.
    """

    def __init__(
        self, options: Options, questions: Mapping[str, records.Row], worker: Worker, cache: Cache
    ) -> None:
        self._options, self._questions, self._worker, self._cache = options, questions, worker, cache
        self._rules = check_rules(options.rules, options.verifier)
        self._context = caching.fingerprint(options.verifier, VERIFIER_VERSION) + json.dumps(
            [options.tolerance, options.task, options.open_ended]
        )
        self._memo: OrderedDict[tuple[str, str, str | None], Verdict] = OrderedDict()
        self._labels: dict[str, str] = {}
        self.scored = 0
        # A task's golds were scored when they were made; one shows that the task is the right one
        for row in list(questions.values())[: 1 if options.verifier == "gym" else None]:
            self._prove(row)

    def row(self, sample: records.Row) -> records.Row:
        """The row of a verdicts file. `seconds` is 0 for no answer and for one already judged."""
        complete = sample["finish_reason"] != "length"
        found = extract(sample["completion"], self._rules, complete)
        seconds = 0.0
        if found is None:
            verdict = unanswered(sample["finish_reason"])
        else:
            verdict, seconds = self._verdict(sample, found)
        return {
            "question_id": sample["question_id"],
            "sample_index": sample["sample_index"],
            "outcome": verdict.outcome,
            "answer": verdict.answer,
            "extracted": _kept(_used(found, verdict)) if found else None,
            "rule": found.rule if found else None,
            "seconds": seconds,
        }

    def _verdict(self, sample: records.Row, found: Extracted) -> tuple[Verdict, float]:
        memo = (sample["question_id"], found.answer, found.together)
        known = self._memo.get(memo)
        if known is not None:
            self._memo.move_to_end(memo)
            return known, 0.0
        verdict, seconds = self._judge(sample, found)
        if len(found.answer) <= _MEMO_LONGEST:
            self._memo[memo] = verdict
            if len(self._memo) > _MEMO_ENTRIES:
                self._memo.popitem(last=False)
        return verdict, seconds

    def _judge(self, sample: records.Row, found: Extracted) -> tuple[Verdict, float]:
        question = self._questions[sample["question_id"]]
        gold = question["gold"]
        plain = self._plainly(gold, found) if self._options.verifier == "math" else None
        if plain:
            return _judged(found, plain), 0.0
        if len(found.answer) > _LONGEST_SCORED:
            return Verdict("wrong", _kept(found.answer)[:300], explained(found.rule, "too long")), 0.0
        judged, reply = self._assess(question, found)
        if judged is None:
            verdict = failed(reply.failure or "error", found, reply.detail)
            print(
                f"{verdict.outcome}: {sample['question_id']} sample {sample['sample_index']}: "
                f"answer {found.answer[:200]!r}: {reply.detail}",
                file=sys.stderr,
            )
            return verdict, reply.seconds
        return _judged(found, judged), reply.seconds

    def _assess(self, question: records.Row, found: Extracted) -> tuple[Judged | None, Reply]:
        """From the cache or the worker: None with the worker's reply where it failed."""
        gold = question["gold"]
        key = caching.key(self._context + question["metadata"], gold, found.answer, found.together)
        known = self._cache.get(key)
        if known is not None:
            return known, Reply(None, None, "", 0.0)
        self.scored += 1
        options = {
            "task": self._options.task,
            "metadata": question["metadata"],
            "open_ended": self._options.open_ended,
            "tolerance": self._options.tolerance,
        }
        reply = self._worker.call(self._options.verifier, found.answer, found.together, gold, options)
        if reply.failure:
            return None, reply
        judged = Judged(*reply.value)
        self._cache.put(key, judged)
        return judged, reply

    def _plainly(self, gold: list[str], found: Extracted) -> Judged | None:
        """What needs no worker: the gold's own text, and plain numbers. None for anything else.

        Most answers of a solved question are one of these. No text that a model wrote is read as mathematics
        here: reading is bounded, and yet belongs where it can be killed.
        """
        answer = found.answer
        if found.together is None and _spelt(answer) == _spelt(gold[0]):
            return Judged(True, "text", self._labels[gold[0]])
        if found.together is not None or len(gold) > 1:
            return None
        golden, given = _plain_number(gold[0]), _plain_number(answer)
        if golden is None or given is None or "." in gold[0].rstrip(".0"):
            return None  # a decimal gold may be met by rounding
        if "." in answer and golden.denominator > 1:
            return None  # and a fraction by a long decimal
        label = self._labels[gold[0]] if given == golden else of_fraction(given)
        return Judged(given == golden, "numbers", label)

    def _prove(self, question: records.Row) -> None:
        complaint = next(iter(self.complaints(question)), None)
        if complaint:
            raise InputError(
                f"{complaint}; give the spec the verifier and task that the questions were made for, or mend "
                "the benchmark's gold or columns and delete the questions file"
            )

    def complaints(self, question: records.Row) -> Iterator[str]:
        """What is wrong with each gold of a question: blank, or not verified against itself."""
        name = question["question_id"]
        if not question["gold"]:
            yield f"question {name}: no gold"
        for gold in question["gold"]:
            if not gold.strip():
                yield f"question {name}: an empty gold"
                continue
            alone = {**question, "gold": [gold]}
            judged, reply = self._assess(alone, Extracted(gold, ""))
            if judged is None:
                yield f"question {name}: gold {gold[:100]!r}: {reply.detail}"
            elif judged.correct:
                self._labels[gold] = judged.label
            else:
                how = judged.how or "it cannot be read"
                yield f"question {name}: its own gold {gold[:100]!r} does not verify ({how})"


def _plain_number(text: str) -> Fraction | None:
    """An integer, with or without thousands, a decimal, or a fraction of integers; None for anything else."""
    number = _NUMBER.fullmatch(text)
    if number:
        return Fraction(number[1] + re.sub("[,{}]", "", number[2]) + (number[3] or ""))
    fraction = _FRACTION.fullmatch(text)
    if fraction is None or not int(fraction[3]):
        return None
    return Fraction(int(fraction[1] + fraction[2]), int(fraction[3]))


def _used(found: Extracted, verdict: Verdict) -> str:
    """The answer that the verdict is on."""
    if found.together is not None and TOGETHER in verdict.detail:
        return found.together
    return found.answer


def _spelt(answer: str) -> str:
    """Without spaces, and with one spelling of a fraction; a space may stand between two numbers."""
    if " " in answer:
        answer = _BETWEEN_DIGITS.sub("_", answer)
    return answer.replace(" ", "").replace("dfrac", "frac").replace("tfrac", "frac")


def _judged(found: Extracted, judged: Judged) -> Verdict:
    outcome = "correct" if judged.correct else "wrong"
    return Verdict(outcome, judged.label, explained(found.rule, judged.how))


def _kept(answer: str) -> str:
    """As Parquet can hold it: lone surrogates have no UTF-8."""
    return answer[:_LONGEST_KEPT].encode("utf-8", "replace").decode("utf-8")
