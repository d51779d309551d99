"""A second opinion on an answer, written apart from the verifiers: it shares no code and no parser with them.

One false "correct" can flip a question's region, so the verdicts that a region hangs on are looked at twice.
An opinion decides nothing: it agrees, disagrees or says that it cannot read, and a person reads the rest.
Called through leash.verify.pool.Worker, which ends what takes too long.
"""

from collections.abc import Sequence
from typing import Final

from leash.verify.opinion import answers, tasks
from leash.verify.opinion.reading import UnreadableError

OPINION_VERSION: Final = 1
"""Part of every tail spec: raise it when the same answer could get another opinion."""

LONGEST: Final = 1000  # characters; a verdicts file keeps no more of an answer, so that one may be cut off


def opinion(
    verifier: str, extracted: str, gold: Sequence[str], task: str | None, metadata: str, tolerance: float
) -> tuple[bool | None, str]:
    """Whether `extracted` is right, or None for no opinion; and how that was reached, or why there is none.

    `gold` and `metadata` are as in a questions file, `extracted` as in a verdicts file. `tolerance` is
    relative, and that of the verifier numeric; the others are exact. Never raises.
    """
    if "\0" in extracted or not extracted.strip():
        return None, "no readable answer"
    if len(extracted) >= LONGEST:
        return None, f"an answer of {LONGEST} characters or more"
    try:
        if verifier == "gym":
            return tasks.judge(task or "", extracted, gold[0], metadata)
        if verifier in ("math", "numeric"):
            return answers.judge(extracted, gold, tolerance if verifier == "numeric" else 0.0)
    except UnreadableError as error:
        return None, str(error)
    except Exception as error:  # whatever a model wrote; the table shows it
        return None, f"{type(error).__name__}: {error}"[:200]
    return None, f"none for the verifier {verifier}"
