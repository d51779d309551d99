import io
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from leash import records
from leash.comparisons import load
from leash.errors import InputError
from leash.tables import __main__ as command
from leash.tables import notes, render
from leash.tables.cells import percent, ratio
from leash.tables.layouts import LAYOUTS
from synthetic_study import Study, write_study

BENCHMARKS = {"gcd": ("arithmetic", 8), "zebra": ("logic", 4), "countdown": ("arithmetic", 8)}
TARGETS = {"dapo": ("rlvr", ["step-20", "step-100"]), "sft": ("sft", ["end"])}
Made = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return write_study(tmp_path_factory.mktemp("study"), TARGETS, BENCHMARKS, timeouts=1)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    def make(table: str, study: Study) -> dict[str, str]:
        outs = {kind: tmp_path / f"{table}.{kind}" for kind in ("csv", "md", "tex")}
        argv = ["tables", "--table", table, "--spec", study.spec_text]
        argv += ["--metrics", *map(str, study.metrics), "--pooled", *map(str, study.pooled)]
        argv += [word for kind, path in outs.items() for word in (f"--out-{kind}", str(path))]
        monkeypatch.setattr("sys.argv", argv)
        command.main()
        return {kind: path.read_text() for kind, path in outs.items()}

    return make


def frame(csv: str) -> pd.DataFrame:
    # pandas' default parser may be off by the last digit; the file is not.
    return pd.read_csv(io.StringIO(csv), float_precision="round_trip")


def md_rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|:")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_csv_parses_back_to_the_metrics_files(study: Study, made: Made) -> None:
    table = frame(made("table06-benchmarks", study)["csv"])
    per_benchmark = table[table["scope"] == "benchmark"].set_index(
        ["target", "target_checkpoint", "benchmark"]
    )
    assert len(per_benchmark) == len(study.metrics) == 9
    for path in study.metrics:
        wanted = records.read_json(path)
        row = per_benchmark.loc[
            (wanted["target"]["model"], wanted["target"]["checkpoint"], wanted["benchmark"])
        ]
        for name, value in wanted["metrics"].items():
            assert row[name.upper()] == value if value is not None else pd.isna(row[name.upper()])
        assert [row[letter] for letter in "PESO"] == [
            wanted["regions"][name] for name in ("preservation", "expansion", "shrinkage", "out_of_support")
        ]
        for side in ("base", "target"):
            assert row[f"{side}_pass_at_1"] == wanted[side]["pass_at"]["1"]
            assert row[f"{side}_pass_at_budget"] == wanted[side]["pass_at"][str(wanted["budget"])]
            for outcome, total in wanted[side]["outcomes"].items():
                assert row[f"{side}_{outcome}"] == total


def test_pooled_rows_come_from_the_pooled_files(study: Study, made: Made) -> None:
    table = frame(made("table01-support", study)["csv"]).set_index(["target_checkpoint", "domain"])
    wanted = records.read_json(study.pooled[0])["domains"]["arithmetic"]
    row = table.loc[("step-20", "arithmetic")]
    assert (row["SRR"], row["E"], row["questions"]) == (
        wanted["metrics"]["srr"],
        wanted["regions"]["expansion"],
        wanted["questions"],
    )


def test_rows_follow_the_spec_and_not_the_alphabet(study: Study, made: Made) -> None:
    table = frame(made("table06-benchmarks", study)["csv"])
    assert list(dict.fromkeys(table["target_checkpoint"])) == ["step-20", "step-100", "end"]
    first = table[table["target_checkpoint"] == "step-20"]
    assert first["benchmark"].dropna().tolist() == list(BENCHMARKS)
    assert first["scope"].tolist() == ["benchmark"] * 3 + ["domain"] * 2 + ["overall"]
    assert first["domain"].tolist()[3:5] == ["arithmetic", "logic"]


def test_sft_and_rlvr_stand_side_by_side_at_their_final_checkpoints(study: Study, made: Made) -> None:
    table = frame(made("table03-sft-vs-rlvr", study)["csv"])
    assert table["target_checkpoint"].tolist() == ["end", "step-100"] * 4
    assert table["method"].tolist() == ["sft", "rlvr"] * 4
    assert table["scope"].tolist()[-2:] == ["overall", "overall"]


def test_checkpoints_start_from_the_base_alone(study: Study, made: Made) -> None:
    files = made("table04-checkpoints", study)
    table = frame(files["csv"])
    assert table["target"].unique().tolist() == ["dapo"]
    assert table["target_checkpoint"].tolist() == ["base", "step-20", "step-100"] * 4
    base = table[table["target_checkpoint"] == "base"]
    assert base["base_pass_at_1"].notna().all()
    assert base[["SRR", "P", "target_pass_at_1", "target_wrong"]].isna().all(axis=None)
    row = md_rows(files["md"])[1]
    assert row[:3] == ["Gcd", "8", "base"]
    assert row[3:5] == [percent(base.iloc[0]["base_pass_at_1"]), percent(base.iloc[0]["base_pass_at_budget"])]
    assert row[5:13] == [""] * 8


def test_a_study_without_such_rows_says_so(tmp_path: Path, made: Made) -> None:
    study = write_study(tmp_path, {"dapo": ("rlvr", ["end"])}, {"gcd": ("arithmetic", 4)})
    for table, reason in (
        ("table03-sft-vs-rlvr", "both an SFT and an RLVR"),
        ("table04-checkpoints", "more than one"),
    ):
        files = made(table, study)
        assert reason in files["md"]
        assert reason in files["tex"]
        assert len(frame(files["csv"])) == 0


def test_undefined_is_a_dash_for_readers_and_nothing_in_the_csv(tmp_path: Path, made: Made) -> None:
    study = write_study(tmp_path, {"dapo": ("rlvr", ["end"])}, {"gcd": ("arithmetic", 4)}, questions=1)
    for path in study.metrics + study.pooled:
        contents = records.read_json(path)
        for block in (contents, contents.get("overall"), *contents.get("domains", {}).values()):
            if block and "regions" in block:
                block["metrics"] = dict.fromkeys(block["metrics"])
        records.write_json(path, contents)
    files = made("table06-benchmarks", study)
    assert md_rows(files["md"])[1][7:11] == ["—"] * 4
    assert " & --- & --- & --- & --- & " in files["tex"]
    assert frame(files["csv"])["SRR"].isna().all()


def test_readers_get_three_decimals_and_no_negative_zero() -> None:
    assert [ratio(value) for value in (-0.0004, 0.12345, -0.0476)] == ["0.000", "0.123", "-0.048"]
    assert [percent(value) for value in (1.0, 0.31149, None)] == ["100.00", "31.15", "—"]


@pytest.mark.parametrize("table", LAYOUTS)
def test_captions_state_budget_questions_and_what_solved_means(study: Study, made: Made, table: str) -> None:
    files = made(table, study)
    for kind in ("md", "tex"):
        assert "k = 4 or 8 samples per question, by benchmark; 120 questions in all" in files[kind]
        assert "at least one verified success in k samples" in files[kind]


def test_warns_of_verdicts_that_were_never_given_on_the_side_they_are_on(study: Study, made: Made) -> None:
    files = made("table03-sft-vs-rlvr", study)
    totals = records.read_json(study.metrics[-1])["target"]["outcomes"]
    assert f"SFT (end) on Countdown: 0 and {totals['verifier_timeout']}" in files["md"]
    assert "step 20" not in files["md"]
    assert "truncation differs" not in files["md"]


@pytest.mark.parametrize(("percent_more", "warns"), [(1.0, False), (1.1, True), (-1.1, True)])
def test_warns_of_truncation_above_one_point(tmp_path: Path, percent_more: float, warns: bool) -> None:
    study = write_study(tmp_path, {"dapo": ("rlvr", ["end"])}, {"gcd": ("arithmetic", 25)})
    contents = records.read_json(study.metrics[0])
    for side, share in (("base", 5.0), ("target", 5.0 + percent_more)):
        contents[side]["outcomes"]["truncated"] = round(10 * share)
        contents[side]["samples"] = 1000
    records.write_json(study.metrics[0], contents)
    sections = LAYOUTS["table01-support"].sections(load(study.spec_text, study.metrics, study.pooled))
    found = [
        line for line in notes.warnings(sections) if "truncation differs: it can pass for shrinkage" in line
    ]
    assert bool(found) is warns
    if warns:
        assert f"DAPO (end) on Gcd: 5.0% and {5 + percent_more:.1f}%" in found[0]


def test_hostile_labels_survive_both_formats(study: Study, made: Made) -> None:
    spec = study.spec | {
        "models": {slug: m | {"label": "A|B_50% & {$x}\\~^#"} for slug, m in study.spec["models"].items()}
    }
    files = made("table01-support", study._replace(spec=spec))
    assert {len(row) for row in md_rows(files["md"])} == {14}
    assert r"A|B\_50\% \& \{\$x\}\textbackslash{}\textasciitilde{}\textasciicircum{}\#" in files["tex"]
    rows = [line for line in files["tex"].splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {13}


def test_table_1_alone_shows_how_many_labels_rest_on_few_successes(study: Study, made: Made) -> None:
    files = made("table01-support", study)
    head, first = md_rows(files["md"])[:2]
    pooled = records.read_json(study.pooled[0])
    tails = [records.read_json(path)["tail"] for path in study.metrics[:3]]
    assert (head[-1], first[-1]) == ("≤3", str(pooled["domains"]["arithmetic"]["tail"]))
    assert pooled["overall"]["tail"] == sum(tails) > 0
    assert "≤3: questions whose region rests on 3 or fewer verified successes" in files["md"]
    assert r"& $\leq$3 \\" in files["tex"]
    other = made("table06-benchmarks", study)
    assert "≤3" not in other["md"]
    assert frame(other["csv"])["tail"].tolist()[:3] == tails


def test_latex_escapes_and_sets_minus_signs() -> None:
    assert render.escape("-0.050") == "$-0.050$"
    assert render.escape("50% of a_b") == r"50\% of a\_b"
    assert render.escape("—") == "---"


def test_what_the_spec_or_the_files_lack_is_named(study: Study) -> None:
    def complaint(spec: dict[str, object], metrics: list[Path], pooled: list[Path]) -> str:
        with pytest.raises(InputError) as caught:
            load(Study(spec, [], []).spec_text, metrics, pooled)
        return str(caught.value)

    unlabelled = study.spec | {"benchmarks": {"gcd": "GCD"}}
    assert "no benchmark 'zebra'" in complaint(unlabelled, study.metrics, study.pooled)
    nameless = study.spec | {"models": {"qwen": {"label": "Qwen"}}}
    assert "no model 'dapo'" in complaint(nameless, study.metrics, study.pooled)
    assert "--pooled: no file of dapo/step-20" in complaint(study.spec, study.metrics, study.pooled[1:])
    assert "--metrics: no file of sft/end" in complaint(study.spec, study.metrics[:6], study.pooled)
    assert "lacks one of" in complaint(study.spec, study.pooled, study.pooled)
    assert "--spec: lacks benchmarks" in complaint(
        {"models": {}, "checkpoints": {}, "comparisons": []}, [], []
    )
    no_files = complaint(study.spec, [], [])
    assert "dapo/step-20: no --metrics" in no_files
    typo = study.spec | {"comparisons": [["dapo", "step-21"]]}
    assert "--metrics: no file of dapo/step-21" in complaint(typo, study.metrics, study.pooled)
