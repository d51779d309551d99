"""What a scoring job is asked to score, in blocks that fit in memory whatever the benchmark's size."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leash import records
from leash.errors import InputError
from leash.recorded.table import spelt

Ids = NDArray[np.int32]

BLOCK: Final = 4096
"""Items held at once; within a block they are sorted by length."""


class Text(NamedTuple):
    """Token ids to be scored after the ids of a prompt, and what they are; `problem`: why they cannot be scored."""

    question_id: str
    kind: str
    source: str
    ordinal: int
    prompt_ids: Ids
    ids: Ids
    problem: str | None = None


class Prompts:
    """Prompts of a benchmark's questions, as they were rendered for sampling, each rendered once."""

    def __init__(self, questions: Path, render: Callable[[str], list[int]]) -> None:
        self.rows = records.read_by_question(questions, records.QUESTIONS)
        self._render = render
        self._path = questions
        self._ids: dict[str, Ids] = {}

    def ids(self, question_id: str, asked_in: Path) -> Ids:
        """Token ids of a prompt. Raises InputError for a question that the benchmark does not have."""
        if question_id not in self.rows:
            raise InputError(f"{asked_in}: question {question_id!r} is not in {self._path}; make it again")
        if question_id not in self._ids:
            rendered = self._render(self.rows[question_id]["prompt"])
            self._ids[question_id] = np.array(rendered, dtype=np.int32)
        return self._ids[question_id]

    def check(self, provenance: Path) -> None:
        """Raise InputError where the first prompt is not what the sampler gave to the model."""
        told = records.read_json(provenance)["first_prompt"]
        here = self.ids(told["question_id"], provenance).tolist()
        if here != told["token_ids"]:
            raise InputError(
                f"{provenance}: the sampler's prompt of question {told['question_id']!r} has other token ids than "
                f"the one rendered here ({len(told['token_ids'])} and {len(here)} of them): the tokenizer or its chat "
                "template has changed since; score with what was sampled with, or sample again"
            )


def completions(samples: list[Path], first: int, prompts: Prompts) -> Iterator[Text]:
    """The first `first` samples of every question, by the token ids that were drawn."""
    columns = ["question_id", "sample_index", "token_ids"]
    for path in samples:
        for row in records.stream(path, records.SAMPLES, columns):
            index = row["sample_index"]
            if index >= first:
                continue
            name, ids = row["question_id"], row["token_ids"]
            problem = None
            if ids is None:
                problem = "its token ids were not kept: sampling.token_ids was below scoring.samples"
            elif not ids:
                problem = "empty completion"
            found = np.array(ids or [], dtype=np.int32)
            yield Text(name, "completion", "", index, prompts.ids(name, path), found, problem)


def traces(path: Path, prompts: Prompts, tokenizer: Any) -> Iterator[Text]:
    """Every trace after its question's prompt, then every question's text alone, for the questions with traces."""
    asked: dict[str, None] = {}
    for row in records.stream(path, records.TRACES):
        name = row["question_id"]
        asked[name] = None
        ids, problem = encode(tokenizer, row["trace"])
        yield Text(name, "trace", row["source"], row["index"], prompts.ids(name, path), ids, problem)
    for name in asked:
        ids, problem = encode(tokenizer, prompts.rows[name]["question"])
        # the first token has nothing before it but a BOS, where the tokenizer has one
        start = tokenizer("")["input_ids"]
        context = np.array(start, dtype=np.int32) if start else ids[:1]
        yield Text(name, "question", "", 0, context, ids if start else ids[1:], problem)


def encode(tokenizer: Any, text: str) -> tuple[Ids, str | None]:
    """Token ids of a text, no special ones added; and what is wrong where they do not give the text back."""
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    if not ids:
        return np.zeros(0, dtype=np.int32), "empty text"
    back = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    unknown = tokenizer.unk_token_id
    if (unknown is not None and unknown in ids) or spelt(back) != spelt(text):
        at = next((i for i, (one, two) in enumerate(zip(text, back, strict=False)) if one != two), len(back))
        return np.array(ids, dtype=np.int32), (
            f"the tokenizer cannot encode it: character {at} is {text[at : at + 1]!r} and comes back as "
            f"{back[at : at + 1]!r}"
        )
    return np.array(ids, dtype=np.int32), None


def fitted(text: Text, context: int | None, too_long: str) -> tuple[Text, bool]:
    """A text as it is to be scored, and whether it was cut: to the model's context, if it exceeds that and may be."""
    room = None if context is None else context - len(text.prompt_ids)
    if text.problem or too_long == "refuse" or room is None or not 0 < room < len(text.ids):
        return text, False
    return text._replace(ids=text.ids[:room]), True


def blocks(texts: Iterator[Text], size: int = BLOCK) -> Iterator[list[Text]]:
    """Texts in blocks, the last one shorter."""
    while block := list(islice(texts, size)):
        yield block
