"""The workflow through profiles/slurm, on a real Slurm cluster of one node; skipped where Slurm is not installed.

Debian: apt-get install slurm-wlm munge. `pytest -s tests/slurm` prints what the cluster did.
"""

import csv
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from checkout import Checkout
from leash.processes import die_with_parent
from leash.training.organism import fresh_model
from leash.training.spec import Architecture
from leash.training.tokenizer import build_tokenizer
from slurm.cluster import Cluster, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"Slurm is not installed: no {', '.join(missing())}")

# Two untrained models on one task: the cheapest study in which a job asks for a GPU.
STUDY = """
study: small
run: {models: [second], benchmarks: [gcd]}
models:
  first: {path: models/first}
  second: {base: first, path: models/second}
benchmarks:
  gcd: {size: 4, budget: 8}
sampling: {max_tokens: 4, shard_samples: 8, engine: {cpu_kvcache_gib: 1, max_num_seqs: 32}}
scoring: {samples: 8}
"""
TABLE = "results/small/tables/table01-support.csv"
FIELDS = ("JobState", "ExitCode", "Restarts", "RunTime", "TimeLimit", "TRES", "JOB_GRES")
# This cluster keeps no accounts. And the profile waits as one should on a cluster; one node needs no such patience.
HERE = (
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    *("--latency-wait", "5", "--max-jobs-per-timespan", "20/1s"),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as running:
        yield running


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The repository with the study's models, and the name of vLLM's GPU build, for which rules ask for GPUs."""
    made = Checkout.make(tmp_path_factory.mktemp("slurm") / "study")
    (made.folder / "mine.yaml").write_text(STUDY)
    for seed, name in enumerate(("first", "second")):
        tokenizer = build_tokenizer()
        model = fresh_model(
            Architecture(hidden_size=64, intermediate_size=64, layers=1, heads=2, kv_heads=2), tokenizer, seed
        )
        model.save_pretrained(made.folder / "models" / name)
        tokenizer.save_pretrained(made.folder / "models" / name)
    told = made.folder / "gpu-build/vllm-0+cpu.dist-info/METADATA"
    told.parent.mkdir(parents=True)
    told.write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0+cpu\n")
    return made


def start(checkout: Checkout, cluster: Cluster, *arguments: str) -> "subprocess.Popen[str]":
    """Snakemake with the cluster's profile."""
    environment = checkout.environment() | cluster.environment()
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "snakemake", "--configfile", "mine.yaml"),
            *("--workflow-profile", "profiles/slurm", *HERE, *arguments, "--", TABLE),
        ],
        cwd=checkout.folder,
        env=environment
        | {
            "PYTHONPATH": os.pathsep.join(str(checkout.folder / name) for name in ("workflow", "gpu-build")),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=die_with_parent,
    )


def rule_of(job: dict[str, str]) -> str:
    """The rule that a job of the cluster ran, from the name of its log."""
    found = re.search(r"/rule_([a-z_]+)/", job["StdOut"])
    assert found, job
    return found[1]


def preempt_one(cluster: Cluster, rule: str, snakemake: "subprocess.Popen[str]") -> None:
    """Send the first running job of a rule back to the queue, as preemption does."""
    while snakemake.poll() is None:
        for job in cluster.jobs():
            if rule_of(job) == rule and job["JobState"] == "RUNNING":
                cluster.ask("scontrol", "requeue", job["JobId"])
                return
        time.sleep(0.5)


@pytest.fixture(scope="module")
def jobs(checkout: Checkout, cluster: Cluster) -> list[tuple[str, dict[str, str]]]:
    """What the cluster did for the heavy part of the study, by rule."""
    snakemake = start(checkout, cluster, "--until", "verify_samples", "--no-hooks")
    preempt_one(cluster, "draw_samples", snakemake)
    try:
        printed, _ = snakemake.communicate(timeout=900)
    finally:
        snakemake.kill()
    done = [(rule_of(job), job) for job in cluster.jobs()]
    print(printed)
    for rule, job in done:
        print(job["JobId"], rule, *(f"{field}={job[field]}" for field in FIELDS))
    assert snakemake.returncode == 0, printed
    return done


def test_every_rule_ran_as_a_job(jobs: list[tuple[str, dict[str, str]]]) -> None:
    assert sorted(rule for rule, _ in jobs) == [
        *("draw_samples", "draw_samples", "generate_questions", "verify_samples", "verify_samples")
    ]
    assert {job["JobState"] for _, job in jobs} == {"COMPLETED"}


def test_sampling_got_a_gpu_and_nothing_else_did(jobs: list[tuple[str, dict[str, str]]]) -> None:
    for rule, job in jobs:
        assert (job["JOB_GRES"] == "gpu:1") == (rule == "draw_samples"), (rule, job["JOB_GRES"])


def test_limits_are_those_of_the_profile(jobs: list[tuple[str, dict[str, str]]]) -> None:
    asked = {rule: (job["TimeLimit"], job["MinMemoryNode"]) for rule, job in jobs}
    assert asked["draw_samples"] == ("12:00:00", "62.50G")
    assert asked["generate_questions"] == ("01:00:00", "4000M")


def test_a_preempted_job_is_waited_for(jobs: list[tuple[str, dict[str, str]]]) -> None:
    assert sorted(job["Restarts"] for rule, job in jobs if rule == "draw_samples") == ["0", "1"]


def test_the_rest_is_made_here_and_nothing_again(
    checkout: Checkout, jobs: list[tuple[str, dict[str, str]]]
) -> None:
    del jobs
    samples = sorted(checkout.folder.glob("results/small/*/final/gcd/samples/*.parquet"))
    before = [path.stat().st_mtime_ns for path in samples]
    ended = checkout.run("--configfile", "mine.yaml", "--", TABLE)
    assert ended.returncode == 0, ended.stdout
    assert len(samples) == 2
    assert [path.stat().st_mtime_ns for path in samples] == before
    with (checkout.folder / TABLE).open(newline="") as file:
        assert {row["questions"] for row in csv.DictReader(file)} == {"4"}
