"""Train one model: `python -m leash.training --spec JSON ... --work DIR --out DIR`.

Leaves complete Hugging Face folders under --out (`final`, or `stepN` for each checkpoint) and training.json
beside them. Killed at any moment, the same command goes on from the last whole state under --work.
"""

import argparse
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from leash import records
from leash.console import claim_stdout
from leash.errors import InputError, exits_cleanly
from leash.processes import die_with_parent
from leash.training.spec import DapoSpec, SupervisedSpec, TrainingSpec, parse_training_spec
from leash.training.work import WorkFolder, sha256_of

_LIBRARIES = ("torch", "transformers", "trl", "tokenizers", "accelerate")


class Inputs(NamedTuple):
    """The files a recipe reads; those it has no use for are empty."""

    corpus: Path | None = None
    questions: tuple[Path, ...] = ()
    init: Path | None = None


def train(spec: TrainingSpec, inputs: Inputs, work_folder: Path, out: Path, console: TextIO) -> None:
    """Train by `spec`; leave the finished model folders and training.json under `out`.

    Raises InputError for inputs that are missing, superfluous or unfit, and for a work folder in use.
    """
    _check_inputs(spec, inputs)
    work = WorkFolder(work_folder)
    with work.locked():
        work.claim(_identity(spec, inputs), console)
        history, seconds = _run_recipe(spec, inputs, work, console)
        names = _model_names(spec)
        work.publish(names, out)
        records.write_json(out / "training.json", _account(spec, history, seconds))
        work.clear()
    print(f"training: {', '.join(names)} in {out}, {seconds:.0f} s", file=console)


def _check_inputs(spec: TrainingSpec, inputs: Inputs) -> None:
    """Raise InputError for an input the recipe lacks or has no use for."""
    needs = {
        "--corpus": (inputs.corpus, isinstance(spec, SupervisedSpec)),
        "--questions": (inputs.questions, isinstance(spec, DapoSpec)),
        "--init": (inputs.init, spec.recipe != "pretrain"),
    }
    for flag, (given, needed) in needs.items():
        if needed and not given:
            raise InputError(f"recipe {spec.recipe} needs {flag}")
        if given and not needed:
            raise InputError(f"recipe {spec.recipe} has no use for {flag}")
    for path in (inputs.corpus, inputs.init, *inputs.questions):
        if path is not None and not path.exists():
            raise InputError(f"{path}: not there; run the workflow again to make it")


def _identity(spec: TrainingSpec, inputs: Inputs) -> dict[str, Any]:
    files = {"corpus": inputs.corpus, "init": inputs.init}
    files |= {f"questions {index}": path for index, path in enumerate(inputs.questions)}
    return {
        "spec": spec.model_dump(),
        "input": {name: sha256_of(path) for name, path in files.items() if path is not None},
    }


def _run_recipe(
    spec: TrainingSpec, inputs: Inputs, work: WorkFolder, console: TextIO
) -> tuple[list[dict[str, float]], float]:
    # Imported here: torch must see OMP_NUM_THREADS, and a wrong spec should not wait for it.
    if isinstance(spec, DapoSpec):
        return _run_dapo(spec, inputs, work, console)
    from leash.training.organism import fresh_model
    from leash.training.session import load_folder, prepare_torch
    from leash.training.supervised import train_supervised
    from leash.training.tokenizer import build_tokenizer, encode_corpus

    prepare_torch(spec)
    model: Any
    if spec.architecture is not None:
        tokenizer = build_tokenizer()
        model = fresh_model(spec.architecture, tokenizer, spec.seed)
    else:
        assert inputs.init is not None  # _check_inputs
        model, tokenizer = load_folder(inputs.init, padding_side="right")
    assert inputs.corpus is not None
    return train_supervised(spec, model, tokenizer, encode_corpus(tokenizer, inputs.corpus), work, console)


def _run_dapo(
    spec: DapoSpec, inputs: Inputs, work: WorkFolder, console: TextIO
) -> tuple[list[dict[str, float]], float]:
    from leash.training.dapo import read_prompts, train_dapo
    from leash.training.session import load_folder, prepare_torch

    prepare_torch(spec)
    assert inputs.init is not None  # _check_inputs
    model, tokenizer = load_folder(inputs.init, padding_side="left")
    prompts = read_prompts(spec.sources, inputs.questions, tokenizer)
    return train_dapo(spec, model, tokenizer, prompts, work, console)


def _model_names(spec: TrainingSpec) -> list[str]:
    if isinstance(spec, DapoSpec):
        return [f"step{step}" for step in sorted(set(spec.checkpoints))]
    return ["final"]


def _account(spec: TrainingSpec, history: list[dict[str, float]], seconds: float) -> dict[str, Any]:
    """What training.json holds: spec, library versions, seconds, and the course of loss or reward."""
    metric = "reward" if isinstance(spec, DapoSpec) else "loss"
    course = [{"step": entry["step"], metric: float(entry[metric])} for entry in history if metric in entry]
    return {
        "spec": spec.model_dump(),
        "versions": {library: version(library) for library in _LIBRARIES},
        "seconds": round(seconds, 1),
        f"final_{metric}": course[-1][metric] if course else None,
        "history": course,
    }


@exits_cleanly
def main() -> None:
    """Parse the command line and train."""
    die_with_parent()
    console = claim_stdout()
    parser = argparse.ArgumentParser(prog="leash.training", description=__doc__)
    parser.add_argument("--spec", required=True, help="JSON: recipe and every setting of it")
    parser.add_argument("--corpus", type=Path, help="corpus of a pretrain or sft recipe")
    parser.add_argument("--questions", nargs="+", type=Path, default=[], help="one file per source of dapo")
    parser.add_argument("--init", type=Path, help="model folder an sft or dapo recipe starts from")
    parser.add_argument("--work", type=Path, required=True, help="resumable states live here")
    parser.add_argument("--out", type=Path, required=True, help="finished model folders go here")
    args = parser.parse_args()
    spec = parse_training_spec(args.spec)
    # Before torch is imported, which reads it once.
    os.environ["OMP_NUM_THREADS"] = str(spec.threads)
    # Threads that wait for each other must not burn the core another job needs: spinning costs a factor of 9.
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    inputs = Inputs(args.corpus, tuple(args.questions), args.init)
    train(spec, inputs, args.work, args.out, console)


if __name__ == "__main__":
    main()
