"""Draw one shard: samples [start, stop) of every question of a benchmark, or of those a round asks for.

python -m leash.sampling --spec JSON --engine JSON --questions Q.parquet [--weights DIR] [--round rounds/r1.json]
                         [--endpoints JSON] --out r0-s0.parquet --provenance r0-s0.json

Out: a samples file in question order, and its provenance as JSON. A job that was killed goes on from its finished
samples, and its file is the same.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from leash import records
from leash.console import Progress, claim_stdout
from leash.errors import InputError, exits_cleanly
from leash.processes import die_with_parent, sole_owner
from leash.sampling.cores import claim_cores
from leash.sampling.engine import Engine, Source, prepare_environment
from leash.sampling.parts import Part
from leash.sampling.plan import question_seeds, questions_sha256
from leash.sampling.provenance import differences
from leash.sampling.request import Request, Sampler

ROWS_OF_A_GROUP = 2048
"""Rows of the samples file that are held at once, by its writer and by each of its readers."""


class Opened(NamedTuple):
    """A sampler, and what it reads a prompt as: token ids and the text they spell, or the text alone."""

    sampler: Sampler
    read: Callable[[str], list[int] | str]
    spell: Callable[[list[int]], str]


@exits_cleanly
def main() -> None:
    """Command line of the sample rule."""
    arguments = parser().parse_args()
    terminal = claim_stdout()
    die_with_parent()
    with sole_owner(arguments.out), ExitStack() as held:
        Job(arguments).run(terminal, lambda: open_sampler(arguments, held))


def parser() -> argparse.ArgumentParser:
    """The options; see the module's docstring."""
    options = argparse.ArgumentParser(prog="leash.sampling", description="Draw one shard of samples.")
    options.add_argument("--spec", type=json.loads, required=True, help="what is drawn (leash.specs.sample)")
    options.add_argument(
        "--engine", type=json.loads, required=True, help="vLLM settings (leash.specs.engine)"
    )
    options.add_argument(
        "--endpoints", type=json.loads, default={}, help="servers by model (leash.specs.endpoints)"
    )
    options.add_argument("--questions", type=Path, required=True)
    options.add_argument(
        "--round", type=Path, help="file of a later round, which asks for some questions only"
    )
    options.add_argument("--weights", type=Path, help="folder of a model trained by this workflow")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--provenance", type=Path, required=True)
    return options


def open_sampler(arguments: argparse.Namespace, held: ExitStack) -> Opened:
    """The server of the spec's model, or vLLM with it loaded; `held` keeps the cores that are claimed for it."""
    spec = arguments.spec
    if "endpoint" in spec["model"]:
        settings = arguments.endpoints.get(spec["state"][0])
        if settings is None:
            raise InputError(
                f"{spec['state'][0]}: a model behind an endpoint needs its servers in --endpoints"
            )
        from leash.sampling.endpoint import Endpoint

        return Opened(Endpoint(spec["model"], settings, spec["chat_template"]), str, _no_tokens)
    prepare_environment(arguments.engine)
    if arguments.engine["pin_cores"]:
        claim = claim_cores(arguments.engine["threads"])
        if claim is None:
            print("too few free cores to pin this job: it runs unpinned", file=sys.stderr)
        else:
            held.enter_context(claim)
    engine = Engine(source_of(spec["model"], arguments.weights), spec["dtype"], arguments.engine)
    return Opened(engine, lambda text: engine.render(text, spec["chat_template"]), engine.text)


def _no_tokens(token_ids: list[int]) -> str:
    raise TypeError(f"a server is given text, and not the tokens {token_ids[:5]}")


class Job:
    """One run of the command."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments, self._spec = arguments, arguments.spec
        rows = records.read_by_question(arguments.questions, records.QUESTIONS)
        asked = asked_for(arguments.round, arguments.out.stem, self._spec, list(rows), arguments.questions)
        self._prompts: dict[str, str] = {name: rows[name]["prompt"] for name in asked}
        if not asked:
            raise InputError(
                f"{arguments.questions}: holds no question to draw for; correct the benchmark's size"
            )
        model, checkpoint = self._spec["state"]
        seeds = question_seeds(self._spec["seed"], model, checkpoint, self._spec["benchmark"], list(rows))
        self._seeds = {name: seeds[name] for name in asked}
        self._inputs = {str(arguments.questions): records.file_sha256(arguments.questions)}
        self._weights: dict[str, str] = {}
        if "endpoint" not in self._spec["model"]:
            found = inputs_sha256(source_of(self._spec["model"], arguments.weights), arguments.questions)
            self._weights = {
                Path(name).name: told for name, told in found.items() if name not in self._inputs
            }
            self._inputs = found

    def run(self, terminal: TextIO, open_sampler: Callable[[], Opened]) -> None:
        """Draw what is not drawn yet; write the provenance, then the samples. No sampler where nothing is missing."""
        out = self._arguments.out
        with Part(out, self._spec, self._weights, self._prompts) as part:
            name = f"sample {'/'.join(self._spec['state'])} {self._spec['benchmark']} {out.stem}"
            if part.done < part.total:
                began = time.monotonic()
                opened = open_sampler()
                self._draw(
                    opened, part, time.monotonic() - began, Progress(terminal, name, part.total, "samples")
                )
            records.write_json(self._arguments.provenance, self._told(part))
            records.write(out, records.SAMPLES, part.rows(), ROWS_OF_A_GROUP)

    def _draw(self, opened: Opened, part: Part, engine_start: float, progress: Progress) -> None:
        prompts = read_prompts(opened, self._prompts, self._spec, self._arguments.questions)
        part.begin(opened.sampler.describe() | {"first_prompt": _first(opened, prompts)}, engine_start)
        requests = (
            Request(name, index, self._seeds[name] + index, prompts[name]) for name, index in part.missing()
        )
        began, before = time.monotonic(), part.tokens
        progress.update(part.done)
        spec = self._spec
        for request, completion in opened.sampler.draw(
            requests, spec["temperature"], spec["top_p"], spec["max_tokens"]
        ):
            part.add(request, completion)
            rate = (part.tokens - before) / max(time.monotonic() - began, 1e-9)
            progress.update(part.done, f"{rate:,.0f} tokens/s, {part.open_questions:,} questions open")
        if part.done < part.total:
            raise RuntimeError(f"the sampler has left out {part.total - part.done:,} samples")

    def _told(self, part: Part) -> dict[str, Any]:
        """What a reader needs to draw the same samples again."""
        attempts = part.told_attempts()
        return part.attempts[-1].facts | {
            "spec": self._spec,
            "engine": self._arguments.engine,
            "inputs_sha256": self._inputs,
            "seeds": {"rule": "sample i of a question has the seed below plus i", "questions": self._seeds},
            "samples": part.done,
            "tokens": part.tokens,
            "seconds": {
                key: round(sum(one[key] for one in attempts), 3) for key in ("engine_start", "drawing")
            },
            "attempts": attempts,
        }


def asked_for(
    planned: Path | None, shard: str, spec: dict[str, Any], questions: list[str], file: Path
) -> list[str]:
    """The questions a shard is asked for, in the order of the questions file: all, or those of its round's file.

    Raises InputError where the round's file does not hold the shard, or another one than the spec's.
    """
    if planned is None:
        if "questions" in spec:
            raise InputError(f"--round: missing; the spec of {shard} asks for some questions of {file} only")
        return questions
    anew = f"run again, which plans the round anew if it must; or delete {planned}"
    contents = records.read_json(planned)
    try:
        entry = next((one for one in contents["shards"] if one["name"] == shard), None)
        if entry is None:
            raise InputError(f"{planned}: holds no shard {shard}; {anew}")
        names: list[str] = list(entry["questions"])
        there = {"start": entry["start"], "stop": entry["stop"], "questions": questions_sha256(names)}
    except (KeyError, TypeError) as error:
        raise InputError(f"{planned}: not the file of a round ({error!r}); {anew}") from error
    wanted = {key: spec.get(key) for key in there}
    if there != wanted:
        raise InputError(
            f"{planned}: its {shard} is not what --spec asks for: {differences(there, wanted)}; {anew}"
        )
    strange = sorted(set(names) - set(questions))
    if strange:
        raise InputError(
            f"{planned}: asks for questions that {file} lacks: {records.listed(strange)}; {anew}"
        )
    asked = set(names)
    return [name for name in questions if name in asked]


def read_prompts(
    opened: Opened, prompts: dict[str, str], spec: dict[str, Any], questions: Path
) -> dict[str, list[int] | str]:
    """What the sampler is given for each question. Raises InputError for prompts that leave no room for max_tokens."""
    context, most = opened.sampler.context, spec["max_tokens"]
    found: dict[str, list[int] | str] = {}
    for question_id, text in prompts.items():
        prompt = found[question_id] = opened.read(text)
        tokens = 1 if isinstance(prompt, str) else len(prompt)
        if context is not None and tokens + most > context:
            has = "at least 1 token" if isinstance(prompt, str) else f"{tokens} tokens"
            raise InputError(
                f"{questions}: question {question_id} has {has}; with max_tokens {most} it needs a context of "
                f"{tokens + most}, and the model has {context}: lower max_tokens or raise the model's context "
                "(sampling.engine.max_model_len)"
            )
    return found


def _first(opened: Opened, prompts: dict[str, list[int] | str]) -> dict[str, Any]:
    """The first prompt as the model reads it."""
    question_id, prompt = next(iter(prompts.items()))
    if isinstance(prompt, str):
        return {"question_id": question_id, "text": prompt, "token_ids": None}
    return {"question_id": question_id, "text": opened.spell(prompt), "token_ids": prompt}


def source_of(model: dict[str, str], weights: Path | None) -> Source:
    """Where the spec's model is loaded from."""
    if "hub" in model:
        return Source(model["hub"], model["revision"])
    if "path" in model:
        return Source(model["path"], None)
    if weights is None:
        raise InputError(f"{model['trained']}: a model trained by this workflow needs --weights")
    return Source(str(weights), None)


def inputs_sha256(source: Source, questions: Path) -> dict[str, str]:
    """Hash of the questions and of a local model's weights, by path; a hub model is told by its commit."""
    files = [questions]
    if source.revision is None:
        files += sorted(Path(source.model).glob("*.safetensors"))
    return {str(path): records.file_sha256(path) for path in files}


if __name__ == "__main__":
    main()
