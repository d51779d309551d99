"""A config expanded into states and comparisons: the one place that knows which jobs a study has."""

from pathlib import Path
from typing import NamedTuple

from leash.config import Model, Recorded, Study

ONLY_CHECKPOINT = "final"


class State(NamedTuple):
    """A model at a checkpoint: what completions are drawn from."""

    model: str
    checkpoint: str

    def __str__(self) -> str:
        return f"{self.model}/{self.checkpoint}"


class Comparison(NamedTuple):
    """A trained state, and the state it was trained from."""

    base: State
    target: State


def checkpoints(model: Model) -> list[str]:
    """Slugs of a model's checkpoints, in order: step20, … of a dapo recipe; `final` if there is but one."""
    if isinstance(model.checkpoints, list):
        return [f"step{step}" for step in model.checkpoints] or [ONLY_CHECKPOINT]
    return list(model.checkpoints) or [ONLY_CHECKPOINT]


def place_of(model: Model, checkpoint: str) -> str | None:
    """What `checkpoints` maps a checkpoint to: a commit (hub) or a folder below `path`; None if nothing."""
    return model.checkpoints.get(checkpoint) if isinstance(model.checkpoints, dict) else None


def local_folder(study: Study, state: State) -> Path | None:
    """The folder of a state whose model is given as `path`; None where it comes from elsewhere."""
    model = study.models[state.model]
    return model.path and model.path / (place_of(model, state.checkpoint) or ".")


def base_state(study: Study, slug: str) -> State | None:
    """The state that a model was trained from, or None for a base. Ambiguous names do not pass loading."""
    base = study.models[slug].base
    if base is None:
        return None
    name, _, checkpoint = base.partition("/")
    return State(name, checkpoint or checkpoints(study.models[name])[0])


def models_in_order(study: Study) -> list[str]:
    """The models that are run: each one's bases first, then as listed."""
    ordered: dict[str, None] = {}

    def add(slug: str) -> None:
        base = base_state(study, slug)
        if base:
            add(base.model)
        ordered.setdefault(slug)

    for slug in study.run.models:
        add(slug)
    return list(ordered)


def states(study: Study) -> list[State]:
    """Every state that completions are drawn from: the listed models' checkpoints, and the bases of these."""
    needed: dict[State, None] = {}
    for slug in models_in_order(study):
        base = base_state(study, slug)
        if base and slug in study.run.models:
            needed.setdefault(base)
        if slug in study.run.models:
            for checkpoint in checkpoints(study.models[slug]):
                needed.setdefault(State(slug, checkpoint))
    return list(needed)


def comparisons(study: Study) -> list[Comparison]:
    """Every trained state that is run against the state it was trained from, in the order of the tables."""
    return [
        Comparison(base, State(slug, checkpoint))
        for slug in models_in_order(study)
        if slug in study.run.models and (base := base_state(study, slug))
        for checkpoint in checkpoints(study.models[slug])
    ]


def repeated(study: Study, state: State) -> tuple[str, int | None] | None:
    """The paper's pair that a trained state repeats, and the step where it is one of a training run; None for none."""
    given = study.models[state.model].published
    text = given.get(state.checkpoint) if isinstance(given, dict) else given
    if text is None:
        return None
    pair, _, step = text.partition("/")
    return pair, int(step) if step else None


def recorded(study: Study, state: State, benchmark: str) -> Recorded | None:
    """The recorded results of a state on a benchmark; None where its completions are drawn here."""
    model = study.models[state.model]
    if model.recorded is None:
        return None
    source = model.recorded[benchmark]
    place = place_of(model, state.checkpoint)
    if place is None:
        return source
    kind = "counts" if source.counts else "completions"
    return source.model_copy(update={kind: Path(str(source.file).replace("{checkpoint}", place))})


def has_completions(study: Study, state: State, benchmark: str) -> bool:
    """Whether a state's completions are known, and not its counts only."""
    source = recorded(study, state, benchmark)
    return source is None or source.completions is not None


def benchmarks_of(study: Study, slug: str) -> list[str]:
    """The benchmarks that a model is run on: the recorded ones, or those that questions can be put from."""
    given = study.models[slug].recorded
    return [
        name
        for name in study.run.benchmarks
        if (not study.benchmarks[name].recorded if given is None else name in given)
    ]


def audited(study: Study) -> list[tuple[Comparison, str]]:
    """Every comparison and benchmark, in the order of the tables, where the answers of both sides are known."""
    return [
        (pair, name)
        for pair in comparisons(study)
        for name in benchmarks_of(study, pair.target.model)
        if all(has_completions(study, state, name) for state in pair)
    ]


def open_ended(study: Study) -> list[tuple[Comparison, str]]:
    """Those of `audited` whose benchmark has several right answers that the verifier tells apart."""
    return [(pair, name) for pair, name in audited(study) if study.benchmarks[name].open_ended]


def with_answers(study: Study, benchmark: str) -> list[State]:
    """Every state whose completions on a benchmark are known, compared or not."""
    return [
        state
        for state in states(study)
        if benchmark in benchmarks_of(study, state.model) and has_completions(study, state, benchmark)
    ]


def recorded_questions(study: Study, benchmark: str) -> Recorded | None:
    """The completions that a benchmark with `recorded: true` takes its questions from: a base's, if it has some.

    None where it is known from counts only.
    """
    found = (
        recorded(study, state, benchmark)
        for state in states(study)
        if benchmark in benchmarks_of(study, state.model)
    )
    return next((source for source in found if source and source.completions), None)


def rounds_of(study: Study, benchmark: str) -> list[int] | None:
    """After how many samples of a question each round of a benchmark ends; None where drawing is exhaustive."""
    if study.sampling.protocol == "exhaustive":
        return None
    return study.benchmarks[benchmark].rounds or study.sampling.rounds


def always_of(study: Study, benchmark: str) -> list[str]:
    """Questions of a benchmark that every round draws."""
    return study.sampling.always.get(benchmark, [])
