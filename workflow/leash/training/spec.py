"""What a training job is told: one JSON object that holds every setting that shapes the weights."""

import json
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from leash.errors import InputError


class _Spec(BaseModel):
    """Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Spec):
    """A benchmark and the reasoning_gym task its questions come from."""

    benchmark: str
    task: str


class CorpusSource(Source):
    """How many rows a benchmark gives, and its trace styles with their weights."""

    rows: int = Field(ge=1)
    traces: dict[str, Annotated[float, Field(gt=0)]] = Field(min_length=1)


class CorpusSpec(_Spec):
    """Spec of a corpus; `sources` in the order of the question files."""

    sources: list[CorpusSource] = Field(min_length=1)
    seed: int
    version: int


class Architecture(_Spec):
    """Sizes of a Qwen2 model."""

    hidden_size: int = Field(ge=1)
    intermediate_size: int = Field(ge=1)
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    kv_heads: int = Field(ge=1)


class _Training(_Spec):
    steps: int = Field(ge=1)
    learning_rate: float = Field(gt=0)
    warmup_steps: int = Field(ge=0)
    threads: int = Field(ge=1)
    seed: int
    version: int
    save_steps: int | None = Field(default=None, ge=1)

    def state_every(self) -> int:
        """Steps between two resumable states: `save_steps`, or a tenth of the run."""
        return self.save_steps or max(1, self.steps // 10)


class SupervisedSpec(_Training):
    """Next-token training on a corpus: from scratch (pretrain) or from a model folder (sft)."""

    recipe: Literal["pretrain", "sft"]
    batch_size: int = Field(ge=1)
    weight_decay: float = Field(ge=0)
    architecture: Architecture | None = None

    @model_validator(mode="after")
    def _architecture_from_scratch_only(self) -> "SupervisedSpec":
        if (self.architecture is None) == (self.recipe == "pretrain"):
            raise ValueError("architecture belongs to recipe pretrain, and to it only")
        return self


class DapoSpec(_Training):
    """Reinforcement learning from the verifier; `sources` in the order of the question files."""

    recipe: Literal["dapo"]
    sources: list[Source] = Field(min_length=1)
    prompts_per_step: int = Field(ge=1)
    rollouts: int = Field(ge=2)
    epsilon_low: float = Field(gt=0)
    epsilon_high: float = Field(gt=0)
    temperature: float = Field(gt=0)
    top_p: float = Field(gt=0, le=1)
    max_tokens: int = Field(ge=1)
    checkpoints: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _checkpoints_within_steps(self) -> "DapoSpec":
        if max(self.checkpoints) > self.steps:
            raise ValueError(f"checkpoint {max(self.checkpoints)} lies beyond the last step, {self.steps}")
        return self


TrainingSpec = SupervisedSpec | DapoSpec

_T = TypeVar("_T")

_TRAINING: TypeAdapter[TrainingSpec] = TypeAdapter(
    Annotated[SupervisedSpec | DapoSpec, Field(discriminator="recipe")]
)


def parse_training_spec(text: str) -> TrainingSpec:
    """The spec of a training. Raises InputError that names each wrong or unknown key."""
    return _parsed(_TRAINING, text)


def parse_corpus_spec(text: str) -> CorpusSpec:
    """The spec of a corpus. Raises InputError that names each wrong or unknown key."""
    return _parsed(TypeAdapter(CorpusSpec), text)


def _parsed(adapter: TypeAdapter[_T], text: str) -> _T:
    try:
        return adapter.validate_python(json.loads(text))
    except json.JSONDecodeError as error:
        raise InputError(f"--spec: not JSON ({error})") from error
    except ValidationError as error:
        faults = "; ".join(
            ".".join(str(part) for part in fault["loc"]) + f": {fault['msg']}" for fault in error.errors()
        )
        raise InputError(f"--spec: {faults}") from error
