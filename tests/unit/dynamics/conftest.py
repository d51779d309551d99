"""The recorded counts of two models, of 128 samples each, where shared/data is at hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
Counts = tuple[list[int], list[int]]


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], Counts]:
    """Correct samples of base and target on "deepscaler" (1,060 questions) or "limit_rlvr" (500)."""
    folders = (ROOT / "shared/data/recorded", ROOT.parent / "shared/data/recorded")
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        pytest.skip("the recorded counts are not here")

    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    def counts(name: str) -> Counts:
        if name == "limit_rlvr":
            pairs = rows("limit_rlvr_qwen7b_math500_n128/per_question_counts.jsonl")
            return [row["base_correct"] for row in pairs], [row["rl_correct"] for row in pairs]
        base, target = (
            {row["id"]: row["c"] for row in rows(f"deepscaler32k/{file}")}
            for file in ("base.jsonl", "rl.jsonl")
        )
        return list(base.values()), [target[question] for question in base]

    return counts
