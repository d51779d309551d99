"""Precision and entropy of a study's states, each base with its targets, as Table 5 and its figure ask for them.

spec = that of leash.comparisons, with
       {"bases": {"model/checkpoint" of every target: "model/checkpoint" of its base},
        "verifiers": {benchmark: name of its verifier}}                     (verifiers: may be left out)
A file is what leash.entropy writes; its folders say of which state, on which benchmark.
"""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from leash import records
from leash.comparisons import parse_spec as parse_labels
from leash.comparisons import state_label
from leash.errors import InputError
from leash.records import ENTROPY, Row


class Precision(NamedTuple):
    """A state on one benchmark, or its average over benchmarks. None where it is not known.

    avg: share of samples that were correct, and its standard error over questions. n_tokens: mean over completions.
    token_entropy: mean over tokens, then over completions. Answer entropies (plug-in, Miller and Madow) and distinct
    answers: means over questions; a question without any class is left out. na: share of samples. In nats, tokens.
    questions, samples, scored and unclassified are counts: questions, and of them all samples, those that were
    scored, and those without a verdict.
    """

    questions: int
    samples: int
    scored: int
    unclassified: int
    avg: float | None
    avg_error: float | None
    n_tokens: float | None
    token_entropy: float | None
    answer_entropy: float | None
    answer_entropy_mm: float | None
    distinct_answers: float | None
    na: float | None


class State(NamedTuple):
    """A model's checkpoint: slugs, label, what it is on each benchmark by slug, and the average.

    The average has None throughout where the state lacks one of its family's benchmarks.
    """

    model: str
    checkpoint: str
    label: str
    is_final: bool
    on: dict[str, Precision]
    average: Precision


class Family(NamedTuple):
    """A base and its targets, and the slugs and labels of the benchmarks that any of the targets was put to."""

    base: State
    targets: list[State]
    benchmarks: dict[str, str]

    @property
    def states(self) -> list[State]:
        """The base, then its targets."""
        return [self.base, *self.targets]


def load(spec: dict[str, Any], paths: Iterable[Path], samples: int) -> list[Family]:
    """Families in the order in which the comparisons name their bases.

    Raises InputError for a state or benchmark that the spec does not name, a file that is not over `samples` samples
    of each question, a target without a file, and a base without one of its targets' benchmarks.
    """
    files: dict[str, dict[str, Precision]] = {}
    known = {*spec["bases"], *spec["bases"].values()}
    for path in paths:
        model, checkpoint, benchmark = path.absolute().parts[-4:-1]
        state = f"{model}/{checkpoint}"
        if state not in known or benchmark not in spec["benchmarks"]:
            raise InputError(f"--entropies: --spec names no state or benchmark of {path}; leave it out")
        files.setdefault(state, {})[benchmark] = summarise(path, samples)
    targets: dict[str, list[str]] = {}
    for model, checkpoint in spec["comparisons"]:
        state = f"{model}/{checkpoint}"
        targets.setdefault(spec["bases"][state], []).append(state)
    return [_family(spec, base, of_base, files) for base, of_base in targets.items()]


def _family(
    spec: dict[str, Any], base: str, targets: list[str], files: dict[str, dict[str, Precision]]
) -> Family:
    lacking = [state for state in (base, *targets) if state not in files]
    wanted = [slug for slug in spec["benchmarks"] if any(slug in files.get(state, {}) for state in targets)]
    lacking += [f"{base}/{slug}" for slug in wanted if base in files and slug not in files[base]]
    if lacking:
        raise InputError(
            f"--entropies: no file of {records.listed(lacking)}; give it, or drop it from --spec"
        )
    final = {str(model): str(checkpoint) for model, checkpoint in spec["comparisons"]}

    def state(name: str, is_base: bool) -> State:
        model, checkpoint = name.split("/")
        shown = "" if is_base else spec["checkpoints"].get(name, checkpoint)
        on = {slug: files[name][slug] for slug in wanted if slug in files[name]}
        return State(
            model,
            checkpoint,
            state_label(spec["models"][model]["label"], shown),
            is_base or final[model] == checkpoint,
            on,
            average([on.get(slug) for slug in wanted]),
        )

    benchmarks = {slug: str(spec["benchmarks"][slug]) for slug in wanted}
    return Family(state(base, True), [state(name, False) for name in targets], benchmarks)


def summarise(path: Path, samples: int) -> Precision:
    """A file's numbers. Raises InputError for an empty file and one that is not over `samples` of each question."""
    rows = records.read(path, ENTROPY)
    if not rows:
        raise InputError(f"{path}: holds no questions; delete it and run again")
    off = [row["question_id"] for row in rows if row["samples"] != samples]
    if off:
        raise InputError(
            f"{path}: not over {samples} samples: {records.listed(off)}; measure it with --samples {samples}"
        )
    rates = [row["correct"] / samples for row in rows]
    total = samples * len(rows)
    return Precision(
        questions=len(rows),
        samples=total,
        scored=sum(row["scored"] for row in rows),
        unclassified=sum(row["unclassified"] for row in rows),
        avg=fmean(rates),
        avg_error=stdev(rates) / sqrt(len(rates)) if len(rates) > 1 else None,
        n_tokens=_over_completions(rows, "n_tokens"),
        token_entropy=_over_completions(rows, "token_entropy"),
        answer_entropy=_over_questions(rows, "answer_entropy"),
        answer_entropy_mm=_over_questions(rows, "answer_entropy_mm"),
        distinct_answers=_over_questions(rows, "distinct_answers"),
        na=sum(row["na"] for row in rows) / total,
    )


def _over_completions(rows: list[Row], name: str) -> float | None:
    scored = sum(row["scored"] for row in rows)
    return sum(row["scored"] * row[name] for row in rows if row["scored"]) / scored if scored else None


def _over_questions(rows: list[Row], name: str) -> float | None:
    known = [row[name] for row in rows if row["answer_entropy"] is not None]
    return fmean(known) if known else None


def average(over: Sequence[Precision | None]) -> Precision:
    """Mean of the measures over benchmarks, each with the same weight, as in the paper; counts are added up."""
    held = [one for one in over if one is not None]
    whole = len(held) == len(over)

    def of(name: str, combined: Callable[[list[float]], float]) -> float | None:
        values = [getattr(one, name) for one in held]
        return combined(values) if whole and held and None not in values else None

    def error(errors: list[float]) -> float:
        return sqrt(sum(one**2 for one in errors)) / len(errors)  # benchmarks are independent

    return Precision(
        *(sum(getattr(one, name) for one in held) for name in Precision._fields[:4]),
        *(of(name, error if name == "avg_error" else fmean) for name in Precision._fields[4:]),
    )


def parse_spec(text: str) -> dict[str, Any]:
    """The spec, see above. Raises InputError where it lacks a key, or the base or label of a state."""
    spec = parse_labels(text)
    if not isinstance(spec.get("bases"), dict):
        raise InputError("--spec: lacks bases")
    states = [f"{model}/{checkpoint}" for model, checkpoint in spec["comparisons"]]
    lacking = [state for state in states if state not in spec["bases"]]
    if lacking:
        raise InputError(f"--spec: bases lacks {records.listed(lacking)}; name the base of every comparison")
    named = {name.split("/")[0] for name in (*states, *spec["bases"].values())}
    unnamed = sorted(named - set(spec["models"]))
    if unnamed:
        raise InputError(f"--spec: names no model {unnamed[0]!r}; add its label")
    return spec
