import csv
import json
from pathlib import Path
from typing import Any

import pytest

from leash import published
from leash.comparisons import Comparison, load
from leash.dynamics.regions import RegionCounts
from leash.errors import InputError
from leash.tables import __main__ as command
from leash.tables.beside import HEADING, Published, Repeated, beside_published, from_spec, published_value
from leash.tables.layouts import LAYOUTS, Layout, Line, Section
from synthetic_study import Study, write_study

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
    """Cells by heading; those of the paper as "X, paper", by the column left of them."""
    found, left = {}, ""
    for column in layout.columns:
        name = f"{left}, paper" if column.heading == HEADING else column.heading
        found[name], left = column.cell(line), column.heading
    return found


def test_a_number_stands_beside_the_measured_one(record: published.Record, study: list[Comparison]) -> None:
    layout = LAYOUTS["table06-benchmarks"]
    sections = layout.sections(study)
    wider = beside_published(layout, sections, Published(record, PAIRS, NAMES))
    names = headings(wider)
    assert len(names) == len(headings(layout)) + 2 + 4 + 4
    for name in ("base pass@k %", "target pass@k %", "SRR", "NDR", "SDS", "NSCR", "P", "E", "S", "O"):
        assert names[names.index(name) + 1] == HEADING
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


def papers(study: Study, pair: str, step: int | None, names: dict[str, str]) -> Study:
    """The study, of which every comparison repeats a pair of the paper."""
    told = {"/".join(state): {"pair": pair, "step": step} for state in study.spec["comparisons"]}
    return study._replace(spec=study.spec | {"published": {"comparisons": told, "benchmarks": names}})


def made(
    table: str, study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, record: Path | None = FOLDER
) -> dict[str, str]:
    outs = {kind: folder / f"{table}.{kind}" for kind in ("csv", "md", "tex")}
    argv = ["tables", "--table", table, "--spec", study.spec_text]
    argv += ["--metrics", *map(str, study.metrics), "--pooled", *map(str, study.pooled)]
    argv += [word for kind, path in outs.items() for word in (f"--out-{kind}", str(path))]
    monkeypatch.setattr("sys.argv", argv + (["--published", str(record)] if record else []))
    command.main()
    return {kind: path.read_text() for kind, path in outs.items()}


def rows(text: str) -> list[dict[str, Any]]:
    return list(csv.DictReader(text.splitlines()))


def test_the_tables_of_a_study_print_the_papers_numbers_at_the_papers_budget_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmarks = {"aime24": ("math", 8192), "amc23": ("math", 64)}
    study = write_study(tmp_path, {"prorl": ("rlvr", ["final"])}, benchmarks, questions=30)
    told = papers(study, "prorl-1.5b-v1", None, {"aime24": "AIME2024", "amc23": "AMC23"})
    plain = made("table06-benchmarks", study, tmp_path, monkeypatch)
    files = made("table06-benchmarks", told, tmp_path, monkeypatch)
    aime, *others = rows(files["csv"])
    printed = {name: text for name, text in aime.items() if name.startswith("published_")}
    assert printed == {
        "published_base_pass_at_budget_percent": "93.3",
        "published_target_pass_at_budget_percent": "83.3",
        "published_SRR": "0.893",
        "published_NDR": "0.000",
        "published_SDS": "0.000",
        "published_NSCR": "-0.107",
        "published_P": "25",
        "published_E": "0",
        "published_S": "3",
        "published_O": "2",
    }
    assert [row["scope"] for row in others] == ["benchmark", "domain", "overall"]
    assert {row[name] for row in others for name in printed} == {""}
    assert [{name: row[name] for name in row if name not in printed} for row in rows(files["csv"])] == rows(
        plain["csv"]
    )
    assert "published" not in plain["csv"]
    head = next(line for line in files["md"].splitlines() if line.startswith("| Benchmark"))
    assert head.count(f" {HEADING} ") == 10
    assert "paper: what the paper prints of the column left of it" in files["md"]
    assert "& 0.000 &" in files["tex"]
    assert "& $-0.107$ &" in files["tex"]

    other = papers(study, "prorl-1.5b-v1", None, {"amc23": "AMC23"})  # whose k is not the paper's
    files = made("table06-benchmarks", other, tmp_path, monkeypatch)
    assert files["md"] == plain["md"]
    assert {row["published_P"] for row in rows(files["csv"])} == {""}


def test_over_training_the_base_has_its_pass_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = write_study(tmp_path, {"rl": ("rlvr", ["step30", "step60"])}, {"aime24": ("math", 256)})
    told = papers(study, "deepseek-1.5b-dapo", 30, {"aime24": "AIME2024"})
    base, step, *_ = rows(made("table04-checkpoints", told, tmp_path, monkeypatch)["csv"])
    assert (base["published_base_pass_at_budget_percent"], step["published_P"]) == ("83.33", "24")
    assert {base["published_target_pass_at_budget_percent"], base["published_P"]} == {""}


def test_a_pair_of_table_1_alone_has_the_benchmarks_of_the_one_with_its_base(
    record: published.Record, study: list[Comparison]
) -> None:
    theirs = [row for row in record.support_counts if row["pair"] == "prorl-1.5b-v1"]
    result, overall = study[0].benchmarks[0], study[0].overall
    measured = tuple(
        result._replace(slug=row["benchmark"], domain=row["domain"], budgets=(int(row["k"]),))
        for row in theirs
    )
    mapping = Published(
        record,
        {("ovr", "rl"): Repeated("prorl-1.5b-v2")},
        {row["benchmark"]: row["benchmark"] for row in theirs},
    )
    whole = study[0]._replace(benchmarks=measured)
    assert overall is not None
    assert published_value(mapping, whole, overall, "P") == "2388"
    assert published_value(mapping, whole, measured[0], "P") == ""
    assert published_value(mapping, whole._replace(benchmarks=measured[1:]), overall, "P") == ""


def test_a_pair_that_table_1_lacks_has_nothing_by_domain(
    record: published.Record, study: list[Comparison]
) -> None:
    theirs = [row for row in record.support_counts if row["pair"] == "qwen2.5-math-7b-sft"]
    measured = tuple(
        study[0].benchmarks[0]._replace(slug=row["benchmark"], domain="math", budgets=(256,))
        for row in theirs
    )
    names = {row["benchmark"]: row["benchmark"] for row in theirs}
    mapping = Published(record, {("ovr", "rl"): Repeated("qwen2.5-math-7b-sft")}, names)
    whole = study[0]._replace(benchmarks=measured)
    assert published_value(mapping, whole, measured[0], "P") == theirs[0]["P"]
    domain = study[0].domains[0]._replace(slug="math")
    assert published_value(mapping, whole, domain, "P") == ""


def test_a_spec_that_names_the_paper_needs_the_record(tmp_path: Path) -> None:
    study = write_study(tmp_path, {"rl": ("rlvr", ["end"])}, {"gcd": ("math", 4)})
    assert from_spec(study.spec_text, None) is None
    told = papers(study, "ovr-7b", None, {})
    with pytest.raises(InputError, match="--published: missing"):
        from_spec(told.spec_text, None)
    with pytest.raises(InputError, match="it is tracked by git"):
        from_spec(told.spec_text, tmp_path / "nowhere")
    found = from_spec(json.dumps(told.spec), FOLDER)
    assert found is not None
    assert found.comparisons == {("rl", "end"): Repeated("ovr-7b")}
