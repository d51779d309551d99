"""Reasoning traces of others on a benchmark's questions: what base and target are asked how likely they find it.

python -m leash.traces --spec JSON --questions Q.parquet --out traces.parquet --report traces.json
with spec = {"benchmark", "task", "seed", "version", "sources": {slug: a style or a file}}
     a style = {"style"}: the solver's worked solution of each question, in a style of the task
     a file = {"file", "columns": {"trace", "question", "id", "source"}, "strip_think", "text"}

The report lists what was left out, and why: traces of other questions, and second copies.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from leash import records
from leash.benchmarks import cells, files
from leash.errors import InputError, exits_cleanly
from leash.recorded.table import Problems, check_column, label, name_of, spelt
from leash.records import Row
from leash.training.corpus import completion_text
from leash.training.traces import STYLES, write_trace

TRACES_VERSION: Final = 1
"""Raise it where the same spec and files give other traces: all of them are then scored again."""

_THINK: Final = ("<think>", "</think>")
_REPAIR: Final = "repair these rows, or take them out"


class Reader:
    """Traces of all sources of a benchmark. `unmatched` and `copies` name, by source, what was left out."""

    def __init__(self, spec: dict[str, Any], questions: Path) -> None:
        self._spec = spec
        self._questions = records.read_by_question(questions, records.QUESTIONS)
        self._by_text: dict[str, list[str]] = {}
        for name, row in self._questions.items():
            self._by_text.setdefault(spelt(row["question"]), []).append(name)
        self.unmatched: dict[str, list[str]] = {}
        self.copies: dict[str, list[str]] = {}

    def rows(self) -> Iterator[Row]:
        """Rows of a traces file, source by source.

        Raises InputError for a style the task does not have, a column that is not there, a file without a trace
        of any question, and, all together with their rows, for cells that cannot be read.
        """
        for slug, source in self._spec["sources"].items():
            yield from self._styled(slug, source) if "style" in source else self._recorded(slug, source)

    def _styled(self, slug: str, source: dict[str, Any]) -> Iterator[Row]:
        task, style = self._spec["task"], source["style"]
        if style not in STYLES.get(task, {}):
            known = ", ".join(STYLES.get(task, {})) or "none"
            raise InputError(
                f"benchmarks.{self._spec['benchmark']}.traces.{slug}.style: no style {style!r} for task {task}; "
                f"known: {known}"
            )
        rng = Random(f"{self._spec['seed']}/{self._spec['benchmark']}/external/{slug}")
        for name, question in self._questions.items():
            gold = question["gold"]
            trace = write_trace(task, style, json.loads(question["metadata"]), gold, rng)
            yield {
                "question_id": name,
                "source": slug,
                "index": 0,
                "trace": completion_text(trace, gold[0]),
            }

    def _recorded(self, slug: str, source: dict[str, Any]) -> Iterator[Row]:
        where, file = f"benchmarks.{self._spec['benchmark']}.traces.{slug}", Path(source["file"])
        columns, problems = source["columns"], Problems()
        seen: dict[tuple[str, str], list[str]] = {}
        for number, row in enumerate(files.stream(file), 1):
            if number == 1:
                self._check_columns(file, where, columns, row)
            found = _read(row, columns, number, problems)
            if found is None:
                continue
            told_id, question, trace, told_source = found
            label_, at = told_source or slug, label(number, told_id)
            name = self._match(told_id, question)
            if name is None:
                self.unmatched.setdefault(slug, []).append(at)
                continue
            text = source["text"].replace("{trace}", _without_tags(trace) if source["strip_think"] else trace)
            earlier = seen.setdefault((name, label_), [])
            if text in earlier:
                self.copies.setdefault(slug, []).append(at)
                continue
            earlier.append(text)
            yield {"question_id": name, "source": label_, "index": len(earlier) - 1, "trace": text}
        problems.check(file)
        if not seen:
            raise InputError(
                f"{where}: {file} has no trace of a question of this benchmark; name another file, or correct "
                "columns.id and columns.question"
            )

    def _match(self, told_id: str, question: str) -> str | None:
        if told_id in self._questions:
            return told_id
        names = self._by_text.get(spelt(question), []) if question else []
        return names[0] if len(names) == 1 else None

    def _check_columns(self, file: Path, where: str, columns: dict[str, str | None], row: Row) -> None:
        known = list(cells.paths(row))
        for key, path in columns.items():
            if path is not None:
                check_column(file, where, key, path, known)
        if columns["id"] is None and columns["question"] is None:
            raise InputError(f"{where}.columns: name a column of ids or of questions")


def _read(
    row: Row, columns: dict[str, str | None], number: int, problems: Problems
) -> tuple[str, str, str, str] | None:
    """Id, question, trace and source of a row; blank where no column is named. None for a row that is a problem."""
    try:
        told_id = name_of(row, columns["id"])
        question, trace, source = (
            cells.text(cells.at(row, path)) if (path := columns[key]) else ""
            for key in ("question", "trace", "source")
        )
    except cells.CellError as error:
        problems.add("a cell cannot be read", f"{label(number, '')}: {error}", _REPAIR)
        return None
    if not trace:
        problems.add("no trace", label(number, told_id), _REPAIR)
        return None
    return told_id, question, trace, source


def _without_tags(trace: str) -> str:
    for tag in _THINK:
        trace = trace.replace(tag, "")
    return trace.strip()


def report(reader: Reader, rows: int) -> dict[str, Any]:
    """How many traces there are, and rows of the files that were left out, by source."""
    return {"traces": rows, "unmatched": reader.unmatched, "copies": reader.copies}


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.traces", description="Traces of others on the questions.")
    parser.add_argument("--spec", required=True, help="JSON: benchmark, task, seed, version, sources")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True)
    args = parser.parse_args()
    reader = Reader(records.parse_spec(args.spec), args.questions)
    total = records.write(args.out, records.TRACES, reader.rows())
    records.write_json(args.report, report(reader, total))
    print(f"{args.out}: {total:,} traces", file=sys.stderr)
    for why, found in (("of no question of the benchmark", reader.unmatched), ("a copy", reader.copies)):
        for slug, names in found.items():
            print(f"left out of {slug}, since it is {why}: {', '.join(names)}", file=sys.stderr)


if __name__ == "__main__":
    main()
