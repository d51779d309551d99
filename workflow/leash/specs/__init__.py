"""What each job depends on, as canonical JSON: the `spec` parameter of the rules.

A GPU rule has no code among its inputs, so that a comment costs no GPU time; its spec holds exactly the
fields that change what it makes, and a version constant that is raised when its code changes that.
"""

from leash.specs.bill import bill
from leash.specs.jobs import (
    corpus,
    endpoints,
    engine,
    next_round,
    questions,
    recorded_results,
    sample,
    score,
    scorer,
    traces,
    train,
    verification,
    verifications,
)
from leash.specs.pages import (
    audits,
    evidence,
    metrics,
    of_paper,
    precision,
    presentation,
    shift,
    solutions,
    tables,
    tail,
)

__all__ = [
    "audits",
    "bill",
    "corpus",
    "endpoints",
    "engine",
    "evidence",
    "metrics",
    "next_round",
    "of_paper",
    "precision",
    "presentation",
    "questions",
    "recorded_results",
    "sample",
    "score",
    "scorer",
    "shift",
    "solutions",
    "tables",
    "tail",
    "traces",
    "train",
    "verification",
    "verifications",
]
