import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leash import evidence, records
from leash.errors import InputError
from leash.findings import by_comparison, load
from leash.tables.evidence import budgets, sensitivity, summary
from synthetic_study import Study, write_study

BENCHMARKS = {"gcd": ("arithmetic", 16), "aime": ("math", 8), "amc": ("math", 8)}


class Weighed(Study):
    """A made-up study with its evidence files in place of the pooled metrics."""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Weighed:
    folder = tmp_path_factory.mktemp("study")
    made = write_study(
        folder, {"dapo": ("rlvr", ["step-1", "step-2"]), "sft": ("sft", ["final"])}, BENCHMARKS
    )
    files = []
    for model, checkpoint in made.spec["comparisons"]:
        spec = {
            "base": {"model": "qwen", "checkpoint": "main"},
            "target": {"model": model, "checkpoint": checkpoint},
            "seed": 0,
            "benchmarks": {slug: {"domain": d, "budget": n} for slug, (d, n) in BENCHMARKS.items()},
        }
        place = folder / model / checkpoint
        files.append(place / "evidence.json")
        found = evidence.weigh(spec, [place / slug / "regions.parquet" for slug in BENCHMARKS])
        records.write_json(files[-1], found)
    return Weighed(made.spec, made.metrics, files)


def test_findings_follow_the_spec_and_know_what_repeats(study: Weighed) -> None:
    findings = load(study.spec_text, reversed(study.pooled))
    groups = list(by_comparison(findings))
    assert [title for title, _ in groups] == [
        "DAPO (step 1) against Qwen base",
        "DAPO (step 2) against Qwen base",
        "SFT (final) against Qwen base",
    ]
    for (_, members), is_final in zip(groups, (False, True, True), strict=True):
        assert [finding.name for finding in members] == [
            *("Gcd", "Aime", "Amc", "arithmetic", "math", "overall")
        ]
        assert [finding.repeats for finding in members] == [False, False, False, True, False, False]
        assert {finding.is_final for finding in members} == {is_final}
        assert [finding.budgets for finding in members] == ["16", "8", "8", "16", "8", "8/16"]


def test_the_command_writes_every_number_once(study: Weighed, tmp_path: Path) -> None:
    for name in ("evidence", "sensitivity", "budgets"):
        subprocess.run(
            [
                *(sys.executable, "-m", "leash.tables.evidence", "--table", name),
                *("--spec", study.spec_text, "--evidence", *map(str, study.pooled)),
                *("--out-csv", str(tmp_path / f"{name}.csv"), "--out-md", str(tmp_path / f"{name}.md")),
            ],
            check=True,
        )
    rows = {
        name: list(csv.DictReader((tmp_path / f"{name}.csv").open()))
        for name in ("evidence", "sensitivity", "budgets")
    }
    assert len(rows["evidence"]) == 3 * 6
    assert len(rows["sensitivity"]) == 3 * 6 * 8
    assert len(rows["budgets"]) == 3 * (5 + 4 + 4)
    contents = json.loads(study.pooled[1].read_text())
    one = next(r for r in rows["evidence"] if (r["target_checkpoint"], r["benchmark"]) == ("step-2", "aime"))
    block = contents["benchmarks"]["aime"]
    assert float(one["NSCR"]) == block["metrics"]["nscr"]
    assert float(one["nscr_same_questions_high"]) == block["intervals"]["same_questions"]["nscr"]["high"]
    assert float(one["base_null"]) == block["nulls"]["shrinkage_over_base"]["null"]
    assert [int(one[letter]) for letter in "PESO"] == [
        block["regions"][name] for name in ("preservation", "expansion", "shrinkage", "out_of_support")
    ]
    rule = next(
        r for r in rows["sensitivity"] if r["target_checkpoint"] == "step-2" and r["successes"] == "3"
    )
    assert rule["rule"] == "at least 3"
    at = next(r for r in rows["budgets"] if (r["target_checkpoint"], r["k"]) == ("step-2", "4"))
    assert float(at["E"]) == contents["benchmarks"]["gcd"]["over_budgets"][2]["regions"]["expansion"]
    text = (tmp_path / "evidence.md").read_text()
    for block in json.loads(study.pooled[2].read_text())["overall"]["verdict"]["words"]:
        assert f"  - {block}" in text
    assert "half of each" in text


def changed(study: Weighed, tmp_path: Path, change: dict[str, Any]) -> Path:
    path = tmp_path / "evidence.json"
    records.write_json(path, records.read_json(study.pooled[0]) | change)
    return path


def test_undefined_numbers_are_dashes(study: Weighed, tmp_path: Path) -> None:
    contents = records.read_json(study.pooled[0])
    gcd = contents["benchmarks"]["gcd"]
    gcd["nulls"] = None
    gcd["metrics"]["nscr"] = None
    gcd["intervals"]["other_questions"]["srr"] |= {"low": None, "high": None}
    gcd["over_budgets"][0]["pass_difference"] = None
    path = changed(study, tmp_path, {"benchmarks": {"gcd": gcd}})
    spec = study.spec | {"comparisons": [["dapo", "step-1"]]}
    findings = load(json.dumps(spec), [path])
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in summary.markdown(findings).splitlines()
        if line.startswith("| Gcd")
    ]
    assert cells[0][-2] == "—"
    assert set(cells[1][1:]) == {"—"}
    assert budgets.markdown(findings).splitlines()[6].rstrip("| ").endswith("—")
    assert budgets.csv_rows(findings)[0]["pass_difference_low"] is None
    assert len(sensitivity.csv_rows(findings)) == 3 * 8  # the benchmark, its domain, overall


def test_what_does_not_fit_is_named(study: Weighed, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--evidence: no file of dapo/step-2, sft/final"):
        load(study.spec_text, study.pooled[:1])
    with pytest.raises(InputError, match=r"evidence.json: --spec names no model 'other'"):
        load(study.spec_text, [changed(study, tmp_path, {"base": {"model": "other", "checkpoint": "x"}})])
    with pytest.raises(InputError, match=r"evidence.json: --spec names no benchmark 'hle'"):
        load(study.spec_text, [changed(study, tmp_path, {"benchmarks": {"hle": {}}})])
    with pytest.raises(InputError, match=r"metrics.json: not the evidence of a comparison"):
        load(study.spec_text, study.metrics[:1])
