"""Load a config: every problem at once, each with its file, its key and the remedy."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from leash.config import Dapo, Model, Pretrain, Sft, Study
from leash.errors import InputError, nearest
from leash.validation import problems_of


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
    problems = problems_of(study, places.of)
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


def _explain(entry: dict[str, Any], places: _Places) -> str:
    path = _without_tags(entry["loc"])
    where = places.of(*path)
    if entry["type"] == "extra_forbidden":
        known = _fields_at(path[:-1], entry["loc"])
        return f"{where}: unknown key '{path[-1]}'{nearest(str(path[-1]), known)}"
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
