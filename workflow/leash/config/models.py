"""Where a model comes from, and what it was trained from."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator, model_validator

from leash.config.block import Block, Commit, Slug
from leash.config.endpoint import Endpoint
from leash.config.recipes import METHODS, Dapo, Pretrain, Sft, Train
from leash.config.recorded import Recorded


class Model(Block):
    """A base model, or one trained from it: from exactly one of hub, path, train, endpoint, recorded."""

    label: str | None = None
    """Name in tables and figures; the slug if absent. Changing it recomputes nothing."""
    base: str | None = None
    """The model this one was trained from: a slug, or slug/checkpoint. Absent for a base."""
    method: Literal["rlvr", "sft"] | None = None
    """How it was trained, for Table 3. Known already where `train` names the recipe."""
    hub: str | None = None
    """Repository on the Hugging Face hub."""
    revision: Commit | None = None
    """Commit in that repository (with hub, and without checkpoints)."""
    path: Path | None = None
    """Local folder in Hugging Face format."""
    train: Train | None = None
    """Recipe of this workflow that makes the model."""
    endpoint: Endpoint | None = None
    """Servers that the model is behind."""
    recorded: dict[Slug, Recorded] | None = Field(None, min_length=1)
    """Results that lie on disk, by benchmark: nothing is sampled. It is run on these benchmarks only."""
    checkpoints: dict[Slug, Commit] | list[int] = Field(default_factory=dict)
    """With hub: {slug: commit}; with path: {slug: folder below it}; with recorded: {slug: text that stands for
    {checkpoint} in the file names}; with a dapo recipe: the steps kept. An endpoint has none."""
    checkpoint_labels: dict[str, str] = Field(default_factory=dict)
    """Display names of checkpoints, by slug."""
    published: str | dict[str, str] | None = None
    """With base: the pair of results/published that the model repeats, or pair/step for a step of Table 4; of several
    checkpoints, {slug: pair}. Tables print the paper's numbers beside yours; changing it recomputes nothing."""
    chat_template: bool = False
    """Render prompts with the tokenizer's chat template; of an endpoint, ask for chat completions."""

    @field_validator("published", mode="before")
    @classmethod
    def _texts(cls, given: object) -> object:
        # One message, where a union's would be one for each of its kinds.
        texts = list(given.values()) if isinstance(given, dict) else [given]
        if given is not None and not (texts and all(isinstance(one, str) and one for one in texts)):
            raise ValueError("give a pair of results/published, or {checkpoint: pair}, as text")
        return given

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        sources = ("hub", "path", "train", "endpoint", "recorded")
        given = [name for name in sources if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"give exactly one of {', '.join(sources)} (given: {', '.join(given) or 'none'})"
            )
        if self.hub and not self.revision and not self.checkpoints:
            raise ValueError("hub needs revision: <commit> (or checkpoints: {slug: commit})")
        if self.hub and self.revision and self.checkpoints:
            raise ValueError("give revision or checkpoints, not both")
        if self.train and self.method:
            raise ValueError("method is known from train.recipe: remove it")
        if self.endpoint and (self.revision or self.checkpoints):
            raise ValueError(
                "a model behind an endpoint has one state: give its revision in endpoint, and no checkpoints; another "
                "state is another model"
            )
        if self.revision and not self.hub:
            raise ValueError("revision goes with hub")
        for slug, one in (self.recorded or {}).items():
            if ("{checkpoint}" in str(one.file)) != bool(self.checkpoints):
                raise ValueError(
                    f"recorded.{slug}: {one.file}: {{checkpoint}} in a file's name goes with checkpoints: "
                    "{slug: text}, and the other way round"
                )
        if isinstance(self.train, Dapo):
            self._check_steps(self.train.steps)
        elif self.train and self.checkpoints:
            raise ValueError(f"checkpoints do not go with the recipe {self.train.recipe}")
        elif isinstance(self.checkpoints, list) and self.checkpoints:
            raise ValueError(
                "checkpoints is a list of steps only with a dapo recipe; elsewhere {slug: commit}"
            )
        if isinstance(self.train, Sft | Dapo) and not self.base:
            raise ValueError(f"the recipe {self.train.recipe} needs base: <model>")
        if isinstance(self.train, Pretrain) and self.base:
            raise ValueError("the recipe pretrain starts from nothing: remove base")
        if self.published is not None and not self.base:
            raise ValueError(
                "published goes with base: a pair is a trained model against its base; remove it"
            )
        return self

    def _check_steps(self, steps: int) -> None:
        if not isinstance(self.checkpoints, list) or not self.checkpoints:
            raise ValueError("a dapo recipe needs checkpoints: [step, ...]")
        if sorted(set(self.checkpoints)) != self.checkpoints or self.checkpoints[0] < 1:
            raise ValueError(f"checkpoints {self.checkpoints} must be rising steps from 1 up")
        if self.checkpoints[-1] != steps:
            raise ValueError(f"the last checkpoint {self.checkpoints[-1]} must be train.steps, {steps}")

    @property
    def trained_by(self) -> Literal["rlvr", "sft"] | None:
        """The method, from the recipe where there is one."""
        return METHODS[self.train.recipe] if self.train else self.method
