import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.budgets import expected_regions, over_budgets
from leash.dynamics.passk import pass_at_k
from leash.dynamics.regions import assign_regions, count_regions, support_metrics


@pytest.mark.parametrize(
    ("counts", "k", "expected"),
    [
        ("deepscaler", 8, (810.117, 42.145, 26.787, 180.951)),
        ("deepscaler", 64, (891.480, 17.323, 31.090, 120.107)),
        ("deepscaler", 128, (911, 12, 33, 104)),
        ("limit_rlvr", 8, (418.033, 23.452, 16.054, 42.461)),
        ("limit_rlvr", 128, (462, 3, 19, 16)),
    ],
)
def test_recorded_counts_at_smaller_budgets(counts, k, expected, recorded) -> None:  # type: ignore[no-untyped-def]
    base, target = recorded(counts)
    assert expected_regions(128, base, target, k) == pytest.approx(expected, abs=5e-4)


COUNTS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.tuples(st.integers(0, n), st.integers(0, n)), min_size=1, max_size=30)
    )
)


@given(COUNTS, st.data())
def test_at_any_budget_they_add_up(drawn: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    n, pairs = drawn
    base, target = zip(*pairs, strict=True)
    k = data.draw(st.integers(1, n))
    expected = expected_regions(n, base, target, k)
    assert sum(expected) == pytest.approx(len(pairs))
    assert min(expected) >= -1e-9
    mirrored = expected_regions(n, target, base, k)
    assert (mirrored.expansion, mirrored.shrinkage) == pytest.approx((expected.shrinkage, expected.expansion))
    for name, value in support_metrics(expected).items():
        assert np.isnan(value) or -1 - 1e-9 <= value <= 1 + 1e-9, name
    observed = count_regions(assign_regions(np.array(base), np.array(target)))
    assert expected_regions(n, base, target, n) == pytest.approx(observed)


@given(COUNTS, st.data())
def test_a_model_beside_itself_gains_what_it_loses(
    drawn: tuple[int, list[tuple[int, int]]], data: st.DataObject
) -> None:
    n, pairs = drawn
    correct = [pair[0] for pair in pairs]
    expected = expected_regions(n, correct, correct, data.draw(st.integers(1, n)))
    assert expected.expansion == pytest.approx(expected.shrinkage)


def test_over_budgets_holds_the_measures_of_the_expected_counts_and_pass_at_k() -> None:
    base, target = [0, 1, 5, 16, 3], [2, 0, 9, 16, 3]
    found = over_budgets(16, base, target)
    assert [at.k for at in found] == [1, 2, 4, 8, 16]
    for at in found:
        assert at.counts == expected_regions(16, base, target, at.k)
        assert at.metrics == support_metrics(at.counts)
        assert at.base_pass == pytest.approx(pass_at_k(16, base, at.k).mean())
        assert at.target_pass == pytest.approx(pass_at_k(16, target, at.k).mean())


@pytest.mark.parametrize(
    ("n", "base", "target", "k", "message"),
    [
        (8, [1, 2], [1], 4, "base and"),
        (8, [9], [1], 4, "between 0 and n"),
        (8, [-1], [1], 4, "between 0 and n"),
        (8, [1], [1], 0, "between 1 and n"),
        (8, [1], [1], 9, "between 1 and n"),
        (8, [float("nan")], [1], 4, "whole numbers"),
        (8, [1.5], [1], 4, "whole numbers"),
        (8, [[1]], [[1]], 4, "one number per question"),
        (8, [], [], 4, "at least one question"),
        (8, ["x"], [1], 4, "whole numbers"),
        (0, [0], [0], 1, "n must be"),
    ],
)
def test_bad_counts(n: int, base: list[int], target: list[int], k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expected_regions(n, base, target, k)
