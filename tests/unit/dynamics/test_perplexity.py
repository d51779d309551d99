from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.perplexity import Mean, first_position, mean_by_position, mean_over_questions, pooled_mean

VALUES = st.lists(st.floats(-5, 5), min_size=1, max_size=30)


def test_the_interval_is_that_of_questions_drawn_again() -> None:
    values = np.array([0.1, 0.4, -0.2, 0.9, 0.3, 0.0, 0.25])
    found = mean_over_questions([*values, nan], seed=3)
    drawn = values[np.random.default_rng(3).integers(7, size=(2000, 7))].mean(axis=1)
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert (found.questions, found.sd) == (7, pytest.approx(values.std(ddof=1)))


def test_it_covers_the_mean_as_often_as_it_says() -> None:
    random = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        found = mean_over_questions(random.exponential(1.0, 60), draws=400)
        hits += found.low <= 1.0 <= found.high
    assert 0.89 <= hits / 300 <= 0.98


def test_many_questions_are_drawn_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(size=50)
    whole = mean_over_questions(values)
    monkeypatch.setattr("leash.dynamics.perplexity.ROOM", 170)
    assert mean_over_questions(values) == whole


@pytest.mark.parametrize(
    ("values", "questions"), [([], 0), ([nan, nan], 0), ([2.0], 1), ([2.0, 2.0, nan], 2)]
)
def test_what_has_no_interval(values: list[float], questions: int) -> None:
    found = mean_over_questions(values)
    assert found.questions == questions
    assert isnan(found.low)
    assert isnan(found.high)
    assert isnan(found.value) if not questions else found.value == 2.0


@pytest.mark.parametrize("values", [[[1.0]], [float("inf")], [float("-inf"), nan], 3.0])
def test_what_is_no_value_per_question(values: object) -> None:
    with pytest.raises(ValueError, match="one finite number per question"):
        mean_over_questions(values)  # type: ignore[arg-type]


def test_draws_and_confidence_are_checked() -> None:
    with pytest.raises(ValueError, match="draws"):
        mean_over_questions([1.0, 2.0], draws=1)
    with pytest.raises(ValueError, match="confidence"):
        mean_over_questions([1.0, 2.0], confidence=1.0)


@given(st.lists(VALUES, min_size=1, max_size=5))
def test_a_pool_is_the_mean_of_all_questions(groups: list[list[float]]) -> None:
    pooled = pooled_mean([mean_over_questions(values, draws=2) for values in groups])
    every = np.concatenate([np.array(values) for values in groups])
    assert pooled.questions == every.size
    assert pooled.value == pytest.approx(every.mean(), abs=1e-9)
    if every.size > 1:
        assert pooled.sd == pytest.approx(every.std(ddof=1), abs=1e-7)
    if pooled.sd > 1e-6:
        margin = 1.959963984540054 * every.std(ddof=1) / every.size**0.5
        assert (pooled.low, pooled.high) == pytest.approx((every.mean() - margin, every.mean() + margin))


def test_a_pool_of_nothing() -> None:
    nothing = Mean(nan, nan, nan, 0, nan)
    assert isnan(pooled_mean([]).value)
    assert pooled_mean([nothing, nothing]).questions == 0
    one = mean_over_questions([0.5])
    assert pooled_mean([one, nothing])[:1] == (0.5,)
    assert isnan(pooled_mean([one, nothing]).low)


def test_parts_of_a_trace_double() -> None:
    assert mean_by_position([5.0, 1.0, 3.0, 10.0, 20.0]).tolist() == [5.0, 2.0, 15.0]
    assert mean_by_position([7.0]).tolist() == [7.0]
    assert mean_by_position([]).tolist() == []
    assert [first_position(part) for part in range(5)] == [1, 2, 4, 8, 16]


@given(VALUES)
def test_parts_hold_every_token_once(values: list[float]) -> None:
    found = mean_by_position(values)
    assert len(found) == len(values).bit_length()
    lengths = [
        min(first_position(part + 1) - 1, len(values)) - first_position(part) + 1
        for part in range(len(found))
    ]
    assert sum(lengths) == len(values)
    assert float(np.dot(found, lengths)) == pytest.approx(sum(values), abs=1e-9)


def test_parts_of_what_is_no_trace() -> None:
    with pytest.raises(ValueError, match="one number per token"):
        mean_by_position([[1.0]])
