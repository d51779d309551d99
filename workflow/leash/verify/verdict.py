"""What a completion comes to, and the checks that stand before any verdict."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from leash.errors import InputError
from leash.verify.assess import assess
from leash.verify.extract import RULES, Extracted

VERIFIER_VERSION: Final = 2
"""Part of every verdicts spec: raise it when the same sample could get another verdict."""

VERIFIERS: Final = ("gym", "math", "numeric")
DEFAULT_RULES: Final = {"gym": ("answer_tag",), "math": RULES, "numeric": RULES}
DEFAULT_TOLERANCE: Final = 0.05


class Verdict(NamedTuple):
    """What a completion came to.

    outcome: one of records.OUTCOMES.
    answer: canonical form of the answer's equivalence class; None where there is no answer.
    detail: why, for a person: the rule that found the answer, then how it was judged or what was raised.
    """

    outcome: str
    answer: str | None
    detail: str


def check_rules(rules: Sequence[str] | None, verifier: str) -> tuple[str, ...]:
    """The rules, or the verifier's own. Raises InputError for an unknown one."""
    chosen = tuple(DEFAULT_RULES[verifier] if rules is None else rules)
    unknown = [rule for rule in chosen if rule not in RULES]
    if unknown or not chosen:
        raise InputError(f"extraction: no rule {', '.join(unknown) or 'given'}; known are {', '.join(RULES)}")
    return chosen


def check_gold(verifier: str, golds: list[str]) -> list[str]:
    """The golds. Raises InputError for none, a blank one, and one that does not agree with itself."""
    if not golds or not all(isinstance(gold, str) and gold.strip() for gold in golds):
        raise InputError(f"gold: {golds!r} is empty; give the correct answer")
    if verifier != "gym":
        for gold in golds:
            try:
                correct = assess(verifier, gold, None, [gold], {"tolerance": DEFAULT_TOLERANCE})[0]
            except ValueError as error:
                raise InputError(f"gold: {error}; the verifier {verifier} cannot read it") from None
            if not correct:
                raise InputError(f"gold: the verifier {verifier} cannot read {gold!r}")
    return golds


def unanswered(finish_reason: str) -> Verdict:
    """The verdict on a completion without an answer: truncated where the length limit ended it."""
    return Verdict("truncated" if finish_reason == "length" else "no_answer", None, "")


def failed(failure: str, found: Extracted, how: str) -> Verdict:
    """The verdict on an answer that could not be judged: its class is its text."""
    return Verdict(f"verifier_{failure}", " ".join(found.answer.split())[:300], explained(found.rule, how))


def explained(rule: str, how: str) -> str:
    """A verdict's detail."""
    return f"{rule}: {how}" if how else rule
