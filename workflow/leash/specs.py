"""What each job depends on, as canonical JSON: the `spec` parameter of the rules.

A GPU rule has no code among its inputs, so that a comment costs no GPU time; its spec holds exactly the
fields that change what it makes, and a version constant that is raised when its code changes that.
"""

import json
from typing import Any

from leash import benchmarks, sampling, scoring, training, verify
from leash import traces as external_traces
from leash.benchmarks import prompts
from leash.config import Benchmark, Dapo, Model, Pretrain, Sft, Study
from leash.errors import InputError
from leash.records import canonical_json
from leash.sampling.plan import Shard
from leash.study import (
    ONLY_CHECKPOINT,
    Comparison,
    State,
    audited,
    benchmarks_of,
    comparisons,
    local_folder,
    open_ended,
    place_of,
    recorded,
    recorded_questions,
    repeated,
)
from leash.verify import opinion


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


def sample(study: Study, state: State, benchmark: str, shard: Shard) -> str:
    """Spec of a sampling job: all that changes which completions are drawn.

    A trained model's weights are an input file of the job, so they are named here only by where they stand.
    """
    block = study.benchmarks[benchmark]
    return canonical_json(
        {
            "model": _weights(study, state),
            "state": list(state),
            "benchmark": benchmark,
            "chat_template": study.models[state.model].chat_template,
            "temperature": _own(block, study, "temperature"),
            "top_p": _own(block, study, "top_p"),
            "max_tokens": _own(block, study, "max_tokens"),
            "token_ids": study.sampling.token_ids,
            "dtype": study.sampling.engine.dtype,
            "seed": study.seed,
            "start": shard.start,
            "stop": shard.stop,
            "version": sampling.SAMPLER_VERSION,
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


def tail(study: Study, benchmark: str) -> str:
    """Spec of a tail audit: what a second opinion on a benchmark's answers depends on."""
    block = study.benchmarks[benchmark]
    return canonical_json(
        {
            "verifier": block.verifier,
            "task": block.reasoning_gym,
            "tolerance": block.tolerance or verify.DEFAULT_TOLERANCE,
            "version": opinion.OPINION_VERSION,
        }
    )


def metrics(study: Study, comparison: Comparison, benchmark: str) -> str:
    """What a metrics file says it is about."""
    block = study.benchmarks[benchmark]
    return canonical_json(
        {
            "base": comparison.base._asdict(),
            "target": comparison.target._asdict(),
            "benchmark": benchmark,
            "domain": block.domain,
            "budget": block.budget,
        }
    )


def evidence(study: Study, comparison: Comparison) -> str:
    """Spec of what speaks for a comparison: its benchmarks, in the order of the tables, and the seed of resampling."""
    return json.dumps(
        {
            "base": comparison.base._asdict(),
            "target": comparison.target._asdict(),
            "benchmarks": {
                name: {"domain": study.benchmarks[name].domain, "budget": study.benchmarks[name].budget}
                for name in benchmarks_of(study, comparison.target.model)
            },
            "seed": study.seed,
        }
    )


def shift(comparison: Comparison, benchmark: str) -> str:
    """What a file of shifts of perplexity says it is about."""
    return canonical_json(
        {
            "base": comparison.base._asdict(),
            "target": comparison.target._asdict(),
            "benchmark": benchmark,
        }
    )


def precision(study: Study, compared: list[Comparison]) -> str:
    """`presentation`, with each target's base and each benchmark's verifier, whose answers are the classes."""
    return json.dumps(
        json.loads(presentation(study, compared))
        | {
            "bases": {str(pair.target): str(pair.base) for pair in compared},
            "verifiers": {slug: study.benchmarks[slug].verifier for slug in study.run.benchmarks},
        }
    )


def presentation(study: Study, compared: list[Comparison]) -> str:
    """Labels and order, for tables and figures: the only spec that a label is in."""
    models = {state.model: None for pair in compared for state in pair}
    states = {state: None for pair in compared for state in pair}
    return json.dumps(  # not canonical: the order of the keys is the order of the tables
        {
            "models": {
                slug: {"label": study.models[slug].label or slug, "method": study.models[slug].trained_by}
                for slug in models
            },
            "checkpoints": {
                str(state): _checkpoint_label(study.models[state.model], state) for state in states
            },
            "benchmarks": {slug: study.benchmarks[slug].label or slug for slug in study.run.benchmarks},
            "comparisons": [list(pair.target) for pair in compared],
        }
    )


def of_paper(study: Study, compared: list[Comparison]) -> dict[str, Any]:
    """What of the paper the comparisons repeat: pairs by state, names by benchmark; empty where either is lacking."""
    told = {str(pair.target): repeated(study, pair.target) for pair in compared}
    pairs = {state: {"pair": one[0], "step": one[1]} for state, one in told.items() if one}
    given = {slug: study.benchmarks[slug].published for slug in study.run.benchmarks}
    names = {slug: name for slug, name in given.items() if name}
    return {"comparisons": pairs, "benchmarks": names} if pairs and names else {}


def tables(study: Study, compared: list[Comparison]) -> str:
    """`presentation`, with what of the paper the study repeats, where it does: for the tables that print it beside."""
    shown, paper = presentation(study, compared), of_paper(study, compared)
    return json.dumps(json.loads(shown) | {"published": paper}) if paper else shown


def audits(study: Study) -> str:
    """`presentation`, with the comparisons and benchmarks of which only counts are known, where there are any."""
    pairs = comparisons(study)
    shown = json.loads(presentation(study, pairs))
    known = audited(study)
    unaudited = [
        [*pair.target, name] for pair in pairs for name in study.run.benchmarks if (pair, name) not in known
    ]
    return json.dumps(shown | ({"unaudited": unaudited} if unaudited else {}))


def solutions(study: Study) -> str:
    """`presentation` of the comparisons on open-ended benchmarks, with each target's base and each budget."""
    found = open_ended(study)
    pairs = list(dict.fromkeys(pair for pair, _ in found))
    return json.dumps(
        json.loads(presentation(study, pairs))
        | {
            "bases": {str(pair.target): str(pair.base) for pair in pairs},
            "budgets": {name: study.benchmarks[name].budget for _, name in found},
            "solutions": [[*pair.target, name] for pair, name in found],
        }
    )


def _checkpoint_label(model: Model, state: State) -> str:
    """How a checkpoint is shown beside its model; nothing where it is the only one."""
    if state.checkpoint in model.checkpoint_labels:
        return model.checkpoint_labels[state.checkpoint]
    if state.checkpoint == ONLY_CHECKPOINT:
        return ""
    return (
        state.checkpoint.replace("step", "step ") if isinstance(model.checkpoints, list) else state.checkpoint
    )


def _own(benchmark: Benchmark, study: Study, name: str) -> Any:
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
    folder = local_folder(study, state)
    if folder:
        return {"path": str(folder)}
    return {"hub": model.hub, "revision": place_of(model, state.checkpoint) or model.revision}
