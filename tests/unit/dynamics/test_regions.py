import csv
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.regions import (
    RegionCounts,
    assign_regions,
    count_regions,
    ndr,
    nscr,
    sds,
    srr,
    support_metrics,
)

ROOT = Path(__file__).parents[3]
PUBLISHED = next(
    (folder for folder in (ROOT / "results/published", ROOT.parent / "shared/published") if folder.is_dir()),
    None,
)
counts = st.builds(RegionCounts, *[st.integers(0, 2000)] * 4)


def published(name: str) -> list[dict[str, str]]:
    if PUBLISHED is None:
        pytest.skip("the paper's transcribed tables are not at hand")
    with (PUBLISHED / name).open(newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["SRR"]]


def measures(row: dict[str, str]) -> dict[str, float]:
    return support_metrics(RegionCounts(*(int(row[letter]) for letter in "PESO")))


def test_the_papers_region_counts_give_its_printed_measures() -> None:
    table = published("support_counts.csv")
    assert len(table) == 81
    for row in table:
        for measure, value in measures(row).items():
            assert float(row[measure.upper()]) == pytest.approx(value, abs=0.5e-3 + 1e-12), (row, measure)


def test_the_papers_aggregates_agree_but_where_it_seems_to_round_twice() -> None:
    table = published("aggregate_support.csv")
    assert len(table) == 20
    off = {}
    for row in table:
        for measure, value in measures(row).items():
            if abs(value - float(row[measure.upper()])) > 0.5e-2 + 1e-12:
                off[row["pair"], row["domain"], measure] = round(value, 3), float(row[measure.upper()])
    assert off == {
        ("prorl-1.5b-v1", "overall", "ndr"): (0.015, 0.02),
        ("nemotron-7b", "non-math", "srr"): (0.965, 0.97),
        ("nemotron-7b", "non-math", "sds"): (0.035, 0.04),
        ("nemotron-14b", "non-math", "nscr"): (-0.005, -0.01),
        ("ovr-7b", "visual-math", "srr"): (0.995, 1.0),
    }


def test_the_papers_training_dynamics_agree_but_for_one_misprint() -> None:
    # In that row the printed measures belong to P = 19; its pass@k and the base's agree with P = 18.
    off = {
        (row["benchmark"], row["step"])
        for row in published("training_dynamics.csv")
        for measure, value in measures(row).items()
        if abs(value - float(row[measure.upper()])) > 0.5e-3 + 1e-12
    }
    assert off == {("AIME2025", "300")}


def test_base_pass_at_k_is_the_share_preserved_or_lost() -> None:
    for row in published("support_counts.csv"):
        p, e, s, o = (int(row[letter]) for letter in "PESO")
        assert 100 * (p + s) / (p + e + s + o) == pytest.approx(float(row["base_pass"]), abs=0.0501), row


def test_each_region_by_who_solves() -> None:
    base, target = np.array([3, 0, 1, 0]), np.array([1, 2, 0, 0])
    assert assign_regions(base, target).tolist() == [
        "preservation",
        "expansion",
        "shrinkage",
        "out_of_support",
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_regions_partition_the_questions_and_swap_with_the_states(pairs: list[tuple[int, int]]) -> None:
    base, target = (np.array([pair[side] for pair in pairs], dtype=int) for side in (0, 1))
    forth, back = count_regions(assign_regions(base, target)), count_regions(assign_regions(target, base))
    assert sum(forth) == len(pairs)
    assert (back.expansion, back.shrinkage) == (forth.shrinkage, forth.expansion)
    assert forth.preservation + forth.shrinkage == np.count_nonzero(base)


@given(counts)
def test_measures_stay_in_range_or_are_undefined(regions: RegionCounts) -> None:
    for value in (srr(regions), ndr(regions), sds(regions)):
        assert isnan(value) or 0 <= value <= 1
    assert isnan(nscr(regions)) or -1 <= nscr(regions) <= 1


@given(counts)
def test_sds_equals_its_closed_form(regions: RegionCounts) -> None:
    p, e, s, _ = regions
    closed_form_denominator = p * p + 2 * p * e + e * s
    if p + s and p + e and closed_form_denominator:
        assert sds(regions) == pytest.approx(2 * p * e / closed_form_denominator, abs=1e-12)


def test_an_empty_denominator_is_undefined_and_not_a_number() -> None:
    nothing_solved = RegionCounts(0, 0, 0, 9)
    assert all(isnan(value) for value in support_metrics(nothing_solved).values())
    only_lost = RegionCounts(0, 0, 4, 5)
    assert (srr(only_lost), nscr(only_lost)) == (0, -1)
    assert isnan(ndr(only_lost))
    assert isnan(sds(only_lost))


def test_sds_is_zero_where_nothing_is_discovered_or_everything_swapped() -> None:
    assert sds(RegionCounts(5, 0, 1, 0)) == 0
    assert sds(RegionCounts(0, 3, 2, 0)) == 0


def test_unequal_lengths_and_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="questions"):
        assign_regions(np.array([1, 2]), np.array([1]))
    with pytest.raises(ValueError, match="limbo"):
        count_regions(np.array(["preservation", "limbo"]))
