"""Results that lie on disk."""

from pathlib import Path

from pydantic import Field, model_validator

from leash.config.block import Block


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
