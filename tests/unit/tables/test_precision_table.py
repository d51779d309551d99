import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leash import records
from leash.errors import InputError
from leash.precision import load, parse_spec
from leash.records import ENTROPY
from leash.tables import precision
from synthetic_scoring import Scored, write_entropies

SAMPLES = 8


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    families = {
        "qwen": [("dapo", ["step-1", "step-2"]), ("sft_$", ["final"])],
        "llama": [("grpo", ["end"])],
    }
    return write_entropies(tmp_path_factory.mktemp("study"), families, {"gcd": 10, "aime": 6}, SAMPLES)


def written(study: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    outs = {kind: tmp_path / f"t.{kind}" for kind in ("csv", "md", "tex")}
    argv = ["precision", "--spec", study.spec_text, "--entropies", *map(str, study.paths)]
    argv += ["--samples", str(SAMPLES)]
    for kind, path in outs.items():
        argv += [f"--out-{kind}", str(path)]
    monkeypatch.setattr("sys.argv", argv)
    precision.main()
    return outs


def recomputed(path: Path) -> dict[str, float]:
    """What a row of the CSV must say, by other means."""
    table = {name: np.array([row[name] for row in records.read(path, ENTROPY)]) for name in ENTROPY.names}
    rates = table["correct"] / SAMPLES
    return {
        "avg": rates.mean(),
        "avg_error": rates.std(ddof=1) / np.sqrt(rates.size),
        "n_tokens": np.average(table["n_tokens"], weights=table["scored"]),
        "token_entropy": np.average(table["token_entropy"], weights=table["scored"]),
        "answer_entropy": table["answer_entropy"].mean(),
        "answer_entropy_mm": table["answer_entropy_mm"].mean(),
        "distinct_answers": table["distinct_answers"].mean(),
        "na": table["na"].sum() / (SAMPLES * rates.size),
    }


def test_the_csv_says_what_the_files_say(
    study: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = list(csv.DictReader(written(study, tmp_path, monkeypatch)["csv"].open()))
    assert len(rows) == (4 + 2) * 3
    assert [row["model"] for row in rows[::3]] == ["qwen", "dapo", "dapo", "sft_$", "llama", "grpo"]
    files = {path.parts[-4:-1]: path for path in study.paths}
    for row in rows:
        here = {slug: recomputed(files[row["model"], row["checkpoint"], slug]) for slug in ("gcd", "aime")}
        if row["scope"] == "benchmark":
            wanted = here[row["benchmark"]]
        else:
            wanted = {name: np.mean([one[name] for one in here.values()]) for name in here["gcd"]}
            wanted["avg_error"] = np.hypot(*(one["avg_error"] for one in here.values())) / 2
        assert {name: float(row[name]) for name in wanted} == pytest.approx(wanted)
        assert row["base"] == ("llama" if row["model"] in ("llama", "grpo") else "qwen")


def test_the_markdown_has_arrows_as_printed_and_says_how_classes_were_made(
    study: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outs = written(study, tmp_path, monkeypatch)
    text = outs["md"].read_text()
    assert "first 8 samples" in text
    assert "canonical answers of this study's verifier (math)" in text
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"
    ]
    assert cells[0] == ["Measure", "Model", "GCD", "AIME", "average"]
    measured = {measure.label.format(n=SAMPLES): measure for measure in precision.MEASURES}
    base: list[str] = []
    seen = 0
    for row in cells:
        if row[0] in measured:
            base, measure = row[2:], measured[row[0]]
        elif base and row[1] and row[1] != "Model" and row[1][0] != ":":
            for cell, of_base in zip(row[2:], base, strict=True):
                value, *arrow = cell.split()
                change = float(value) - float(of_base)
                wanted = ["↑" if change > 0 else "↓" if change < 0 else "="] if measure.compared else []
                assert arrow == wanted
                seen += bool(arrow)
    assert seen == 7 * 3 * 4
    latex = outs["tex"].read_text()
    assert r"$\downarrow$" in latex
    assert r"Sft\_\$ (final)" in latex
    assert latex.count(r"\begin{table*}") == latex.count(r"\end{table*}")


def changed(study: Scored, tmp_path: Path, **change: Any) -> list[Path]:
    """The study's files, with this change in all rows of the first one."""
    first = study.paths[0]
    path = tmp_path.joinpath(*first.parts[-4:])
    records.write(path, ENTROPY, [row | change for row in records.read(first, ENTROPY)])
    return [path, *study.paths[1:]]


def test_what_is_not_known_is_a_dash_and_what_was_lost_is_said(study: Scored, tmp_path: Path) -> None:
    paths = changed(study, tmp_path, scored=0, token_entropy=None, n_tokens=None, unclassified=1)
    families = load(parse_spec(study.spec_text), paths, SAMPLES)
    base = families[0].base
    assert (base.on["gcd"].token_entropy, base.average.token_entropy) == (None, None)
    assert base.average.avg is not None
    part = precision.parts(families, SAMPLES)[0]
    lengths = next(group for group in part.groups if group[0][0].startswith("response"))
    assert [lengths[0][2], lengths[0][4]] == ["—", "—"]
    assert not {"↑", "↓", "="} & set(lengths[1][2])
    warnings = precision.warnings(families)
    assert len(warnings) == 2
    assert "Qwen on GCD: 10 of 80" in warnings[0]
    assert "without the completions that were not scored: Qwen on GCD: 80 of 80" in warnings[1]


def test_a_question_without_a_class_is_left_out(study: Scored, tmp_path: Path) -> None:
    paths = changed(study, tmp_path, answer_entropy=None, answer_entropy_mm=None, distinct_answers=0)
    found = load(parse_spec(study.spec_text), paths, SAMPLES)[0].base.on["gcd"]
    assert (found.answer_entropy, found.answer_entropy_mm, found.distinct_answers) == (None, None, None)


def test_a_target_of_fewer_benchmarks_has_no_average(study: Scored) -> None:
    paths = [path for path in study.paths if "grpo/end/aime" not in str(path)]
    family = load(parse_spec(study.spec_text), paths, SAMPLES)[1]
    assert list(family.benchmarks) == ["gcd"]
    paths = [path for path in study.paths if "dapo/step-1/aime" not in str(path)]
    family = load(parse_spec(study.spec_text), paths, SAMPLES)[0]
    assert family.targets[0].average.avg is None
    assert family.targets[1].average.avg is not None
    assert [state.is_final for state in family.targets] == [False, True, True]


def test_several_verifiers_are_told_apart(study: Scored) -> None:
    spec = study.spec | {"verifiers": {"gcd": "gym", "aime": "math"}}
    families = load(parse_spec(json.dumps(spec)), study.paths, SAMPLES)
    assert "(gym: GCD; math: AIME)" in precision.caption(spec, families, SAMPLES)
    del spec["verifiers"]
    assert "this study's verifier. NA" in precision.caption(spec, families, SAMPLES)


def test_what_does_not_fit_is_named(study: Scored, tmp_path: Path) -> None:
    spec = parse_spec(study.spec_text)
    with pytest.raises(InputError, match=r"not over 9 samples: q0, .*; measure it with --samples 9"):
        load(spec, study.paths, 9)
    with pytest.raises(InputError, match="no file of qwen/main/gcd"):
        load(spec, study.paths[1:], SAMPLES)
    with pytest.raises(InputError, match="no file of llama/main, grpo/end"):
        load(spec, [path for path in study.paths if path.parts[-4] not in ("llama", "grpo")], SAMPLES)
    with pytest.raises(InputError, match=r"names no state or benchmark of .*leave it out"):
        load(spec | {"benchmarks": {"aime": "AIME"}}, study.paths, SAMPLES)
    empty = tmp_path / "qwen/main/gcd/entropy.parquet"
    records.write(empty, ENTROPY, [])
    with pytest.raises(InputError, match=r"entropy.parquet: holds no questions"):
        load(spec, [empty], SAMPLES)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"bases": None}, "lacks bases"),
        ({"bases": {}}, "bases lacks dapo/step-1, dapo/step-2, sft_\\$/final, grpo/end"),
        ({"models": {}}, "names no model 'dapo'"),
    ],
)
def test_specs_are_checked(study: Scored, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_spec(json.dumps(study.spec | change))
