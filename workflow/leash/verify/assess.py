"""An extracted answer against a gold: right or not, why, and the class it belongs to. Runs in the worker."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from leash.verify import gym, numeric
from leash.verify.math.equality import alternatives, same_answer
from leash.verify.math.labels import canonical

TOGETHER: Final = "all boxes of the sentence, "
"""Before how an answer agreed, where it took the values beside the last one to be complete."""
NOT_GOLD: Final = "≠ "
"""Before the class of a wrong answer that would else be named like the gold's."""


def assess(
    verifier: str,
    answer: str,
    together: str | None,
    gold: Sequence[str],
    options: Mapping[str, Any],
) -> tuple[bool, str, str]:
    """Whether an answer is correct, how that was found, and the name of its equivalence class.

    together: the answer with the other values of its sentence (see leash.verify.extract).
    gold: accepted alternatives; the first names the class of all correct answers.
    options: of gym: task, metadata, open_ended; of numeric: tolerance.
    Raises whatever a task's own scoring raises.
    """
    if verifier == "gym":
        correct, detail = gym.score(options["task"], answer, gold[0], options["metadata"])
        label = gym.canonical(options["task"], gold[0] if correct and not options["open_ended"] else answer)
        return correct, detail, label
    for alternative in alternatives(gold, answer) if verifier == "math" else gold:
        how = _agreement(verifier, alternative, answer, options)
        if how is None and together is not None:
            how = _agreement(verifier, alternative, together, options)
            how = how and TOGETHER + how
        if how:
            return True, how, canonical(gold[0])
    label = canonical(answer)
    return False, "", NOT_GOLD + label if label == canonical(gold[0]) else label


def _agreement(verifier: str, gold: str, answer: str, options: Mapping[str, Any]) -> str | None:
    if verifier == "math":
        return same_answer(gold, answer)
    return numeric.agrees(gold, answer, options["tolerance"])
