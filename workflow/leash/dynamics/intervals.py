"""95 % intervals of the measures, of two kinds, each the answer to another question.

`other_questions`: what would other questions of this kind give? Questions are drawn again, with their counts:
that carries the noise of sampling too, and a second level on top would count it twice.
`same_questions`: what would these questions give in the long run? Each one's samples are drawn again, at a rate
that its count leaves open.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leash.dynamics._checks import budgets_of, draws_of, pair_of
from leash.dynamics.passk import k_grid, solved_at
from leash.dynamics.priors import fit_beta

MEASURES: Final = ("srr", "ndr", "sds", "nscr", "pass_difference")
OTHER_QUESTIONS: Final = "other questions of this kind"
SAME_QUESTIONS: Final = "these questions, drawn again"
SIGNED: Final = ("nscr", "pass_difference")

Floats = NDArray[np.float64]
Totals = tuple[Floats, ...]
"""Questions solved by base, by target, by both, each of shape (draws, budgets)."""

ROOM: Final = 1 << 21
"""Numbers held at once."""


class Interval(NamedTuple):
    """A measure of the expected counts, its interval, and the share of draws that leave it undefined (NaN).

    Where all draws give the same value, as an NDR of 0 without a single E, they say nothing of how far off it may
    be: the bounds are NaN, and not the value itself.
    """

    value: float
    low: float
    high: float
    undefined: float


class Intervals(NamedTuple):
    """Intervals of all MEASURES at budget k, by name, and which question they answer.

    k is None where benchmarks are pooled, each at a budget of its own.
    """

    about: str
    k: int | None
    of: dict[str, Interval]


class Group(NamedTuple):
    """A benchmark: n samples of each question, and how many were correct, shape (questions,) each."""

    n: int
    base_correct: ArrayLike
    target_correct: ArrayLike


class _Read(NamedTuple):
    n: int
    base: NDArray[np.int64]
    target: NDArray[np.int64]


def other_questions(
    n: int,
    base_correct: ArrayLike,
    target_correct: ArrayLike,
    budgets: Iterable[int] | None = None,
    *,
    draws: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Intervals]:
    """Percentile intervals over questions: where the measures of the kind of question lie.

    The counts have shape (questions,); budgets as in `over_budgets`. Raises ValueError for shapes that differ,
    a count outside 0..n, a budget outside 1..n, draws < 2 and a confidence outside (0, 1).
    """
    group, grid = _read(n, base_correct, target_correct, budgets, draws, confidence)
    return _over_questions([_estimates(group, grid)], grid, draws, confidence, seed)


def over_questions(
    base: Floats,
    target: Floats,
    budgets: Sequence[int],
    *,
    draws: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Intervals]:
    """`other_questions` from estimates of pass@k instead of counts, shape (questions, budgets) each.

    Raises ValueError for shapes that differ, draws < 2 and a confidence outside (0, 1).
    """
    draws_of(draws, confidence)
    _check_shape(base, target, len(budgets))
    return _over_questions([(base, target)], budgets, draws, confidence, seed)


def pooled_questions(
    pairs: Sequence[tuple[Floats, Floats]], *, draws: int = 2000, confidence: float = 0.95, seed: int = 0
) -> Intervals:
    """The first of `pooled`, from estimates: base and target of each benchmark, shape (questions, 1) at its budget.

    Raises ValueError as `over_questions`, and without a benchmark.
    """
    draws_of(draws, confidence)
    if not pairs:
        raise ValueError("pooling needs at least one benchmark")
    for pair in pairs:
        _check_shape(*pair, 1)
    return _over_questions(pairs, [None], draws, confidence, seed)[0]


def same_questions(
    n: int,
    base_correct: ArrayLike,
    target_correct: ArrayLike,
    budgets: Iterable[int] | None = None,
    *,
    draws: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Intervals]:
    """Intervals for these very questions: where the measures of their true rates lie.

    Each draw takes a rate for every question and model from its posterior, Beta(a + c, b + n - c) with a, b of
    `fit_beta` for the model, so that a count of 0 is not a rate of 0; then it redraws the n samples at these
    rates. What the redrawn counts give, less what the rates give, is the error of sampling. The interval is the
    observed measure less the quantiles of that error, cut to the measure's range. (The redrawn measures
    themselves are no interval: they hold the noise twice, and as the prior knows nothing of how the two
    models' rates go together, they hold too many E and S.) Arguments, shapes and errors as in
    `other_questions`.
    """
    group, grid = _read(n, base_correct, target_correct, budgets, draws, confidence)
    drawn = _resampled_samples(group, grid, draws, np.random.default_rng(seed))
    return _over_samples([group], grid, _totals(*_estimates(group, grid)), drawn, confidence)


def pooled(
    groups: Sequence[Group], *, draws: int = 2000, confidence: float = 0.95, seed: int = 0
) -> tuple[Intervals, Intervals]:
    """Both kinds of interval for several benchmarks as one, each at its own n: `other_questions`, `same_questions`.

    Questions are drawn again within each benchmark, so that every draw holds as many of each as were measured.
    Raises ValueError as `other_questions`, and without a group.
    """
    if not groups:
        raise ValueError("pooling needs at least one benchmark")
    read = [_read(*group, [group.n], draws, confidence)[0] for group in groups]
    pairs = [_estimates(group, [group.n]) for group in read]
    random = np.random.default_rng(seed)
    observed = _added([_totals(*pair) for pair in pairs])
    samples = _added([_resampled_samples(group, [group.n], draws, random) for group in read])
    return (
        pooled_questions(pairs, draws=draws, confidence=confidence, seed=seed),
        _over_samples(read, [None], observed, samples, confidence)[0],
    )


def _check_shape(base: Floats, target: Floats, budgets: int) -> None:
    if base.shape != target.shape or base.ndim != 2 or base.shape[1] != budgets:
        raise ValueError(f"estimates of shape {base.shape} and {target.shape}, at {budgets} budgets")


def _added(totals: Sequence[tuple[Floats, ...]]) -> tuple[Floats, ...]:
    return tuple(np.sum(part, axis=0) for part in zip(*totals, strict=True))


def _resampled(base: Floats, target: Floats, draws: int, random: np.random.Generator) -> Totals:
    stacked = np.hstack([base, target, base * target])
    questions = len(base)

    def some(many: int) -> Totals:
        chosen = random.integers(questions, size=(many, questions))
        chosen += np.arange(many)[:, None] * questions
        weights = np.bincount(chosen.ravel(), minlength=many * questions).reshape(many, questions)
        sides = np.split(weights.astype(np.float64) @ stacked, 3, axis=1)
        return sides[0], sides[1], sides[2]

    return _batched(some, draws, questions)


def _resampled_samples(
    group: _Read, grid: list[int], draws: int, random: np.random.Generator
) -> tuple[Floats, ...]:
    """Totals at the drawn rates, then those of the counts drawn at them: six arrays of (draws, budgets)."""
    n, base, target = group
    priors = fit_beta(n, base), fit_beta(n, target)
    table = solved_at(n, np.arange(n + 1), grid)

    def some(many: int) -> tuple[Floats, ...]:
        rates, drawn = [], []
        for correct, prior in zip((base, target), priors, strict=True):
            shape = (many, correct.size)
            rate = random.beta(prior.successes + correct, prior.failures + n - correct, shape)
            rates.append(np.log1p(-np.minimum(rate, 1 - 2**-53)))
            drawn.append(random.binomial(n, rate))
        totals = []
        for column, k in enumerate(grid):
            totals.append(_sums(*(-np.expm1(k * missed) for missed in rates)))
            totals.append(_sums(*(table[:, column][counts] for counts in drawn)))
        stacked = np.stack(totals, axis=2)  # (3, draws, 2 budgets): at the rates, from the counts, in turn
        return (*stacked[:, :, ::2], *stacked[:, :, 1::2])

    return _batched(some, draws, base.size * 8)


def _over_questions(
    pairs: Sequence[tuple[Floats, Floats]],
    grid: Sequence[int | None],
    draws: int,
    confidence: float,
    seed: int,
) -> list[Intervals]:
    random = np.random.default_rng(seed)
    observed = _added([_totals(*pair) for pair in pairs])
    drawn = _added([_resampled(*pair, draws, random) for pair in pairs])
    questions = sum(len(base) for base, _ in pairs)
    values, samples = (_measures(totals, questions) for totals in (observed, drawn))
    return _intervals(OTHER_QUESTIONS, grid, values, samples, confidence)


def _over_samples(
    groups: Sequence[_Read],
    grid: Sequence[int | None],
    observed: Totals,
    drawn: tuple[Floats, ...],
    confidence: float,
) -> list[Intervals]:
    questions = sum(group.base.size for group in groups)
    values, at_rates, from_counts = (
        _measures(totals, questions) for totals in (observed, drawn[:3], drawn[3:])
    )
    samples = {name: values[name] - (from_counts[name] - at_rates[name]) for name in MEASURES}
    return _intervals(SAME_QUESTIONS, grid, values, samples, confidence)


def _read(
    n: int,
    base_correct: ArrayLike,
    target_correct: ArrayLike,
    budgets: Iterable[int] | None,
    draws: int,
    confidence: float,
) -> tuple[_Read, list[int]]:
    draws_of(draws, confidence)
    pair = pair_of(n, base_correct, target_correct)
    return _Read(n, *pair), budgets_of(n, k_grid(n) if budgets is None else budgets)


def _estimates(group: _Read, grid: list[int]) -> tuple[Floats, Floats]:
    return solved_at(group.n, group.base, grid), solved_at(group.n, group.target, grid)


def _totals(base: Floats, target: Floats) -> Totals:
    return base.sum(axis=0)[None], target.sum(axis=0)[None], (base * target).sum(axis=0)[None]


def _sums(base: Floats, target: Floats) -> Floats:
    """Questions solved by base, by target, by both, shape (3, draws), from chances of (draws, questions)."""
    return np.stack([base.sum(axis=1), target.sum(axis=1), np.einsum("dq,dq->d", base, target)])


def _batched(some: Callable[[int], tuple[Floats, ...]], draws: int, numbers: int) -> tuple[Floats, ...]:
    """All draws, so many at once that their `numbers` each fit the room."""
    most = max(1, ROOM // numbers)
    parts = [some(min(most, draws - start)) for start in range(0, draws, most)]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _intervals(
    about: str,
    grid: Sequence[int | None],
    values: dict[str, Floats],
    samples: dict[str, Floats],
    confidence: float,
) -> list[Intervals]:
    tail = (1 - confidence) / 2
    found = []
    for column, k in enumerate(grid):
        of = {
            name: _interval(name, float(values[name][0, column]), samples[name][:, column], tail)
            for name in MEASURES
        }
        found.append(Intervals(about, k, of))
    return found


def _interval(name: str, value: float, sample: Floats, tail: float) -> Interval:
    defined = sample[~np.isnan(sample)]
    varies = defined.size > 0 and np.ptp(defined) > 1e-12
    low, high = np.quantile(defined, [tail, 1 - tail]) if varies else (np.nan, np.nan)
    least = -1.0 if name in SIGNED else 0.0
    low, high = np.clip([low, high], least, 1.0)
    return Interval(value, float(low), float(high), 1 - defined.size / sample.size)


def _measures(totals: Totals, questions: int) -> dict[str, Floats]:
    """`support_metrics` and the pass@k difference (target less base), shape (draws, budgets) each."""
    base, target, both = totals[0], totals[1], totals[2]
    both = np.minimum(both, np.minimum(base, target))  # sums of rounded products may exceed them by an ulp
    with np.errstate(invalid="ignore", divide="ignore"):
        srr, ndr = both / base, (target - both) / target
        sds = np.where(srr + ndr == 0, 0.0, 2 * srr * ndr / (srr + ndr))
        nscr = (target - base) / (base + target - both)
    return {
        "srr": srr,
        "ndr": ndr,
        "sds": sds,
        "nscr": nscr,
        "pass_difference": (target - base) / questions,
    }
