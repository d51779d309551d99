"""What a plan is asked for.

spec = {"protocol": "exhaustive" | "adaptive", "shard_samples": n, "cost": {key of the config's block: number or null},
        "states": {"model/checkpoint": {"label": text, "family": slug, "paper": name in Table 5 or null}},
        "benchmarks": {slug: {"label": text, "paper": name or null, "questions": n, "budget": k,
                               "rounds": [n, ..., k], "max_tokens": n}},
        "keys": [key of a sampling spec, ...], "cells": [["model/checkpoint", benchmark, digest], ...]}
A family is a base with its successors: models of one size. The digest is of what a cell's shards are drawn by.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from leash import records
from leash.errors import InputError


class Cell(NamedTuple):
    """A state on a benchmark; `budget` in samples per question, `max_tokens` in tokens, `paper` names in Table 5.

    `rounds` are those of the adaptive protocol, cumulative, whether the study draws by it or not.
    """

    state: str
    benchmark: str
    digest: str
    label: str
    family: str
    benchmark_label: str
    questions: int
    budget: int
    rounds: tuple[int, ...]
    max_tokens: int
    paper: tuple[str | None, str | None]


class Cost(NamedTuple):
    """What the user takes for granted: price of a GPU-hour, tokens per second of one GPU, tokens of a completion."""

    per_gpu_hour: float | None
    tokens_per_second: float | None
    response_tokens: float | None


class Request(NamedTuple):
    """The study's protocol, the samples of a shard for each question, and the cells in the order of the tables."""

    protocol: str
    shard_samples: int
    cost: Cost
    keys: tuple[str, ...]
    cells: tuple[Cell, ...]


def parse(text: str) -> Request:
    """The request of a --spec argument. Raises InputError where it is no JSON or lacks a key."""
    spec = records.parse_spec(text)
    try:
        return Request(
            spec["protocol"],
            spec["shard_samples"],
            Cost(**spec["cost"]),
            tuple(spec["keys"]),
            tuple(_cell(spec, *cell) for cell in spec["cells"]),
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"--spec: not a request for a plan ({error}); see leash.bill.request") from error


def digest(drawn_by: Mapping[str, Any], keys: Iterable[str]) -> str:
    """A short name of what samples are drawn by: of the `keys` of a sampling spec; a missing one counts as null."""
    text = records.canonical_json({key: drawn_by.get(key) for key in keys})
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _cell(spec: Mapping[str, Any], state: str, benchmark: str, digest: str) -> Cell:
    of_state, of_benchmark = spec["states"][state], spec["benchmarks"][benchmark]
    return Cell(
        state,
        benchmark,
        digest,
        of_state["label"],
        of_state["family"],
        of_benchmark["label"],
        of_benchmark["questions"],
        of_benchmark["budget"],
        tuple(of_benchmark["rounds"]),
        of_benchmark["max_tokens"],
        (of_state["paper"], of_benchmark["paper"]),
    )
