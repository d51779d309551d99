"""Generated questions and micro models for the training tests."""

from pathlib import Path

import pytest

from leash import records
from leash.benchmarks.reasoning_gym import generate
from tiny_tasks import PARAMS


@pytest.fixture(scope="session")
def questions() -> dict[str, list[records.Row]]:
    """task -> 150 generated questions, each its own prompt."""
    return {
        task: [row | {"prompt": row["question"]} for row in generate(task, params, seed=90_000_000, size=150)]
        for task, params in PARAMS.items()
    }


@pytest.fixture(scope="session")
def question_files(
    questions: dict[str, list[records.Row]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """task -> a questions file of the first 40."""
    folder = tmp_path_factory.mktemp("questions")
    files = {}
    for task, rows in questions.items():
        files[task] = folder / f"{task}.parquet"
        records.write(files[task], records.QUESTIONS, rows[:40])
    return files
