"""Completions to mathematics questions with the scores their recorders gave, from a folder of public data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

DATA: Final = Path(__file__).parents[3] / "shared" / "data"
FILES: Final = {
    "MATH": "qwen25math_rm_maj_n8/*.jsonl",
    "AIME/AMC": "rg_llama3b_rl_n50/*.jsonl",
    "Minerva greedy": "rg_math_evals_greedy_n1/minerva_math__*.jsonl",
}


class Recorded(NamedTuple):
    """A completion, and whether its recorder held it to be correct."""

    question_id: str
    gold: str
    completion: str
    correct: bool


def completions(data: Path, name: str) -> list[Recorded]:
    """All of one set, in the order of its files. `name`: a key of FILES."""
    golds = _minerva_golds(data) if name == "Minerva greedy" else {}
    return [
        Recorded(row["id"], golds.get(row["id"], row["gold"]), sample["completion"], sample["score"] >= 1)
        for path in sorted((data / "recorded").glob(FILES[name]))
        for row in _rows(path)
        for sample in row["samples"]
    ]


def _minerva_golds(data: Path) -> dict[str, str]:
    """The benchmark's own: the recorded ones have lost their spaces."""
    return {row["id"]: row["answer"] for row in _rows(data / "minerva_math.jsonl")}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
