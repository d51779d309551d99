"""Questions drawn from a Reasoning Gym environment (Stojanovski et al., arXiv 2505.24760; version 0.1.25).

An example item, task "countdown": question "Using all the numbers 3, 8, 2, create an expression that equals
22 ...", gold ["8*3 - 2"], metadata {"numbers": [3, 8, 2], "target": 22, ...}.

Item i of an environment with seed s is a function of s + i alone, so two draws overlap where their ranges do;
text already seen is skipped whatever its seed. The environments are imported on first use: that costs 2 s.
"""

import dataclasses
import difflib
import hashlib
import json
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from leash.errors import InputError
from leash.records import Row

_RESERVED: Final = ("seed", "size")
_TUPLE, _SET, _ITEMS = "__tuple__", "__set__", "__items__"


def generate(task: str, params: Row, seed: int, size: int, exclude: Collection[str] = ()) -> list[Row]:
    """`size` questions with different texts, none of them in `exclude`; equal arguments give equal lists.

    Each has question_id, question, gold and metadata (a JSON string that `entry` reads back).
    A draw in which the environment gives up (a ValueError: countdown does after 100 attempts) yields none.
    Raises InputError for an unknown task, unknown or invalid params, a task that has too few different
    questions, and a gold that the environment itself does not score 1.
    """
    if size < 1 or seed < 0:
        raise InputError(
            f"benchmark {task}: size must be at least 1 and seed at least 0, not {size} and {seed}"
        )
    draws = 1000 + 10 * (size + len(exclude))
    dataset = _dataset(task, params, seed, draws)
    score = scorer(task)
    seen = set(exclude)
    questions: list[Row] = []
    gave_up = 0
    for index in range(draws):
        try:
            item = dataset[index]
        except ValueError:
            gave_up += 1
            continue
        if item["question"] in seen:
            continue
        seen.add(item["question"])
        questions.append(_question(task, item, score))
        if len(questions) == size:
            return questions
    raise InputError(
        f"benchmark {task}: {size} questions asked for, and {draws} draws gave {len(questions)} that differ "
        f"from each other and from {len(exclude)} excluded ones ({gave_up} draws gave none); "
        "lower size, or widen params so that there are more"
    )


def entry(question: str, gold: str, metadata: str) -> Row:
    """The environment's own entry, rebuilt from a row of a questions file."""
    return {"question": question, "answer": gold, "metadata": _from_json(json.loads(metadata))}


def scorer(task: str) -> Callable[[str, Row], float]:
    """The environment's score_answer(answer, entry), in [0, 1]. Raises InputError for an unknown task.

    It is built with the environment's default params: a verifier knows no others, so golds are proved by it.
    """
    from reasoning_gym import get_score_answer_fn

    _check_task(task)
    score: Callable[[str, Row], float] = get_score_answer_fn(task)
    return score


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error message on an unknown name: the one it resembles, or all of them when few."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known are {', '.join(known)}" if len(known) <= 20 else f"there are {len(known)} known ones"


def _check_task(task: str) -> None:
    from reasoning_gym.factory import DATASETS

    if task not in DATASETS:
        raise InputError(f"reasoning_gym: no task {task!r}; {nearest(task, DATASETS)}")


def _dataset(task: str, params: Row, seed: int, draws: int) -> Any:
    from reasoning_gym.factory import DATASETS, create_dataset

    _check_task(task)
    fields = [field.name for field in dataclasses.fields(DATASETS[task][1]) if field.name not in _RESERVED]
    for name in params:
        if name in _RESERVED:
            raise InputError(f"benchmark {task}: params: {name!r} stands beside params, not in it")
        if name not in fields:
            raise InputError(f"benchmark {task}: params: no {name!r}; {nearest(name, fields)}")
    try:
        return create_dataset(task, **params, seed=seed, size=draws)
    except (AssertionError, TypeError, ValueError) as error:
        raise InputError(f"benchmark {task}: params {json.dumps(params)}: {error}") from error


def _question(task: str, item: Row, score: Callable[[str, Row], float]) -> Row:
    text, gold = item["question"], item["answer"]
    if not isinstance(gold, str):
        raise InputError(
            f"benchmark {task}: gives no gold answer as text ({gold!r}), so it cannot be verified here"
        )
    metadata = json.dumps(_to_json(item["metadata"]), sort_keys=True, ensure_ascii=False)
    points = score(gold, entry(text, gold, metadata))
    if points < 1:
        raise InputError(
            f"benchmark {task}: the environment scores its own gold {gold!r} {points} and not 1 "
            f"(params or metadata its scoring cannot take); question: {text[:200]!r}"
        )
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return {"question_id": f"{task}-{digest}", "question": text, "gold": [gold], "metadata": metadata}


def _to_json(value: Any) -> Any:
    """Plain JSON, with tags on tuples, sets and keys that are not text: arc_agi compares with a tuple."""
    if isinstance(value, dict):
        pairs = [(key, _to_json(item)) for key, item in value.items()]
        if all(isinstance(key, str) for key in value):
            return dict(pairs)
        return {_ITEMS: [[_to_json(key), item] for key, item in pairs]}
    if isinstance(value, tuple):
        return {_TUPLE: [_to_json(item) for item in value]}
    if isinstance(value, set | frozenset):
        return {_SET: [_to_json(item) for item in sorted(value)]}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    # numpy scalars and arrays; anything else that JSON lacks is a TypeError of json.dumps
    return value.tolist() if hasattr(value, "tolist") else value


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"__tuple__": items} if len(value) == 1:
            return tuple(_from_json(item) for item in items)
        case {"__set__": items} if len(value) == 1:
            return {_from_json(item) for item in items}
        case {"__items__": items} if len(value) == 1:
            return {_from_json(key): _from_json(item) for key, item in items}
    return {key: _from_json(item) for key, item in value.items()}
