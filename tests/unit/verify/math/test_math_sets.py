"""Sets of real numbers in one normal form."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.math import sets
from leash.verify.math.reading import prepare


def real_set(answer: str) -> sets.Reals | None:
    return sets.real_set(prepare(answer).readings[0])


def described(answer: str) -> list[tuple[float, bool, float, bool]] | None:
    found = real_set(answer)
    return found and [(float(one.low), one.low_closed, float(one.high), one.high_closed) for one in found]


INF = float("inf")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[1,2)", [(1, True, 2, False)]),
        (r"(-\infty, 2]", [(-INF, False, 2, True)]),
        (r"\mathbb{R}", [(-INF, False, INF, False)]),
        (r"\{1, 2\}", [(1, True, 1, True), (2, True, 2, True)]),
        ("x > 3", [(3, False, INF, False)]),
        ("3 < x", [(3, False, INF, False)]),
        ("2x - 4 < 0", [(-INF, False, 2, False)]),
        ("-x < 3", [(-3, False, INF, False)]),
        (r"1 < x \le 2", [(1, False, 2, True)]),
        (r"x \ne 0", [(-INF, False, 0, False), (0, False, INF, False)]),
        (r"[0,1] \cup [1,2]", [(0, True, 2, True)]),
        (r"[0,1) \cup (1,2]", [(0, True, 1, False), (1, False, 2, True)]),
        (r"[2,3] \cup [0,1]", [(0, True, 1, True), (2, True, 3, True)]),
        (r"[0,2] \cap [1,3]", [(1, True, 2, True)]),
        (r"\mathbb{R} \setminus \{0\}", [(-INF, False, 0, False), (0, False, INF, False)]),
        (r"x < 1 \text{ or } x > 2", [(-INF, False, 1, False), (2, False, INF, False)]),
        (r"\{x \mid x > 1\}", [(1, False, INF, False)]),
        (r"x \in (0, \frac{1}{2})", [(0, False, 0.5, False)]),
    ],
)
def test_normal_forms(answer: str, expected: list[tuple[float, bool, float, bool]]) -> None:
    assert described(answer) == expected


@pytest.mark.parametrize("answer", ["x^2 < 4", "(2, 1)", "(1, 2, 3)", "[a, b]", "[2, 1]"])
def test_what_is_no_set_of_numbers(answer: str) -> None:
    assert not real_set(answer)


ends = st.integers(-20, 20)


@st.composite
def unions(draw: st.DrawFn) -> list[str]:
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        low = draw(ends)
        high = low + draw(st.integers(1, 10))
        pieces.append(f"{draw(st.sampled_from('[('))}{low}, {high}{draw(st.sampled_from('])'))}")
    return pieces


@given(unions(), st.randoms(use_true_random=False))
def test_a_union_has_no_order_and_holds_its_parts_once(pieces: list[str], random: object) -> None:
    shuffled = [*pieces, pieces[0]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (real_set(r" \cup ".join(side)) for side in ([*pieces, pieces[0]], shuffled))
    assert one is not None
    assert other is not None
    assert sets.equal(one, other)
    for mine, theirs in pairwise(one):
        assert mine.high < theirs.low or not (mine.high_closed or theirs.low_closed)
