import csv
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash import published
from leash.dynamics.regions import RegionCounts, support_metrics
from leash.published.audit import BY_BENCHMARK, Check, checks, exact_measures, fitting
from leash.published.rounding import decimals, explanation, rounded
from leash.tables import audit as command

FOLDER = Path(__file__).parents[3] / "results/published"
COUNTS = st.integers(0, 10_000)


@pytest.fixture(scope="module")
def record() -> published.Record:
    return published.read(FOLDER)


@pytest.fixture(scope="module")
def found(record: published.Record) -> list[Check]:
    return checks(record)


def mismatches(found: list[Check], table: int) -> list[tuple[str, str, str, str]]:
    return [(c.row, c.column, c.printed, c.rounding) for c in found if c.table == table and not c.agrees]


def test_table_4_at_aime_2025_step_300_fits_another_count(found: list[Check]) -> None:
    wrong = [check for check in found if check.table == 4 and not check.agrees]
    assert {check.row for check in wrong} == {"deepseek-1.5b-dapo, AIME2025, step 300"}
    assert [(check.column, check.printed, check.recomputed) for check in wrong] == [
        ("SRR", "0.864", "0.857143"),
        ("NDR", "0.095", "0.100000"),
        ("SDS", "0.172", "0.179104"),
        ("NSCR", "-0.042", "-0.043478"),
    ]
    assert {(check.rounding, check.note) for check in wrong} == {
        ("no", "the row's measures fit P 19 (not 18)")
    }


def test_table_1_is_rounded_twice(found: list[Check]) -> None:
    twice = "no: only if rounded twice, by way of "
    assert mismatches(found, 1) == [
        ("prorl-1.5b-v1, overall", "NDR", "0.02", twice + "0.015"),
        ("nemotron-7b, non-math", "SRR", "0.97", twice + "0.965"),
        ("nemotron-7b, non-math", "SDS", "0.04", twice + "0.035"),
        ("nemotron-14b, non-math", "NSCR", "-0.01", twice + "-0.005"),
        ("ovr-7b, visual-math", "SRR", "1.00", twice + "0.995"),
    ]


def test_all_81_rows_by_benchmark_are_consistent_to_rounding(found: list[Check]) -> None:
    here = [check for check in found if check.table in BY_BENCHMARK]
    assert len({(check.table, check.row) for check in here}) == 81
    assert len(here) == 81 * 7
    assert not [check for check in here if check.rounding.startswith("no")]
    assert [m for table in BY_BENCHMARK for m in mismatches(found, table)] == [
        ("prorl-1.5b-v1, LiveBench-C", "target_pass", "56.2", "yes: half even")
    ]


def test_the_averages_of_table_5(found: list[Check]) -> None:
    assert sum(check.table == 5 for check in found) == 36
    assert [(row, printed, how) for row, _, printed, how in mismatches(found, 5)] == [
        ("Skywork-OR1-7B, avg@32", "74.71", "yes: truncation"),
        ("AceReason-7B, response_length", "6995", "yes: truncation"),
        ("DeepSeek-14B, response_length", "6755", "yes: of the numbers it is made from"),
        ("Skywork-OR1-7B, answer_entropy", "0.54", "yes: of the numbers it is made from"),
    ]


def test_sums_sizes_and_repeated_values_are_checked(record: published.Record) -> None:
    row = record.support_counts[0]
    changed = [row | {"O": str(int(row["O"]) + 1)}, *record.support_counts[1:]]
    wrong = {
        (check.table, check.row, check.column)
        for check in checks(record._replace(support_counts=changed))
        if check.rounding.startswith("no")
    }
    assert (1, "prorl-1.5b-v1, math", "O") in wrong
    assert (6, "prorl-1.5b-v1, AIME2024", "P + E + S + O") in wrong
    assert (6, "prorl-1.5b-v1, AIME2024", "base_pass") in wrong
    last = record.pass_at_k[8] | {"pass_at_k": "66.67"}
    changed = [*record.pass_at_k[:8], last, *record.pass_at_k[9:]]
    assert mismatches(checks(record._replace(pass_at_k=changed)), 14) == [
        ("Qwen2.5-Math-7B-SFT, AIME2024, k = 256", "pass_at_k", "66.67", "no")
    ]


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_exact_measures_are_those_of_dynamics(p: int, e: int, s: int, o: int) -> None:
    counts = RegionCounts(p, e, s, o)
    exact, floats = exact_measures(counts), support_metrics(counts)
    for name, value in exact.items():
        other = floats[name.lower()]
        assert isnan(other) if value is None else float(value) == pytest.approx(other, abs=1e-12)


def test_a_measure_without_a_denominator_was_not_printable(record: published.Record) -> None:
    row = record.support_counts[0] | {"P": "0", "E": "0", "S": "0", "O": "30"}
    wrong = checks(record._replace(support_counts=[row, *record.support_counts[1:]]))
    srr = next(check for check in wrong if (check.table, check.column) == (6, "SRR"))
    assert (srr.exact, srr.recomputed, srr.rounding) == (None, "undefined", "no")
    assert fitting(row) == ""


@given(st.fractions(-1000, 1000, max_denominator=10_000), st.integers(0, 4))
def test_rounding_is_that_of_decimal(exact: Fraction, digits: int) -> None:
    one = Decimal(1).scaleb(-digits)
    as_decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    printed = rounded(exact, digits)
    assert printed == as_decimal.quantize(one, rounding=ROUND_HALF_UP)
    assert decimals(printed) == digits
    assert explanation(exact, printed) == ""
    for name, way in (("half even", ROUND_HALF_EVEN), ("truncation", ROUND_DOWN)):
        assert explanation(exact, as_decimal.quantize(one, rounding=way)) in (
            "",
            "yes: half even",
            f"yes: {name}",
        )
    assert explanation(exact, printed + 2 * one) == "no"


def test_how_a_number_was_rounded() -> None:
    assert explanation(Fraction("0.125"), Decimal("0.12")) == "yes: half even"
    assert explanation(Fraction("-0.129"), Decimal("-0.12")) == "yes: truncation"
    assert explanation(Fraction("-0.001"), Decimal("-0.00")) == ""
    assert explanation(Fraction("0.534"), Decimal("0.54")) == "no"
    assert explanation(Fraction("0.534"), Decimal("0.54"), Fraction("0.005")).startswith(
        "yes: of the numbers"
    )
    with pytest.raises(ValueError, match="not a finite number"):
        decimals(Decimal("NaN"))


def test_the_command_writes_every_mismatch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: list[Check]
) -> None:
    outs = tmp_path / "audit.csv", tmp_path / "audit.md"
    argv = ["audit", "--published", str(FOLDER), "--out-csv", str(outs[0]), "--out-md", str(outs[1])]
    monkeypatch.setattr("sys.argv", argv)
    command.main()
    with outs[0].open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["printed"] for row in rows] == [check.printed for check in found if not check.agrees]
    text = outs[1].read_text()
    assert "1171 agree when rounded half up, 5 when rounded otherwise, 9 do not" in text
    assert "Of the 81 rows of Tables 3 and 6 to 12, 81 are consistent to rounding." in text
    for row in rows:
        assert row["recomputed"] in text


def test_nothing_to_list(found: list[Check]) -> None:
    fine = [check for check in found if check.agrees]
    assert command.as_csv(fine).count("\n") == 1
    assert "rounded twice" not in command.markdown(fine).lower()
