"""The support of solutions as a table: known values, captions, and files that do not fit each other."""

import csv
import json
from math import comb, isnan
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.errors import InputError
from leash.match import match
from leash.tables import solutions
from synthetic_study import write_counts

SPEC: dict[str, Any] = {
    "models": {"base": {"label": "Base|1"}, "rl": {"label": "RL"}, "sft": {"label": "SFT"}},
    "checkpoints": {"base/final": "", "rl/step2": "step 2", "sft/final": ""},
    "benchmarks": {"down": "Count_down", "gcd": "GCD"},
    "comparisons": [["rl", "step2"], ["sft", "final"]],
    "bases": {"rl/step2": "base/final", "sft/final": "base/final"},
    "budgets": {"down": 8},
    "solutions": [["rl", "step2", "down"], ["sft", "final", "down"]],
}
HOSTILE = "1|2\n3"
Given = dict[str, dict[str, int]]
BASE: Given = {"q0": {"a": 3, HOSTILE: 1}, "q1": {"c": 2}}
RL: Given = {"q0": {HOSTILE: 5, "d": 1, "1|2": 1}, "q2": {"f": 1}}
SFT: Given = {"q0": {"a": 1, "x": 1}, "q2": {"y": 4}, "q3": {"z": 1}}


def write_solutions(path: Path, given: Given) -> Path:
    rows = [
        {"question_id": name, "answer": answer, "samples": samples}
        for name, found in given.items()
        for answer, samples in found.items()
    ]
    records.write(path, records.SOLUTIONS, rows)
    return path


def written(
    folder: Path, states: dict[str, Given], unnamed: int = 0, n: int = 8
) -> tuple[list[Path], list[Path]]:
    """Solutions of all states, and regions of all but the first; `unnamed`: correct samples of q4 without an answer."""
    found, counts = [], {}
    for state, given in states.items():
        found.append(write_solutions(folder / state / "down/solutions.parquet", given))
        correct = [sum(given.get(f"q{i}", {}).values()) for i in range(4)]
        counts[state] = write_counts(folder / state / "down/counts.parquet", [*correct, unnamed], n)
    base, *targets = states
    regions = [folder / state / "down/regions.parquet" for state in targets]
    for state, path in zip(targets, regions, strict=True):
        records.write(path, records.REGIONS, match(counts[base], counts[state]))
    return found, regions


@pytest.fixture
def files(tmp_path: Path) -> tuple[list[Path], list[Path]]:
    return written(tmp_path, {"base/final": BASE, "rl/step2": RL, "sft/final": SFT})


def made(
    folder: Path, files: tuple[list[Path], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[dict[str, str]], str]:
    outs = folder / "solutions.csv", folder / "solutions.md"
    argv = ["solutions", "--spec", json.dumps(SPEC), "--solutions", *map(str, files[0])]
    argv += ["--regions", *map(str, files[1]), "--out-csv", str(outs[0]), "--out-md", str(outs[1])]
    monkeypatch.setattr("sys.argv", argv)
    solutions.main()
    with outs[0].open(newline="") as file:
        return list(csv.DictReader(file)), outs[1].read_text()


def test_known_values(
    tmp_path: Path, files: tuple[list[Path], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, text = made(tmp_path, files, monkeypatch)
    assert list(rows[0]) == list(solutions.COLUMNS)
    numbers = [[int(row[name]) for name in solutions.COLUMNS[5:13]] for row in rows]
    # budget, questions, both, base only, target only, neither, base only kept, target only solved
    assert numbers == [
        [8, 5, 1, 2, 3, 3, 1, 2],  # neither: x, y, z of SFT
        [8, 5, 1, 2, 3, 3, 1, 1],  # neither: d, 1|2, f of RL
    ]
    assert [(row["target"], row["target_checkpoint"], row["base"]) for row in rows] == [
        ("rl", "step2", "base"),
        ("sft", "final", "base"),
    ]
    assert float(rows[0]["retained"]) == 1 / 3
    assert float(rows[0]["discovered"]) == 3 / 4
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 4
    first = lines[2].replace("\\|", "!").strip("|").split("|")
    names = ["RL (step 2)", "Base!1", "Count\\_down"]
    assert [cell.strip() for cell in first][:-4] == names + "8 5 1 2 1 3 2 3 0.333 0.750".split()


def test_beside_the_change_stands_what_drawing_again_does(
    tmp_path: Path, files: tuple[list[Path], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = made(tmp_path, files, monkeypatch)[0][0]
    given = [
        (BASE.get(name, {}).get(answer, 0), RL.get(name, {}).get(answer, 0))
        for name in {**BASE, **RL}
        for answer in {**BASE.get(name, {}), **RL.get(name, {})}
    ]

    def missed(correct: int) -> float:
        return comb(8 - correct, 4) / comb(8, 4)  # by 4 of 8 samples

    assert row["half"] == "4"
    wanted = {
        "base_only_at_half": sum((1 - missed(base)) * missed(target) for base, target in given),
        "target_only_at_half": sum(missed(base) * (1 - missed(target)) for base, target in given),
        "base_against_itself": sum(missed(base) for base, _ in given if base),
        "target_against_itself": sum(missed(target) for _, target in given if target),
    }
    for name, value in wanted.items():
        assert float(row[name]) == pytest.approx(value), name


def test_the_caption_says_the_budget_and_what_is_not_known(
    tmp_path: Path, files: tuple[list[Path], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    caption = made(tmp_path, files, monkeypatch)[1].partition("\n")[0]
    assert caption.startswith("**Support of solutions.** ")
    assert "budget k = 8" in caption
    assert "Finite samples find only some of the answers reachable" in caption
    assert "right answers that no state of the study gave are not known and not counted" in caption


def test_states_without_a_solution_have_undefined_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path, {"base/final": {}, "rl/step2": {}, "sft/final": {"q1": {"a": 1}}})
    rows, text = made(tmp_path, files, monkeypatch)
    assert (rows[0]["retained"], rows[0]["discovered"], rows[0]["neither"]) == ("", "", "1")
    assert (rows[1]["retained"], rows[1]["discovered"], rows[1]["target_only_solved"]) == ("", "1.0", "0")
    assert text.splitlines()[-2].count("—") == 2 + 4  # no answer of either has no halves


def test_a_question_that_is_solved_without_a_named_answer_is_solved(tmp_path: Path) -> None:
    paths, regions = written(tmp_path, {"base/final": {}, "rl/step2": {"q0": {"a": 1}}}, unnamed=2)
    spec = SPEC | {"solutions": SPEC["solutions"][:1]}
    (row,) = solutions.read(spec, paths, regions)
    assert (row["target_only"], row["target_only_solved"]) == (1, 0)
    assert isnan(row["retained"])


def test_questions_of_one_side_that_matching_left_out_do_not_count(tmp_path: Path) -> None:
    paths, regions = written(tmp_path, {"base/final": BASE, "rl/step2": RL})
    kept = [row for row in records.read(regions[0], records.REGIONS) if row["question_id"] != "q1"]
    spec = SPEC | {"solutions": SPEC["solutions"][:1]}
    records.write(regions[0], records.REGIONS, kept)
    with pytest.raises(InputError, match=r"base/final/\S* and \S*regions.parquet: more samples .* on q1;"):
        solutions.read(spec, paths, regions)
    told = records.REGIONS.with_metadata({"dropped": json.dumps({"base": ["q1"], "target": []})})
    records.write(regions[0], told, kept)
    (row,) = solutions.read(spec, paths, regions)
    assert (row["questions"], row["both"], row["base_only"], row["target_only"]) == (4, 1, 1, 3)


def test_files_that_are_missing_strange_or_given_twice_are_named(
    files: tuple[list[Path], list[Path]], tmp_path: Path
) -> None:
    paths, regions = files
    with pytest.raises(InputError, match=r"--solutions: no file of base/final/down; give one"):
        solutions.read(SPEC, paths[1:], regions)
    with pytest.raises(InputError, match=r"--regions: no file of sft/final/down; give one"):
        solutions.read(SPEC, paths, regions[:1])
    with pytest.raises(InputError, match=r"--solutions: .* are of the same state; give each file once"):
        solutions.read(SPEC, [*paths, paths[0]], regions)
    other = write_solutions(tmp_path / "rl/step2/gcd/solutions.parquet", {})
    with pytest.raises(InputError, match=r"--solutions: no comparison or open-ended .*gcd\S*; leave it out"):
        solutions.read(SPEC, [*paths, other], regions)
    with pytest.raises(InputError, match=r"--regions: no comparison or open-ended .*sft\S*; leave it out"):
        solutions.read(SPEC | {"solutions": SPEC["solutions"][:1]}, paths, regions)


def test_solutions_of_other_verdicts_than_the_regions_are_refused(
    files: tuple[list[Path], list[Path]],
) -> None:
    paths, regions = files
    for given in ({"q3": {"a": 1}}, {"stranger": {"a": 1}}, {"q0": {"a": 8}}):
        write_solutions(paths[1], given)
        with pytest.raises(InputError, match=rf"more samples .* on {next(iter(given))}; list and match"):
            solutions.read(SPEC, paths, regions)


def test_a_budget_other_than_that_of_the_regions_is_refused(files: tuple[list[Path], list[Path]]) -> None:
    with pytest.raises(InputError, match=r"regions.parquet: not 16 samples of q0, .*; match these counts"):
        solutions.read(SPEC | {"budgets": {"down": 16}}, *files)


@pytest.mark.parametrize(
    "row",
    [{"answer": None}, {"samples": None}, {"answer": "a", "samples": 1}],
    ids=["null", "count", "twice"],
)
def test_answers_that_are_null_or_stand_twice_are_refused(
    files: tuple[list[Path], list[Path]], row: records.Row
) -> None:
    good = {"question_id": "q0", "answer": "a", "samples": 1}
    records.write(files[0][0], records.SOLUTIONS, [good, good | {"answer": "b"} | row])
    with pytest.raises(InputError, match=r"base\S*: question 'q0': the answer .* is null or stands twice;"):
        solutions.read(SPEC, *files)


def test_a_spec_without_its_keys_is_explained() -> None:
    spec = {key: value for key, value in SPEC.items() if key not in ("bases", "budgets")}
    with pytest.raises(InputError, match=r"--spec: lacks bases, budgets"):
        solutions.parse_spec(json.dumps(spec))
