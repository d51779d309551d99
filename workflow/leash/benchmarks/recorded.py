"""Questions of a benchmark that is known from recorded completions: from the rows of a file of them."""

from pathlib import Path
from typing import Any

from leash.benchmarks import cells, rows
from leash.config import Columns
from leash.errors import InputError
from leash.recorded import completions
from leash.recorded.table import name_of, spelt
from leash.records import Row, listed


def questions(benchmark: str, file: Path, columns: dict[str, Any]) -> list[Row]:
    """question_id, question, gold and metadata of each question, in the order of the file.

    Raises InputError as `rows.questions` does, and where rows of one question differ in text or gold.
    """
    where = f"benchmarks.{benchmark}: {file}"
    found: dict[str, Row] = {}
    differing: dict[str, None] = {}
    of_row = {key: columns[key] for key in ("id", "question", "gold") if columns[key] is not None}
    for group in completions.read(file, columns, where):
        row = {key: value for key, path in of_row.items() if (value := cells.at(group.row, path)) is not None}
        try:
            name = name_of(row, "id") if columns["id"] else spelt(cells.text(row.get("question")))
        except cells.CellError as error:
            raise InputError(f"{file}: row {group.number}: {error}; repair it") from error
        if found.setdefault(name, row) != row:
            differing[name] = None
    if differing:
        raise InputError(
            f"{file}: rows of one question differ in its text or gold: {listed(differing, 20)}; repair them, or "
            "name a column that tells the questions apart"
        )
    if not found:
        raise InputError(f"{file}: holds no rows; name a file of completions")
    table = rows.Table(
        list(found.values()),
        Columns(question="question", gold="gold", id="id" if columns["id"] else None),
        benchmark,
        str(file),
        f"the recorded results of benchmarks.{benchmark}",
    )
    return rows.questions(table, len(found))
