import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.budgets import excess_expansion, excess_shrinkage, expected_regions, self_discordance
from leash.dynamics.regions import assign_regions, count_regions, support_metrics

RECORDED = Path(__file__).parents[4] / "shared/data/recorded"
recorded = pytest.mark.skipif(not RECORDED.is_dir(), reason="the recorded counts are not here")


def deepscaler() -> tuple[list[int], list[int]]:
    base, target = (
        {row["id"]: row["c"] for row in map(json.loads, (RECORDED / "deepscaler32k" / name).open())}
        for name in ("base.jsonl", "rl.jsonl")
    )
    return list(base.values()), [target[name] for name in base]


def limit_rlvr() -> tuple[list[int], list[int]]:
    path = RECORDED / "limit_rlvr_qwen7b_math500_n128/per_question_counts.jsonl"
    rows = [json.loads(line) for line in path.open()]
    return [row["base_correct"] for row in rows], [row["rl_correct"] for row in rows]


@recorded
@pytest.mark.parametrize(
    ("counts", "k", "expected"),
    [
        (deepscaler, 8, (810.117, 42.145, 26.787, 180.951)),
        (deepscaler, 64, (891.480, 17.323, 31.090, 120.107)),
        (deepscaler, 128, (911, 12, 33, 104)),
        (limit_rlvr, 8, (418.033, 23.452, 16.054, 42.461)),
        (limit_rlvr, 128, (462, 3, 19, 16)),
    ],
)
def test_recorded_counts_at_smaller_budgets(counts, k, expected) -> None:  # type: ignore[no-untyped-def]
    base, target = counts()
    assert expected_regions(128, base, target, k) == pytest.approx(expected, abs=5e-4)


@recorded
@pytest.mark.parametrize(("counts", "nulls"), [(deepscaler, (21.430, 14.197)), (limit_rlvr, (7.278, 3.253))])
def test_recorded_models_against_themselves(counts, nulls) -> None:  # type: ignore[no-untyped-def]
    for correct, null in zip(counts(), nulls, strict=True):
        assert self_discordance(128, correct, 64).sum() == pytest.approx(null, abs=5e-4)


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


@given(st.integers(1, 12), st.data())
def test_a_model_against_itself_by_enumeration(k: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(2 * k, 2 * k + 6))
    c = data.draw(st.integers(0, n))
    random = np.random.default_rng(0)
    order = np.argsort(random.random((4000, n)), axis=1) < c  # which samples are correct
    met = np.mean(~order[:, :k].any(axis=1) & order[:, k : 2 * k].any(axis=1))
    assert self_discordance(n, [c], k)[0] == pytest.approx(met, abs=0.05)


def test_a_model_against_itself_has_no_excess() -> None:
    correct = [0, 1, 2, 5, 30, 64]
    gained, lost = excess_expansion(64, correct, correct, 32), excess_shrinkage(64, correct, correct, 32)
    assert gained.observed == pytest.approx(lost.observed)
    # two sets of its own samples share none, two independent draws do: the null is the larger
    assert gained.excess <= 0
    assert gained.null == pytest.approx(lost.null)


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
    ],
)
def test_bad_counts(n: int, base: list[int], target: list[int], k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expected_regions(n, base, target, k)


def test_halves_must_fit() -> None:
    with pytest.raises(ValueError, match="need 10"):
        self_discordance(8, [1], 5)
