"""Train one model: `python -m leash.training --spec JSON ... --work DIR --out DIR`.

Leaves complete Hugging Face folders under --out (`final`, or `stepN` for each checkpoint) and training.json
beside them. Killed at any moment, the same command goes on from the last whole state under --work.
"""

import argparse
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from leash import records
from leash.console import claim_stdout
from leash.errors import InputError, exits_cleanly
from leash.training.spec import DapoSpec, SupervisedSpec, TrainingSpec, parse_training_spec
from leash.training.work import WorkFolder, sha256_of

_LIBRARIES = ("torch", "transformers", "trl", "tokenizers", "accelerate")


@exits_cleanly
def main() -> None:
    """Parse the command line, train, publish."""
    out = claim_stdout()
    parser = argparse.ArgumentParser(prog="leash.training", description=__doc__)
    parser.add_argument("--spec", required=True, help="JSON: recipe and every setting of it")
    parser.add_argument("--corpus", type=Path, help="corpus of a pretrain or sft recipe")
    parser.add_argument("--questions", nargs="+", type=Path, default=[], help="one file per source of dapo")
    parser.add_argument("--init", type=Path, help="model folder an sft or dapo recipe starts from")
    parser.add_argument("--work", type=Path, required=True, help="resumable states live here")
    parser.add_argument("--out", type=Path, required=True, help="finished model folders go here")
    args = parser.parse_args()
    spec = parse_training_spec(args.spec)
    _check_inputs(spec, args)
    # Before torch is imported, which reads it once.
    os.environ["OMP_NUM_THREADS"] = str(spec.threads)
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    work = WorkFolder(args.work)
    with work.locked():
        work.claim(_identity(spec, args), out)
        history, seconds = _train(spec, args, work, out)
        names = _model_names(spec)
        work.publish(names, args.out)
        records.write_json(args.out / "training.json", _account(spec, history, seconds))
        work.clear()
    print(f"training: {', '.join(names)} in {args.out}, {seconds:.0f} s", file=out)


def _check_inputs(spec: TrainingSpec, args: argparse.Namespace) -> None:
    """Raise InputError for an input the recipe lacks or has no use for."""
    needs = {
        "--corpus": (args.corpus, isinstance(spec, SupervisedSpec)),
        "--questions": (args.questions, isinstance(spec, DapoSpec)),
        "--init": (args.init, spec.recipe != "pretrain"),
    }
    for flag, (given, needed) in needs.items():
        if needed and not given:
            raise InputError(f"recipe {spec.recipe} needs {flag}")
        if given and not needed:
            raise InputError(f"recipe {spec.recipe} has no use for {flag}")
    for path in (args.corpus, args.init, *args.questions):
        if path is not None and not path.exists():
            raise InputError(f"{path}: not there; run the workflow again to make it")


def _identity(spec: TrainingSpec, args: argparse.Namespace) -> dict[str, Any]:
    inputs = {"corpus": args.corpus, "init": args.init}
    inputs |= {f"questions {index}": path for index, path in enumerate(args.questions)}
    return {
        "spec": spec.model_dump(),
        "input": {name: sha256_of(path) for name, path in inputs.items() if path is not None},
    }


def _train(
    spec: TrainingSpec, args: argparse.Namespace, work: WorkFolder, out: TextIO
) -> tuple[list[dict[str, float]], float]:
    # Imported here: torch must see OMP_NUM_THREADS, and a wrong spec should not wait for it.
    from leash.training.session import load_folder, prepare_torch

    prepare_torch(spec)
    if isinstance(spec, DapoSpec):
        from leash.training.dapo import read_prompts, train_dapo

        model, tokenizer = load_folder(args.init, padding_side="left")
        return train_dapo(
            spec, model, tokenizer, read_prompts(spec.sources, args.questions, tokenizer), work, out
        )
    from leash.training.organism import fresh_model
    from leash.training.supervised import train_supervised
    from leash.training.tokenizer import build_tokenizer, encode_corpus

    if spec.architecture is not None:
        tokenizer = build_tokenizer()
        model: Any = fresh_model(spec.architecture, tokenizer, spec.seed)
    else:
        model, tokenizer = load_folder(args.init, padding_side="right")
    return train_supervised(spec, model, tokenizer, encode_corpus(tokenizer, args.corpus), work, out)


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


if __name__ == "__main__":
    main()
