"""The plan of batches: everything once, within the bound, always the same."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leash.scoring.batches import Item, plan, rectangle

LENGTHS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 60)), max_size=60)
BOUND = st.integers(1, 400)


def items_of(lengths: list[tuple[int, int]]) -> list[Item]:
    return [
        Item(key, list(range(prompt)), list(range(100, 100 + scored)))
        for key, (prompt, scored) in enumerate(lengths)
    ]


def area(batch: list[Item]) -> int:
    return len(batch) * max(item.width for item in batch)


@given(LENGTHS, BOUND)
def test_every_item_is_in_one_batch(lengths: list[tuple[int, int]], bound: int) -> None:
    items = items_of(lengths)
    keys = [item.key for batch in plan(items, bound) for item in batch]
    assert sorted(keys) == list(range(len(items)))


@given(LENGTHS, BOUND)
def test_a_batch_keeps_the_bound_or_is_one_longer_item(lengths: list[tuple[int, int]], bound: int) -> None:
    for batch in plan(items_of(lengths), bound):
        assert area(batch) <= bound or len(batch) == 1


@given(LENGTHS, BOUND)
def test_lengths_fall_so_that_the_largest_batch_is_the_first_to_fail(
    lengths: list[tuple[int, int]], bound: int
) -> None:
    widths = [item.width for batch in plan(items_of(lengths), bound) for item in batch]
    assert widths == sorted(widths, reverse=True)


@given(LENGTHS, BOUND)
def test_the_plan_is_the_same_again_and_rests_on_lengths_only(
    lengths: list[tuple[int, int]], bound: int
) -> None:
    def keys(items: list[Item]) -> list[list[int]]:
        return [[item.key for item in batch] for batch in plan(items, bound)]

    items = items_of(lengths)
    others = [Item(item.key, [7] * len(item.prompt_ids), [8] * len(item.scored_ids)) for item in items]
    assert keys(items) == keys(list(items)) == keys(others)


@given(LENGTHS, BOUND)
def test_no_batch_could_have_taken_the_next_item(lengths: list[tuple[int, int]], bound: int) -> None:
    batches = plan(items_of(lengths), bound)
    for batch, following in pairwise(batches):
        assert area([*batch, following[0]]) > bound


def test_a_batch_is_read_without_each_last_token_and_padded_on_the_right() -> None:
    items = [Item(0, np.array([1, 2], dtype=np.int32), np.array([3, 4], dtype=np.int32)), Item(1, [5], [6])]
    assert rectangle(items, padding=9).tolist() == [[1, 2, 3], [5, 9, 9]]
