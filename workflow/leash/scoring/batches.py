"""Which items go through the model together: rectangles of token ids, as full as their lengths allow."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = Sequence[int] | NDArray[np.int32]


class Item(NamedTuple):
    """Token ids to be scored, the ids before them, and the caller's own number for it."""

    key: int
    prompt_ids: Ids
    scored_ids: Ids

    @property
    def width(self) -> int:
        """Tokens that the model reads: all but the last one, which predicts nothing that is scored."""
        return len(self.prompt_ids) + len(self.scored_ids) - 1


def plan(items: Sequence[Item], max_batch_tokens: int) -> list[list[Item]]:
    """The items in batches, each item in one of them; the same batches for the same items.

    Longest first, so that a machine too small for them fails at once, and the lengths of a batch are near each
    other. A batch is a rectangle, padded on the right to its longest item, of at most `max_batch_tokens` tokens;
    an item longer than that is a batch of its own.

    Padding on the right needs no mask: with causal attention a token sees only those before it, which are all
    real ones, and what the padding itself predicts is not looked at. (`Scorer` checks that a model is causal.)
    """
    ordered = sorted(items, key=lambda item: -item.width)
    batches = []
    start = 0
    while start < len(ordered):
        rows = max(1, max_batch_tokens // max(1, ordered[start].width))
        batches.append(ordered[start : start + rows])
        start += rows
    return batches


def rectangle(items: Sequence[Item], padding: int = 0) -> NDArray[np.int64]:
    """What the model reads for a batch, [items, largest width], padded on the right."""
    out = np.full((len(items), max(item.width for item in items)), padding, dtype=np.int64)
    for row, item in zip(out, items, strict=True):
        row[: item.width] = np.concatenate([item.prompt_ids, item.scored_ids])[:-1]
    return out
