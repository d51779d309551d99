"""The smoke study on real parts: interruption, determinism, broken files, and its tables recomputed."""

import csv
import re
import shutil
import sys
from collections import defaultdict
from fractions import Fraction
from math import comb, isnan, nan
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from checkout import Checkout, shards


def test_an_interrupted_run_ends_with_an_error_and_keeps_its_shards(
    interrupted: tuple[Checkout, int, dict[Path, int]], finished: tuple[Checkout, str]
) -> None:
    _, status, before = interrupted
    assert status != 0
    assert before
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len(shards(finished[0])) == 8 > len(before)


def test_the_run_prints_tables_where_they_are_and_the_time_of_each_stage(
    finished: tuple[Checkout, str],
) -> None:
    checkout, printed = finished
    for table in ("table01-support", "table03-sft-vs-rlvr", "table04-checkpoints", "table06-benchmarks"):
        for suffix in ("csv", "md", "tex"):
            assert (checkout.results / f"tables/{table}.{suffix}").stat().st_size > 0
    for suffix in ("csv", "md"):
        assert (checkout.results / f"tables/tail-audit.{suffix}").stat().st_size > 0
    assert "results/smoke/tables/table01-support.md" in printed
    assert re.search(r"draw_samples +\|? *8", printed)


def test_the_second_run_has_nothing_to_do(finished: tuple[Checkout, str]) -> None:
    ended = finished[0].run()
    assert ended.returncode == 0
    assert "Nothing to be done" in ended.stdout


def test_samples_drawn_again_are_the_same(study: Checkout) -> None:
    folder = study.results / "dapo/step4/gcd"
    before = pq.read_table(folder / "samples/r0-s0.parquet")
    shutil.rmtree(folder / "samples")
    ended = study.remake(folder / "samples/r0-s0.parquet")
    assert ended.returncode == 0, ended.stdout
    assert pq.read_table(folder / "samples/r0-s0.parquet").equals(before)


def test_a_truncated_shard_is_named_and_only_it_is_remade(study: Checkout) -> None:
    samples = study.results / "sft/final/gcd/samples/r0-s0.parquet"
    before = pq.read_table(samples)
    samples.write_bytes(samples.read_bytes()[:-100])
    ended = study.run()
    assert ended.returncode != 0
    assert f"{samples.relative_to(study.folder)}: not a whole Parquet file" in ended.stdout
    assert f"run again with it as the target (snakemake {samples.relative_to(study.folder)})" in ended.stdout
    samples.unlink()
    ended = study.remake(samples)
    assert ended.returncode == 0, ended.stdout
    assert re.findall(r"^(?:local)?rule (\w+):", ended.stdout, re.MULTILINE) == ["draw_samples"]
    assert pq.read_table(samples).equals(before)
    assert study.run().returncode == 0
    assert study.planned() == {}


def test_a_misspelt_key_stops_the_run_before_any_job(study: Checkout) -> None:
    ended = study.run(*study.with_config("sampling: {temprature: 1}\n"))
    assert ended.returncode != 0
    assert (
        "mine.yaml: sampling.temprature: unknown key 'temprature'; did you mean 'temperature'?"
        in ended.stdout
    )
    assert "Job stats" not in ended.stdout
    assert "Traceback" not in ended.stdout


def test_a_wrong_task_parameter_is_refused_before_training(study: Checkout) -> None:
    ended = study.run(*study.with_config("study: other\nbenchmarks: {gcd: {params: {min_nubmers: 2}}}\n"))
    assert ended.returncode != 0
    assert "min_nubmers" in ended.stdout
    assert "did you mean" in ended.stdout
    assert "min_numbers" in ended.stdout
    assert not list((study.folder / "results/other").glob("training/base"))


def test_python_of_the_jobs_is_that_of_snakemake(finished: tuple[Checkout, str]) -> None:
    told = (finished[0].results / "base/final/gcd/samples/r0-s0.json").read_text()
    assert f'"python": "{".".join(map(str, sys.version_info[:3]))}"' in told


# An independent recomputation of Table 6, from the verdict files, in plain Python.


def solved(checkout: Checkout, state: str, benchmark: str) -> dict[str, tuple[int, int]]:
    """Question -> (samples, correct)."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted((checkout.results / state / benchmark / "verdicts").glob("*.parquet")):
        for row in pq.read_table(file).to_pylist():
            found[row["question_id"]].append(row["outcome"])
    return {question: (len(outcomes), outcomes.count("correct")) for question, outcomes in found.items()}


def ratio(above: int, below: int) -> float:
    return above / below if below else nan


def pass_at(k: int, counts: dict[str, tuple[int, int]]) -> float:
    shares = [1 - Fraction(comb(n - c, k), comb(n, k)) for n, c in counts.values()]
    return float(sum(shares, Fraction(0)) / len(shares))


def expected(
    base: dict[str, tuple[int, int]], target: dict[str, tuple[int, int]], k: int
) -> dict[str, float]:
    pairs = [(base[question][1] > 0, target[question][1] > 0) for question in base]
    p, s, e, o = (pairs.count(one) for one in ((True, True), (True, False), (False, True), (False, False)))
    srr, ndr = ratio(p, p + s), ratio(e, p + e)
    return {
        "P": p,
        "E": e,
        "S": s,
        "O": o,
        "SRR": srr,
        "NDR": ndr,
        "SDS": nan if isnan(srr) or isnan(ndr) else (2 * srr * ndr / (srr + ndr) if srr + ndr else 0.0),
        "NSCR": ratio(e - s, p + e + s),
        "base_pass_at_1": pass_at(1, base),
        "base_pass_at_budget": pass_at(k, base),
        "target_pass_at_1": pass_at(1, target),
        "target_pass_at_budget": pass_at(k, target),
    }


@pytest.mark.parametrize("target", ["dapo/step2", "dapo/step4", "sft/final"])
@pytest.mark.parametrize("benchmark", ["chain-sum", "gcd"])
def test_table06_equals_a_recomputation_from_the_verdicts(
    finished: tuple[Checkout, str], target: str, benchmark: str
) -> None:
    checkout = finished[0]
    model, checkpoint = target.split("/")
    with (checkout.results / "tables/table06-benchmarks.csv").open() as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if (row["target"], row["target_checkpoint"], row["benchmark"]) == (model, checkpoint, benchmark)
        ]
    assert len(rows) == 1
    wanted = expected(solved(checkout, "base/final", benchmark), solved(checkout, target, benchmark), 16)
    for name, value in wanted.items():
        told = float(rows[0][name]) if rows[0][name] else nan
        assert (isnan(told) and isnan(value)) or told == pytest.approx(value, abs=0, rel=1e-15), name


def test_the_audit_has_every_label_that_rests_on_few_and_table_1_counts_them(
    finished: tuple[Checkout, str],
) -> None:
    checkout = finished[0]
    wanted = set()
    for target in ("dapo/step2", "dapo/step4", "sft/final"):
        for benchmark in ("chain-sum", "gcd"):
            base, state = solved(checkout, "base/final", benchmark), solved(checkout, target, benchmark)
            wanted |= {
                (*target.split("/"), benchmark, question)
                for question in base
                if {base[question][1], state[question][1]} & {1, 2, 3}
            }
    with (checkout.results / "tables/tail-audit.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(r["target"], r["target_checkpoint"], r["benchmark"], r["question_id"]) for r in rows} == wanted
    assert {r["opinion"] for r in rows} <= {"agrees"}, (
        "the verifier and the second opinion differ on plain integers"
    )
    with (checkout.results / "tables/table01-support.csv").open() as file:
        overall = [row for row in csv.DictReader(file) if row["scope"] == "overall"]
    assert sum(int(row["tail"]) for row in overall) == len(wanted)
