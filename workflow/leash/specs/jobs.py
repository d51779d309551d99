"""Specs of the jobs that make questions, models, samples, scores and verdicts."""

from collections.abc import Sequence
from typing import Any

from leash import benchmarks, sampling, scoring, training, verify
from leash import traces as external_traces
from leash.benchmarks import prompts
from leash.config import Benchmark, Dapo, Pretrain, Sft, Study
from leash.errors import InputError
from leash.records import canonical_json
from leash.sampling.plan import Shard, questions_sha256
from leash.study import (
    State,
    always_of,
    local_folder,
    place_of,
    recorded,
    recorded_questions,
    rounds_of,
)


def questions(study: Study, benchmark: str, split: str = "evaluation") -> str:
    """Spec of a benchmark's questions: the evaluation ones, or those of a training split (train, rl).

    It holds the prompt template's text and not its name; a file's content is an input of the job.
    """
    block = study.benchmarks[benchmark]
    if block.recorded:
        found = recorded_questions(study, benchmark)
        if found is None:
            raise InputError(f"benchmarks.{benchmark}: known from counts only, so that it has no questions")
        return canonical_json(
            {
                "recorded": str(found.file),
                "benchmark": benchmark,
                "columns": found.columns.model_dump(mode="json"),
                "version": benchmarks.QUESTIONS_VERSION,
            }
        )
    source = block if split == "evaluation" else getattr(block.training, split)
    spec = {
        "size": source.size,
        "prompt": prompts.resolve(block.prompt),
        "version": benchmarks.QUESTIONS_VERSION,
    }
    if block.reasoning_gym is not None:
        spec |= {"reasoning_gym": block.reasoning_gym, "params": block.params, "seed": source.seed}
        return canonical_json(spec)
    spec |= {"benchmark": benchmark, "columns": block.columns.model_dump(mode="json")}
    if block.file is not None:
        return canonical_json(spec | {"file": str(block.file)})
    hub = {name: getattr(block, name) for name in ("hub", "hub_config", "split", "revision")}
    return canonical_json(spec | hub)


def corpus(study: Study, model: str) -> str:
    """Spec of the solver traces that a pretrain or sft recipe learns from."""
    recipe = study.models[model].train
    if isinstance(recipe, Pretrain):
        rows = dict.fromkeys(recipe.benchmarks, recipe.rows_per_benchmark)
    elif isinstance(recipe, Sft):
        rows = {name: recipe.traces_per_question * _rl_size(study, name) for name in recipe.benchmarks}
    else:
        raise InputError(f"models.{model}: no recipe that learns from traces")
    return canonical_json(
        {
            "sources": [
                {
                    "benchmark": name,
                    "task": study.benchmarks[name].reasoning_gym,
                    "rows": rows[name],
                    "traces": study.benchmarks[name].training.traces,
                }
                for name in recipe.benchmarks
            ],
            "seed": study.seed,
            "version": training.CORPUS_VERSION,
        }
    )


def train(study: Study, model: str) -> str:
    """Spec of a training run, without its data and its base, which are input files."""
    block = study.models[model]
    recipe = block.train
    if recipe is None:
        raise InputError(f"models.{model}: no recipe")
    spec: dict[str, Any] = recipe.model_dump(
        mode="json", exclude={"benchmarks", "rows_per_benchmark", "traces_per_question"}
    )
    spec |= {"seed": study.seed, "version": training.TRAINING_VERSION}
    if isinstance(recipe, Dapo):
        spec["checkpoints"] = block.checkpoints
        spec["sources"] = [
            {"benchmark": name, "task": study.benchmarks[name].reasoning_gym} for name in recipe.benchmarks
        ]
    return canonical_json(spec)


def sample(
    study: Study, state: State, benchmark: str, shard: Shard, questions: Sequence[str] | None = None
) -> str:
    """Spec of a sampling job: all that changes which completions are drawn.

    `questions` are those that a shard of a later round is asked for. A trained model's weights are an input file of
    the job, so they are named here only by where they stand.
    """
    asked = {} if questions is None else {"questions": questions_sha256(questions)}
    return canonical_json(
        drawn_by(study, state, benchmark) | {"start": shard.start, "stop": shard.stop} | asked
    )


def drawn_by(study: Study, state: State, benchmark: str) -> dict[str, Any]:
    """What is the same in the sampling specs of all shards of a state on a benchmark."""
    block = study.benchmarks[benchmark]
    served = study.models[state.model].endpoint is not None  # arithmetic and tokens are the server's own
    return {
        "model": _weights(study, state),
        "state": list(state),
        "benchmark": benchmark,
        "chat_template": study.models[state.model].chat_template,
        "temperature": own(block, study, "temperature"),
        "top_p": own(block, study, "top_p"),
        "max_tokens": own(block, study, "max_tokens"),
        "token_ids": 0 if served else study.sampling.token_ids,
        "dtype": None if served else study.sampling.engine.dtype,
        "seed": study.seed,
        "version": sampling.SAMPLER_VERSION,
    }


def next_round(study: Study, state: State, benchmark: str, number: int) -> str:
    """Spec of the plan of a later round."""
    rounds = rounds_of(study, benchmark)
    assert rounds is not None  # no rule asks for it otherwise
    return canonical_json(
        {
            "round": number,
            "rounds": rounds[: number + 1],
            "always": always_of(study, benchmark),
            "shard_tokens": study.sampling.shard_tokens,
            "drawn_by": drawn_by(study, state, benchmark),
        }
    )


def recorded_results(study: Study, state: State, benchmark: str) -> str:
    """Spec of reading a file of recorded results: where it is told, its columns, and what it must hold."""
    source, block = recorded(study, state, benchmark), study.benchmarks[benchmark]
    if source is None:
        raise InputError(f"models.{state.model}: no recorded results on {benchmark}")
    return canonical_json(
        {
            "where": f"models.{state.model}.recorded.{benchmark}",
            "benchmark": benchmark,
            "columns": source.columns.model_dump(mode="json"),
            "budget": block.budget,
            "on_missing": block.on_missing,
        }
    )


def engine(study: Study) -> str:
    """vLLM settings of a sampling job: speed and memory only, so they are no `spec` and redraw nothing."""
    return canonical_json(study.sampling.engine.model_dump(mode="json", exclude={"dtype"}))


def endpoints(study: Study) -> str:
    """How jobs ask the servers of each model: speed and patience only, so it is no `spec` and redraws nothing."""
    blocks = {slug: model.endpoint for slug, model in study.models.items() if model.endpoint}
    return canonical_json(
        {slug: block.model_dump(mode="json", exclude={"model", "revision"}) for slug, block in blocks.items()}
    )


def traces(study: Study, benchmark: str) -> str:
    """Spec of the external traces of a benchmark; a file's content is an input of the job."""
    block = study.benchmarks[benchmark]
    return canonical_json(
        {
            "benchmark": benchmark,
            "task": block.reasoning_gym,
            "seed": study.seed,
            "version": external_traces.TRACES_VERSION,
            "sources": {
                slug: {"style": source.style}
                if source.style
                else {
                    "file": str(source.file),
                    "columns": source.columns.model_dump(mode="json"),
                    "strip_think": source.strip_think,
                    "text": source.text,
                }
                for slug, source in block.traces.items()
            },
        }
    )


def score(study: Study, state: State, benchmark: str, what: str) -> str:
    """Spec of a scoring job, of `completions` or `traces`: all that changes the numbers."""
    block = study.scoring
    assert block is not None  # no rule asks for it otherwise
    common = {
        "model": _weights(study, state),
        "state": list(state),
        "benchmark": benchmark,
        "chat_template": study.models[state.model].chat_template,
        "dtype": block.dtype,
        "too_long": block.too_long,
        "windows": block.windows if what == "traces" else [],
        "per_token": what == "completions" and block.per_token,
        "version": scoring.SCORER_VERSION,
    }
    return canonical_json(common | ({"samples": block.samples} if what == "completions" else {}))


def scorer(study: Study) -> str:
    """Settings of a scoring job: speed and memory only, so they are no `spec` and score nothing anew."""
    block = study.scoring
    if block is None:
        return "{}"
    settings = {name: getattr(block, name) for name in ("max_batch_tokens", "chunk_tokens", "threads")}
    return canonical_json(settings | {"trust_remote_code": study.sampling.engine.trust_remote_code})


def verification(study: Study, benchmark: str) -> str:
    """Spec of a verification job."""
    return canonical_json(_verification(study, benchmark))


def verifications(study: Study) -> str:
    """Specs of the verification of every benchmark, for the check of golds."""
    return canonical_json({name: _verification(study, name) for name in study.benchmarks})


def _verification(study: Study, benchmark: str) -> dict[str, Any]:
    block = study.benchmarks[benchmark]
    return {
        "verifier": block.verifier,
        "rules": block.extraction,
        "timeout": block.verifier_timeout,
        "tolerance": block.tolerance or verify.DEFAULT_TOLERANCE,
        "task": block.reasoning_gym or "",
        "open_ended": block.open_ended,
        "version": verify.VERIFIER_VERSION,
    }


def own(benchmark: Benchmark, study: Study, name: str) -> Any:
    value = getattr(benchmark, name)
    return getattr(study.sampling, name) if value is None else value


def _rl_size(study: Study, benchmark: str) -> int:
    split = study.benchmarks[benchmark].training.rl
    assert split is not None  # loading has checked it
    return split.size


def _weights(study: Study, state: State) -> dict[str, Any]:
    model = study.models[state.model]
    if model.train:
        return {"trained": str(state)}
    if model.endpoint:
        return {"endpoint": model.endpoint.model, "revision": model.endpoint.revision}
    folder = local_folder(study, state)
    if folder:
        return {"path": str(folder)}
    return {"hub": model.hub, "revision": place_of(model, state.checkpoint) or model.revision}
