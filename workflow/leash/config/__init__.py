"""The config: one pydantic model per block.

The docstring of a field is its documentation: leash.reference writes schema and key reference from it.
"""

from pydantic import Field

from leash.config.benchmarks import (
    MAX_BUDGET,
    Benchmark,
    Columns,
    Split,
    TraceColumns,
    Traces,
    Training,
)
from leash.config.block import RESERVED_SLUGS, Block, Slug
from leash.config.cost import Cost
from leash.config.endpoint import Endpoint
from leash.config.models import Model
from leash.config.recipes import Architecture, Dapo, Pretrain, Sft
from leash.config.recorded import Recorded, RecordedColumns
from leash.config.sampling import Engine, Sampling, Scoring

__all__ = [
    "MAX_BUDGET",
    "RESERVED_SLUGS",
    "Architecture",
    "Benchmark",
    "Block",
    "Columns",
    "Cost",
    "Dapo",
    "Endpoint",
    "Engine",
    "Model",
    "Pretrain",
    "Recorded",
    "RecordedColumns",
    "Run",
    "Sampling",
    "Scoring",
    "Sft",
    "Slug",
    "Split",
    "Study",
    "TraceColumns",
    "Traces",
    "Training",
]


class Run(Block):
    """What of the registries below is run."""

    models: list[Slug] = Field(min_length=1)
    """Models, in the order of the tables; their bases are added."""
    benchmarks: list[Slug] = Field(min_length=1)
    """Benchmarks, in the order of the tables."""


class Study(Block):
    """One study: models put to benchmarks, each trained state matched with its base."""

    study: Slug
    """Name of the results folder."""
    seed: int = Field(0, ge=0)
    """Seed of training and sampling. Evaluation questions have seeds of their own."""
    run: Run
    """What is run."""
    models: dict[Slug, Model]
    """Registry of models, by slug."""
    benchmarks: dict[Slug, Benchmark]
    """Registry of benchmarks, by slug."""
    sampling: Sampling
    """How completions are drawn, where a benchmark does not say otherwise."""
    scoring: Scoring | None = None
    """What is scored by teacher forcing. If absent, nothing: no Table 2 and no Table 5."""
    cost: Cost = Cost()
    """What `snakemake plan` takes for granted."""
