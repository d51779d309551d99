# What every stage needs: the checked config, the study it expands to, and where files stand.
# Needs config. Makes nothing.
import os
import re
import shlex
import sys
import time
from functools import cache
from importlib import metadata
from pathlib import Path

from snakemake.exceptions import WorkflowError

from leash import specs, study
from leash.errors import InputError
from leash.loading import load
from leash.modules import module_files
from leash.records import read_json
from leash.sampling.plan import Shard, first_round, shards
from leash.study import (
    always_of,
    audited,
    base_state,
    benchmarks_of,
    comparisons,
    local_folder,
    recorded,
    recorded_questions,
    rounds_of,
    states,
)

BEGAN = int(time.time())

try:
    STUDY = load(
        config,
        map(
            Path,
            [
                "config/config.yaml",
                *map(os.path.relpath, workflow.overwrite_configfiles),
            ],
        ),
    )
except InputError as error:
    raise WorkflowError(str(error)) from None

RESULTS = f"results/{STUDY.study}"
LOGS = f"{RESULTS}/logs"
TIMES = f"{RESULTS}/benchmarks"

# Jobs use the interpreter that runs Snakemake, whether its environment is activated or not.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def has_gpu():
    """Whether jobs run on a GPU: whether vLLM's GPU build is installed. A cluster's login node has no GPU of its own."""
    try:
        return bool(metadata.version("vllm"))
    except metadata.PackageNotFoundError:
        return False


GPUS = STUDY.sampling.engine.tensor_parallel_size if has_gpu() else 0
STATES = states(STUDY)
COMPARISONS = comparisons(STUDY)


wildcard_constraints:
    model=r"[a-z0-9._-]+",
    checkpoint=r"[a-z0-9._-]+",
    benchmark=r"[a-z0-9._-]+",
    split="train|rl",
    round=r"[1-9]\d*",
    shard=r"r\d+-s\d+",


def state_of(wildcards):
    """The state that a job's wildcards name."""
    return next(one for one in STATES if one == (wildcards.model, wildcards.checkpoint))


def comparison_of(wildcards):
    """The comparison whose target a job's wildcards name."""
    return next(one for one in COMPARISONS if one.target == (wildcards.model, wildcards.checkpoint))


def first_shards_of(state, benchmark):
    """The shards of round 0, by name: r0-s0, r0-s1, …, all there are of an exhaustive draw; of recorded ones, one."""
    budget, rounds = STUDY.benchmarks[benchmark].budget, rounds_of(STUDY, benchmark)
    if recorded(STUDY, state, benchmark):
        return {"r0-s0": Shard(0, 0, 0, budget)}
    per_job = STUDY.sampling.shard_samples
    return {one.name: one for one in (first_round(rounds, per_job) if rounds else shards(budget, per_job))}


def rounds_options(benchmark):
    """The rounds after which a question may have stopped, and those that go on; nothing where drawing is exhaustive."""
    rounds, always = rounds_of(STUDY, benchmark), always_of(STUDY, benchmark)
    if rounds is None:
        return ""
    return f"--rounds {' '.join(map(str, rounds))} {shlex.join(['--always', *always]) if always else ''}"


def of_base(name):
    """A file of a target's base."""
    return lambda wildcards: f"{RESULTS}/{comparison_of(wildcards).base}/{wildcards.benchmark}/{name}"


def files_in(wildcards, folder, names, suffix="parquet"):
    """Files of shards, in a folder of a job's state and benchmark."""
    place = f"{RESULTS}/{wildcards.model}/{wildcards.checkpoint}/{wildcards.benchmark}/{folder}"
    return [f"{place}/{name}.{suffix}" for name in names]


def file_of_round(state, benchmark, number):
    """What a later round draws; where that is not known yet, Snakemake makes it and asks again."""
    return checkpoints.plan_round.get(
        model=state.model, checkpoint=state.checkpoint, benchmark=benchmark, round=number
    ).output[0]


@cache
def read_round(file, written):
    """The shards of a later round, by name; read once for all its jobs. `written` is the file's time."""
    return {shard["name"]: shard for shard in read_json(Path(file))["shards"]}


def shards_of_round(state, benchmark, number):
    """The shards of a later round, by name, with the questions that each is asked for."""
    file = file_of_round(state, benchmark, number)
    return read_round(file, os.stat(file).st_mtime_ns)


def shards_before(state, benchmark, number):
    """Names of all shards of the rounds before one. After a round that had nothing to draw there are none."""
    names = list(first_shards_of(state, benchmark))
    for earlier in range(1, number):
        found = shards_of_round(state, benchmark, earlier)
        if not found:
            break
        names += found
    return names


def shards_of(state, benchmark):
    """Names of all shards of a state on a benchmark."""
    return shards_before(state, benchmark, len(rounds_of(STUDY, benchmark) or [0]))


def weights_of(state):
    """Files that a state is loaded from: a trained model's or a local folder's weights; none for the hub."""
    if STUDY.models[state.model].train:
        return [f"{RESULTS}/training/{state}/model.safetensors"]
    folder = local_folder(STUDY, state)
    return sorted(map(str, folder.glob("*.safetensors"))) if folder else []
