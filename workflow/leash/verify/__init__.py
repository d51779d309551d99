"""Was a completion right? Extraction, the verifiers, and the pool that survives what models write.

`grade` marks one completion in the caller; `grade_many` a file of samples, in a killable worker and from a
cache; `python -m leash.verify` is its command line.
"""

import sys
from collections.abc import Sequence

from leash.errors import InputError
from leash.verify.assess import assess
from leash.verify.extract import extract
from leash.verify.stream import grade_many
from leash.verify.verdict import (
    DEFAULT_TOLERANCE,
    VERIFIER_VERSION,
    VERIFIERS,
    Verdict,
    check_gold,
    check_rules,
    explained,
    failed,
    unanswered,
)

__all__ = ["DEFAULT_TOLERANCE", "VERIFIERS", "VERIFIER_VERSION", "Verdict", "grade", "grade_many"]


def grade(
    completion: str,
    gold: str | Sequence[str],
    verifier: str = "math",
    *,
    rules: Sequence[str] | None = None,
    finish_reason: str = "stop",
    tolerance: float = DEFAULT_TOLERANCE,
    task: str = "",
    metadata: str = "{}",
    open_ended: bool = False,
) -> Verdict:
    """The verdict on one completion, judged in this process: no time limit, no memory limit.

    gold: the correct answer, or a list of accepted alternatives. Several required values stand in one.
    rules: names from leash.verify.extract.RULES; None for the verifier's own.
    finish_reason: "length" where the completion was cut off.
    tolerance: relative, of the verifier numeric. task, metadata, open_ended: of gym, as in a questions file.
    Raises InputError for an unknown verifier, rule or task, and for a gold that is empty or unreadable. Any
    other exception becomes the outcome verifier_error, printed to stderr with the answer.
    """
    if verifier not in VERIFIERS:
        raise InputError(f"verifier: no {verifier!r}; known are {', '.join(VERIFIERS)}")
    golds = check_gold(verifier, [gold] if isinstance(gold, str) else list(gold))
    found = extract(completion, check_rules(rules, verifier), finish_reason != "length")
    if found is None:
        return unanswered(finish_reason)
    options = {"task": task, "metadata": metadata, "open_ended": open_ended, "tolerance": tolerance}
    try:
        correct, how, label = assess(verifier, found.answer, found.together, golds, options)
    except InputError:
        raise
    except Exception as error:
        how = f"{type(error).__name__}: {error}"
        print(f"verifier_error: answer {found.answer[:200]!r}: {how}", file=sys.stderr)
        return failed("error", found, how)
    return Verdict("correct" if correct else "wrong", label, explained(found.rule, how))
