import numpy as np
import pytest

from leash.dynamics.band import simultaneous_band
from leash.dynamics.passk import pass_at_k


@pytest.mark.parametrize("counts", ["deepscaler", "limit_rlvr"])
def test_agrees_with_passk_inference_within_monte_carlo_error(counts, recorded) -> None:  # type: ignore[no-untyped-def]
    oracle = pytest.importorskip("passk_inference")
    base, target = recorded(counts)
    theirs = oracle.compare(base, 128, target, 128, ks=range(1, 129), bootstrap=8000)
    ours = simultaneous_band(128, base, target, range(1, 129), draws=8000)
    np.testing.assert_allclose(ours.difference, theirs["mean"], atol=1e-12)
    np.testing.assert_allclose(ours.standard_error, theirs["se"], atol=1e-12)
    # a quantile of 8,000 maxima has a standard error of about 0.02; theirs has it too
    assert ours.critical == pytest.approx(theirs["critical_value"], abs=0.1)
    room = 0.1 * ours.standard_error.max()
    np.testing.assert_allclose(ours.low, theirs["lower"], atol=room)
    np.testing.assert_allclose(ours.high, theirs["upper"], atol=room)
    for mine, other in (
        (ours.gains(), "certified_positive_budgets"),
        (ours.losses(), "certified_negative_budgets"),
    ):
        assert len(set(mine) ^ set(theirs[other])) <= 3


def test_recorded_gains_come_early_and_losses_late(recorded) -> None:  # type: ignore[no-untyped-def]
    found = simultaneous_band(128, *recorded("deepscaler"))
    assert found.budgets == [1, 2, 4, 8, 16, 32, 64, 128]
    assert found.gains() == [1, 2, 4, 8]
    assert found.losses() == [64, 128]


def test_the_band_is_wider_than_pointwise_and_centred() -> None:
    random = np.random.default_rng(0)
    base, target = random.binomial(32, random.beta(0.5, 0.5, (2, 300)))
    found = simultaneous_band(32, base, target, range(1, 33))
    assert found.critical > 1.96
    np.testing.assert_allclose((found.low + found.high) / 2, found.difference)
    wanted = [np.mean(pass_at_k(32, target, k) - pass_at_k(32, base, k)) for k in found.budgets]
    np.testing.assert_allclose(found.difference, wanted)


def test_where_nothing_varies_the_band_says_nothing() -> None:
    found = simultaneous_band(4, [1, 2, 0], [1, 2, 0])
    assert found.critical == 0
    assert (found.low == -1).all()
    assert (found.high == 1).all()


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        simultaneous_band(4, [1], [2])
    with pytest.raises(ValueError, match="k must be between"):
        simultaneous_band(4, [1, 2], [2, 2], [5])
    with pytest.raises(ValueError, match="whole numbers"):
        simultaneous_band(4, [1, np.nan], [2, 2])
