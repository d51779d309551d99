import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from leash.dynamics.budgets import over_budgets
from leash.dynamics.intervals import MEASURES, Group, other_questions, pooled, same_questions
from leash.dynamics.priors import LARGEST, fit_beta

BOTH = pytest.mark.parametrize("kind", [other_questions, same_questions])


@BOTH
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(st.integers(0, n), st.integers(0, n)), min_size=1, max_size=12)
        )
    )
)
def test_values_are_those_of_the_expected_counts_and_bounds_in_range(kind, drawn) -> None:  # type: ignore[no-untyped-def]
    n, pairs = drawn
    base, target = zip(*pairs, strict=True)
    budgets = sorted({1, (n + 1) // 2, n})
    for found, at in zip(
        kind(n, base, target, budgets, draws=20), over_budgets(n, base, target, budgets), strict=True
    ):
        assert found.k == at.k
        wanted = at.metrics | {"pass_difference": at.target_pass - at.base_pass}
        for name in MEASURES:
            value, low, high, undefined = found.of[name]
            assert value == pytest.approx(wanted[name], abs=1e-9, nan_ok=True)
            assert np.isnan(low) or -1 <= low <= high <= 1
            assert 0 <= undefined <= 1
            assert np.isnan(low) == np.isnan(high)
            assert np.isnan(low) or undefined < 1


@BOTH
def test_a_seed_gives_the_same_interval_and_batches_change_nothing_much(kind, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    random = np.random.default_rng(1)
    base, target = random.binomial(32, random.beta(0.4, 0.4, (2, 200)))
    one = kind(32, base, target, [8, 32], seed=5)
    assert one == kind(32, base, target, [8, 32], seed=5)
    assert one != kind(32, base, target, [8, 32], seed=6)
    monkeypatch.setattr("leash.dynamics.intervals.ROOM", 1000)
    small = kind(32, base, target, [8, 32], seed=5)
    for left, right in zip(one, small, strict=True):
        assert left.of["nscr"] == pytest.approx(right.of["nscr"], abs=0.02)


def test_recorded_intervals_hold_what_was_observed(recorded) -> None:  # type: ignore[no-untyped-def]
    for kind in (other_questions, same_questions):
        for found in kind(128, *recorded("deepscaler"), [8, 128]):
            for value, low, high, undefined in found.of.values():
                assert low < value < high
                assert undefined == 0


def test_the_net_loss_is_beyond_noise_for_both_questions(recorded) -> None:  # type: ignore[no-untyped-def]
    for kind in (other_questions, same_questions):
        (found,) = kind(128, *recorded("deepscaler"), [128])
        assert found.of["nscr"].high < 0


def test_none_solved_leaves_the_measures_undefined_and_says_so() -> None:
    (found,) = other_questions(8, [0] * 5, [0] * 5, [8], draws=10)
    assert np.isnan(found.of["nscr"].low)
    assert found.of["nscr"].undefined == 1
    assert found.of["pass_difference"].value == 0


def test_draws_that_are_all_alike_bound_nothing() -> None:
    (found,) = other_questions(8, [8] * 20, [8] * 20, [8], draws=10)
    assert found.of["srr"].value == 1
    for name in MEASURES:
        assert np.isnan([found.of[name].low, found.of[name].high]).all(), name
        assert found.of[name].undefined == 0
    (found,) = other_questions(8, [8] * 20 + [1], [8] * 20 + [0], [8], draws=200)
    assert found.of["srr"].low < 1
    assert np.isnan(found.of["ndr"].low)


def test_the_prior_is_the_most_likely_beta() -> None:
    counts = betabinom.rvs(64, 0.4, 1.3, size=4000, random_state=2)
    a, b = fit_beta(64, counts)
    assert (a, b) == pytest.approx((0.4, 1.3), rel=0.1)
    best = betabinom.logpmf(counts, 64, a, b).sum()
    for other in ((a * 1.02, b), (a, b * 1.02), (a * 0.98, b), (a, b * 0.98)):
        assert betabinom.logpmf(counts, 64, *other).sum() < best


@pytest.mark.parametrize("counts", [[0, 0, 0], [8, 8, 8], [4, 4, 4, 4], [0, 8], [3]])
def test_a_prior_of_counts_without_spread_is_still_a_prior(counts: list[int]) -> None:
    a, b = fit_beta(8, counts)
    assert 0 < a <= LARGEST * (1 + 1e-9)
    assert 0 < b <= LARGEST * (1 + 1e-9)
    mean = (a + np.array(counts)) / (a + b + 8)
    assert np.all((mean > 0) & (mean < 1))


@BOTH
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_correct": [np.nan, 1]}, "whole numbers"),
        ({"base_correct": [-1, 1]}, "between 0 and n"),
        ({"target_correct": [9, 1]}, "between 0 and n"),
        ({"target_correct": [1]}, "base and"),
        ({"budgets": [0]}, "k must be between"),
        ({"budgets": []}, "at least one"),
        ({"draws": 1}, "draws must"),
        ({"confidence": 1.0}, "confidence must"),
    ],
)
def test_bad_input(kind, change, message) -> None:  # type: ignore[no-untyped-def]
    given_ = {"n": 8, "base_correct": [1, 2], "target_correct": [3, 4], "budgets": [8]}
    with pytest.raises(ValueError, match=message):
        kind(**(given_ | change))


def test_one_benchmark_pooled_is_that_benchmark(recorded) -> None:  # type: ignore[no-untyped-def]
    counts = recorded("limit_rlvr")
    alone = other_questions(128, *counts, [128])[0], same_questions(128, *counts, [128])[0]
    assert pooled([Group(128, *counts)]) == tuple(found._replace(k=None) for found in alone)


def test_a_benchmark_split_in_two_pools_to_itself() -> None:
    random = np.random.default_rng(3)
    base, target = random.binomial(16, random.beta(0.5, 0.5, (2, 300)))
    whole, halves = (
        pooled(groups)
        for groups in (
            [Group(16, base, target)],
            [Group(16, base[:150], target[:150]), Group(16, base[150:], target[150:])],
        )
    )
    for one, two in zip(whole, halves, strict=True):
        for name in MEASURES:
            assert two.of[name].value == pytest.approx(one.of[name].value)
            assert two.of[name] == pytest.approx(one.of[name], abs=0.03)


def test_pooling_takes_each_benchmark_at_its_own_budget() -> None:
    (over_questions, _) = pooled([Group(4, [1, 0], [0, 0]), Group(64, [0, 1, 1], [1, 1, 0])], draws=10)
    assert over_questions.k is None
    assert over_questions.of["srr"].value == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="at least one benchmark"):
        pooled([])
