"""Spec of the bill: every job that draws samples, and what is taken for granted."""

import json

from leash.bill import prior, request
from leash.comparisons import state_label
from leash.config import Study
from leash.specs.jobs import drawn_by, own
from leash.specs.pages import checkpoint_label
from leash.study import (
    State,
    base_state,
    benchmarks_of,
    comparisons,
    recorded,
    repeated,
    rounds_of,
    states,
)

_FIRST_ROUND, _GROWTH = 32, 4


def bill(study: Study) -> str:
    """What `snakemake plan` is asked for: every state and benchmark that is drawn here (see leash.bill.request)."""
    drawn = [
        (state, name)
        for state in states(study)
        for name in benchmarks_of(study, state.model)
        if recorded(study, state, name) is None
    ]
    by = {cell: drawn_by(study, *cell) for cell in drawn}
    keys = sorted({key for one in by.values() for key in one})
    blocks = {name: study.benchmarks[name] for _, name in drawn}
    return json.dumps(
        {
            "protocol": study.sampling.protocol,
            "shard_samples": study.sampling.shard_samples,
            "cost": study.cost.model_dump(mode="json"),
            "states": {str(state): _billed(study, state) for state, _ in drawn},
            "benchmarks": {
                name: {
                    "label": block.label or name,
                    "paper": block.published,
                    "questions": block.size,
                    "budget": block.budget,
                    "rounds": rounds_of(study, name) or default_rounds(block.budget),
                    "max_tokens": own(block, study, "max_tokens"),
                }
                for name, block in blocks.items()
            },
            "keys": keys,
            "cells": [[str(state), name, request.digest(one, keys)] for (state, name), one in by.items()],
        }
    )


def _billed(study: Study, state: State) -> dict[str, str | None]:
    """How a state is shown, the base that its kin were trained from, and its name in the paper's Table 5."""
    family = state
    while above := base_state(study, family.model):
        family = above
    as_target = repeated(study, state)
    as_base = [
        found for pair in comparisons(study) if pair.base == state and (found := repeated(study, pair.target))
    ]
    named = [prior.names_in_table5(as_target[0])[1]] if as_target else []
    named += [prior.names_in_table5(pair)[0] for pair, _ in as_base]
    model = study.models[state.model]
    return {
        "label": state_label(model.label or state.model, checkpoint_label(model, state)),
        "family": family.model,
        "paper": next((name for name in named if name), None),
    }


def default_rounds(budget: int) -> list[int]:
    """Rounds of the adaptive protocol where the study draws exhaustively: 32, 128, 512, … and the budget."""
    rounds = []
    end = _FIRST_ROUND
    while end < budget:
        rounds.append(end)
        end *= _GROWTH
    return [*rounds, budget]
