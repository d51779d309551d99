"""Solutions of two states over a benchmark: known values, an independent count, and what is refused."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.solutions import SolutionCounts, count_solutions, discovered, retained

ANSWERS = st.frozensets(st.integers(0, 6))


def test_by_hand() -> None:
    base = [{"a", "b"}, {"c"}, set(), set()]
    target = [{"b", "d", "e"}, set(), {"f"}, set()]
    known = [{"a", "b", "d", "e", "x"}, {"c"}, {"f", "y"}, {"z"}]
    counts = count_solutions(base, target, known, [True, True, False, False], [True, False, True, False])
    assert counts == SolutionCounts(
        both=1, base_only=2, target_only=3, neither=3, base_only_kept=1, target_only_solved=2
    )
    assert retained(counts) == 1 / 3
    assert discovered(counts) == 3 / 4


@given(st.lists(st.tuples(ANSWERS, ANSWERS, ANSWERS, st.booleans(), st.booleans()), max_size=8))
def test_every_known_answer_is_counted_once(
    questions: list[tuple[frozenset[int], frozenset[int], frozenset[int], bool, bool]],
) -> None:
    base, target, others = ([one[part] for one in questions] for part in range(3))
    solves = [
        [bool(one[side]) or one[3 + side] for one in questions] for side in (0, 1)
    ]  # or by an answer without a name
    counts = count_solutions(base, target, others, *solves)
    pairs = [
        (number, answer)
        for number in range(len(questions))
        for answer in base[number] | target[number] | others[number]
    ]
    assert sum(counts[:4]) == len(pairs)
    lost = [(i, a) for i, a in pairs if a in base[i] and a not in target[i]]
    gained = [(i, a) for i, a in pairs if a in target[i] and a not in base[i]]
    assert (counts.base_only, counts.base_only_kept) == (len(lost), sum(solves[1][i] for i, _ in lost))
    assert (counts.target_only, counts.target_only_solved) == (
        len(gained),
        sum(solves[0][i] for i, _ in gained),
    )
    joined = [left | right | other for left, right, other in zip(base, target, others, strict=True)]
    assert count_solutions(base, target, joined, *solves) == counts
    swapped = count_solutions(target, base, others, *solves[::-1])
    assert (swapped.both, swapped.base_only, swapped.neither) == (
        counts.both,
        counts.target_only,
        counts.neither,
    )


def test_an_empty_denominator_is_undefined() -> None:
    nothing = count_solutions([], [], [], [], [])
    assert nothing == SolutionCounts(0, 0, 0, 0, 0, 0)
    assert isnan(retained(nothing))
    assert isnan(discovered(nothing))
    lost = count_solutions([{"a"}], [set()], [set()], [True], [False])
    assert retained(lost) == 0
    assert isnan(discovered(lost))


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="known answers to 0 of 1"):
        count_solutions([set()], [set()], [], [False], [False])
    with pytest.raises(TypeError, match="one set"):
        count_solutions([set()], [set()], ["ab"], [False], [False])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"base: solved of shape \(2,\)"):
        count_solutions([set()], [set()], [set()], [True, True], [False])
    with pytest.raises(ValueError, match="target: a verified answer to a question that it does not solve"):
        count_solutions([set()], [{"a"}], [set()], [True], [False])
