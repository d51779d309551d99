"""Load a config: every problem at once, each with its file, its key and the remedy."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from leash.benchmarks import files, prompts
from leash.config import Dapo, Model, Pretrain, Sft, Study
from leash.errors import InputError
from leash.study import State, benchmarks_of, checkpoints, comparisons, local_folder, recorded, states

Place = Callable[..., str]


def load(raw: Mapping[str, Any], files: Iterable[Path] = ()) -> Study:
    """The checked study of a config mapping.

    `files` are the YAML files it was merged from, the last one strongest; messages name the one that holds
    the key. Raises InputError for unknown keys, values out of range and references to nothing.
    """
    places = _Places(files)
    try:
        study = Study.model_validate(raw)
    except ValidationError as error:
        raise _invalid([_explain(dict(entry), places) for entry in error.errors()]) from error
    problems = _reference_problems(study, places.of)
    if problems:
        raise _invalid(problems)
    return study


def _invalid(problems: list[str]) -> InputError:
    return InputError("\n  ".join(["the config is not valid:", *problems]))


class _Places:
    """Which of the merged files holds a key."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._loaded: list[tuple[Path, Any]] = []
        for file in files:
            try:
                self._loaded.append((file, yaml.safe_load(file.read_text(encoding="utf-8"))))
            except (OSError, yaml.YAMLError) as error:
                raise InputError(f"{file}: cannot be read as YAML: {error}") from error

    def of(self, *path: str | int) -> str:
        """'file: a.b.c' for the strongest file that holds the key, or 'a.b.c' where none does."""
        dotted = ".".join(map(str, path))
        for length in range(len(path), 0, -1):
            for file, content in reversed(self._loaded):
                if _holds(content, path[:length]):
                    return f"{file}: {dotted}"
        return f"{self._loaded[-1][0]}: {dotted}" if self._loaded else dotted


def _holds(content: Any, path: tuple[str | int, ...]) -> bool:
    for key in path:
        in_list = isinstance(content, list) and isinstance(key, int) and key < len(content)
        if not (in_list or (isinstance(content, Mapping) and key in content)):
            return False
        content = content[key]
    return True


def _nearest(name: str, known: Iterable[str]) -> str:
    """'; did you mean 'x'?' for the nearest known name, else the known names."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else f" (known: {', '.join(known)})"


def _explain(entry: dict[str, Any], places: _Places) -> str:
    path = _without_tags(entry["loc"])
    where = places.of(*path)
    if entry["type"] == "extra_forbidden":
        known = _fields_at(path[:-1], entry["loc"])
        return f"{where}: unknown key '{path[-1]}'{_nearest(str(path[-1]), known)}"
    if entry["type"] == "missing":
        return f"{where}: missing; add it (see config/README.md)"
    message = str(entry["msg"]).removeprefix("Value error, ")
    shown = "" if isinstance(entry["input"], dict | BaseModel) else f" (got {entry['input']!r})"
    return f"{where}: {message}{shown}"


_RECIPES: dict[str, type[BaseModel]] = {"pretrain": Pretrain, "sft": Sft, "dapo": Dapo}


def _without_tags(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A pydantic location as a path in the file: without the recipe's tag after `train`, and '[key]'."""
    return tuple(
        part
        for index, part in enumerate(loc)
        if part != "[key]" and not (index and loc[index - 1] == "train" and part in _RECIPES)
    )


def _fields_at(path: tuple[str | int, ...], loc: tuple[str | int, ...]) -> set[str]:
    """Names of the fields that the block at `path` knows."""
    block: type[BaseModel] | None = Study
    for key in path:
        if block is None or key not in block.model_fields:
            continue  # a slug of a registry, or an index
        if key == "train" and block is Model:
            block = _RECIPES[str(loc[loc.index("train") + 1])]
            continue
        found = _models_in(block.model_fields[str(key)].annotation)
        block = found[0] if found else None
    return set(block.model_fields) if block else set()


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]


def _reference_problems(study: Study, place: Place) -> list[str]:
    """Names that lead nowhere, cycles of bases, budgets that do not fit the shards, unreadable folders."""
    problems = [*_registry_problems(study, place), *_base_problems(study, place)]
    if problems:
        return problems
    problems = [
        *_recipe_problems(study, place),
        *_budget_problems(study, place),
        *_path_problems(study, place),
        *_prompt_problems(study, place),
        *_file_problems(study, place),
        *_recorded_problems(study, place),
        *_recorded_file_problems(study, place),
    ]
    if not problems and not comparisons(study):
        problems = [f"{place('run', 'models')}: no model with a base is listed: there is nothing to compare"]
    return problems


def _registry_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, model in study.models.items():
        for name in model.checkpoint_labels:
            if name not in checkpoints(model):
                where = place("models", slug, "checkpoint_labels", name)
                yield f"{where}: no checkpoint '{name}'{_nearest(name, checkpoints(model))}"
    for kind, listed, registry in (
        ("models", study.run.models, study.models),
        ("benchmarks", study.run.benchmarks, study.benchmarks),
    ):
        for index, slug in enumerate(listed):
            if slug not in registry:
                yield f"{place('run', kind, index)}: no '{slug}' under {kind}{_nearest(slug, registry)}"
            if slug in listed[:index]:
                yield f"{place('run', kind, index)}: '{slug}' is listed twice"


def _base_problems(study: Study, place: Place) -> Iterator[str]:
    for slug, model in study.models.items():
        if model.base is None:
            continue
        name, _, checkpoint = model.base.partition("/")
        if name not in study.models:
            yield f"{place('models', slug, 'base')}: no model '{name}'{_nearest(name, study.models)}"
        elif checkpoint and checkpoint not in checkpoints(study.models[name]):
            known = checkpoints(study.models[name])
            yield f"{place('models', slug, 'base')}: '{name}' has no checkpoint '{checkpoint}'" + _nearest(
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
        if start and (start.hub or start.recorded):
            where = "on the hub: download it" if start.hub else "recorded: take its weights"
            yield (
                f"{place('models', slug, 'base')}: training starts from a local folder, and '{model.base}' is "
                f"{where} and give it as path"
            )
        split = "train" if isinstance(model.train, Pretrain) else "rl"
        for index, name in enumerate(model.train.benchmarks):
            where = place("models", slug, "train", "benchmarks", index)
            if name not in study.benchmarks:
                yield f"{where}: no benchmark '{name}'{_nearest(name, study.benchmarks)}"
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
    shard = study.sampling.shard_samples
    for slug, benchmark in study.benchmarks.items():
        if benchmark.recorded or _only_recorded(study, slug):
            continue
        if benchmark.budget % shard:
            yield (
                f"{place('benchmarks', slug, 'budget')}: {benchmark.budget} is not a multiple of "
                f"sampling.shard_samples, {shard}: change one of them"
            )
        temperature = (
            benchmark.temperature if benchmark.temperature is not None else study.sampling.temperature
        )
        if temperature == 0 and benchmark.budget > 1:
            yield (
                f"{place('benchmarks', slug, 'budget')}: at temperature 0 every sample is the same: "
                "set budget and sampling.shard_samples to 1, or a temperature above 0"
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


def _only_recorded(study: Study, benchmark: str) -> bool:
    """Whether a benchmark is run, and on models alone whose results on it are recorded."""
    on = [state for state in states(study) if benchmark in benchmarks_of(study, state.model)]
    return bool(on) and all(study.models[state.model].recorded for state in on)


def _recorded_problems(study: Study, place: Place) -> Iterator[str]:
    """Benchmarks that recorded results name, and those that a target has and its base has not."""
    for slug, model in study.models.items():
        for name in model.recorded or {}:
            if name not in study.benchmarks:
                where = place("models", slug, "recorded", name)
                yield f"{where}: no benchmark '{name}'{_nearest(name, study.benchmarks)}"
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
