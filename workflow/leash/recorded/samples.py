"""A file of completions -> samples.parquet, to be verified like completions that are drawn here.

python -m leash.recorded.samples --spec JSON --file COMPLETIONS.jsonl --questions Q.parquet --out S.parquet
                                 --provenance S.json
with spec = {"where", "benchmark", "columns", "budget", "on_missing"}

A recorded score stays beside its completion (column score); leash.recorded.agreement compares it.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from leash import records
from leash.benchmarks import cells
from leash.errors import InputError, exits_cleanly
from leash.recorded import completions
from leash.recorded.table import HELP, Problems, Spec, label, name_of, parse_spec, score, spelt
from leash.records import Row

_REPAIR: Final = "repair these rows, or take these questions out"


class Reader:
    """Samples of one file. `left_out` holds the ids that only the file has, where on_missing is intersect."""

    def __init__(self, spec: Spec, file: Path, questions: Path) -> None:
        self._spec, self._file = spec, file
        rows = records.read_by_question(questions, records.QUESTIONS)
        self._texts = {name: spelt(row["question"]) for name, row in rows.items()}
        self._by_text: dict[str, str] = {}
        for name, text in self._texts.items():
            if spec.columns.get("id") is None and text in self._by_text:
                raise InputError(
                    f"{spec.where}.columns.id: {self._by_text[text]} and {name} have the same text, so that a "
                    "question is not known by its text: name a column of ids"
                )
            self._by_text[text] = name
        self._n = dict.fromkeys(rows, 0)
        self._problems = Problems()
        self._asked_in = str(questions)
        self.left_out: dict[str, None] = {}

    def rows(self) -> Iterator[Row]:
        """Rows of a samples file; sample i of a question is its i-th completion in the file.

        Raises InputError at the end that lists what is wrong: questions that are unknown, lacking or stand twice,
        completions or scores that cannot be read, and another number of completions than the budget.
        """
        for group in completions.read(self._file, self._spec.columns, self._spec.where):
            name = self._question(group)
            if name is None:
                continue
            where = label(group.number, name)
            if self._spec.columns.get("samples") and self._n[name]:
                self._problems.add("the same question stands more than once", where, "leave one row of each")
            if not group.items:
                self._problems.add("no list of samples", where, _REPAIR)
            for item in group.items or []:
                yield self._sample(name, where, item)
        if not any(self._n.values()) and not self.left_out:
            self._problems.add(
                "no completions", "0 rows", f"name a file that has some under {self._spec.where}"
            )
            self._problems.check(self._file)
        self._check_numbers()
        self._problems.check(self._file)

    def _question(self, group: completions.Group) -> str | None:
        columns, known_by = self._spec.columns, self._spec.columns.get("id")
        try:
            name = name_of(group.row, known_by)
            text = cells.text(cells.at(group.row, self._spec.column("question")))
        except cells.CellError as error:
            self._problems.add("a cell cannot be read", f"{label(group.number, '')}: {error}", _REPAIR)
            return None
        if known_by is None:
            name = self._by_text.get(spelt(text), "")
        elif name in self._texts and text and spelt(text) != self._texts[name]:
            self._problems.add(
                f"{columns['question']} is another text than that of the question with this id",
                label(group.number, name),
                "correct columns.id, or map columns.question to the plain question",
            )
        if name in self._texts:
            return name
        told = name or f"{text[:60]!r}"
        if self._spec.on_missing == "intersect" and told:
            self.left_out[told] = None
        else:
            self._problems.add(
                f"questions that are not in {self._asked_in}",
                label(group.number, told),
                f"take them out, or set benchmarks.{self._spec.benchmark}.on_missing: intersect",
            )
        return None

    def _sample(self, name: str, where: str, item: Any) -> Row:
        index = self._n[name]
        self._n[name] += 1
        row = item if isinstance(item, dict) else {}
        place = f"{where}, sample {index}"
        completion = cells.at(row, self._spec.column("completion"))
        if not isinstance(completion, str):
            self._problems.add("a completion is no text", place, _REPAIR)
            completion = ""
        made = {
            "question_id": name,
            "sample_index": index,
            # lone surrogates have no UTF-8
            "completion": completion.encode("utf-8", "replace").decode("utf-8"),
            "finish_reason": None,
            "n_tokens": None,
            "token_ids": None,
        }
        for key, read in (("finish_reason", cells.text), ("score", score)):
            path = self._spec.columns.get(key)
            try:
                if path is not None:
                    made[key] = read(cells.at(row, path))
            except cells.CellError as error:
                self._problems.add(f"a {key} cannot be read", f"{place}: {error}", _REPAIR)
        return made

    def _check_numbers(self) -> None:
        intersect = self._spec.on_missing == "intersect"
        for name, n in self._n.items():
            if not n and not intersect:
                self._problems.add(
                    f"no completion of questions that {self._asked_in} has",
                    name,
                    f"add them, or set benchmarks.{self._spec.benchmark}.on_missing: intersect",
                )
            elif n and n != self._spec.budget:
                self._problems.add(
                    f"the number of completions is not the benchmark's budget, {self._spec.budget}",
                    f"{name}: {n}",
                    f"set benchmarks.{self._spec.benchmark}.budget to what was drawn; regions are defined at one n "
                    "for all questions",
                )


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.recorded.samples", description="Read recorded completions.")
    parser.add_argument("--spec", required=True, help=HELP)
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--provenance", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_spec(args.spec)
    reader = Reader(spec, args.file, args.questions)
    schema = records.SCORED_SAMPLES if spec.columns.get("score") else records.SAMPLES
    total = records.write(args.out, schema, reader.rows())
    records.write_json(
        args.provenance,
        {
            "source": {
                "kind": "recorded",
                "path": str(args.file),
                "sha256": records.file_sha256(args.file),
                "columns": dict(spec.columns),
            },
            "samples": total,
            "left_out": list(reader.left_out),
        },
    )
    print(f"{args.out}: {total:,} completions of {args.file}", file=sys.stderr)
    for name in reader.left_out:
        print(f"left out, since it is not in {args.questions}: {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
