"""Shards, rounds and seeds."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from leash.config import MAX_BUDGET
from leash.sampling.plan import (
    SEED_GAP_BITS,
    Asked,
    Shard,
    first_round,
    later_round,
    question_seed,
    question_seeds,
    questions_sha256,
    shards,
)

QUESTIONS = tuple("abcdefgh")
some = st.lists(st.sampled_from(QUESTIONS), unique=True).map(sorted).map(tuple)
spans = st.tuples(st.integers(4, 40), st.integers(1, 30)).map(lambda pair: (pair[0], sum(pair)))
asked = st.builds(
    lambda number, span, names: Asked(Shard(1, number, *span), names), st.integers(0, 5), spans, some
)
drawn_before = st.lists(asked, unique_by=lambda one: one.shard.number)


def cells(found: list[Asked]) -> Counter[tuple[str, int]]:
    """How often each sample of each question is drawn."""
    return Counter(
        (name, index)
        for one in found
        for name in one.questions
        for index in range(one.shard.start, one.shard.stop)
    )


@given(st.integers(1, 50), st.integers(1, 300))
def test_shards_cover_the_budget_once_and_in_order(count: int, size: int) -> None:
    drawn = [index for shard in shards(count * size, size) for index in range(shard.start, shard.stop)]
    assert drawn == list(range(count * size))


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 300))
def test_a_larger_budget_keeps_every_shard(count: int, more: int, size: int) -> None:
    small, large = shards(count * size, size), shards((count + more) * size, size)
    assert large[:count] == small
    assert len(large) == count + more


@given(spans, some, drawn_before, st.integers(1, 60))
def test_a_later_round_draws_what_it_lacks_once_and_keeps_what_it_has(
    span: tuple[int, int], names: tuple[str, ...], drawn: list[Asked], most: int
) -> None:
    found = later_round(1, *span, names, drawn, most)
    wanted = {(name, index) for name in names for index in range(*span)}
    times = cells(found)
    assert all(times[cell] == 1 for cell in wanted)
    new = [one for one in found if one not in drawn]
    assert set(cells(new)) <= wanted
    assert all(len(one.questions) * (one.shard.stop - one.shard.start) <= most for one in new)
    numbers = [one.shard.number for one in found]
    assert numbers == sorted(set(numbers))
    assert {one.shard.round for one in found} <= {1}


@given(spans, some, drawn_before, st.integers(1, 60))
def test_a_round_that_is_planned_again_with_all_of_it_drawn_stays_as_it_is(
    span: tuple[int, int], names: tuple[str, ...], drawn: list[Asked], most: int
) -> None:
    found = later_round(1, *span, names, drawn, most)
    again = later_round(1, *span, names, found, most)
    assert again == found


def test_a_question_that_opens_later_gets_a_shard_of_its_own_and_one_that_closes_redraws_nothing() -> None:
    first = later_round(1, 4, 16, ("a", "b", "c"), [], 1000)
    assert first == [Asked(Shard(1, 0, 4, 16), ("a", "b", "c"))]
    assert later_round(1, 4, 16, ("a", "b", "d"), first, 1000) == [
        *first,
        Asked(Shard(1, 1, 4, 16), ("d",)),
    ]
    assert later_round(1, 4, 16, ("b",), first, 1000) == first


def test_a_shard_that_is_not_needed_now_is_not_written_over() -> None:
    drawn = [Asked(Shard(1, 0, 4, 16), ("a",)), Asked(Shard(1, 1, 4, 16), ("b",))]
    assert later_round(1, 4, 16, ("b", "c"), drawn, 12) == [drawn[1], Asked(Shard(1, 2, 4, 16), ("c",))]


def test_a_round_that_ends_later_draws_the_rest_and_one_that_ends_sooner_reads_a_prefix() -> None:
    first = later_round(1, 4, 16, ("a", "b"), [], 1000)
    assert later_round(1, 4, 32, ("a", "b"), first, 1000) == [
        *first,
        Asked(Shard(1, 1, 16, 32), ("a", "b")),
    ]
    assert later_round(1, 4, 10, ("a", "b"), first, 1000) == first
    assert later_round(1, 4, 16, (), first, 1000) == []


def test_a_shard_is_cut_by_samples_first_and_by_questions_where_one_of_each_is_too_many() -> None:
    assert [one.shard[2:] for one in later_round(1, 0, 10, ("a", "b"), [], 6)] == [
        (0, 3),
        (3, 6),
        (6, 9),
        (9, 10),
    ]
    assert [one.questions for one in later_round(1, 0, 1, QUESTIONS, [], 3)] == [
        ("a", "b", "c"),
        ("d", "e", "f"),
        ("g", "h"),
    ]


def test_the_first_round_is_that_of_an_exhaustive_draw_where_its_shards_fit() -> None:
    assert first_round([32, 128], 8) == shards(32, 8)
    assert first_round([32, 128], 256) == [Shard(0, 0, 0, 32)]


def test_a_list_of_questions_is_told_by_its_order_too() -> None:
    assert questions_sha256(["a", "b"]) == questions_sha256(("a", "b")) != questions_sha256(["b", "a"])


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
