"""Samples drawn in rounds, from counts to evidence, beside the same samples drawn exhaustively."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from leash import counts, evidence, match, metrics, records
from leash.dynamics.adaptive import Samples, solved_within
from leash.dynamics.evidence import by_waiting_time
from leash.dynamics.passk import pass_at_k
from leash.errors import InputError
from question_files import write_questions

ROUNDS = (2, 4, 8)
BUDGET = ROUNDS[-1]
RATES = np.array([0.0, 0.02, 0.1, 0.3, 0.7, 1.0] * 3)
Draws = NDArray[np.bool_]


def verdicts_file(path: Path, correct: dict[str, dict[int, bool]]) -> Path:
    """Verdicts of the samples that are named."""
    rows = [
        {
            "question_id": name,
            "sample_index": index,
            "outcome": "correct" if right else "wrong",
            "answer": "1",
        }
        for name, of in correct.items()
        for index, right in of.items()
    ]
    records.write(path, records.VERDICTS, rows)
    return path


def drawn(samples: list[bool], rounds: tuple[int, ...] = ROUNDS) -> int:
    """How many of a question's samples the protocol draws."""
    return next((end for end in rounds if any(samples[:end])), rounds[-1])


@given(
    st.lists(st.lists(st.booleans(), min_size=BUDGET, max_size=BUDGET), min_size=1, max_size=4),
    st.lists(st.integers(0, 4), max_size=4),
)
def test_counting_walks_the_rounds_and_leaves_what_lies_beyond_aside(
    tmp_path_factory: pytest.TempPathFactory, samples: list[list[bool]], more: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("rounds")
    names = [f"q{at}" for at in range(len(samples))]
    questions = write_questions(folder, names)
    ends = {name: drawn(of) for name, of in zip(names, samples, strict=True)}
    # a shard that is kept may hold more than the protocol asks for
    kept = {name: BUDGET if at in more else ends[name] for at, name in enumerate(names)}
    cells = {name: dict(enumerate(of[: kept[name]])) for name, of in zip(names, samples, strict=True)}
    file = verdicts_file(folder / "verdicts.parquet", cells)
    rows = counts.count(questions, [file], BUDGET, rounds=ROUNDS)
    for row, of in zip(rows, samples, strict=True):
        counted = of[: ends[row["question_id"]]]
        assert (row["n"], row["correct"]) == (len(counted), sum(counted))
        assert row["first_correct"] == (counted.index(True) if any(counted) else None)
        assert row["n"] == row["correct"] + row["wrong"]


def test_a_lowered_budget_reads_a_prefix_and_a_question_always_drawn_has_all(tmp_path: Path) -> None:
    questions = write_questions(tmp_path, ["a", "b"])
    cells = {
        "a": dict.fromkeys(range(8), False) | {1: True, 7: True},
        "b": dict.fromkeys(range(8), False) | {6: True},
    }
    file = verdicts_file(tmp_path / "v.parquet", cells)
    lowered = counts.count(questions, [file], 4, rounds=[2, 4])
    assert [(row["n"], row["correct"]) for row in lowered] == [(2, 1), (4, 0)]
    whole = counts.count(questions, [file], 8, rounds=[2, 4, 8], always=["a"])
    assert [(row["n"], row["correct"]) for row in whole] == [(8, 2), (8, 1)]


@pytest.mark.parametrize(
    ("rounds", "message"),
    [
        ([2, 8], "1 of 2 questions have not a verdict for each sample of their rounds: b \\(n = 2 of 8\\)"),
        ([4, 2, 8], "they must rise, and the last be --budget, 8"),
        ([2, 4], "they must rise, and the last be --budget, 8"),
    ],
)
def test_rounds_that_do_not_fit_are_refused(tmp_path: Path, rounds: list[int], message: str) -> None:
    questions = write_questions(tmp_path, ["a", "b"])
    file = verdicts_file(tmp_path / "v.parquet", {"a": {0: True, 1: False}, "b": {0: False, 1: False}})
    with pytest.raises(InputError, match=message):
        counts.count(questions, [file], 8, rounds=rounds)


def test_two_verdicts_of_one_sample_are_refused(tmp_path: Path) -> None:
    questions = write_questions(tmp_path, ["a"])
    files = [verdicts_file(tmp_path / f"{name}.parquet", {"a": {0: True, 1: False}}) for name in "vw"]
    with pytest.raises(InputError, match="a second verdict for sample_index 0"):
        counts.count(questions, files, 8, rounds=[2, 8])


@pytest.mark.parametrize("rate", [0.9, 0.3, 0.05, 0.002])
def test_the_bounds_by_the_waiting_time_hold_the_rate_as_often_as_they_say(rate: float) -> None:
    places = np.arange(1, 20_000)
    chances = rate * (1 - rate) ** (places - 1)
    low, high = np.array([by_waiting_time(int(place)) for place in places]).T
    assert chances[(low > rate)].sum() <= 0.025 + 1e-12
    assert chances[(high < rate)].sum() <= 0.025 + 1e-12


def in_rounds(draws: Draws, fixed: NDArray[np.bool_]) -> Samples:
    """The record of draws of shape (questions, budget)."""
    n = np.array([BUDGET if at else drawn(list(of)) for of, at in zip(draws, fixed, strict=True)])
    seen = draws & (np.arange(BUDGET) < n[:, None])
    first = np.where(seen.any(axis=1), seen.argmax(axis=1), np.nan)
    return Samples(ROUNDS, n, seen.sum(axis=1), first, draws[:, : ROUNDS[0]].sum(axis=1), fixed)


def test_estimates_in_rounds_have_the_mean_of_exhaustive_ones_at_every_k() -> None:
    random = np.random.default_rng(7)
    studies, grid = 4000, list(range(1, BUDGET + 1))
    fixed = np.arange(RATES.size) % 4 == 0
    gaps = np.empty((studies, len(grid)))
    for study in range(studies):
        draws = random.random((RATES.size, BUDGET)) < RATES[:, None]
        exhaustive = np.column_stack([pass_at_k(BUDGET, draws.sum(axis=1), k) for k in grid])
        gaps[study] = (solved_within(in_rounds(draws, fixed), grid) - exhaustive).mean(axis=0)
    error = gaps.std(axis=0, ddof=1) / np.sqrt(studies)
    assert np.all(np.abs(gaps.mean(axis=0)) <= 4 * error + 1e-12)
    assert gaps[:, -1] == pytest.approx(0)  # at the budget it is the same, study by study


def compared(folder: Path, draws: dict[str, Draws], adaptive: bool) -> tuple[Path, Path | None]:
    """Regions of two states, and those of round 0, by the files' own stages."""
    names = [f"q{at}" for at in range(len(RATES))]
    questions = write_questions(folder, names)
    made: dict[str, list[Path]] = {"all": [], "first": []}
    for side, of in draws.items():
        stop = [drawn(list(one)) if adaptive else BUDGET for one in of]
        cells = {
            name: {at: bool(one[at]) for at in range(end)}
            for name, one, end in zip(names, of, stop, strict=True)
        }
        first = {
            name: {at: right for at, right in one.items() if at < ROUNDS[0]} for name, one in cells.items()
        }
        for kind, some in (("all", cells), ("first", first)):
            file = verdicts_file(folder / f"{side}-{kind}.verdicts", some)
            budget = BUDGET if kind == "all" else ROUNDS[0]
            rounds = ROUNDS if adaptive and kind == "all" else ()
            path = folder / f"{side}-{kind}.counts"
            records.write(path, records.COUNTS, counts.count(questions, [file], budget, rounds=rounds))
            made[kind].append(path)
    place = folder / "sums"
    rounds = ROUNDS if adaptive else ()
    records.write(place / "regions.parquet", records.REGIONS, match.match(*made["all"], rounds=rounds))
    records.write(place / "round0/regions.parquet", records.REGIONS, match.match(*made["first"]))
    return place / "regions.parquet", place / "round0/regions.parquet" if adaptive else None


def test_metrics_and_evidence_of_rounds_beside_those_of_all_samples(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    draws = {side: random.random((RATES.size, BUDGET)) < RATES[:, None] for side in ("base", "target")}
    states = {side: {"model": side, "checkpoint": "final"} for side in ("base", "target")}
    found: dict[bool, tuple[dict[str, Any], dict[str, Any]]] = {}
    for adaptive in (False, True):
        regions, first = compared(tmp_path / str(adaptive), draws, adaptive)
        more: dict[str, Any] = {"rounds": list(ROUNDS), "always": []} if adaptive else {}
        block = {"domain": "math", "budget": BUDGET} | more
        summary = metrics.summarise(states | {"benchmark": "sums"} | block, regions, first)
        spec = states | {"seed": 0, "benchmarks": {"sums": block}}
        found[adaptive] = summary, evidence.weigh(spec, [regions], [first] if first else [])
    (whole, all_evidence), (some, in_rounds_evidence) = found[False], found[True]
    assert some["regions"] == whole["regions"]
    assert some["metrics"] == pytest.approx(whole["metrics"], nan_ok=True)
    for side in ("base", "target"):
        assert some[side]["pass_at"][str(BUDGET)] == pytest.approx(whole[side]["pass_at"][str(BUDGET)])
        first_pass = draws[side][:, : ROUNDS[0]].mean()
        assert some[side]["pass_at"]["1"] == pytest.approx(first_pass)
        # totals are of round 0, where both sides have as many samples
        assert some[side]["samples"] == sum(some[side]["outcomes"].values()) == RATES.size * ROUNDS[0]
        assert some[side]["drawn"] < whole[side]["samples"]
    mine, other = in_rounds_evidence["overall"], all_evidence["overall"]
    assert mine["mcnemar_p"] == other["mcnemar_p"]
    assert mine["unseen"] == other["unseen"]
    assert mine["nulls"]["k"] == ROUNDS[0] // 2
    assert mine["first_rounds"] == [ROUNDS[0]]
    assert [rule["rule"] for rule in mine["sensitivity"]] == ["at least 1"]
    assert any("not known" in line for line in mine["verdict"]["words"])
    for name, interval in mine["intervals"]["other_questions"].items():
        assert interval == pytest.approx(other["intervals"]["other_questions"][name], nan_ok=True)
    assert all(np.isnan(one["low"]) for one in mine["intervals"]["same_questions"].values())
    last = in_rounds_evidence["benchmarks"]["sums"]["over_budgets"][-1]
    assert last["regions"] == pytest.approx(some["regions"])
    assert last["pass_difference"]["value"] == pytest.approx(
        some["target"]["pass_at"][str(BUDGET)] - some["base"]["pass_at"][str(BUDGET)]
    )


def test_round_0_must_come_with_the_rounds(tmp_path: Path) -> None:
    draws = {side: np.ones((RATES.size, BUDGET), dtype=bool) for side in ("base", "target")}
    regions, first = compared(tmp_path, draws, adaptive=True)
    states = {side: {"model": side, "checkpoint": "final"} for side in ("base", "target")}
    block = {"domain": "math", "budget": BUDGET, "rounds": list(ROUNDS), "always": []}
    with pytest.raises(InputError, match="--round0 goes with rounds"):
        metrics.summarise(states | {"benchmark": "sums"} | block, regions)
    with pytest.raises(InputError, match="--round0: no file"):
        evidence.weigh(states | {"seed": 0, "benchmarks": {"sums": block}}, [regions])
    assert first is not None
    with pytest.raises(InputError, match="n is none of the rounds 3, 8"):
        match.match(*[tmp_path / f"{side}-all.counts" for side in ("base", "target")], rounds=[3, 8])
