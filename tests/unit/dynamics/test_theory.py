from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.evidence import epsilon
from leash.dynamics.theory import divergence, entropy, entropy_limit, entropy_slope, missed, pass_limit, tilt

WEIGHTS = st.integers(0, 1000)
SEVERAL = st.lists(st.tuples(WEIGHTS, st.floats(-3, 3)), min_size=2, max_size=8).filter(
    lambda rows: sum(weight for weight, _ in rows) > 0
)
STRENGTH = st.floats(0, 8)


def split(rows: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    weights, rewards = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return weights / weights.sum(), rewards


@given(SEVERAL, STRENGTH)
def test_no_tilt_leaves_the_support(rows: list[tuple[int, float]], strength: float) -> None:
    q, rewards = split(rows)
    p = tilt(q, rewards, strength)
    assert p.sum() == pytest.approx(1)
    assert not p[q == 0].any()
    assert divergence(p, q) < float("inf")


@given(SEVERAL, STRENGTH)
def test_a_tilt_is_the_optimum_of_reward_less_divergence(
    rows: list[tuple[int, float]], strength: float
) -> None:
    q, rewards = split(rows)
    p = tilt(q, rewards, strength)
    best = strength * (p @ rewards) - divergence(p, q)
    random = np.random.default_rng(0)
    for _ in range(20):
        other = np.where(q > 0, random.random(q.size), 0)
        other /= other.sum()
        assert strength * (other @ rewards) - divergence(other, q) <= best + 1e-9


@given(SEVERAL, st.floats(0.01, 6))
def test_the_slope_of_entropy(rows: list[tuple[int, float]], strength: float) -> None:
    q, rewards = split(rows)
    step = 1e-5
    measured = (entropy(tilt(q, rewards, strength + step)) - entropy(tilt(q, rewards, strength - step))) / (
        2 * step
    )
    assert entropy_slope(q, rewards, strength) == pytest.approx(measured, abs=1e-4)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=8), STRENGTH)
def test_from_a_uniform_base_entropy_never_rises(rewards: list[float], strength: float) -> None:
    q = np.full(len(rewards), 1 / len(rewards))
    assert entropy(tilt(q, rewards, strength)) <= entropy(q) + 1e-9


@given(SEVERAL)
def test_divergence_never_falls_as_the_tilt_grows(rows: list[tuple[int, float]]) -> None:
    q, rewards = split(rows)
    along = [divergence(tilt(q, rewards, strength), q) for strength in np.linspace(0, 8, 9)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(along))


def test_entropy_can_rise_which_the_papers_theorem_c6a_denies() -> None:
    base, rewards = (0.9, 0.1), (0, 1)
    tilted = tilt(base, rewards, log(9))
    assert tilted == pytest.approx([0.5, 0.5])
    assert (entropy(base), entropy(tilted)) == pytest.approx((0.325, 0.693), abs=5e-4)
    assert entropy_slope(base, rewards, 0.1) > 0


@given(SEVERAL, STRENGTH, st.integers(0, 255))
def test_no_tilt_raises_the_limit_of_pass_at_k(
    rows: list[tuple[int, float]], strength: float, subset: int
) -> None:
    q, rewards = split(rows)
    correct = np.array([bool(subset >> index & 1) for index in range(q.size)])
    p = tilt(q, rewards, strength)
    assert pass_limit(p, correct) <= pass_limit(q, correct)
    reached = min(1.0, float(p[correct].sum()))
    assert (missed(reached, 10**9) == 1) >= (pass_limit(q, correct) == 0)


@given(SEVERAL, st.floats(0, 6))
def test_entropy_does_not_rise_where_the_base_prefers_what_is_rewarded(
    rows: list[tuple[int, float]], strength: float
) -> None:
    q, rewards = split(rows)
    aligned = np.empty_like(rewards)
    aligned[np.argsort(q, kind="stable")] = np.sort(rewards)  # no outcome is likelier and rewarded less
    assert entropy_slope(q, aligned, strength) <= 1e-9


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(-2, 2)), min_size=2, max_size=8))
def test_a_growing_tilt_ends_at_the_entropy_of_the_best_outcomes(rows: list[tuple[int, int]]) -> None:
    if not any(weight for weight, _ in rows):
        return
    q, rewards = split([(weight, float(reward)) for weight, reward in rows])
    assert entropy(tilt(q, rewards, 60)) == pytest.approx(entropy_limit(q, rewards), abs=1e-9)


def test_a_strong_tilt_is_the_base_within_the_best_outcomes() -> None:
    base, rewards = (0.8, 0.1, 0.1), (0, 1, 1)
    assert tilt(base, rewards, 200) == pytest.approx([0, 0.5, 0.5])
    assert entropy(tilt(base, rewards, 200)) > entropy(base)


@pytest.mark.parametrize("zeta", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("k", [128, 1024, 8192])
def test_a_rate_of_epsilon_is_missed_with_at_most_zeta(k: int, zeta: float) -> None:
    assert missed(epsilon(k, zeta), k) <= zeta
    assert missed(epsilon(k, zeta), k) == pytest.approx(zeta, rel=0.1)


@pytest.mark.parametrize("values", [[], [0.5, 0.6], [-0.1, 1.1], [float("nan"), 1.0], [[1.0]]])
def test_no_distribution(values: list[float]) -> None:
    with pytest.raises(ValueError, match="not a distribution"):
        entropy(values)


def test_rewards_of_another_shape() -> None:
    with pytest.raises(ValueError, match="one finite number for each"):
        tilt([0.5, 0.5], [1.0], 1.0)
    with pytest.raises(ValueError, match="mass"):
        missed(1.5, 3)
    assert divergence([1.0, 0.0], [0.0, 1.0]) == float("inf")
    with pytest.raises(ValueError, match="one finite number for each"):
        entropy_limit([0.5, 0.5], [1.0])
    with pytest.raises(ValueError, match="one for each"):
        pass_limit([0.5, 0.5], [True])
