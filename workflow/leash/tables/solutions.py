"""Support of solutions: which verified answers base and target reach, where several can be right.

python -m leash.tables.solutions --spec JSON --solutions MODEL/CHECKPOINT/BENCHMARK/solutions.parquet ...
                                 --regions MODEL/CHECKPOINT/BENCHMARK/regions.parquet ...
                                 --out-csv F.csv --out-md F.md
with spec as in leash.comparisons, and {"bases": {"model/checkpoint" of a target: that of its base},
"budgets": {slug of an open-ended benchmark: k}, "solutions": [[target model, checkpoint, benchmark], ...]}.
Solutions of states that are in no comparison count for what is known.
"""

import argparse
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from leash import records
from leash.comparisons import parse_spec as parse_presentation
from leash.comparisons import state_label
from leash.dynamics.nulls import against_nulls
from leash.dynamics.solutions import SolutionCounts, count_solutions, discovered, retained
from leash.errors import InputError, exits_cleanly
from leash.records import Row
from leash.tables.cells import as_markdown, count, number, ratio
from leash.tables.text import csv_text, markdown_table

COLUMNS: Final = (
    *("base", "base_checkpoint", "target", "target_checkpoint", "benchmark", "budget", "questions"),
    *SolutionCounts._fields,
    *("retained", "discovered"),
    *("half", "base_only_at_half", "base_against_itself", "target_only_at_half", "target_against_itself"),
)
_AT_HALF: Final = COLUMNS[-4:]
_TEXT: Final = ("Target", "Base", "Benchmark")
_HEADINGS: Final = (
    *(*_TEXT, "k", "N", "both"),
    *("base only", "question kept", "target only", "question solved already", "neither"),
    *("retained", "discovered"),
    *("base only at k/2", "base against itself", "target only at k/2", "target against itself"),
)
_KEYS: Final = ("bases", "budgets", "solutions")

Answers = dict[str, dict[str, int]]  # question -> answer -> samples


class Place(NamedTuple):
    """Whose file it is, by slugs."""

    model: str
    checkpoint: str
    benchmark: str


def read(spec: dict[str, Any], solutions: Iterable[Path], regions: Iterable[Path]) -> list[Row]:
    """A row per comparison and open-ended benchmark, in the order of the spec.

    Raises InputError for a file that is given twice, is none of the spec's or is missing, and for solutions that are
    not of the verdicts that the regions were made from.
    """
    order = [Place(*place) for place in spec["solutions"]]
    of_regions = _by_place("--regions", regions)
    of_solutions = _by_place("--solutions", solutions)
    _refuse("--regions", [of_regions[place] for place in of_regions if place not in order])
    _refuse(
        "--solutions",
        [path for place, path in of_solutions.items() if place.benchmark not in spec["budgets"]],
    )
    bases = {place: _base(spec, place) for place in order}
    _require("--regions", order, of_regions)
    _require("--solutions", [*order, *bases.values()], of_solutions)
    answers = {place: _answers(path) for place, path in of_solutions.items()}
    rows = []
    for place in order:
        known = _known(found for other, found in answers.items() if other.benchmark == place.benchmark)
        questions = _questions(of_regions[place], spec["budgets"][place.benchmark])
        base = bases[place]
        for side, whose in (("base", base), ("target", place)):
            _check(side, answers[whose], of_solutions[whose], questions, of_regions[place])
        counts = count_solutions(
            [answers[base].get(name, {}).keys() for name in questions],
            [answers[place].get(name, {}).keys() for name in questions],
            [known.get(name, set()) for name in questions],
            [row["base_correct"] > 0 for row in questions.values()],
            [row["target_correct"] > 0 for row in questions.values()],
        )
        budget = spec["budgets"][place.benchmark]
        at_half = _at_half(budget, questions, answers[base], answers[place])
        rows.append(_row(base, place, budget, len(questions), counts) | at_half)
    return rows


def _at_half(budget: int, questions: Iterable[str], base: Answers, target: Answers) -> Row:
    """Answers of one side only, expected at half the budget, and those of a model against itself (dynamics.nulls).

    Nothing where a single sample has no halves, or no answer is known.
    """
    given = [
        (base.get(name, {}).get(answer, 0), target.get(name, {}).get(answer, 0))
        for name in questions
        for answer in {**base.get(name, {}), **target.get(name, {})}
    ]
    if budget < 2 or not given:
        return dict.fromkeys(("half", *_AT_HALF))
    counts = np.array(given)
    found = against_nulls(budget, counts[:, 0], counts[:, 1])
    return {
        "half": found.k,
        "base_only_at_half": found.shrinkage_over_base.observed,
        "base_against_itself": found.shrinkage_over_base.null,
        "target_only_at_half": found.expansion_over_target.observed,
        "target_against_itself": found.expansion_over_target.null,
    }


def _base(spec: dict[str, Any], place: Place) -> Place:
    model, _, checkpoint = spec["bases"][f"{place.model}/{place.checkpoint}"].partition("/")
    return Place(model, checkpoint, place.benchmark)


def _row(base: Place, target: Place, budget: int, questions: int, counts: SolutionCounts) -> Row:
    return {
        "base": base.model,
        "base_checkpoint": base.checkpoint,
        "target": target.model,
        "target_checkpoint": target.checkpoint,
        "benchmark": target.benchmark,
        "budget": budget,
        "questions": questions,
        **counts._asdict(),
        "retained": retained(counts),
        "discovered": discovered(counts),
    }


def _by_place(option: str, paths: Iterable[Path]) -> dict[Place, Path]:
    found: dict[Place, Path] = {}
    for path in paths:
        place = Place(*path.absolute().parts[-4:-1])
        if place in found:
            raise InputError(
                f"{option}: {path} and {found[place]} are of the same state; give each file once"
            )
        found[place] = path
    return found


def _refuse(option: str, strange: list[Path]) -> None:
    if strange:
        raise InputError(
            f"{option}: no comparison or open-ended benchmark of --spec: "
            f"{records.listed(map(str, strange))}; leave it out"
        )


def _require(option: str, wanted: Iterable[Place], found: dict[Place, Path]) -> None:
    lacking = dict.fromkeys("/".join(place) for place in wanted if place not in found)
    if lacking:
        raise InputError(f"{option}: no file of {records.listed(lacking)}; give one, or drop it from --spec")


def _answers(path: Path) -> Answers:
    """Raises InputError for a null and for an answer that stands twice."""
    found: Answers = {}
    for row in records.stream(path, records.SOLUTIONS):
        name, answer, samples = row["question_id"], row["answer"], row["samples"]
        if None in (name, answer, samples) or answer in found.setdefault(name, {}):
            raise InputError(
                f"{path}: question {name!r}: the answer {answer!r} is null or stands twice; "
                "delete the file and run again"
            )
        found[name][answer] = samples
    return found


def _known(answers: Iterable[Answers]) -> dict[str, set[str]]:
    """All answers to each question that some state gave."""
    known: dict[str, set[str]] = {}
    for found in answers:
        for name, given in found.items():
            known.setdefault(name, set()).update(given)
    return known


def _questions(path: Path, budget: int) -> dict[str, Row]:
    """The questions of a comparison. Raises InputError where one has other than `budget` samples of a side."""
    questions = records.read_by_question(path, records.REGIONS)
    off = [name for name, row in questions.items() if {row["base_n"], row["target_n"]} != {budget}]
    if off:
        raise InputError(f"{path}: not {budget} samples of {records.listed(off)}; match these counts again")
    return questions


def _check(side: str, answers: Answers, path: Path, questions: dict[str, Row], regions: Path) -> None:
    """Raises InputError where a side's solutions are more than it has correct samples, or of another question."""
    dropped = (records.note(regions, "dropped") or {}).get(side, [])
    correct = {name: row[f"{side}_correct"] for name, row in questions.items()}
    off = [
        name
        for name, given in answers.items()
        if name not in dropped and sum(given.values()) > correct.get(name, 0)
    ]
    if off:
        raise InputError(
            f"{path} and {regions}: more samples gave a verified answer than were correct on "
            f"{records.listed(off)}; list and match these verdicts again"
        )


def as_csv(rows: list[Row]) -> str:
    """Every row, shares as fractions in full; an undefined one is empty."""
    return csv_text(
        COLUMNS,
        (
            row | {name: None if math.isnan(row[name]) else row[name] for name in ("retained", "discovered")}
            for row in rows
        ),
    )


def markdown(spec: dict[str, Any], rows: list[Row]) -> str:
    """A caption and a table, by labels."""
    table = markdown_table(_HEADINGS, (_cells(spec, row) for row in rows), _TEXT)
    return f"**Support of solutions.** {as_markdown(_caption(rows))}\n\n{table}\n"


def _caption(rows: list[Row]) -> str:
    budgets = ", ".join(map(str, sorted({row["budget"] for row in rows})))
    return (
        "Where several different answers to a question can be right: the distinct verified answers that base and "
        f"target gave within k samples of each of N questions (budget k = {budgets}). Finite samples find only some "
        "of the answers reachable: one that a state gives rarely may be missing by chance, so that an answer of one "
        "side only need not be out of the other's reach. question kept: of the answers of the base only, those to "
        "questions that the target still solves (the question is kept, the solution lost). question solved already: "
        "of the answers of the target only, those to questions that the base solves as well. neither: answers that "
        "are known because another state of this study gave them, and neither of the two did; right answers that no "
        "state of the study gave are not known and not counted. retained: both/(both + base only); discovered: "
        "target only/(both + target only); — where there is no such answer. At k/2, in expectation: answers of one "
        "side only, and beside them those that one half of a model's own samples gives and the other half does not: "
        "what drawing again does by itself, so that only what exceeds it is a change. Answers are told apart as the "
        "verifier writes them: by spelling without spaces, so that 2+3 and 3+2 are two."
    )


def _cells(spec: dict[str, Any], row: Row) -> list[str]:
    return [
        *(_label(spec, row[side], row[f"{side}_checkpoint"]) for side in ("target", "base")),
        spec["benchmarks"][row["benchmark"]],
        *(count(row[name]) for name in ("budget", "questions", "both", "base_only", "base_only_kept")),
        *(count(row[name]) for name in ("target_only", "target_only_solved", "neither")),
        *(ratio(row[name]) for name in ("retained", "discovered")),
        *(number(row[name], 1) for name in _AT_HALF),
    ]


def _label(spec: dict[str, Any], model: str, checkpoint: str) -> str:
    return state_label(
        spec["models"][model]["label"], spec["checkpoints"].get(f"{model}/{checkpoint}", checkpoint)
    )


def parse_spec(text: str) -> dict[str, Any]:
    """The --spec argument, see above. Raises InputError where it lacks one of its keys."""
    spec = parse_presentation(text)
    lacking = [key for key in _KEYS if key not in spec]
    if lacking:
        raise InputError(f"--spec: lacks {', '.join(lacking)}")
    return spec


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="leash.tables.solutions", description="Write the support of solutions of a study."
    )
    parser.add_argument("--spec", required=True, help="JSON: labels, order, comparisons, bases and budgets")
    parser.add_argument("--solutions", type=Path, nargs="+", required=True, help="of every state")
    parser.add_argument("--regions", type=Path, nargs="+", required=True, help="of every comparison")
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_spec(args.spec)
    rows = read(spec, args.solutions, args.regions)
    records.write_text(args.out_csv, as_csv(rows))
    records.write_text(args.out_md, markdown(spec, rows))


if __name__ == "__main__":
    main()
