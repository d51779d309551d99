"""What a config's own types cannot say: names that lead nowhere, files that are not there, numbers that do not fit."""

from collections.abc import Callable, Iterator
from pathlib import Path

from leash.benchmarks import files, prompts
from leash.config import Dapo, Model, Pretrain, Study
from leash.errors import InputError, nearest
from leash.published import record as paper
from leash.study import (
    State,
    benchmarks_of,
    checkpoints,
    comparisons,
    local_folder,
    recorded,
    rounds_of,
    states,
)
from leash.training.traces import STYLES

Place = Callable[..., str]
"""Where a key stands: 'file: a.b.c'."""


def problems_of(study: Study, place: Place) -> list[str]:
    """Every problem of a study whose types are right, each with the place of its key and the remedy."""
    problems = [*_registry_problems(study, place), *_base_problems(study, place)]
    if problems:
        return problems
    problems = [
        *_recipe_problems(study, place),
        *_budget_problems(study, place),
        *_protocol_problems(study, place),
        *_path_problems(study, place),
        *_prompt_problems(study, place),
        *_file_problems(study, place),
        *_recorded_problems(study, place),
        *_recorded_file_problems(study, place),
        *_published_problems(study, place),
        *_scoring_problems(study, place),
        *_trace_problems(study, place),
    ]
    if not problems and not comparisons(study):
        problems = [f"{place('run', 'models')}: no model with a base is listed: there is nothing to compare"]
    return problems


def _registry_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, model in study.models.items():
        for name in model.checkpoint_labels:
            if name not in checkpoints(model):
                where = place("models", slug, "checkpoint_labels", name)
                yield f"{where}: no checkpoint '{name}'{nearest(name, checkpoints(model))}"
    for kind, listed, registry in (
        ("models", study.run.models, study.models),
        ("benchmarks", study.run.benchmarks, study.benchmarks),
    ):
        for index, slug in enumerate(listed):
            if slug not in registry:
                yield f"{place('run', kind, index)}: no '{slug}' under {kind}{nearest(slug, registry)}"
            if slug in listed[:index]:
                yield f"{place('run', kind, index)}: '{slug}' is listed twice"


def _base_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, model in study.models.items():
        if model.base is None:
            continue
        name, _, checkpoint = model.base.partition("/")
        if name not in study.models:
            yield f"{place('models', slug, 'base')}: no model '{name}'{nearest(name, study.models)}"
        elif checkpoint and checkpoint not in checkpoints(study.models[name]):
            known = checkpoints(study.models[name])
            yield f"{place('models', slug, 'base')}: '{name}' has no checkpoint '{checkpoint}'" + nearest(
                checkpoint, known
            )
        elif not checkpoint and len(checkpoints(study.models[name])) > 1:
            known = checkpoints(study.models[name])
            choices = ", ".join(f"{name}/{one}" for one in known)
            yield f"{place('models', slug, 'base')}: '{name}' has several checkpoints: write one of {choices}"
    for slug in study.models:
        chain = [slug]
        while (base := study.models[chain[-1]].base) and (name := base.partition("/")[0]) in study.models:
            if name == slug:
                cycle = " -> ".join([*chain, name])
                yield f"{place('models', slug, 'base')}: a cycle of bases: {cycle}; remove one `base`"
            if name in chain:
                break
            chain.append(name)


def _recipe_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, model in study.models.items():
        if model.train is None:
            continue
        start = study.models[model.base.partition("/")[0]] if model.base else None
        if start and (start.hub or start.endpoint or start.recorded):
            kind = "on the hub" if start.hub else "behind an endpoint" if start.endpoint else "recorded"
            yield (
                f"{place('models', slug, 'base')}: training starts from a local folder, and '{model.base}' is "
                f"{kind}: {'download it' if start.hub else 'take its weights'} and give it as path"
            )
        split = "train" if isinstance(model.train, Pretrain) else "rl"
        for index, name in enumerate(model.train.benchmarks):
            where = place("models", slug, "train", "benchmarks", index)
            if name not in study.benchmarks:
                yield f"{where}: no benchmark '{name}'{nearest(name, study.benchmarks)}"
                continue
            if study.benchmarks[name].reasoning_gym is None:
                yield f"{where}: '{name}' has no training questions: only a reasoning_gym benchmark makes some"
                continue
            training = study.benchmarks[name].training
            needed = [split] if isinstance(model.train, Dapo) else [split, "traces"]
            for key in needed:
                if getattr(training, key) is None:
                    yield f"{where}: the recipe {model.train.recipe} needs benchmarks.{name}.training.{key}"


def _budget_problems(study: Study, place: Place) -> Iterator[str]:
    adaptive = study.sampling.protocol == "adaptive"
    for slug, benchmark in study.benchmarks.items():
        if benchmark.recorded or _only_from(study, slug, "recorded"):
            continue
        yield from (_round_problems if adaptive else _shard_problems)(study, slug, place)
        temperature = (
            benchmark.temperature if benchmark.temperature is not None else study.sampling.temperature
        )
        if temperature == 0 and benchmark.budget > 1:
            yield (
                f"{place('benchmarks', slug, 'budget')}: at temperature 0 every sample is the same: "
                "set budget and sampling.shard_samples to 1, or a temperature above 0"
            )


def _shard_problems(study: Study, slug: str, place: Place) -> Iterator[str]:
    budget, shard = study.benchmarks[slug].budget, study.sampling.shard_samples
    if budget % shard:
        yield (
            f"{place('benchmarks', slug, 'budget')}: {budget} is not a multiple of "
            f"sampling.shard_samples, {shard}: change one of them"
        )


def _round_problems(study: Study, slug: str, place: Place) -> Iterator[str]:
    """Rounds of a benchmark that is run; a registry may hold others, of other budgets."""
    if slug not in study.run.benchmarks:
        return
    benchmark, rounds = study.benchmarks[slug], rounds_of(study, slug)
    where = place("benchmarks", slug, "rounds") if benchmark.rounds else place("sampling", "rounds")
    if rounds is None:
        yield f"{where}: missing: with the protocol adaptive, give the samples after which each round ends"
        return
    if sorted(set(rounds)) != rounds:
        yield f"{where}: {rounds} must be rising numbers of samples"
    elif rounds[-1] != benchmark.budget:
        yield (
            f"{where}: the last round ends after {rounds[-1]} samples, and benchmarks.{slug}.budget is "
            f"{benchmark.budget}: change one of them, or give benchmarks.{slug} rounds of its own"
        )
    elif rounds[0] % min(rounds[0], study.sampling.shard_samples):
        yield (
            f"{where}: the first round of {rounds[0]} samples is not a multiple of sampling.shard_samples, "
            f"{study.sampling.shard_samples}: change one of them"
        )


def _protocol_problems(study: Study, place: Place) -> Iterator[str]:
    """What goes with one protocol of drawing and not with the other."""
    drawing = study.sampling
    if drawing.protocol == "exhaustive":
        given = [name for name in ("rounds", "always", "shard_tokens") if getattr(drawing, name)]
        paths: list[tuple[str, ...]] = [("sampling", name) for name in given]
        paths += [("benchmarks", slug, "rounds") for slug, block in study.benchmarks.items() if block.rounds]
        yield from (f"{place(*path)}: goes with sampling.protocol adaptive: remove it" for path in paths)
        return
    for slug in drawing.always:
        if slug not in study.benchmarks:
            yield f"{place('sampling', 'always', slug)}: no benchmark '{slug}'{nearest(slug, study.benchmarks)}"
    for index, slug in enumerate(study.run.benchmarks):
        if study.benchmarks[slug].open_ended:
            yield (
                f"{place('benchmarks', slug, 'open_ended')}: which solutions a model reaches is known from all samples "
                "of the budget, and sampling.protocol adaptive stops at the first right ones: draw exhaustively, or "
                "set open_ended: false"
            )
        if any(
            study.models[state.model].recorded and slug in benchmarks_of(study, state.model)
            for state in states(study)
        ):
            yield (
                f"{place('run', 'benchmarks', index)}: results on '{slug}' are recorded, with as many samples of each "
                "question, and sampling.protocol adaptive draws as many as each needs: set it to exhaustive"
            )


def _path_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, model in study.models.items():
        for checkpoint in checkpoints(model):
            folder = local_folder(study, State(slug, checkpoint))
            if folder is None:
                continue
            missing = [
                name for name in ("config.json", "tokenizer_config.json") if not (folder / name).is_file()
            ]
            if not any(folder.glob("*.safetensors")):
                missing.append("*.safetensors")
            if missing:
                yield (
                    f"{place('models', slug, 'path')}: {folder} is not a model folder that can be read "
                    f"(no {', '.join(missing)}): give a folder written by save_pretrained"
                )


def _prompt_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, benchmark in study.benchmarks.items():
        try:
            prompts.resolve(benchmark.prompt)
        except InputError as error:
            yield f"{place('benchmarks', slug, 'prompt')}: {str(error).removeprefix('prompt: ')}"


def _file_problems(study: Study, place: Place) -> Iterator[str]:
    """Files of the benchmarks that are run: a registry may name files that other machines have."""
    for slug in study.run.benchmarks:
        path = study.benchmarks[slug].file
        if path is not None:
            yield from _unreadable(path, place("benchmarks", slug, "file"))


def _unreadable(path: Path, where: str) -> Iterator[str]:
    if path.suffix not in files.READERS:
        yield f"{where}: {path}: {files.unknown_suffix(path)}"
    elif not path.is_file():
        yield f"{where}: {path} is not there: correct the path, or put the file there"


def _only_from(study: Study, benchmark: str, *sources: str) -> bool:
    """Whether a benchmark is run, and on models alone that come from these sources."""
    on = [study.models[one.model] for one in states(study) if benchmark in benchmarks_of(study, one.model)]
    return bool(on) and all(any(getattr(model, source) for source in sources) for model in on)


def _recorded_problems(study: Study, place: Place) -> Iterator[str]:
    """Benchmarks that recorded results name, and those that a target has and its base has not."""
    for slug, model in study.models.items():
        for name in model.recorded or {}:
            if name not in study.benchmarks:
                where = place("models", slug, "recorded", name)
                yield f"{where}: no benchmark '{name}'{nearest(name, study.benchmarks)}"
    compared = comparisons(study)
    for target, base in {pair.target.model: pair.base.model for pair in compared}.items():
        known = benchmarks_of(study, target)
        if not known:
            yield (
                f"{place('models', target)}: none of run.benchmarks can be put to '{target}': give it recorded "
                "results on one of them, or take it out of run.models"
            )
        lacking = [name for name in known if name not in benchmarks_of(study, base)]
        if lacking:
            yield (
                f"{place('models', base)}: no recorded results on {', '.join(lacking)}, which its successor "
                f"'{target}' has: add them, or take {', '.join(lacking)} out of run.benchmarks"
            )
    for index, name in enumerate(study.run.benchmarks):
        on = [pair for pair in compared if name in benchmarks_of(study, pair.target.model)]
        if compared and not on:
            yield f"{place('run', 'benchmarks', index)}: no model of run.models has results on '{name}'"
        if study.benchmarks[name].on_missing == "intersect" and not any(
            study.models[state.model].recorded for pair in on for state in pair
        ):
            yield (
                f"{place('benchmarks', name, 'on_missing')}: intersect goes with recorded results, and '{name}' "
                "has none: remove it"
            )


def _recorded_file_problems(study: Study, place: Place) -> Iterator[str]:
    """Files of recorded results that are run."""
    for state in states(study):
        for name in benchmarks_of(study, state.model):
            source = recorded(study, state, name)
            if source is not None:
                kind = "counts" if source.counts else "completions"
                where = place("models", state.model, "recorded", name, kind)
                yield from _unreadable(source.file, where)


def _published_problems(study: Study, place: Place) -> Iterator[str]:
    """Pairs, steps and benchmarks that the paper does not have. The record is read only where one is named."""
    models = {slug: model for slug, model in study.models.items() if model.published is not None}
    benchmarks = {slug: block.published for slug, block in study.benchmarks.items() if block.published}
    if not models and not benchmarks:
        return
    record = paper.read(paper.FOLDER)
    for slug, model in models.items():
        for path, text in _published_pairs(slug, model):
            yield from (f"{place(*path)}: {problem}" for problem in _pair_problems(record, text))
        yield from _checkpoint_problems(slug, model, place)
    for slug, name in benchmarks.items():
        if name not in paper.benchmarks(record):
            known = nearest(name, paper.benchmarks(record))
            yield f"{place('benchmarks', slug, 'published')}: the paper has no benchmark '{name}'{known}"


def _published_pairs(slug: str, model: Model) -> list[tuple[tuple[str, ...], str]]:
    path = ("models", slug, "published")
    if isinstance(model.published, dict):
        return [((*path, checkpoint), text) for checkpoint, text in model.published.items()]
    return [(path, model.published)] if model.published else []


def _pair_problems(record: paper.Record, text: str) -> Iterator[str]:
    pair, is_step, step = text.partition("/")
    whole = list(dict.fromkeys([*paper.pairs(record.aggregate_support), *paper.pairs(record.support_counts)]))
    known = paper.steps(record, pair)
    if pair not in whole and not known:
        everything = dict.fromkeys([*whole, *paper.pairs(record.training_dynamics)])
        yield f"the paper has no pair '{pair}'{nearest(pair, everything)}"
    elif is_step and not known:
        yield f"the paper has no steps of '{pair}': write {pair}"
    elif is_step and step not in known:
        yield f"the paper has no step '{step}' of '{pair}' (known: {', '.join(known)})"
    elif not is_step and pair not in whole:
        yield f"the paper has '{pair}' by step only: write {pair}/<step>, one of {', '.join(known)}"


def _checkpoint_problems(slug: str, model: Model, place: Place) -> Iterator[str]:
    """Checkpoints that `published` does not tell apart, or that the model does not have."""
    known = checkpoints(model)
    if isinstance(model.published, str) and len(known) > 1:
        yield (
            f"{place('models', slug, 'published')}: '{slug}' has several checkpoints: write "
            f"{{checkpoint: pair}}, for one or more of {', '.join(known)}"
        )
    for name in model.published if isinstance(model.published, dict) else ():
        if name not in known:
            where = place("models", slug, "published", name)
            yield f"{where}: no checkpoint '{name}'{nearest(name, known)}"


def _scoring_problems(study: Study, place: Place) -> Iterator[str]:
    """Samples that are to be scored and are not drawn, or without their tokens."""
    scoring = study.scoring
    if scoring is None:
        return
    if sorted(set(scoring.windows)) != scoring.windows:
        yield f"{place('scoring', 'windows')}: {scoring.windows} must be rising numbers of tokens"
    drawn = [slug for slug in study.run.benchmarks if not _only_from(study, slug, "recorded", "endpoint")]
    if drawn and scoring.samples > study.sampling.token_ids:
        yield (
            f"{place('scoring', 'samples')}: {scoring.samples} samples are scored by their tokens, and those of "
            f"sampling.token_ids, {study.sampling.token_ids}, are kept: raise it (which draws again), or score fewer"
        )
    for slug in drawn:
        budget, rounds = study.benchmarks[slug].budget, rounds_of(study, slug)
        if study.benchmarks[slug].recorded or scoring.samples <= (rounds[0] if rounds else budget):
            continue
        least = f"the first round of {slug}" if rounds else f"benchmarks.{slug}.budget"
        yield (
            f"{place('scoring', 'samples')}: {scoring.samples} samples are scored, and {least} is "
            f"{rounds[0] if rounds else budget}: score fewer, or raise it"
        )


def _trace_problems(study: Study, place: Place) -> Iterator[str]:
    """Styles that a task does not have, and files of the benchmarks that are run."""
    for slug in study.run.benchmarks:
        benchmark = study.benchmarks[slug]
        for name, source in benchmark.traces.items():
            if source.file is not None:
                yield from _unreadable(source.file, place("benchmarks", slug, "traces", name, "file"))
            elif source.style not in STYLES.get(benchmark.reasoning_gym or "", {}):
                where = place("benchmarks", slug, "traces", name, "style")
                if benchmark.reasoning_gym not in STYLES:
                    yield f"{where}: goes with a task that has trace styles (known: {', '.join(STYLES)})"
                else:
                    known = nearest(str(source.style), STYLES[benchmark.reasoning_gym])
                    yield f"{where}: the task {benchmark.reasoning_gym} has no style '{source.style}'{known}"
