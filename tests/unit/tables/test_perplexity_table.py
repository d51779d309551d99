import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leash import records
from leash.errors import InputError
from leash.records import PERPLEXITY
from leash.shifts import load, overall
from leash.tables import perplexity
from synthetic_scoring import Scored, write_shifts


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return write_shifts(tmp_path_factory.mktemp("study"), ["dapo", "grpo"], {"gcd": 24, "aime": 12})


def written(study: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    outs = {kind: tmp_path / f"t.{kind}" for kind in ("csv", "md", "tex")}
    argv = ["perplexity", "--spec", study.spec_text, "--shifts", *map(str, study.paths)]
    for kind, path in outs.items():
        argv += [f"--out-{kind}", str(path)]
    monkeypatch.setattr("sys.argv", argv)
    perplexity.main()
    return outs


def nlls(
    study: Scored, target: str, slugs: tuple[str, ...], region: str, source: str
) -> dict[str, np.ndarray]:
    """By side the log-likelihoods of a cell, and what the two differ by beyond their questions, read anew."""
    found: dict[str, list[float]] = {"base": [], "target": [], "beyond": []}
    for slug in slugs:
        place = next(
            path.parent for path in study.paths if path.parts[-4] == target and path.parts[-2] == slug
        )
        regions = {
            row["question_id"]: row["region"]
            for row in records.read(place / "regions.parquet", records.REGIONS)
        }
        sides = [
            {
                row["question_id"]: row
                for row in records.read(place / side / "perplexity.parquet", PERPLEXITY)
                if row["source"] == source
            }
            for side in ("base", "target")
        ]
        for question, of in regions.items():
            if region in (of, "all"):
                b, t = (side[question] for side in sides)
                found["base"].append(b["nll"])
                found["target"].append(t["nll"])
                found["beyond"].append(t["nll"] - b["nll"] - (t["question_nll"] - b["question_nll"]))
    return {name: np.array(values) for name, values in found.items()}


def test_the_csv_says_what_the_traces_say(
    study: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = list(csv.DictReader(written(study, tmp_path, monkeypatch)["csv"].open()))
    assert {row["scope"] for row in rows} == {"benchmark", "overall"}
    for row in rows:
        slugs = (row["benchmark"],) if row["benchmark"] else ("gcd", "aime")
        cell = nlls(study, row["target"], slugs, row["region"], row["source"])
        assert int(row["questions"]) == cell["base"].size
        assert row["few"] == str(cell["base"].size < 5)
        for side in ("base", "target"):
            assert float(row[f"{side}_perplexity"]) == pytest.approx(np.exp(cell[side]).mean())
            assert float(row[f"{side}_geometric"]) == pytest.approx(np.exp(cell[side].mean()))
        assert float(row["difference"]) == pytest.approx((cell["target"] - cell["base"]).mean())
        assert float(row["beyond_question"]) == pytest.approx(cell["beyond"].mean())
    totals = [int(row["questions"]) for row in rows if row["scope"] == "overall" and row["region"] == "all"]
    assert totals == [36] * 4


def test_the_markdown_marks_small_cells(
    study: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outs = written(study, tmp_path, monkeypatch)
    text = outs["md"].read_text()
    assert text.startswith("**Table 2. Perplexity of others' reasoning traces")
    assert "†: fewer than 5 questions" in text
    headings = [line for line in text.splitlines() if line.startswith("###")]
    assert headings == [
        "### DAPO against Qwen base",
        "### GRPO against Qwen base",
        "### Style against ability: DAPO against Qwen base",
        "### Style against ability: GRPO against Qwen base",
    ]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"]
    counts = [row[3] for row in rows if row[3].rstrip("†").isdigit()]
    assert {count.endswith("†") for count in counts if int(count.rstrip("†")) < 5} == {True}
    assert {count.endswith("†") for count in counts if int(count.rstrip("†")) >= 5} == {False}
    latex = outs["tex"].read_text()
    assert r"\textdagger{}" in latex
    assert "†" not in latex
    assert latex.count(r"\label{") == 1


def edited(study: Scored, tmp_path: Path, **change: Any) -> list[Path]:
    """The study's files, with this change in the first one."""
    path = tmp_path / "shift.json"
    records.write_json(path, records.read_json(study.paths[0]) | change)
    return [path, *study.paths[1:]]


def strange(study: Scored, tmp_path: Path) -> list[Path]:
    cells = [
        cell | {"difference": None, "beyond_question": None, "tails": [], "profile": []}
        for cell in records.read_json(study.paths[0])["cells"]
    ]
    return edited(study, tmp_path, cells=cells, comparable=False, note="…", left_out={"base: empty text": 3})


def test_other_tokenizers_and_left_out_traces_are_told(study: Scored, tmp_path: Path) -> None:
    groups = perplexity.with_overall(load(study.spec_text, strange(study, tmp_path)))
    assert perplexity.notes(groups) == [
        "Tokenizers differ: per-token values are not comparable: DAPO against Qwen base on GCD.",
        "Traces that are left out, since one side could not score them: DAPO against Qwen base: 3 (base: empty text).",
    ]
    plain, _, style, _ = perplexity.parts(groups)
    assert plain.groups[0][0][-1] == "—"
    assert [group[0][0] for group in style.groups] == ["AIME", "all benchmarks"]
    row = perplexity.csv_rows(groups)[0]
    assert (row["difference"], row["beyond_question_questions"], row.get("after_64")) == (None, None, None)
    assert groups[0][-1].cells[-1]["questions"] == 12  # of the benchmark that can be compared


def test_one_benchmark_has_no_overall(study: Scored) -> None:
    spec = study.spec | {"comparisons": [["dapo", "final"]]}
    groups = perplexity.with_overall(load(json.dumps(spec), study.paths[:1]))
    assert [[shift.slug for shift in members] for members in groups] == [["gcd"]]


def test_cells_that_are_empty_everywhere(study: Scored, tmp_path: Path) -> None:
    spec = study.spec | {"comparisons": [["dapo", "final"]]}
    groups = perplexity.with_overall(load(json.dumps(spec), edited(study, tmp_path, cells=[])[:1]))
    assert (perplexity.parts(groups), perplexity.csv_rows(groups)) == ([], [])


def test_the_profile_of_a_pool(study: Scored) -> None:
    members = [shift for shift in load(study.spec_text, study.paths) if shift.target == "dapo"]
    cell = overall(members).cells[-1]
    parts = [
        c["profile"]
        for m in members
        for c in m.cells
        if (c["region"], c["source"]) == ("all", cell["source"])
    ]
    for index, part in enumerate(cell["profile"]):
        reach = [profile[index] for profile in parts if len(profile) > index]
        assert part["questions"] == sum(one["questions"] for one in reach)
        weighted = sum(one["questions"] * one["value"] for one in reach)
        assert part["value"] == pytest.approx(weighted / part["questions"])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"cell": []}, "shift.json: not the shift of a comparison"),
        ({"base": {"model": "other", "checkpoint": "x"}}, "names no model 'other'"),
        ({"benchmark": "hle"}, "names no benchmark 'hle'"),
        ({"windows": [8]}, "its windows are other than those of"),
    ],
)
def test_files_that_do_not_fit(study: Scored, tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        load(study.spec_text, edited(study, tmp_path, **change))


def test_a_comparison_without_a_file(study: Scored) -> None:
    with pytest.raises(InputError, match="--shifts: no file of grpo/final"):
        load(study.spec_text, study.paths[:2])
