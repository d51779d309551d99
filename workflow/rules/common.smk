# What every stage needs: the checked config, the study it expands to, and where files stand.
# Needs config. Makes nothing.
import os
import re
import sys
import time
from importlib import metadata
from pathlib import Path

from snakemake.exceptions import WorkflowError

from leash import specs
from leash.errors import InputError
from leash.loading import load
from leash.modules import module_files
from leash.sampling.plan import Shard, shards
from leash.study import (
    audited,
    base_state,
    benchmarks_of,
    checkpoints,
    comparisons,
    local_folder,
    recorded,
    recorded_questions,
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
    shard=r"r\d+-s\d+",


def state_of(wildcards):
    """The state that a job's wildcards name."""
    return next(one for one in STATES if one == (wildcards.model, wildcards.checkpoint))


def comparison_of(wildcards):
    """The comparison whose target a job's wildcards name."""
    return next(one for one in COMPARISONS if one.target == (wildcards.model, wildcards.checkpoint))


def shards_of(state, benchmark):
    """Names of the shards of a state's samples: r0-s0, r0-s1, …; recorded completions are one."""
    budget = STUDY.benchmarks[benchmark].budget
    if recorded(STUDY, state, benchmark):
        return {"r0-s0": Shard(0, 0, 0, budget)}
    return {one.name: one for one in shards(budget, STUDY.sampling.shard_samples)}


def weights_of(state):
    """Files that a state is loaded from: a trained model's or a local folder's weights; none for the hub."""
    if STUDY.models[state.model].train:
        return [f"{RESULTS}/training/{state}/model.safetensors"]
    folder = local_folder(STUDY, state)
    return sorted(map(str, folder.glob("*.safetensors"))) if folder else []
