from pathlib import Path

import pytest

from leash import published
from leash.comparisons import Comparison, load
from leash.dynamics.regions import RegionCounts
from leash.tables.beside import Published, Repeated, beside_published, published_value
from leash.tables.layouts import LAYOUTS, Layout, Line, Section
from synthetic_study import write_study

FOLDER = Path(__file__).parents[3] / "results/published"
NAMES = {"vista": "MathVista", "vision": "MathVision"}
PAIRS = {("ovr", "rl"): Repeated("ovr-7b")}


@pytest.fixture(scope="module")
def record() -> published.Record:
    return published.read(FOLDER)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> list[Comparison]:
    benchmarks = {"vista": ("visual-math", 8192), "vision": ("visual-math", 8192)}
    made = write_study(tmp_path_factory.mktemp("study"), {"ovr": ("rlvr", ["rl"])}, benchmarks)
    return load(made.spec_text, made.metrics, made.pooled)


def headings(layout: Layout) -> list[str]:
    return [column.heading for column in layout.columns]


def cells(layout: Layout, line: Line) -> dict[str, str]:
    return {column.heading: column.cell(line) for column in layout.columns}


def test_a_number_stands_beside_the_measured_one(record: published.Record, study: list[Comparison]) -> None:
    layout = LAYOUTS["table06-benchmarks"]
    sections = layout.sections(study)
    wider = beside_published(layout, sections, Published(record, PAIRS, NAMES))
    names = headings(wider)
    assert len(names) == len(headings(layout)) + 2 + 4 + 4
    for name in ("base pass@k %", "target pass@k %", "SRR", "NDR", "SDS", "NSCR", "P", "E", "S", "O"):
        assert names[names.index(name) + 1] == f"{name}, paper"
    assert "paper prints" in wider.note
    vista, vision, domain, overall = sections[0].lines
    assert cells(wider, vista)["SRR, paper"] == "0.998"
    assert cells(wider, vision)["base pass@k %, paper"] == "96.7"
    assert cells(wider, vision)["E, paper"] == "2"
    assert cells(wider, vision)["SRR"] == cells(layout, vision)["SRR"]
    assert (cells(wider, domain)["SRR, paper"], cells(wider, domain)["P, paper"]) == ("1.00", "781")
    assert cells(wider, domain)["base pass@k %, paper"] == ""
    assert cells(wider, overall)["SRR, paper"] == ""  # Table 1 has no overall row of this pair


def test_another_model_benchmark_or_budget_has_none(
    record: published.Record, study: list[Comparison]
) -> None:
    layout = LAYOUTS["table06-benchmarks"]
    sections = layout.sections(study)
    for nothing in (Published(record, {}, NAMES), Published(record, PAIRS, {})):
        assert beside_published(layout, sections, nothing) is layout
    comparison = study[0]
    halved = [result._replace(budgets=(4096,)) for result in comparison.benchmarks]
    smaller = comparison._replace(benchmarks=tuple(halved))
    mapping = Published(record, PAIRS, NAMES)
    assert published_value(mapping, smaller, halved[0], "SRR") == ""
    assert published_value(mapping, smaller, smaller.domains[0], "SRR") == ""
    fewer = comparison._replace(benchmarks=comparison.benchmarks[:1])
    assert published_value(mapping, fewer, fewer.domains[0], "SRR") == ""


def test_an_overall_needs_every_benchmark_of_the_papers(
    record: published.Record, study: list[Comparison]
) -> None:
    rows = [row for row in record.support_counts if row["pair"] == "phi4-14b"]
    result = study[0].benchmarks[0]
    measured = tuple(
        result._replace(slug=row["benchmark"], domain=row["domain"], budgets=(int(row["k"]),)) for row in rows
    )
    mapping = Published(
        record, {("ovr", "rl"): Repeated("phi4-14b")}, {row["benchmark"]: row["benchmark"] for row in rows}
    )
    whole = study[0]._replace(benchmarks=measured)
    assert whole.overall is not None
    assert published_value(mapping, whole, whole.overall, "P") == "2474"
    lacking = whole._replace(benchmarks=measured[1:])
    assert published_value(mapping, lacking, whole.overall, "P") == ""


def test_a_step_of_table_4_and_its_base(record: published.Record, study: list[Comparison]) -> None:
    mapping = Published(record, {("ovr", "rl"): Repeated("deepseek-1.5b-dapo", 300)}, {"vista": "AIME2025"})
    result = study[0].benchmarks[0]._replace(budgets=(256,), regions=RegionCounts(19, 2, 2, 7))
    comparison = study[0]._replace(benchmarks=(result,))
    layout = LAYOUTS["table04-checkpoints"]
    line = Line(comparison, result)
    wider = beside_published(layout, [Section("", [line])], mapping)
    found = cells(wider, line)
    assert (found["P"], found["P, paper"]) == ("19", "18")
    assert found["pass@k %, paper"] == "66.67"
    base = cells(wider, line._replace(is_base=True))
    assert (base["pass@k %, paper"], base["P, paper"]) == ("70.00", "")
    assert study[0].overall is not None
    assert published_value(mapping, comparison, study[0].overall, "P") == ""
