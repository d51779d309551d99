"""What is taken for granted of a model that was not drawn from: numbers of the paper, each named where it is used."""

from typing import Final, NamedTuple

from leash.errors import InputError
from leash.published.record import AVERAGE, Row

RATES: Final = (0.147, 0.0739)
"""Beta distribution of the rates of success of a benchmark's questions.

Its mean is that of avg@32 in the paper's Table 5 (66.5 %), and it solves as many questions in 8192 samples as the
paper's bases and targets do in math (91.5 %, Tables 6 to 12)."""

BYTES_PER_TOKEN: Final = 4.5
"""Compressed samples on disk, of models with a vocabulary of natural language."""

_NAMES: Final[dict[str, tuple[str | None, str | None]]] = {
    "prorl-1.5b-v1": ("DeepSeek-1.5B", "ProRL-1.5B"),
    "prorl-1.5b-v2": ("DeepSeek-1.5B", "ProRL-1.5B"),
    "deepseek-1.5b-dapo": ("DeepSeek-1.5B", None),
    "nemotron-7b": ("DeepSeek-7B", "AceReason-7B"),
    "skywork-or1-7b": ("DeepSeek-7B", "Skywork-OR1-7B"),
    "nemotron-14b": ("DeepSeek-14B", "AceReason-14B"),
}


class Length(NamedTuple):
    """Tokens of a mean completion, and where the number comes from."""

    tokens: float
    source: str


def names_in_table5(pair: str) -> tuple[str | None, str | None]:
    """What Table 5 calls base and target of a pair of the paper; None for a model that it does not have."""
    return _NAMES.get(pair, (None, None))


def response_length(rows: list[Row], model: str | None, benchmark: str | None) -> Length:
    """Response length by Table 5: of the model on the benchmark, else the mean over what is not known.

    `rows` are those of precision_entropy.csv. Raises InputError where they hold no response length.
    """
    known = {
        (row["model"], row["benchmark"]): float(row["value"])
        for row in rows
        if row["metric"] == "response_length"
    }
    models, benchmarks = {one for one, _ in known}, {one for _, one in known}
    of_model = model if model in models else None
    on_benchmark = benchmark if benchmark in benchmarks else AVERAGE
    found = [
        tokens
        for (one, on), tokens in known.items()
        if on == on_benchmark and (of_model is None or one == of_model)
    ]
    if not found:
        raise InputError(
            "results/published/precision_entropy.csv: no response length of Table 5; restore the file, or set "
            "cost.response_tokens"
        )
    where = "mean of the benchmarks" if on_benchmark == AVERAGE else on_benchmark
    return Length(sum(found) / len(found), f"Table 5, {of_model or 'mean of the models'}, {where}")
