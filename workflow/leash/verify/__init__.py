"""Was a completion right? Extraction, the verifiers, and the pool that survives what models write.

`python -m leash.verify` verifies a file of samples in a killable worker; `grade` does one completion in the
caller.
"""

import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

from leash.errors import InputError
from leash.verify import extract, gym

VERIFIER_VERSION: Final = 1
"""Part of every verdicts spec: raise it when the same sample could get another verdict."""

VERIFIERS: Final = ("gym",)


class Verdict(NamedTuple):
    """What a completion came to.

    outcome: one of records.OUTCOMES.
    answer: canonical form of the answer's equivalence class; None where there is no answer.
    detail: why, for a person: the score, the guard that refused, or the exception's text.
    """

    outcome: str
    answer: str | None
    detail: str


def grade(
    completion: str,
    gold: Sequence[str],
    verifier: str = "gym",
    *,
    task: str,
    metadata: str = "{}",
    open_ended: bool = False,
    finish_reason: str = "stop",
) -> Verdict:
    """The verdict on one completion, scored in this process: no time limit, no memory limit.

    `gold` and `metadata` are as in a questions file. Raises InputError for an unknown verifier or task. An
    exception in scoring becomes the outcome verifier_error, printed to stderr with the answer.
    """
    if verifier not in VERIFIERS:
        raise InputError(f"verifier: no {verifier!r}; known are {', '.join(VERIFIERS)}")
    answer = extract.answer(completion)
    if answer is None:
        return unanswered(finish_reason)
    try:
        correct, detail = gym.score(task, answer, gold[0], metadata)
    except InputError:
        raise
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        print(f"verifier_error: {task}: answer {answer[:200]!r}: {detail}", file=sys.stderr)
        return Verdict("verifier_error", gym.canonical(task, answer), detail)
    return answered(task, answer, gold[0], open_ended, correct, detail)


def unanswered(finish_reason: str) -> Verdict:
    """The verdict on a completion without an answer: truncated where the length limit ended it."""
    return Verdict("truncated" if finish_reason == "length" else "no_answer", None, "")


def answered(task: str, answer: str, gold: str, open_ended: bool, correct: bool, detail: str) -> Verdict:
    """The verdict on a scored answer. One class holds all correct answers, unless the task is open-ended."""
    label = gym.canonical(task, gold if correct and not open_ended else answer)
    return Verdict("correct" if correct else "wrong", label, detail)
