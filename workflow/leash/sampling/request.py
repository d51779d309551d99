"""One sample asked for, one sample drawn, and what a sampling job needs of whoever draws it."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol


class Request(NamedTuple):
    """One sample of one question. `seed` is that of this very sample; `prompt` is token ids, or text for a server."""

    question_id: str
    sample_index: int
    seed: int
    prompt: list[int] | str


class Completion(NamedTuple):
    """One finished sample. `n_tokens` counts generated tokens, the end-of-sequence token included.

    `token_ids` is None where they are not known.
    """

    text: str
    finish_reason: str
    token_ids: list[int] | None
    n_tokens: int


class Sampler(Protocol):
    """vLLM in the job (`engine.Engine`), or a server (`endpoint.Endpoint`)."""

    @property
    def context(self) -> int | None:
        """Longest prompt plus completion in tokens; None where it is not known."""

    def draw(
        self, requests: Iterable[Request], temperature: float, top_p: float, max_tokens: int
    ) -> Iterator[tuple[Request, Completion]]:
        """Each request with its completion, as they finish; requests are taken as they are needed."""

    def describe(self) -> dict[str, Any]:
        """What the provenance says of it: JSON, with `device` and `versions`."""
