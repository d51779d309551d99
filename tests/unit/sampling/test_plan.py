"""Shards and seeds."""

from hypothesis import given
from hypothesis import strategies as st

from leash.config import MAX_BUDGET
from leash.sampling.plan import SEED_GAP_BITS, question_seed, question_seeds, shards


@given(st.integers(1, 50), st.integers(1, 300))
def test_shards_cover_the_budget_once_and_in_order(count: int, size: int) -> None:
    drawn = [index for shard in shards(count * size, size) for index in range(shard.start, shard.stop)]
    assert drawn == list(range(count * size))


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 300))
def test_a_larger_budget_keeps_every_shard(count: int, more: int, size: int) -> None:
    small, large = shards(count * size, size), shards((count + more) * size, size)
    assert large[:count] == small
    assert len(large) == count + more


def test_shards_are_named_by_round_and_number() -> None:
    assert [shard.name for shard in shards(512, 256)] == ["r0-s0", "r0-s1"]


@given(st.integers(0, 2**31), st.text(), st.text(), st.text(), st.text())
def test_seeds_leave_room_for_a_whole_budget_and_fit_torch(
    seed: int, model: str, checkpoint: str, benchmark: str, question: str
) -> None:
    first = question_seed(seed, model, checkpoint, benchmark, question)
    assert first % 2**SEED_GAP_BITS == 0
    assert 2**SEED_GAP_BITS >= MAX_BUDGET
    assert 0 <= first < first + MAX_BUDGET <= 2**63


def test_each_argument_changes_the_seed() -> None:
    arguments = (0, "m", "c", "b", "q")
    others = [(1, "m", "c", "b", "q"), *((*arguments[:i], "x", *arguments[i + 1 :]) for i in range(1, 5))]
    assert len({question_seed(*one) for one in [arguments, *others]}) == 6  # type: ignore[arg-type]


def test_the_seed_of_a_question_never_changes() -> None:
    assert question_seed(0, "base", "final", "gcd", "gcd-0") == question_seed(
        0, "base", "final", "gcd", "gcd-0"
    )
    assert question_seeds(0, "base", "final", "gcd", ["a", "b"])["a"] == question_seed(
        0, "base", "final", "gcd", "a"
    )
