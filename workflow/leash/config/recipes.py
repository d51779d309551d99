"""How a model is trained here."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from leash.config.block import Block, Slug


class Architecture(Block):
    """Size of a Qwen2 model trained from scratch."""

    hidden_size: int = Field(96, ge=8)
    """Width of the residual stream."""
    intermediate_size: int = Field(256, ge=8)
    """Width of the MLP."""
    layers: int = Field(3, ge=1)
    """Number of transformer layers."""
    heads: int = Field(3, ge=1)
    """Attention heads; divides hidden_size."""
    kv_heads: int = Field(3, ge=1)
    """Key-value heads; divides heads."""

    @model_validator(mode="after")
    def _divisible(self) -> "Architecture":
        if self.hidden_size % self.heads:
            raise ValueError(f"hidden_size {self.hidden_size} is not a multiple of heads {self.heads}")
        if self.heads % self.kv_heads:
            raise ValueError(f"heads {self.heads} is not a multiple of kv_heads {self.kv_heads}")
        return self


class _Recipe(Block):
    benchmarks: list[Slug] = Field(min_length=1)
    """Benchmarks whose training questions are used."""
    steps: int = Field(ge=1)
    """Optimiser steps."""
    learning_rate: float = Field(gt=0)
    """Peak learning rate of AdamW."""
    warmup_steps: int = Field(0, ge=0)
    """Steps of linear warm-up."""
    threads: int = Field(1, ge=1)
    """CPU threads. Part of what is trained: another number gives other rounding."""


class _Supervised(_Recipe):
    batch_size: int = Field(64, ge=1)
    """Rows per step."""
    weight_decay: float = Field(0.05, ge=0)
    """AdamW weight decay."""


class Pretrain(_Supervised):
    """Train a model from scratch on solver traces of the `train` questions."""

    recipe: Literal["pretrain"]
    """Which recipe."""
    rows_per_benchmark: int = Field(8000, ge=1)
    """Traces per benchmark; questions repeat, with a style drawn anew, until there are so many."""
    architecture: Architecture = Architecture()
    """Size of the model."""


class Sft(_Supervised):
    """Fine-tune the base on solver traces of the `rl` questions: the control without reinforcement."""

    recipe: Literal["sft"]
    """Which recipe."""
    traces_per_question: int = Field(4, ge=1)
    """Traces of each question, each with a style of its own."""


class Dapo(_Recipe):
    """Reinforcement learning with the verifier's reward on the `rl` questions (DAPO, through TRL)."""

    recipe: Literal["dapo"]
    """Which recipe."""
    prompts_per_step: int = Field(32, ge=1)
    """Questions per step."""
    rollouts: int = Field(8, ge=2)
    """Completions per question."""
    epsilon_low: float = Field(0.2, gt=0)
    """Lower clip of the probability ratio."""
    epsilon_high: float = Field(0.28, gt=0)
    """Upper clip of the probability ratio."""
    temperature: float = Field(1.0, gt=0)
    """Sampling temperature of the rollouts."""
    top_p: float = Field(1.0, gt=0, le=1)
    """Nucleus of the rollouts."""
    max_tokens: int = Field(ge=1)
    """Longest rollout, in tokens; truncated ones are masked out of the loss."""


Train = Annotated[Pretrain | Sft | Dapo, Field(discriminator="recipe")]
METHODS: dict[str, Literal["rlvr", "sft"] | None] = {"pretrain": None, "sft": "sft", "dapo": "rlvr"}
