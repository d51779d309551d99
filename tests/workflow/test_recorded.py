"""Recorded results, end to end: counts and completions that lie on disk become tables, and nothing is drawn."""

import csv
import json
from pathlib import Path

import pytest

from checkout import ROOT, Checkout

CONFIG = """
study: held
run: {models: [rl, other], benchmarks: [counted, told]}
models:
  first:
    recorded:
      counted: {counts: data/counts.csv, columns: {correct: first}}
      told: {completions: data/first.jsonl, columns: {samples: samples, score: score, finish_reason: end}}
  rl:
    base: first
    method: rlvr
    recorded:
      counted: {counts: data/counts.csv, columns: {correct: rl}}
      told: {completions: data/rl.jsonl}
  other:
    base: first
    recorded:
      counted: {counts: data/other.jsonl}
benchmarks:
  counted: {domain: math, recorded: true, budget: 5, on_missing: intersect}
  told: {domain: words, recorded: true, budget: 2}
"""
ARGUMENTS = ("--configfile", "mine.yaml")
GOLDS = {"a": "1", "b": "2", "c": "3"}


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, str]:
    """The finished study, and what its run printed."""
    checkout = Checkout.make(tmp_path_factory.mktemp("recorded") / "study")
    (checkout.folder / "mine.yaml").write_text(CONFIG)
    data = checkout.folder / "data"
    data.mkdir()
    (data / "counts.csv").write_text("id,n,first,rl\nq0,5,3,5\nq1,5,1,0\nq2,5,0,1\nq3,5,0,0\n")
    write(data / "other.jsonl", [{"id": f"q{i}", "n": 5, "correct": 1} for i in (3, 2, 1, 9)])
    answers = {"a": ["1", "1"], "b": ["2", "7"], "c": ["7", ""]}
    write(
        data / "first.jsonl",
        [
            {
                "id": name,
                "question": f"What is {name}?",
                "gold": GOLDS[name],
                "samples": [
                    {
                        "completion": f"\\boxed{{{x}}}" if x else "So",
                        "score": 1,
                        "end": "stop" if x else "length",
                    }
                    for x in given
                ],
            }
            for name, given in answers.items()
        ],
    )
    write(
        data / "rl.jsonl",
        [{"id": name, "completion": f"\\boxed{{{x}}}"} for x in ("1", "3") for name in ("c", "a", "b")],
    )
    ended = checkout.run(*ARGUMENTS)
    assert ended.returncode == 0, ended.stdout
    return checkout, ended.stdout


def table(checkout: Checkout, name: str) -> list[dict[str, str]]:
    with (checkout.folder / f"results/held/tables/{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_regions_follow_from_the_files(held: tuple[Checkout, str]) -> None:
    rows = {
        (row["target"], row["benchmark"]): [int(row[one]) for one in "PESO"]
        for row in table(held[0], "table06-benchmarks")
        if row["scope"] == "benchmark"
    }
    assert rows == {
        ("rl", "counted"): [1, 1, 1, 1],
        ("rl", "told"): [1, 1, 1, 0],
        ("other", "counted"): [1, 2, 0, 0],  # q1; q2 and q3
    }


def test_nothing_is_trained_or_drawn(held: tuple[Checkout, str]) -> None:
    checkout, printed = held
    for rule in ("draw_samples", "train_", "write_traces"):
        assert rule not in printed
    assert not (checkout.folder / "results/held/questions/counted.parquet").exists()
    assert checkout.planned(*ARGUMENTS) == {}


def test_the_tables_do_not_claim_what_was_not_recorded(held: tuple[Checkout, str]) -> None:
    rows = {
        (row["target"], row["benchmark"]): row
        for row in table(held[0], "table06-benchmarks")
        if row["scope"] == "benchmark"
    }
    counted, told = rows["rl", "counted"], rows["rl", "told"]
    assert (counted["base_truncated"], counted["base_wrong"], counted["base_verifier_error"]) == ("", "", "")
    assert (told["base_truncated"], told["target_truncated"]) == ("1", "")
    assert (told["base_wrong"], told["target_wrong"]) == ("2", "4")
    shown = (held[0].folder / "results/held/tables/table06-benchmarks.md").read_text()
    assert "—/—" in shown
    assert "Truncation was not recorded" in shown
    assert "only the target, has results on: other on counted: 1 and 1." in shown


def test_recorded_scores_stand_beside_the_verdicts(held: tuple[Checkout, str]) -> None:
    (row,) = table(held[0], "recorded-agreement")
    assert (row["model"], row["benchmark"], row["scored"]) == ("first", "told", "6")
    assert (row["both"], row["recorded_only"], row["verified_only"], row["neither"]) == ("3", "3", "0", "0")
    assert (row["differing_questions"], row["solved_differs"]) == ("2", "1")
    assert "Recorded agreement" in held[1]


def test_only_completions_are_audited(held: tuple[Checkout, str]) -> None:
    assert {(row["target"], row["benchmark"]) for row in table(held[0], "tail-audit")} == {("rl", "told")}


def test_an_edited_verifier_reruns_nothing_that_comes_from_counts(
    held: tuple[Checkout, str], tmp_path: Path
) -> None:
    checkout = held[0].copy(tmp_path / "study")
    checkout.edit("workflow/leash/verify/extract.py", lambda text: text + "\n# a comment\n")
    jobs = checkout.planned(*ARGUMENTS)
    assert jobs["verify_samples"] == jobs["count_outcomes"] == 2
    assert "read_counts" not in jobs
    assert "read_completions" not in jobs
    (checkout.folder / "mine.yaml").write_text(CONFIG.replace("[counted, told]", "[counted]"))
    counted = checkout.planned(*ARGUMENTS)
    assert not set(counted) & {"verify_samples", "read_counts", "match_states", "measure_regions"}


def test_a_changed_file_reruns_what_comes_from_it(held: tuple[Checkout, str], tmp_path: Path) -> None:
    checkout = held[0].copy(tmp_path / "study")
    checkout.edit("data/other.jsonl", lambda text: text.replace('"q9"', '"q8"'))
    jobs = checkout.planned(*ARGUMENTS)
    assert (jobs["read_counts"], jobs["match_states"], jobs["measure_regions"]) == (1, 1, 1)
    assert "verify_samples" not in jobs


def test_a_broken_file_stops_its_own_jobs_and_says_why(held: tuple[Checkout, str], tmp_path: Path) -> None:
    checkout = held[0].copy(tmp_path / "study")
    checkout.edit("data/counts.csv", lambda text: text.replace("q1,5,1,0", "q1,5,6,0"))
    ended = checkout.run(*ARGUMENTS)
    assert ended.returncode != 0
    assert "error: data/counts.csv: more correct than samples: row 2 (q1): 6 of 5" in ended.stdout
    assert "Traceback" not in ended.stdout


def test_ids_of_one_side_are_told_with_the_files_they_are_missing_in(
    held: tuple[Checkout, str], tmp_path: Path
) -> None:
    checkout = held[0].copy(tmp_path / "study")
    (checkout.folder / "mine.yaml").write_text(CONFIG.replace(", on_missing: intersect", ""))
    ended = checkout.run(*ARGUMENTS)
    assert ended.returncode != 0
    assert "counts.parquet (from data/counts.csv) lacks q9;" in ended.stdout
    assert "counts.parquet (from data/other.jsonl) lacks q0;" in ended.stdout


SHARED = next((p for p in (ROOT / "shared", ROOT.parent / "shared") if (p / "data/recorded").is_dir()), None)


@pytest.mark.skipif(SHARED is None, reason="the recorded counts are not here")
def test_the_recorded_study_prints_its_evidence(tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path / "study")
    assert SHARED is not None
    (tmp_path / "shared").symlink_to(SHARED)  # config/recorded.yaml names ../shared
    ended = checkout.run("--configfile", "config/recorded.yaml")
    assert ended.returncode == 0, ended.stdout
    rows = [
        [cell.strip() for cell in line.replace("\\", "").split("|")[1:-1]]
        for line in ended.stdout.splitlines()
        if line.startswith("|")
    ]

    def printed(*cells: str) -> bool:
        return any(all(cell in row for cell in cells) for row in rows)

    # regions and metrics at k = 128, and McNemar's exact p
    assert printed("911", "12", "33", "104", "0.00246", "0.9650", "0.0130", "0.0257", "-0.0220")
    assert printed("462", "3", "19", "16", "0.000855")
    # expected at smaller budgets, and against itself at half of it
    assert printed("8", "810.117", "42.145", "26.787", "180.951")
    assert printed("64", "891.480", "17.323", "31.090", "120.107")
    assert printed("8", "418.033", "23.452", "16.054", "42.461")
    assert printed("64", "21.430", "14.197")
    assert printed("64", "7.278", "3.253")
    # other rules of solved
    assert printed("at least 5", "858", "22", "17", "163")
    assert printed("c/k > epsilon at zeta = 0.05", "874", "18", "21", "147")
    assert printed("at least 10", "428", "18", "13", "41")
    assert "net shrinkage beyond resampling noise: yes, p = 0.00246" in ended.stdout
    assert "depends on the threshold: yes, at 5, 10" in ended.stdout
