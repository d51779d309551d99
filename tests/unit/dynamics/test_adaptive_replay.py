from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.adaptive import replay_counts, replay_rates


@given(st.integers(1, 6), st.data())
def test_the_replay_is_the_mean_over_all_orders(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    rounds = sorted(data.draw(st.sets(st.integers(1, n), min_size=1)))
    orders = set(permutations([True] * c + [False] * (n - c)))
    drawn = [next((end for end in rounds if any(order[:end])), rounds[-1]) for order in orders]
    firsts = [order.index(True) + 1 if c else n for order in orders]
    found = replay_counts(n, [c], rounds)
    assert found.budget == rounds[-1]
    assert found.drawn[0] == pytest.approx(np.mean(drawn))
    assert found.oracle[0] == pytest.approx(np.mean(np.minimum(firsts, rounds[-1])))


def test_the_replay_by_hand() -> None:
    # 1 of 4 correct: open after 2 with chance 1/2; the first success lies at 1, 2, 3 or 4
    found = replay_counts(4, [1, 0, 4], [2, 4])
    assert found.drawn.tolist() == pytest.approx([3, 4, 2])
    assert found.oracle.tolist() == pytest.approx([2.5, 4, 1])
    assert found.share == pytest.approx(9 / 12)
    assert found.over_oracle == pytest.approx(9 / 7.5)
    found = replay_rates([0.5, 0, 1], [2, 4])
    assert found.drawn.tolist() == pytest.approx([2.5, 4, 2])
    assert found.oracle.tolist() == pytest.approx([1 + 1 / 2 + 1 / 4 + 1 / 8, 4, 1])


@given(st.lists(st.floats(0, 1), min_size=1), st.sets(st.integers(1, 9000), min_size=1, max_size=5))
def test_the_protocol_lies_between_the_oracle_and_the_budget(rates: list[float], ends: set[int]) -> None:
    found = replay_rates(rates, sorted(ends))
    assert np.all(found.oracle >= 1 - 1e-9)
    assert np.all(found.oracle <= found.drawn * (1 + 1e-9))
    assert np.all(found.drawn <= found.budget * (1 + 1e-9))


def test_the_replay_at_rates_is_the_mean_of_those_of_binomial_counts() -> None:
    n, rate, rounds = 40, 0.03, [4, 16, 40]
    counts = np.random.default_rng(2).binomial(n, rate, 100_000)
    known, drawn = replay_rates([rate], rounds), replay_counts(n, counts, rounds)
    for exact, sampled in ((known.drawn[0], drawn.drawn), (known.oracle[0], drawn.oracle)):
        assert sampled.mean() == pytest.approx(exact, abs=4.5 * sampled.std() / np.sqrt(sampled.size))


@pytest.mark.parametrize(
    ("counts", "shares"), [("deepscaler", (0.1777, 0.1830)), ("limit_rlvr", (0.1012, 0.1147))]
)
def test_recorded_counts_in_rounds(counts, shares, recorded) -> None:  # type: ignore[no-untyped-def]
    found = [replay_counts(128, correct, [4, 8, 16, 32, 64, 128]) for correct in recorded(counts)]
    assert [replay.share for replay in found] == pytest.approx(shares, abs=5e-5)
    assert max(replay.over_oracle for replay in found) <= 1.4


@pytest.mark.parametrize(
    ("n", "correct", "rounds", "message"),
    [
        (8, [9], [4, 8], "between 0 and n"),
        (8, [1], [4, 16], "between 1 and n = 8"),
        (8, [], [4, 8], "one number per question"),
    ],
)
def test_bad_replays(n: int, correct: list[int], rounds: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replay_counts(n, correct, rounds)


@pytest.mark.parametrize("rates", [[], [[0.5]], [1.1], [-0.1], [float("nan")]])
def test_bad_rates(rates: list[float]) -> None:
    with pytest.raises(ValueError, match="rates must"):
        replay_rates(rates, [4, 8])


@pytest.mark.parametrize("rounds", [[], [0, 4], [4, 4], [8, 4]])
def test_rounds_that_do_not_rise(rounds: list[int]) -> None:
    with pytest.raises(ValueError, match="rounds must"):
        replay_rates([0.5], rounds)
    with pytest.raises(ValueError, match="rounds must"):
        replay_counts(8, [1], rounds)
