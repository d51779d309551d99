"""How long questions stay open: by hand, and against every order of a pilot's samples."""

from itertools import permutations

import numpy as np
import pytest

from leash.dynamics.forecast import open_from_pilot, open_from_prior
from leash.dynamics.priors import Beta


def test_within_the_pilot_a_question_is_open_as_often_as_in_all_orders_of_its_samples() -> None:
    orders = list(permutations([True, True, False, False, False]))
    for start in (1, 2, 3, 4):
        failing = sum(not any(order[:start]) for order in orders) / len(orders)
        found = open_from_pilot(5, [2, 0, 5], [start, 5])
        assert found == pytest.approx(np.array([[1, failing], [1, 1], [1, 0]]))


def test_beyond_the_pilot_no_success_is_no_rate_of_0() -> None:
    # Of one question without a success the prior is Beta(1/2, 1/2), after 2 failures Beta(1/2, 5/2):
    # it fails once more with 5/6, and twice with 5/6 · 7/8.
    assert open_from_pilot(2, [0], [2, 3, 4, 9]) == pytest.approx(np.array([[1, 1, 5 / 6, 35 / 48]]))


def test_beyond_the_pilot_a_solved_question_is_closed() -> None:
    assert open_from_pilot(4, [1, 4], [4, 8, 16])[:, 1:].tolist() == [[0, 0], [0, 0]]


def test_from_a_uniform_prior_m_draws_fail_with_chance_1_in_m_plus_1() -> None:
    assert open_from_prior(Beta(1, 1), [1, 3, 7]) == pytest.approx(np.array([1, 1 / 2, 1 / 4]))


@pytest.mark.parametrize("rounds", [[], [0, 1], [2, 2], [3, 2]])
def test_rounds_that_do_not_rise_are_refused(rounds: list[int]) -> None:
    with pytest.raises(ValueError, match="rise"):
        open_from_prior(Beta(1, 1), rounds)
    with pytest.raises(ValueError, match="rise"):
        open_from_pilot(2, [1], rounds)


def test_counts_outside_the_pilot_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and n"):
        open_from_pilot(2, [3], [1, 2])
