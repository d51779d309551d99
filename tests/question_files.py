"""Questions files of a test's own, of which only the ids matter."""

from collections.abc import Iterable
from pathlib import Path

from leash import records


def write_questions(folder: Path, names: Iterable[str]) -> Path:
    """A questions file with these ids."""
    path = folder / "questions.parquet"
    rows = [
        {"question_id": name, "question": "?", "gold": ["1"], "prompt": "?", "metadata": "{}"}
        for name in names
    ]
    records.write(path, records.QUESTIONS, rows)
    return path
