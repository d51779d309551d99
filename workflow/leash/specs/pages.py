"""Specs of what is made of counts and verdicts: numbers, tables and figures. The only ones that a label is in."""

import json
from typing import Any

from leash import verify
from leash.config import Model, Study
from leash.records import canonical_json
from leash.study import (
    ONLY_CHECKPOINT,
    Comparison,
    State,
    always_of,
    audited,
    benchmarks_of,
    comparisons,
    open_ended,
    repeated,
    rounds_of,
)
from leash.verify import opinion


def tail(study: Study, benchmark: str) -> str:
    """Spec of a tail audit: what a second opinion on a benchmark's answers depends on."""
    block = study.benchmarks[benchmark]
    return canonical_json(
        {
            "verifier": block.verifier,
            "task": block.reasoning_gym,
            "tolerance": block.tolerance or verify.DEFAULT_TOLERANCE,
            "version": opinion.OPINION_VERSION,
        }
    )


def metrics(study: Study, comparison: Comparison, benchmark: str) -> str:
    """What a metrics file says it is about."""
    block = study.benchmarks[benchmark]
    return canonical_json(
        {
            "base": comparison.base._asdict(),
            "target": comparison.target._asdict(),
            "benchmark": benchmark,
            "domain": block.domain,
            "budget": block.budget,
            **_rounds(study, benchmark),
        }
    )


def _rounds(study: Study, benchmark: str) -> dict[str, Any]:
    """How a benchmark was drawn in rounds; nothing where it was drawn exhaustively."""
    rounds = rounds_of(study, benchmark)
    return {} if rounds is None else {"rounds": rounds, "always": always_of(study, benchmark)}


def evidence(study: Study, comparison: Comparison) -> str:
    """Spec of what speaks for a comparison: its benchmarks, in the order of the tables, and the seed of resampling."""
    return json.dumps(
        {
            "base": comparison.base._asdict(),
            "target": comparison.target._asdict(),
            "benchmarks": {
                name: {
                    "domain": study.benchmarks[name].domain,
                    "budget": study.benchmarks[name].budget,
                    **_rounds(study, name),
                }
                for name in benchmarks_of(study, comparison.target.model)
            },
            "seed": study.seed,
        }
    )


def shift(comparison: Comparison, benchmark: str) -> str:
    """What a file of shifts of perplexity says it is about."""
    return canonical_json(
        {
            "base": comparison.base._asdict(),
            "target": comparison.target._asdict(),
            "benchmark": benchmark,
        }
    )


def precision(study: Study, compared: list[Comparison]) -> str:
    """`presentation`, with each target's base and each benchmark's verifier, whose answers are the classes."""
    return json.dumps(
        json.loads(presentation(study, compared))
        | {
            "bases": {str(pair.target): str(pair.base) for pair in compared},
            "verifiers": {slug: study.benchmarks[slug].verifier for slug in study.run.benchmarks},
        }
    )


def presentation(study: Study, compared: list[Comparison]) -> str:
    """Labels and order, for tables and figures: the only spec that a label is in."""
    models = {state.model: None for pair in compared for state in pair}
    states = {state: None for pair in compared for state in pair}
    return json.dumps(  # not canonical: the order of the keys is the order of the tables
        {
            "models": {
                slug: {"label": study.models[slug].label or slug, "method": study.models[slug].trained_by}
                for slug in models
            },
            "checkpoints": {
                str(state): checkpoint_label(study.models[state.model], state) for state in states
            },
            "benchmarks": {slug: study.benchmarks[slug].label or slug for slug in study.run.benchmarks},
            "comparisons": [list(pair.target) for pair in compared],
        }
    )


def of_paper(study: Study, compared: list[Comparison]) -> dict[str, Any]:
    """What of the paper the comparisons repeat: pairs by state, names by benchmark; empty where either is lacking."""
    told = {str(pair.target): repeated(study, pair.target) for pair in compared}
    pairs = {state: {"pair": one[0], "step": one[1]} for state, one in told.items() if one}
    given = {slug: study.benchmarks[slug].published for slug in study.run.benchmarks}
    names = {slug: name for slug, name in given.items() if name}
    return {"comparisons": pairs, "benchmarks": names} if pairs and names else {}


def tables(study: Study, compared: list[Comparison]) -> str:
    """`presentation`, with what of the paper the study repeats, where it does: for the tables that print it beside."""
    shown, paper = presentation(study, compared), of_paper(study, compared)
    return json.dumps(json.loads(shown) | {"published": paper}) if paper else shown


def audits(study: Study) -> str:
    """`presentation`, with the comparisons and benchmarks of which only counts are known, where there are any."""
    pairs = comparisons(study)
    shown = json.loads(presentation(study, pairs))
    known = audited(study)
    unaudited = [
        [*pair.target, name] for pair in pairs for name in study.run.benchmarks if (pair, name) not in known
    ]
    return json.dumps(shown | ({"unaudited": unaudited} if unaudited else {}))


def solutions(study: Study) -> str:
    """`presentation` of the comparisons on open-ended benchmarks, with each target's base and each budget."""
    found = open_ended(study)
    pairs = list(dict.fromkeys(pair for pair, _ in found))
    return json.dumps(
        json.loads(presentation(study, pairs))
        | {
            "bases": {str(pair.target): str(pair.base) for pair in pairs},
            "budgets": {name: study.benchmarks[name].budget for _, name in found},
            "solutions": [[*pair.target, name] for pair, name in found],
        }
    )


def checkpoint_label(model: Model, state: State) -> str:
    """How a checkpoint is shown beside its model; nothing where it is the only one."""
    if state.checkpoint in model.checkpoint_labels:
        return model.checkpoint_labels[state.checkpoint]
    if state.checkpoint == ONLY_CHECKPOINT:
        return ""
    return (
        state.checkpoint.replace("step", "step ") if isinstance(model.checkpoints, list) else state.checkpoint
    )
