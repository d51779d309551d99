"""pass@k and regions where a question is drawn on, in rounds, only until one round solves it; and what that saves.

Rounds are cumulative: [32, 128, 512] draws 32 samples of every question, then 96 more of those without a success,
then 384 more of those still without. A question stops at one of the rounds with n samples, c of them correct, all
c in its last round; one that no round solves is censored at the budget, the last round, with c = 0.

Why the usual estimate will not do: n depends on the successes. 1 - C(n-c, k)/C(n, k) of such n and c is biased.

The estimate. Let T be the place of the first success in the order drawn; pass@k = P(T <= k) = 1 - (1 - p)^k at a
rate p. The protocol always shows whether T <= k, for k up to the budget: every question draws until its first
success or to the budget. So 1[T <= k] is unbiased. It wastes the order within the round that solved the question,
which carries nothing of p: given n and c, the round and its m draws are known, and every order of the c successes
among them is equally likely, of chance p^c (1-p)^(n-c) each. The mean of the indicator over these orders,

    P(T <= k | n, c) = 1 - C(m-c, j)/C(m, j),   j = k - (n-m), cut to 0..m,

is the estimate: unbiased, as it has the mean of the indicator, and of no larger variance (Rao-Blackwell). It is 0
for k before the round that solved the question (all draws there failed), 1 for k from the end of that round on,
and 0 up to the budget for a censored question. Within round 0 it is the usual estimate from that round alone. At
the seams the formulas agree: j = m of one round (1 if c > 0) is j = 0 of the next (0, reached only if c = 0). At
k = budget it is whether any sample is correct, which exhaustive drawing of the same samples would show as well.

No other unbiased function of (n, c) exists, so none is better. A round from a to b samples has the chances
p^c (1-p)^(b-c), c = 1..b-a, and these have the lowest powers a..b-1 of 1-p, no two alike over all rounds and the
censored (1-p)^budget: they are linearly independent, and only 0 has the mean 0 at every p.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import budgets_of, whole
from leash.dynamics.passk import pass_at_k

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Record(NamedTuple):
    """What the protocol drew: its cumulative rounds; samples and correct ones per question, shape (questions,) each.

    `correct` lie all in the question's last round. Made by `record_of_totals`, which checks it.
    """

    rounds: tuple[int, ...]
    drawn: Ints
    correct: Ints

    @property
    def budget(self) -> int:
        """The last round: the largest k."""
        return self.rounds[-1]


class Replay(NamedTuple):
    """Expected samples per question, shape (questions,), of the protocol and of an oracle.

    The oracle stops at each first success: the least that gives the same regions.
    """

    budget: int
    drawn: Floats
    oracle: Floats

    @property
    def share(self) -> float:
        """Samples of the protocol, as a share of the budget for every question."""
        return float(self.drawn.mean() / self.budget)

    @property
    def over_oracle(self) -> float:
        """Samples of the protocol for one of the oracle."""
        return float(self.drawn.sum() / self.oracle.sum())


def record_of_totals(
    rounds: Sequence[int], drawn: ArrayLike, correct: ArrayLike, first_correct: ArrayLike
) -> Record:
    """The record of a question's totals, as in a table of counts: samples, correct ones, index of the first.

    `rounds` are cumulative, the others of shape (questions,); `first_correct` is 0-based, NaN or None where no sample
    is correct or it is not known. Raises ValueError for rounds that do not rise, other shapes, and, with the row, for
    a count or an index that cannot be, a question drawn on after it was solved, and one neither solved nor drawn on
    to the last round.
    """
    ends = _rounds_of(rounds)
    totals, counts = _per_question(drawn, "drawn"), _per_question(correct, "counts")
    first = np.asarray(first_correct, dtype=np.float64)
    if not totals.shape == counts.shape == first.shape:
        raise ValueError(
            f"drawn of {totals.shape}, counts of {counts.shape}, first_correct of {first.shape} questions"
        )
    whole(first[~np.isnan(first)], "first_correct")
    sizes = np.diff(ends, prepend=0)
    last = _last_round(ends, totals)
    _refuse((first < 0) | (first >= totals), "the first correct sample is none of its samples")
    _refuse(~np.isnan(first) & (counts == 0), "a first correct sample, and none correct")
    _refuse(first < totals - sizes[last], "drawn on after it was solved")
    _refuse((counts < 0) | (counts > sizes[last]), "more or fewer correct than its last round's samples")
    return _closed(ends, totals, counts)


def first_success_at(record: Record, budgets: Iterable[int]) -> Floats:
    """Unbiased estimate of pass@k per question at each budget (see the module), shape (questions, budgets).

    Raises ValueError for a budget outside 1..last round.
    """
    columns = []
    for k in budgets_of(record.budget, budgets):
        place = int(np.searchsorted(record.rounds, k))
        start, end = (0, *record.rounds)[place], record.rounds[place]
        estimate = np.where(record.drawn < end, 1.0, 0.0)  # stopped before: solved before
        here = record.drawn == end
        estimate[here] = pass_at_k(end - start, record.correct[here], k - start)
        columns.append(estimate)
    return np.column_stack(columns)


class Samples(NamedTuple):
    """One state's samples of a benchmark, drawn in rounds; all but `rounds` of shape (questions,).

    `first_round`: correct ones among the samples of round 0. `fixed`: questions that every round drew, whatever they
    showed, so that their n is the budget; the others stopped at the round that solved them.
    """

    rounds: tuple[int, ...]
    drawn: Ints
    correct: Ints
    first_correct: Floats
    first_round: Ints
    fixed: NDArray[np.bool_]


def solved_within(samples: Samples, budgets: Iterable[int]) -> Floats:
    """Unbiased estimate of pass@k per question at each budget, shape (questions, budgets).

    Up to the first round: the usual estimate from it. Beyond: `first_success_at`, and for the fixed questions the
    usual estimate from all their samples. Raises ValueError as `record_of_totals`, and for a budget outside
    1..last round.
    """
    budget = samples.rounds[-1]
    grid = budgets_of(budget, budgets)
    found = np.empty((samples.drawn.size, len(grid)))
    stopped = ~samples.fixed
    if stopped.any():
        rows = (values[stopped] for values in (samples.drawn, samples.correct, samples.first_correct))
        found[stopped] = first_success_at(record_of_totals(samples.rounds, *rows), grid)
    for column, k in enumerate(grid):
        if k <= samples.rounds[0]:
            found[:, column] = pass_at_k(samples.rounds[0], samples.first_round, k)
        elif samples.fixed.any():
            found[samples.fixed, column] = pass_at_k(budget, samples.correct[samples.fixed], k)
    return found


def replay_counts(n: int, correct: ArrayLike, rounds: Sequence[int]) -> Replay:
    """What the protocol would have drawn of n recorded samples in random order, exactly in expectation.

    `correct` holds correct samples per question, shape (questions,). After m draws a question is open with chance
    C(n-c, m)/C(n, m); the oracle's sum of these over m = 0..budget-1 is (n+1)/(c+1) (1 - C(n-c, budget)/
    C(n+1, budget)). Raises ValueError for rounds that do not rise or exceed n, and a count outside 0..n.
    """
    ends = _rounds_of(rounds)
    budgets_of(n, [ends[-1]])
    counts = _per_question(correct, "counts")
    open_after = [1 - pass_at_k(n, counts, end) for end in ends[:-1]]
    oracle = (n + 1) / (counts + 1) * pass_at_k(n + 1, counts + 1, ends[-1])
    return Replay(ends[-1], _expected_draws(ends, open_after, counts.size), oracle)


def replay_rates(rates: ArrayLike, rounds: Sequence[int]) -> Replay:
    """What the protocol would draw at known rates of success, shape (questions,), in expectation.

    After m draws a question is open with chance (1 - p)^m. Raises ValueError for rounds that do not rise, and a
    rate outside 0..1.
    """
    ends = _rounds_of(rounds)
    chances = np.asarray(rates, dtype=np.float64)
    if chances.ndim != 1 or not chances.size:
        raise ValueError(f"rates must be one number per question, not of shape {chances.shape}")
    if not np.all((chances >= 0) & (chances <= 1)):
        raise ValueError("rates must lie between 0 and 1")
    with np.errstate(divide="ignore", invalid="ignore"):  # rates of 1 and 0, which the limits below replace
        log_fail = np.log1p(-chances)
        oracle = np.where(chances > 0, -np.expm1(ends[-1] * log_fail) / chances, ends[-1])
    return Replay(
        ends[-1], _expected_draws(ends, [np.exp(end * log_fail) for end in ends[:-1]], chances.size), oracle
    )


def _expected_draws(ends: tuple[int, ...], open_after: Sequence[Floats], questions: int) -> Floats:
    """Round 0 of every question, and each later round of those open after the one before."""
    drawn = np.full(questions, float(ends[0]))
    for size, still_open in zip(np.diff(ends), open_after, strict=True):
        drawn += size * still_open
    return drawn


def _rounds_of(rounds: Sequence[int]) -> tuple[int, ...]:
    ends = whole(rounds, "rounds")
    if ends.ndim != 1 or not ends.size or ends[0] < 1 or np.any(np.diff(ends) < 1):
        raise ValueError(f"rounds must rise from at least 1, not {list(rounds)}")
    return tuple(ends.tolist())


def _per_question(values: ArrayLike, name: str) -> Ints:
    array = whole(values, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be one number per question, not of shape {array.shape}")
    return array


def _last_round(ends: tuple[int, ...], drawn: Ints) -> Ints:
    """Index of the round at which each question stopped."""
    _refuse(~np.isin(drawn, ends), f"drawn samples are none of the rounds {list(ends)}")
    return np.searchsorted(ends, drawn)


def _closed(ends: tuple[int, ...], drawn: Ints, correct: Ints) -> Record:
    _refuse((correct == 0) & (drawn < ends[-1]), "neither solved nor drawn on")
    return Record(ends, drawn, correct)


def _refuse(off: ArrayLike, reason: str) -> None:
    """Raises ValueError with the first row that is off, shape (questions,)."""
    rows = np.flatnonzero(off)
    if rows.size:
        raise ValueError(f"row {rows[0]}: {reason}")
