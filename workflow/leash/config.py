"""The config: one pydantic model per block.

The docstring of a field is its documentation: leash.reference writes schema and key reference from it.
"""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

# Folders of results/<study>/ that are not models.
RESERVED_SLUGS = frozenset(
    {"questions", "training", "tables", "figures", "report", "logs", "benchmarks", "published", "cache"}
)
MAX_BUDGET = 32_768


def _slug(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", value):
        raise ValueError(f"'{value}' is not a slug: use only a-z, 0-9, '.', '_' and '-'")
    if value in RESERVED_SLUGS:
        raise ValueError(f"'{value}' is the name of a results folder: choose another")
    return value


Slug = Annotated[str, AfterValidator(_slug)]
Commit = Annotated[str, Field(min_length=1)]
Weights = Annotated[dict[str, Annotated[float, Field(gt=0)]], Field(min_length=1)]


class Block(BaseModel):
    """Unknown keys are errors; values cannot change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


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
_METHODS: dict[str, Literal["rlvr", "sft"] | None] = {"pretrain": None, "sft": "sft", "dapo": "rlvr"}


class RecordedColumns(Block):
    """Which columns of a file of recorded results hold what; a dotted path reaches into a nested object."""

    id: str | None = Field("id", min_length=1)
    """The question's id. null (with completions): a question is known by its text."""
    n: str = Field("n", min_length=1)
    """With counts: samples of the question."""
    correct: str = Field("correct", min_length=1)
    """With counts: how many of them were correct."""
    wrong: str | None = Field(None, min_length=1)
    """With counts: how many were wrong. An outcome that no column holds is unknown, and not 0."""
    no_answer: str | None = Field(None, min_length=1)
    """With counts: how many gave no answer."""
    truncated: str | None = Field(None, min_length=1)
    """With counts: how many met the length limit and gave no answer."""
    verifier_timeout: str | None = Field(None, min_length=1)
    """With counts: on how many the verifier met its time limit."""
    verifier_error: str | None = Field(None, min_length=1)
    """With counts: on how many the verifier failed."""
    samples: str | None = Field(None, min_length=1)
    """With completions: a list of objects, one per completion, in a row per question. If absent, a row is one
    completion."""
    completion: str = Field("completion", min_length=1)
    """With completions: the text that is verified; with samples, in each of its objects."""
    score: str | None = Field(None, min_length=1)
    """With completions: a verdict given elsewhere, 1 for correct; kept, and compared with the verdict given here."""
    finish_reason: str | None = Field(None, min_length=1)
    """With completions: "length" where the length limit was met. If absent, truncation is unknown."""
    question: str = Field("question", min_length=1)
    """With completions: the question's text. Where a row has an id too, the text must be that question's."""
    gold: str = Field("gold", min_length=1)
    """With completions, of a benchmark with recorded: true: the correct answer, or a list of alternatives."""


_OF_COUNTS = ("n", "correct", "wrong", "no_answer", "truncated", "verifier_timeout", "verifier_error")


class Recorded(Block):
    """Results of a model on a benchmark that lie on disk: exactly one of counts, completions."""

    counts: Path | None = None
    """File of counts, a row per question: .jsonl, .json (an array of objects), .csv or .parquet."""
    completions: Path | None = None
    """File of completions, of the same kinds. They are verified here."""
    columns: RecordedColumns = RecordedColumns()
    """Columns of the file."""

    @model_validator(mode="after")
    def _one_kind(self) -> "Recorded":
        if (self.counts is None) == (self.completions is None):
            raise ValueError("give exactly one of counts, completions")
        given = self.columns.model_fields_set - {"id"}
        strange = given - set(_OF_COUNTS) if self.counts else given & set(_OF_COUNTS)
        if strange:
            kind, other = ("counts", "completions") if self.counts else ("completions", "counts")
            raise ValueError(f"columns.{min(strange)} goes with {other}, not with {kind}: remove it")
        if self.counts and self.columns.id is None:
            raise ValueError("columns.id cannot be null with counts: name the column that holds the ids")
        return self

    @property
    def file(self) -> Path:
        """The file, of either kind."""
        found = self.counts or self.completions
        assert found is not None
        return found


class Model(Block):
    """A base model, or one trained from it: from exactly one of hub, path, train, recorded."""

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
    recorded: dict[Slug, Recorded] | None = Field(None, min_length=1)
    """Results that lie on disk, by benchmark: nothing is sampled. It is run on these benchmarks only."""
    checkpoints: dict[Slug, Commit] | list[int] = Field(default_factory=dict)
    """With hub: {slug: commit}; with path: {slug: folder below it}; with recorded: {slug: text that stands for
    {checkpoint} in the file names}; with a dapo recipe: the steps kept."""
    checkpoint_labels: dict[str, str] = Field(default_factory=dict)
    """Display names of checkpoints, by slug."""
    chat_template: bool = False
    """Render prompts with the tokenizer's chat template."""

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        sources = ("hub", "path", "train", "recorded")
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
        return _METHODS[self.train.recipe] if self.train else self.method


class Split(Block):
    """Training questions, disjoint by text from the evaluation questions and from the other split."""

    seed: int = Field(ge=0)
    """First seed of the environment; far from the other splits' seeds."""
    size: int = Field(ge=1)
    """Number of questions."""


class Training(Block):
    """What a benchmark gives to the recipes."""

    train: Split | None = None
    """Questions of the recipe pretrain."""
    rl: Split | None = None
    """Questions of the recipes dapo and sft."""
    traces: Weights | None = None
    """Solver trace styles and their weights, for pretrain and sft."""


ExtractionRule = Literal["answer_tag", "open_tag", "boxed", "stated", "concluding"]


class Columns(Block):
    """Which columns of a file or a hub dataset hold what; a dotted path reaches into a nested object."""

    question: str = Field("question", min_length=1)
    """The question's text."""
    gold: str = Field("answer", min_length=1)
    """The correct answer: text, a number, or a list of accepted alternatives."""
    id: str | None = Field(None, min_length=1)
    """A name of each row of its own. If absent, a hash of the question's text after the benchmark's slug."""
    unit: str | None = Field(None, min_length=1)
    """Unit that is put after the gold answer, in the rows that have one."""
    metadata: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    """Further columns to keep in the questions file."""


class Benchmark(Block):
    """Questions (from exactly one of reasoning_gym, file, hub, recorded), how they are put, and verified."""

    label: str | None = None
    """Name in tables and figures; the slug if absent. Changing it recomputes nothing."""
    domain: Slug
    """Group of benchmarks that Table 1 adds up."""
    reasoning_gym: str | None = None
    """Task of reasoning-gym that makes the questions and scores the answers."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the task, as in its reasoning-gym config."""
    seed: int | None = Field(None, ge=0)
    """First seed of the evaluation questions: required with reasoning_gym, and only there."""
    file: Path | None = None
    """File of questions: .jsonl, .json (an array of objects), .csv or .parquet."""
    hub: str | None = Field(None, min_length=1)
    """Dataset on the Hugging Face hub, or a local dataset folder."""
    revision: Commit | None = None
    """Commit of the dataset (required with hub); of a local folder, a name of your own for its state."""
    hub_config: str | None = Field(None, min_length=1)
    """Configuration (subset) of the hub dataset."""
    split: str = Field("test", min_length=1)
    """Split of the hub dataset."""
    recorded: bool = False
    """Known only from recorded results: from counts by the ids alone, from completions with question and gold."""
    on_missing: Literal["error", "intersect"] = "error"
    """Questions that the recorded results of base or target lack: an error that lists them, or (intersect) left
    out on both sides, which every table tells."""
    columns: Columns = Columns()
    """Columns of the file or the hub dataset."""
    size: int | None = Field(None, ge=1)
    """Number of evaluation questions: required, but not with recorded. A file or hub dataset must have exactly so
    many rows."""
    prompt: str = "{question}"
    """Prompt template: plain, boxed, answer-tag, or a text in which {question} stands for the question's."""
    verifier: Literal["gym", "math", "numeric"] = Field(
        default_factory=lambda given: "gym" if given.get("reasoning_gym") else "math"
    )
    """gym (with reasoning_gym, and only there): scored by the task itself, correct when the score is 1.
    math (the default with file and hub): equal as mathematics. numeric: equal as numbers, within tolerance."""
    extraction: Annotated[list[ExtractionRule], Field(min_length=1)] | None = None
    r"""How an answer is found. answer_tag: the last complete <answer>…</answer>; open_tag: an <answer> left open
    where the model stopped by itself; boxed: the last complete \boxed{} or \fbox{}; stated: an answer in plain
    words ("The answer is 5", "**Answer: D**"); concluding: a concluding last
    sentence that ends with the value ("In total that makes $18.90."). If absent, the verifier's own: answer_tag
    for gym (which takes no other), all for math and numeric."""
    tolerance: float | None = Field(None, gt=0, lt=1)
    """Relative tolerance of the verifier numeric, and only there; 0.05 if absent."""
    open_ended: bool = False
    """Several different answers can be right: each is counted as an answer of its own."""
    verifier_timeout: float = Field(2.0, gt=0)
    """Seconds one verification may take before it is killed."""
    budget: int = Field(ge=1, le=MAX_BUDGET)
    """Samples per question, k; a multiple of sampling.shard_samples where they are drawn here."""
    temperature: float | None = Field(None, ge=0)
    """Instead of sampling.temperature, for this benchmark."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Instead of sampling.top_p, for this benchmark."""
    max_tokens: int | None = Field(None, ge=1)
    """Instead of sampling.max_tokens, for this benchmark."""
    training: Training = Training()
    """Training questions made by the same task; only with reasoning_gym."""

    @model_validator(mode="after")
    def _one_source(self) -> "Benchmark":
        sources = ("reasoning_gym", "file", "hub", "recorded")
        given = [name for name in sources if getattr(self, name) not in (None, False)]
        if len(given) != 1:
            raise ValueError(
                f"give exactly one of {', '.join(sources)} (given: {', '.join(given) or 'none'})"
            )
        if not self.recorded and self.size is None:
            raise ValueError("size is missing: add the number of questions")
        if self.recorded and self.size is not None:
            raise ValueError("size goes with reasoning_gym, file or hub: remove it")
        if self.reasoning_gym is not None and self.seed is None:
            raise ValueError("reasoning_gym needs seed: <first seed of the evaluation questions>")
        if self.hub is not None and self.revision is None:
            raise ValueError("hub needs revision: <commit>")
        self._refuse("reasoning_gym", "params", "seed", "training")
        self._refuse("hub", "revision", "hub_config", "split")
        if self.file is None and self.hub is None and self.columns != Columns():
            raise ValueError("columns goes with file or hub: remove it")
        return self

    def _refuse(self, source: str, *names: str) -> None:
        """Raise ValueError for a field that goes with another source and is not at its default."""
        for name in names if getattr(self, source) is None else ():
            if getattr(self, name) != type(self).model_fields[name].get_default(call_default_factory=True):
                raise ValueError(f"{name} goes with {source}: remove it")

    @model_validator(mode="after")
    def _verifiable(self) -> "Benchmark":
        if (self.verifier == "gym") != (self.reasoning_gym is not None):
            raise ValueError(
                f"verifier {self.verifier}: gym goes with reasoning_gym, math and numeric with file and hub"
            )
        if self.extraction and len(set(self.extraction)) < len(self.extraction):
            raise ValueError(f"extraction {self.extraction} names a rule twice")
        if self.verifier == "gym" and self.extraction not in (None, ["answer_tag"]):
            raise ValueError(f"extraction {self.extraction}: the verifier gym reads the answer_tag only")
        if self.tolerance is not None and self.verifier != "numeric":
            raise ValueError("tolerance goes with the verifier numeric: remove it")
        return self


class Engine(Block):
    """vLLM settings that change speed and memory, not what is drawn (dtype apart)."""

    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Arithmetic of the model. Part of what is drawn."""
    tensor_parallel_size: int = Field(1, ge=1)
    """GPUs per sampling job."""
    gpu_memory_utilization: float = Field(0.9, gt=0, le=1)
    """Share of a GPU's memory for vLLM."""
    max_model_len: int | None = Field(None, ge=1)
    """Longest prompt plus completion, in tokens; the model's own limit if absent."""
    max_num_seqs: int = Field(256, ge=1)
    """Completions decoded at once."""
    max_num_batched_tokens: int | None = Field(None, ge=1)
    """Tokens per engine step; vLLM's default if absent."""
    enable_chunked_prefill: bool | None = None
    """Must be false on CPU: seeded requests crash with it."""
    enforce_eager: bool = False
    """Skip compilation and CUDA graphs."""
    in_process: bool = False
    """Run the engine in the job's own process. On CPU, with one thread, 5 times as fast."""
    threads: int = Field(1, ge=1)
    """CPU threads of a sampling job (OMP)."""
    pin_cores: bool = False
    """Give each sampling job on this machine CPU cores of its own."""
    cpu_kvcache_gib: int = Field(1, ge=1)
    """KV cache on CPU, in GiB."""
    trust_remote_code: bool = False
    """Run code that a hub repository brings."""


class Sampling(Block):
    """How completions are drawn."""

    protocol: Literal["exhaustive"] = "exhaustive"
    """exhaustive: every question gets the whole budget."""
    temperature: float = Field(0.6, ge=0)
    """Softmax temperature."""
    top_p: float = Field(0.95, gt=0, le=1)
    """Nucleus sampling mass."""
    max_tokens: int = Field(ge=1)
    """Longest completion, in tokens."""
    shard_samples: int = Field(256, ge=1)
    """Samples of each question in one sampling job. The budget grows in whole shards, so none is redrawn."""
    token_ids: int = Field(0, ge=0)
    """Keep the token ids of the first so many samples of each question (for scoring)."""
    engine: Engine = Engine()
    """vLLM settings."""


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
