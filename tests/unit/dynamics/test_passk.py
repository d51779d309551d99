from fractions import Fraction
from itertools import combinations, permutations
from math import comb, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.passk import k_grid, pass_at_k, prefix_pass_at_k, solution_support, solved_at


@st.composite
def n_c_k(draw: st.DrawFn, most: int) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@given(n_c_k(9))
def test_equals_the_average_over_all_subsets(case: tuple[int, int, int]) -> None:
    n, c, k = case
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k)[0] == pytest.approx(sum(map(any, subsets)) / len(subsets), abs=1e-14)


@given(n_c_k(16384))
def test_is_exact_at_the_papers_largest_budgets(case: tuple[int, int, int]) -> None:
    n, c, k = case
    exact = 1 - Fraction(comb(n - c, k), comb(n, k))
    assert pass_at_k(n, c, k)[0] == pytest.approx(float(exact), rel=1e-11, abs=1e-15)


@given(n_c_k(300))
def test_never_falls_with_k_nor_with_more_successes(case: tuple[int, int, int]) -> None:
    n, c, k = case
    here = pass_at_k(n, c, k)[0]
    assert 0 <= here <= 1
    if k < n:
        assert pass_at_k(n, c, k + 1)[0] >= here - 1e-14
    if c < n:
        assert pass_at_k(n, c + 1, k)[0] >= here


@given(st.lists(n_c_k(50), min_size=1, max_size=20), st.integers(1, 60))
def test_a_vector_of_questions_equals_one_by_one(cases: list[tuple[int, int, int]], k: int) -> None:
    n, c = np.array([case[0] for case in cases]), np.array([case[1] for case in cases])
    together = pass_at_k(n, c, k)
    alone = [pass_at_k(int(a), int(b), k)[0] for a, b in zip(n, c, strict=True)]
    np.testing.assert_array_equal(together, alone)


def test_at_the_budget_it_is_exactly_whether_any_sample_is_correct() -> None:
    correct = np.array([0, 1, 2, 8192, 16384])
    assert pass_at_k(np.full(5, 16384), correct, 16384).tolist() == [0, 1, 1, 1, 1]


def test_is_undefined_where_fewer_samples_than_k_were_drawn() -> None:
    short, enough = pass_at_k(np.array([4, 8]), np.array([4, 8]), 5)
    assert isnan(short)
    assert enough == 1


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="must"):
        pass_at_k(n, c, k)


@pytest.mark.parametrize(
    ("budget", "grid"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (128, [1, 2, 4, 8, 16, 32, 64, 128])]
)
def test_k_grid_is_powers_of_two_and_the_budget(budget: int, grid: list[int]) -> None:
    assert k_grid(budget) == grid


def test_a_budget_of_nothing_has_no_grid() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        k_grid(0)


@given(n_c_k(6))
def test_the_prefix_reading_is_the_estimate_on_average_over_all_orders(case: tuple[int, int, int]) -> None:
    n, c, k = case
    orders = list(permutations([True] * c + [False] * (n - c)))
    first = [order.index(True) if c else None for order in orders]
    assert prefix_pass_at_k(n, first, k).mean() == pytest.approx(pass_at_k(n, c, k)[0])


def test_the_prefix_reading_by_first_correct() -> None:
    assert prefix_pass_at_k(8, [0, 3, 4, None], 4).tolist() == [1, 1, 0, 0]
    assert isnan(prefix_pass_at_k([3], [0], 4)[0])


@pytest.mark.parametrize(("first", "k"), [([-1], 2), ([8], 2), ([1.5], 2), ([1], 0), ([float("inf")], 2)])
def test_impossible_prefixes_are_refused(first: list[float], k: int) -> None:
    with pytest.raises(ValueError, match="must"):
        prefix_pass_at_k(8, first, k)


def test_fractions_and_nan_are_refused() -> None:
    for n, c in ((8, float("nan")), (float("nan"), 1), (8, 0.5)):
        with pytest.raises(ValueError, match="whole numbers"):
            pass_at_k(n, c, 1)


def test_several_budgets_at_once() -> None:
    correct = [0, 3, 9]
    table = solved_at(9, correct, [1, 4, 9])
    for column, k in enumerate([1, 4, 9]):
        assert table[:, column].tolist() == pass_at_k(9, correct, k).tolist()


@given(st.lists(st.tuples(st.frozensets(st.integers(0, 9)), st.frozensets(st.integers(0, 9)))))
def test_solutions_of_both_and_of_one_add_up(pairs: list[tuple[frozenset[int], frozenset[int]]]) -> None:
    base, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = solution_support(base, target)
    assert (found.both + found.base_only).tolist() == [len(answers) for answers in base]
    assert (found.both + found.target_only).tolist() == [len(answers) for answers in target]


def test_solutions_by_hand_and_refused() -> None:
    found = solution_support([{"1", "2"}, set()], [{"2", "3", "4"}, set()])
    assert [part.tolist() for part in found] == [[1, 0], [1, 0], [2, 0]]
    with pytest.raises(ValueError, match="1 base and 0 target"):
        solution_support([{"1"}], [])
    with pytest.raises(TypeError, match="one set"):
        solution_support(["12"], [{"1"}])  # type: ignore[list-item]
