import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.budgets import expected_regions
from leash.dynamics.nulls import against_nulls, self_discordance


@pytest.mark.parametrize(
    ("counts", "nulls"), [("deepscaler", (21.430, 14.197)), ("limit_rlvr", (7.278, 3.253))]
)
def test_recorded_models_against_themselves(counts, nulls, recorded) -> None:  # type: ignore[no-untyped-def]
    found = against_nulls(128, *recorded(counts))
    assert found.k == 64
    assert (found.expansion_over_base.null, found.expansion_over_target.null) == pytest.approx(
        nulls, abs=5e-4
    )
    assert (found.shrinkage_over_base.null, found.shrinkage_over_target.null) == pytest.approx(
        nulls, abs=5e-4
    )
    expected = expected_regions(128, *recorded(counts), 64)
    assert found.expansion_over_base.observed == pytest.approx(expected.expansion)
    assert found.shrinkage_over_target.observed == pytest.approx(expected.shrinkage)


@given(st.integers(1, 12), st.data())
def test_a_model_against_itself_by_enumeration(k: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(2 * k, 2 * k + 6))
    c = data.draw(st.integers(0, n))
    random = np.random.default_rng(0)
    order = np.argsort(random.random((4000, n)), axis=1) < c  # which samples are correct
    met = np.mean(~order[:, :k].any(axis=1) & order[:, k : 2 * k].any(axis=1))
    assert self_discordance(n, [c], k)[0] == pytest.approx(met, abs=0.05)


def test_the_excess_is_zero_within_its_error_where_the_models_are_one() -> None:
    random = np.random.default_rng(3)
    rates = random.beta(0.3, 0.3, 400)
    scores = []
    for _ in range(300):
        found = against_nulls(16, random.binomial(16, rates), random.binomial(16, rates))
        scores += [part.excess / part.standard_error for part in found[1:]]
    assert np.mean(scores) == pytest.approx(0, abs=0.15)
    assert np.std(scores) == pytest.approx(1, abs=0.25)


def test_halves_must_fit() -> None:
    with pytest.raises(ValueError, match="need 10"):
        self_discordance(8, [1], 5)
    with pytest.raises(ValueError, match="at least 2"):
        against_nulls(1, [1], [0])
    with pytest.raises(ValueError, match="between 1 and n"):
        self_discordance(8, [1], 0)
