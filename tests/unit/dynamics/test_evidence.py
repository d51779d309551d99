import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from leash.dynamics.evidence import clopper_pearson, epsilon, least_above, mcnemar, sensitivity
from leash.dynamics.regions import RegionCounts


@pytest.mark.parametrize(
    ("expansion", "shrinkage", "p"),
    [(12, 33, 0.00246), (3, 19, 0.000855), (0, 0, 1.0), (5, 5, 1.0), (1, 0, 1.0)],
)
def test_the_exact_test_of_expansion_against_shrinkage(expansion: int, shrinkage: int, p: float) -> None:
    assert mcnemar(RegionCounts(9, expansion, shrinkage, 9)) == pytest.approx(p, abs=5e-6)


def test_recorded_regions_under_stricter_rules(recorded) -> None:  # type: ignore[no-untyped-def]
    found = {at.rule: at.counts for at in sensitivity(128, *recorded("deepscaler"))}
    assert found["at least 1"] == (911, 12, 33, 104)
    assert found["at least 5"] == (858, 22, 17, 163)
    assert found["c/k > epsilon at zeta = 0.05"] == (874, 18, 21, 147)
    assert {at.rule: at.counts for at in sensitivity(128, *recorded("limit_rlvr"))}["at least 10"] == (
        428,
        18,
        13,
        41,
    )


@given(st.integers(1, 60), st.data())
def test_bounds_hold_the_count(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    low, high = clopper_pearson(n, [c])
    assert 0 <= low[0] <= c / n <= high[0] <= 1
    share = 0.05 if c in (0, n) else 0.025
    if c < n:
        assert binom.cdf(c, n, high[0]) == pytest.approx(share)
    if c > 0:
        assert binom.sf(c - 1, n, low[0]) == pytest.approx(share)


def test_none_of_n_bounds_the_rate() -> None:
    assert clopper_pearson(8192, [0])[1][0] == pytest.approx(1 - 0.05 ** (1 / 8192))


def test_the_threshold_is_the_first_count_above_it() -> None:
    assert epsilon(128, 0.05) == pytest.approx(0.023404, abs=1e-6)
    assert least_above(128, epsilon(128, 0.05)) == 3
    assert least_above(100, 0.03) == 4  # above, not at


@pytest.mark.parametrize("counts", [[-1], [9], [float("nan")], [0.5]])
def test_bad_counts(counts: list[float]) -> None:
    with pytest.raises(ValueError, match="counts must"):
        sensitivity(8, counts, [1])
    with pytest.raises(ValueError, match="counts must"):
        clopper_pearson(8, counts)


def test_bad_levels() -> None:
    with pytest.raises(ValueError, match="confidence"):
        clopper_pearson(8, [1], confidence=1.0)
    with pytest.raises(ValueError, match="at least 1 success"):
        sensitivity(8, [1], [1], thresholds=[0])
    with pytest.raises(ValueError, match="zeta"):
        epsilon(8, 1.0)
    with pytest.raises(ValueError, match="zeta"):
        epsilon(0, 0.5)


def test_every_rule_counts_all_questions() -> None:
    random = np.random.default_rng(0)
    base, target = random.integers(0, 65, (2, 300))
    assert all(sum(at.counts) == 300 for at in sensitivity(64, base, target))
