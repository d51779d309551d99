"""Where questions come from, how they are put, and how answers are verified."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from leash.config.block import Block, Commit, Slug
from leash.config.sampling import Rounds

MAX_BUDGET = 32_768
Weights = Annotated[dict[str, Annotated[float, Field(gt=0)]], Field(min_length=1)]


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


class TraceColumns(Block):
    """Which columns of a file of traces hold what; a dotted path reaches into a nested object."""

    trace: str = Field("trace", min_length=1)
    """The trace's text."""
    question: str | None = Field("question", min_length=1)
    """The question's text, by which it is found among the benchmark's."""
    id: str | None = Field(None, min_length=1)
    """The question's id, where it is the benchmark's own; looked at before the text."""
    source: str | None = Field(None, min_length=1)
    """Who wrote the trace. If absent, the slug under traces names the source."""


class Traces(Block):
    """Traces of others on a benchmark's questions: exactly one of file, style."""

    file: Path | None = None
    """File of traces, one per row: .jsonl, .json (an array of objects), .csv or .parquet."""
    columns: TraceColumns = TraceColumns()
    """Columns of the file."""
    strip_think: bool = False
    """Take the tags <think> and </think> out of the traces of the file."""
    text: str = "{trace}"
    """What is scored, right after the rendered prompt: a text in which {trace} stands for the trace."""
    style: str | None = Field(None, min_length=1)
    """With reasoning_gym: a trace style of the task's solver, one trace for each question."""

    @model_validator(mode="after")
    def _one_kind(self) -> "Traces":
        if (self.file is None) == (self.style is None):
            raise ValueError("give exactly one of file, style")
        if self.style and self.model_fields_set - {"style"}:
            raise ValueError(f"{min(self.model_fields_set - {'style'})} goes with file: remove it")
        if "{trace}" not in self.text:
            raise ValueError("text must hold {trace}, where the trace goes")
        return self


class Benchmark(Block):
    """Questions (from exactly one of reasoning_gym, file, hub, recorded), how they are put, and verified."""

    label: str | None = None
    """Name in tables and figures; the slug if absent. Changing it recomputes nothing."""
    published: str | None = Field(None, min_length=1)
    """The paper's name of the benchmark, as in results/published: AIME2024. Changing it recomputes nothing."""
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
    """Several different answers can be right: each is counted as an answer of its own. With the verifier gym only."""
    verifier_timeout: float = Field(2.0, gt=0)
    """Seconds of processor time one verification may take before it is killed."""
    budget: int = Field(ge=1, le=MAX_BUDGET)
    """Samples per question, k; a multiple of sampling.shard_samples where they are drawn here."""
    rounds: Rounds | None = None
    """Instead of sampling.rounds, for this benchmark."""
    temperature: float | None = Field(None, ge=0)
    """Instead of sampling.temperature, for this benchmark."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Instead of sampling.top_p, for this benchmark."""
    max_tokens: int | None = Field(None, ge=1)
    """Instead of sampling.max_tokens, for this benchmark."""
    traces: dict[Slug, Traces] = Field(default_factory=dict)
    """With scoring: traces of others, by source, of which base and target are asked how likely they find them."""
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
        if self.open_ended and self.verifier != "gym":
            raise ValueError(
                f"open_ended goes with the verifier gym: with {self.verifier} every right answer is of the gold's "
                "class; remove it"
            )
        if self.tolerance is not None and self.verifier != "numeric":
            raise ValueError("tolerance goes with the verifier numeric: remove it")
        return self
