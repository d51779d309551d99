from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from leash.dynamics.adaptive import (
    Record,
    first_success_at,
    record_of_totals,
)
from leash.dynamics.budgets import AtBudget, at_budgets, over_budgets
from leash.dynamics.passk import k_grid, pass_at_k, solved_at
from leash.dynamics.regions import assign_regions, count_regions, support_metrics

NAN = float("nan")


def protocol(draws: NDArray[np.bool_], rounds: list[int]) -> Record:
    """What the protocol keeps of draws in order, shape (questions, last round)."""
    correct = np.stack(
        [draws[:, start:end].sum(axis=1) for start, end in zip([0, *rounds], rounds, strict=False)], axis=1
    )
    ever = correct.any(axis=1)
    last = np.where(ever, (correct > 0).argmax(axis=1), len(rounds) - 1)
    correct[np.arange(len(rounds)) > last[:, None]] = 0
    return record_of(rounds, np.array(rounds)[last], correct.sum(axis=1))


def record_of(rounds: list[int], drawn: ArrayLike, correct: list[int] | NDArray[np.int64]) -> Record:
    """A record whose first correct samples are not known."""
    return record_of_totals(rounds, drawn, correct, np.full(len(correct), NAN))


def over_rounds(base: Record, target: Record, budgets: list[int] | None = None) -> list[AtBudget]:
    """What the evidence makes of two records; of the budgets that it takes if none are given."""
    grid = budgets or k_grid(base.budget)
    return at_budgets(grid, first_success_at(base, grid), first_success_at(target, grid))


# --- by hand ---------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    rounds = [2, 6, 8]
    # solved 1 of 2 in round 0; 1 of 4 in round 1; 2 of 2 in round 2; never
    record = record_of(rounds, [2, 6, 8, 8], [1, 1, 2, 0])
    assert record == (tuple(rounds), pytest.approx([2, 6, 8, 8]), pytest.approx([1, 1, 2, 0]))
    assert record.budget == 8
    found = first_success_at(record, range(1, 9))
    np.testing.assert_allclose(
        found,
        [
            [1 / 2, 1, 1, 1, 1, 1, 1, 1],
            [0, 0, 1 / 4, 1 / 2, 3 / 4, 1, 1, 1],
            [0, 0, 0, 0, 0, 0, 1, 1],
            [0, 0, 0, 0, 0, 0, 0, 0],
        ],
    )


def test_regions_by_hand() -> None:
    base = record_of([2, 4], [2, 4, 4], [1, 1, 0])
    target = record_of([4], [4, 4, 4], [4, 0, 2])
    one, four = over_rounds(base, target, [1, 4])
    # base 1/2, 0, 0 and target 1, 0, 1/2 at k = 1
    assert one.counts == pytest.approx((0.5, 1.0, 0.0, 1.5))
    assert (one.base_pass, one.target_pass) == pytest.approx((1 / 6, 1 / 2))
    assert four.counts == (1, 1, 1, 0)
    assert [at.k for at in over_rounds(base, target)] == [1, 2, 4]


# --- unbiased --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [[2, 5, 9], [1, 2, 3, 4], [3, 8], [7]])
@pytest.mark.parametrize("rate", [0.0, 0.07, 0.5, 0.9, 1.0])
def test_is_unbiased_over_all_sequences_of_draws(rounds: list[int], rate: float) -> None:
    draws = np.array(list(product([False, True], repeat=rounds[-1])))
    chance = np.prod(np.where(draws, rate, 1 - rate), axis=1)
    budgets = np.arange(1, rounds[-1] + 1)
    found = first_success_at(protocol(draws, rounds), budgets.tolist())
    np.testing.assert_allclose(chance @ found, 1 - (1 - rate) ** budgets, atol=1e-14)


def test_the_usual_estimate_of_the_totals_is_biased() -> None:
    draws = np.array(list(product([False, True], repeat=8)))
    record = protocol(draws, [2, 8])
    # each sequence of draws as likely as any other: a rate of 1/2
    assert pass_at_k(record.drawn, record.correct, 1).mean() == pytest.approx(0.59375)
    assert first_success_at(record, [1]).mean() == pytest.approx(0.5)


@pytest.mark.parametrize("rounds", [[2, 5], [1, 2, 6]])
def test_is_the_mean_of_first_successes_over_the_sequences_with_the_same_counts(rounds: list[int]) -> None:
    draws = np.array(list(product([False, True], repeat=rounds[-1])))
    record = protocol(draws, rounds)
    first = np.where(draws.any(axis=1), draws.argmax(axis=1), rounds[-1])
    budgets = list(range(1, rounds[-1] + 1))
    indicator = first[:, None] < budgets
    found = first_success_at(record, budgets)
    for n, c in set(zip(record.drawn.tolist(), record.correct.tolist(), strict=True)):
        alike = (record.drawn == n) & (record.correct == c)
        np.testing.assert_allclose(found[alike], np.tile(indicator[alike].mean(axis=0), (alike.sum(), 1)))


ROUNDS, BUDGETS, QUESTIONS, STUDIES = [4, 16, 64], [1, 2, 3, 4, 5, 8, 15, 16, 17, 32, 63, 64], 40, 3000


class Simulated(NamedTuple):
    """Per study: expected P, E, S, O and pass@k of base and target, shape (studies, budgets, 6)."""

    rounds: NDArray[np.float64]
    exhaustive: NDArray[np.float64]


def regions(base: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """P, E, S, O and both pass@k of chances to be solved, shape (..., questions, budgets), as (..., budgets, 6)."""
    cells = (base * target, (1 - base) * target, base * (1 - target), (1 - base) * (1 - target))
    totals = [*(cell.sum(axis=-2) for cell in cells), base.mean(axis=-2), target.mean(axis=-2)]
    return np.stack(totals, axis=-1)


def numbers(at: AtBudget) -> list[float]:
    return [*at.counts, at.base_pass, at.target_pass]


@pytest.fixture(scope="module")
def rates() -> NDArray[np.float64]:
    """Base and target: some never solve, some always, many rarely."""
    drawn = np.random.default_rng(5).beta(0.3, 1.5, (2, QUESTIONS))
    drawn[0, :3], drawn[1, :2], drawn[1, -2:] = 0, 1, 0
    return drawn


@pytest.fixture(scope="module")
def simulated(rates: NDArray[np.float64]) -> Simulated:
    """The same draws in rounds and all at once."""
    random, last = np.random.default_rng(11), ROUNDS[-1]
    in_rounds, at_once = [], []
    for model in rates:
        draws = random.random((STUDIES, QUESTIONS, last), dtype=np.float32) < model[:, None]
        flat = draws.reshape(-1, last)
        shape = (STUDIES, QUESTIONS, len(BUDGETS))
        in_rounds.append(first_success_at(protocol(flat, ROUNDS), BUDGETS).reshape(shape))
        at_once.append(solved_at(last, flat.sum(axis=1), BUDGETS).reshape(shape))
    return Simulated(regions(*in_rounds), regions(*at_once))


def test_regions_are_those_of_the_two_estimates(rates: NDArray[np.float64]) -> None:
    draws = np.random.default_rng(1).random((2, QUESTIONS, ROUNDS[-1])) < rates[:, :, None]
    records = [protocol(model, ROUNDS) for model in draws]
    found = over_rounds(*records, BUDGETS)
    np.testing.assert_allclose(
        [numbers(at) for at in found], regions(*(first_success_at(record, BUDGETS) for record in records))
    )
    assert [at.metrics for at in found] == [support_metrics(at.counts) for at in found]


def standard_errors(found: NDArray[np.float64]) -> NDArray[np.float64]:
    return found.std(axis=0, ddof=1) / np.sqrt(len(found))


def test_differs_from_exhaustive_drawing_by_no_more_than_the_error_of_the_simulation(
    simulated: Simulated,
) -> None:
    difference = simulated.rounds - simulated.exhaustive
    error = standard_errors(difference)
    # 72 numbers, of which 4.5 standard errors miss one in 2,000 simulations
    assert np.all(np.abs(difference.mean(axis=0)) <= 4.5 * error + 1e-9)
    assert np.all(error[:-1, 4:] > 0)  # they do differ below the budget, or the test is empty
    np.testing.assert_allclose(difference[:, -1], 0, atol=1e-9)


def test_expects_the_regions_of_the_rates(simulated: Simulated, rates: NDArray[np.float64]) -> None:
    truth = regions(*(1 - (1 - rates[:, :, None]) ** np.array(BUDGETS)))
    error = standard_errors(simulated.rounds)
    assert np.all(np.abs(simulated.rounds.mean(axis=0) - truth) <= 4.5 * error + 1e-9)


# --- properties ------------------------------------------------------------------------------------------


@st.composite
def records(draw: st.DrawFn, ends: list[int] | None = None, questions: int | None = None) -> Record:
    rounds = ends or sorted(draw(st.sets(st.integers(1, 60), min_size=1, max_size=5)))
    rows = []
    for _ in range(questions or draw(st.integers(1, 12))):
        place = draw(st.integers(0, len(rounds) - 1))
        size = rounds[place] - (0, *rounds)[place]
        rows.append((rounds[place], draw(st.integers(int(place < len(rounds) - 1), size))))
    drawn, correct = zip(*rows, strict=True)
    return record_of_totals(rounds, drawn, correct, [None] * len(rows))


@given(records())
def test_rises_from_0_to_whether_any_is_correct(record: Record) -> None:
    found = first_success_at(record, range(1, record.budget + 1))
    assert np.all((found >= 0) & (found <= 1))
    assert np.all(np.diff(found, axis=1) >= -1e-14)
    assert found[:, -1].tolist() == (record.correct > 0).tolist()
    # at the seams: whether a round up to there solved it
    for end in record.rounds:
        solved = (record.drawn <= end) & (record.correct > 0)
        assert found[:, end - 1].tolist() == solved.tolist()


@given(records())
def test_within_round_0_it_is_the_usual_estimate_of_that_round(record: Record) -> None:
    size = record.rounds[0]
    correct = np.where(record.drawn == size, record.correct, 0)
    budgets = range(1, size + 1)
    np.testing.assert_array_equal(first_success_at(record, budgets), solved_at(size, correct, budgets))


@given(st.integers(1, 50), st.data())
def test_one_round_is_exhaustive_drawing(n: int, data: st.DataObject) -> None:
    base = data.draw(records([n]))
    target = data.draw(records([n], base.drawn.size))
    for k in {1, (n + 1) // 2, n}:
        assert first_success_at(base, [k])[:, 0].tolist() == pass_at_k(n, base.correct, k).tolist()
    found, usual = over_rounds(base, target), over_budgets(n, base.correct, target.correct)
    assert [numbers(at) for at in found] == [numbers(at) for at in usual]


@given(records(), st.data())
def test_at_the_last_round_the_regions_are_those_observed(base: Record, data: st.DataObject) -> None:
    target = data.draw(records(list(base.rounds), base.drawn.size))
    *_, last = over_rounds(base, target)
    assert last.k == base.budget
    assert last.counts == count_regions(assign_regions(base.correct, target.correct))


@given(st.integers(0, 2**32 - 1))
def test_at_the_last_round_they_are_those_of_all_the_samples(seed: int) -> None:
    random = np.random.default_rng(seed)
    draws = random.random((2, 20, 30)) < random.beta(0.2, 2, (2, 20, 1))
    base, target = (protocol(model, [4, 10, 30]) for model in draws)
    found, usual = over_rounds(base, target, [30]), over_budgets(30, *draws.sum(axis=2), [30])
    assert [numbers(at) for at in found] == [numbers(at) for at in usual]


# --- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawn", "correct", "first", "message"),
    [
        ([2, 6], [1, 3], [0, 1], "row 1: drawn on after it was solved"),
        ([2, 6], [1, 3], [0, 6], "row 1: the first correct sample"),
        ([2, 6], [1, 3], [-1, 2], "row 0: the first correct sample"),
        ([2, 6], [1, 0], [0, 2], "row 1: a first correct sample, and none correct"),
        ([2, 6], [1, 3], [0, 2.5], "whole numbers"),
        ([2, 6], [1, 5], [0, None], "row 1: more or fewer"),
        ([2, 2], [1, 0], [0, None], "row 1: neither solved nor drawn on"),
        ([2, 6], [1, 3], [0], "first_correct of"),
        ([2, 6], [1], [0, 2], "first_correct of"),
        ([2, 6], [-1, 3], [None, 2], "row 0: more or fewer"),
        ([2, 4], [1, 1], [0, None], r"row 1: drawn samples are none of the rounds \[2, 6\]"),
        ([2, 6], [[1], [1]], [0, 2], "one number per question"),
        ([], [], [], "one number per question"),
        ([2, 6], [1, 0.5], [0, None], "whole numbers"),
        ([2, NAN], [1, 1], [0, None], "whole numbers"),
    ],
)
def test_totals_that_cannot_be(
    drawn: list[int], correct: list[int], first: list[float | None], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        record_of_totals([2, 6], drawn, correct, first)


@pytest.mark.parametrize("rounds", [[], [0, 4], [4, 4], [8, 4], [[4]], [2.5]])
def test_rounds_that_do_not_rise(rounds: list[int]) -> None:
    with pytest.raises(ValueError, match=r"rounds must"):
        record_of(rounds, [4], [1])


def test_budgets_beyond_the_last_round() -> None:
    record = record_of([2, 6], [2], [1])
    for k in (0, 7):
        with pytest.raises(ValueError, match="between 1 and n = 6"):
            first_success_at(record, [k])
