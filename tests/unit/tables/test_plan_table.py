"""The bill as a table."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.bill.__main__ import plan
from leash.bill.request import parse
from leash.published.record import FOLDER
from leash.tables import plan as table

SOURCES = {
    **{"rates": "pilot", "length": "pilot", "speed": "pilot", "disk": "pilot", "verify": "pilot"},
    **{"response": "", "on_gpu": True},
}


def amounts(scale: float, **changes: float | None) -> dict[str, float | None]:
    whole = {"samples": 1000, "tokens": 2e6, "hours": 3, "bytes": 4e9, "verify_hours": 5, "price": 6}
    return {name: value * scale for name, value in whole.items()} | changes


def cell(**changes: Any) -> dict[str, Any]:
    return {
        "state": "base/final",
        "benchmark": "sums",
        "label": "Base",
        "benchmark_label": "Sums",
        "questions": 10,
        "budget": 100,
        "rounds": [32, 100],
        "exhaustive": amounts(1),
        "adaptive": amounts(0.25),
        "sources": SOURCES,
        "spent": None,
        "planned": None,
    } | changes


def made(*cells: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "results": "results/mine",
        "protocol": "exhaustive",
        "per_gpu_hour": 2.0,
        "prior": {"rates": [0.1, 0.2], "bytes_per_token": 4.5},
        "devices": ["NVIDIA H200"],
        "others": 0,
        "cells": list(cells),
    } | changes


def rows_of(text: str) -> list[list[str]]:
    """Cells of every table row."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[one.strip() for one in row] for row in rows if not set("".join(row)) <= set(":-")]


def slow(**changes: Any) -> dict[str, Any]:
    unknown = {"hours": None, "price": None, "verify_hours": None}
    sources = SOURCES | {"speed": "", "verify": "", "length": "prior", "on_gpu": False}
    return cell(
        exhaustive=amounts(1, **unknown), adaptive=amounts(0.25, **unknown), sources=sources, **changes
    )


def test_both_protocols_side_by_side_with_a_total() -> None:
    text = table.markdown(made(cell(), cell(label="Target")))
    headings, first, _, total = rows_of(text)
    assert headings == [
        *("model", "benchmark", "questions", "k", "samples", "tokens, M", "GPU-hours", "disk, GB"),
        *("CPU-hours to verify", "price", "rests on"),
    ]
    assert first == [
        *("Base", "Sums", "10", "100", "1000/250", "2/0.5", "3/0.75", "4/1", "5/1.25", "6/1.5", "pilot")
    ]
    assert total == [*("total", "", "20", "", "2000/500", "4/1", "6/1.5", "8/2", "10/2.5", "12/3", "")]
    assert "at 32, as far as these are below k, and at k samples" in text
    assert "Drawn so far on: NVIDIA H200." in text
    assert "Planned against spent" not in text
    for word in ("rior rates", "rior length", "No hours"):
        assert word not in text


def test_without_a_price_there_is_no_price() -> None:
    assert "price" not in rows_of(table.markdown(made(cell(), per_gpu_hour=None)))[0]


def test_what_is_not_known_is_a_dash_and_says_how_to_fill_it() -> None:
    text = table.markdown(made(cell(), slow()))
    _, _, second, total = rows_of(text)
    assert second[6:] == ["—/—", "4/1", "—/—", "—/—", "pilot (rates, disk), prior (length)"]
    assert total[6:10] == ["≥ 3/≥ 0.75", "8/2", "≥ 5/≥ 1.25", "≥ 6/≥ 1.5"]
    assert "No hours in 1 rows" in text
    assert "set cost.tokens\\_per\\_second, or draw a pilot" in text
    assert "snakemake results/mine/base/final/sums/verdicts/r0-s0.parquet" in text
    assert "response length of the paper's Table 5" in text


def test_hours_of_a_cpu_are_no_gpu_hours() -> None:
    on_cpu = cell(sources=SOURCES | {"on_gpu": False}, exhaustive=amounts(1, price=None))
    text = table.markdown(made(on_cpu))
    assert "job-hours" in rows_of(text)[0]
    assert "have no price" in text
    mixed = table.markdown(made(on_cpu, cell()))
    assert [row[6] for row in rows_of(mixed)] == ["GPU-hours", "3/0.75†", "3/0.75", "6/1.5"]
    assert "†: hours of jobs on a CPU" in mixed


def test_small_studies_are_written_in_minutes_and_megabytes() -> None:
    headings, row, _ = rows_of(table.markdown(made(cell(exhaustive=amounts(0.1), adaptive=amounts(0.01)))))
    assert headings[6:9] == ["GPU-minutes", "disk, MB", "CPU-minutes to verify"]
    assert row[6:9] == ["18/1.8", "400/40", "30/3"]


def test_planned_against_spent() -> None:
    of_record = {"by_pilot": True, "amounts": amounts(1)}
    text = table.markdown(
        made(
            cell(spent=amounts(1.5), planned=of_record),
            cell(label="Begun", spent=amounts(0.5), planned=None),
            cell(label="Waits", planned=of_record),
        )
    )
    assert "the 2 of 3 rows that are begun; 1 have all their samples" in text
    rows = rows_of(text.partition("### Planned against spent")[2])
    assert rows[1][4:] == [*("1000/1500", "2/3", "3/4.5", "4/6", "5/7.5", "6/9", "pilot")]
    assert rows[2][4:7] == ["—/500", "—/1", "—/1.5"]
    assert rows[2][-1] == "none was made before"
    assert rows[3][4:6] == ["≥ 1000/2000", "≥ 2/4"]


def test_shards_that_were_drawn_otherwise_are_told() -> None:
    assert "3 shards on disk are left out" in table.markdown(made(cell(), others=3))


def test_a_label_cannot_break_the_table() -> None:
    assert "a\\|b" in table.markdown(made(cell(label="a|b")))


def test_nothing_to_draw() -> None:
    assert (
        table.markdown(made()) == "**The bill.** Nothing is drawn: every result of the study is recorded.\n"
    )
    assert table.as_csv(made()) == ",".join(table.COLUMNS) + "\n"


def test_the_csv_has_every_digit_and_no_total_of_what_is_not_known() -> None:
    of_record = {"by_pilot": False, "amounts": amounts(1 / 3)}
    rows = list(
        csv.DictReader(io.StringIO(table.as_csv(made(cell(planned=of_record, spent=amounts(2)), slow()))))
    )
    assert [row["scope"] for row in rows] == ["benchmark", "benchmark", "total"]
    assert rows[0]["planned_samples"] == "333.3333333333333"
    assert (rows[0]["planned_from"], rows[0]["rounds"], rows[0]["hours_on"]) == ("prior", "32 100", "GPU")
    assert (rows[1]["exhaustive_hours"], rows[1]["speed_from"], rows[1]["hours_on"]) == ("", "", "")
    assert (rows[2]["exhaustive_tokens"], rows[2]["exhaustive_hours"]) == ("4000000.0", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(None, "—"), (0, "0"), (0.00004, "<0.001"), (0.0123456, "0.0123"), (4.5678, "4.57")],
        *[(99.94, "99.9"), (99.96, "100"), (123456.7, "123457")],
    ],
)
def test_short_numbers(value: float | None, text: str) -> None:
    assert table.short(value) == text


def test_the_command_writes_both_and_refuses_what_is_no_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "plan.json"
    outputs = ["--out-csv", str(tmp_path / "plan.csv"), "--out-md", str(tmp_path / "plan.md")]
    monkeypatch.setattr("sys.argv", ["plan", "--plan", str(source), *outputs])
    spec = {"protocol": "exhaustive", "shard_samples": 1, "cost": dict.fromkeys(_COST), "keys": []}
    request = parse(records.canonical_json(spec | {"states": {}, "benchmarks": {}, "cells": []}))
    records.write_json(source, plan(request, tmp_path, FOLDER, None))
    table.main()
    assert (tmp_path / "plan.md").read_text().startswith("**The bill.** Nothing is drawn")
    source.write_text("[]")
    with pytest.raises(SystemExit, match=r"plan\.json: not a plan of leash\.bill"):
        table.main()


_COST = ("per_gpu_hour", "tokens_per_second", "response_tokens")
