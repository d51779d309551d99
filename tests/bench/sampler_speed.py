"""How fast is the sampling job, beside a bare LLM.generate?

    python tests/bench/sampler_speed.py [--model FOLDER --questions FILE] [--samples 32] [--max-tokens 90]
                                        [--repeats 3] [--threads 1]

Tokens a second of the two on one engine, which is started once and not timed. They take turns. Both are given the same
requests, one per sample, with the same seeds.
  job       from the ready engine to the renamed samples file: part file, provenance and progress included
  generate  LLM.generate of all requests at once; what it draws is not written anywhere
The ratio is the median of those of each turn, after a first turn that does not count; then the same by CPU time. By
default a tiny random model of its own, and 64 questions. A few minutes on two cores; other work on them makes the turns
differ, and then more of them are needed.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from random_models import save

from leash import records
from leash.sampling.__main__ import Job, Opened, parser
from leash.sampling.engine import Engine, Source, prepare_environment
from leash.sampling.plan import question_seeds
from leash.sampling.provenance import part_path

VOCABULARY, CONTEXT = 1024, 512


def spec(model: Path, samples: int, max_tokens: int) -> dict[str, Any]:
    """A shard of `samples` samples of each question; token ids are kept of the first 8, as in a real study."""
    return {
        "model": {"path": str(model)},
        "state": ["bench", "final"],
        "benchmark": "bench",
        "chat_template": False,
        "temperature": 1.0,
        "top_p": 0.95,
        "max_tokens": max_tokens,
        "token_ids": 8,
        "dtype": "float32",
        "seed": 0,
        "start": 0,
        "stop": samples,
        "version": 1,
    }


def settings(threads: int) -> dict[str, Any]:
    """The engine of the default study."""
    return {
        "tensor_parallel_size": 1,
        "gpu_memory_utilization": 0.9,
        "max_model_len": None,
        "max_num_seqs": 1024,
        "max_num_batched_tokens": 32_768,
        "enable_chunked_prefill": False,
        "enforce_eager": True,
        "in_process": True,
        "threads": threads,
        "pin_cores": False,
        "cpu_kvcache_gib": 1,
        "trust_remote_code": False,
    }


def random_questions(path: Path, count: int) -> None:
    """Questions of the one word that the random model's tokenizer knows."""
    rows = [
        {"question_id": f"q{i}", "question": "", "gold": [], "prompt": "word", "metadata": "{}"}
        for i in range(count)
    ]
    records.write(path, records.QUESTIONS, rows)


class Took(NamedTuple):
    """Tokens drawn, and the wall and CPU seconds it took."""

    tokens: int
    seconds: float
    cpu_seconds: float


def timed(draw: Callable[[], int]) -> Took:
    """Time what draws and returns its tokens."""
    wall, cpu = time.perf_counter(), time.process_time()
    tokens = draw()
    return Took(tokens, time.perf_counter() - wall, time.process_time() - cpu)


def job(engine: Engine, asked: dict[str, Any], questions: Path, folder: Path) -> int:
    """The sampling job; the tokens it says it has drawn."""
    out = folder / "r0-s0.parquet"
    for left in (out, part_path(out)):
        left.unlink(missing_ok=True)
    arguments = parser().parse_args(
        [
            *("--spec", json.dumps(asked), "--engine", "{}", "--questions", str(questions)),
            *("--out", str(out), "--provenance", str(out.with_suffix(".json"))),
        ]
    )
    opened = Opened(engine, lambda text: engine.render(text, False), engine.text)
    Job(arguments).run(StringIO(), lambda: opened)
    return int(records.read_json(out.with_suffix(".json"))["tokens"])


def bare(engine: Engine, asked: dict[str, Any], questions: Path) -> Callable[[], int]:
    """LLM.generate of the same requests, ready to be timed; it returns the tokens it has drawn."""
    from vllm import SamplingParams

    rows = records.read_by_question(questions, records.QUESTIONS)
    seeds = question_seeds(0, "bench", "final", "bench", list(rows))
    given = {name: {"prompt_token_ids": engine.render(row["prompt"], False)} for name, row in rows.items()}
    options = {name: asked[name] for name in ("temperature", "top_p", "max_tokens")}
    cells = [(name, index) for name in rows for index in range(asked["stop"])]
    prompts = [given[name] for name, _ in cells]
    parameters = [SamplingParams(seed=seeds[name] + index, **options) for name, index in cells]

    def generate() -> int:
        drawn = engine._llm.generate(prompts, parameters, use_tqdm=False)
        return sum(len(one.outputs[0].token_ids) for one in drawn)

    return generate


def main() -> None:
    """Command line; see the module's docstring."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--model", type=Path, help="folder of a model")
    options.add_argument("--questions", type=Path, help="questions file")
    options.add_argument("--samples", type=int, default=32, help="samples of each question")
    options.add_argument("--max-tokens", type=int, default=90)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--threads", type=int, default=1)
    args = options.parse_args()
    if (args.model is None) != (args.questions is None):
        options.error("--model and --questions go together")
    prepare_environment(settings(args.threads))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, questions = args.model, args.questions
        if model is None:
            model, questions = folder / "model", folder / "questions.parquet"
            save(model, VOCABULARY, 96, 3, CONTEXT)
            random_questions(questions, 64)
        engine = Engine(Source(str(model), None), "float32", settings(args.threads))
        asked = spec(model, args.samples, args.max_tokens)
        ratios: list[tuple[float, float]] = []
        for turn in range(args.repeats + 1):
            ours = timed(lambda: job(engine, asked, questions, folder))
            generate = timed(bare(engine, asked, questions))
            if ours.tokens != generate.tokens:
                raise AssertionError(
                    f"the job drew {ours.tokens:,} tokens, and LLM.generate {generate.tokens:,}"
                )
            ratio = generate.seconds / ours.seconds, generate.cpu_seconds / ours.cpu_seconds
            ratios += [ratio] if turn else []
            rates = [one.tokens / one.seconds for one in (ours, generate)]
            print(
                f"{f'turn {turn}' if turn else 'first turn':12}job {rates[0]:,.0f} tokens/s, generate {rates[1]:,.0f}, "
                f"ratio {ratio[0]:.3f}, by CPU time {ratio[1]:.3f}",
                flush=True,
            )
        wall, cpu = (statistics.median(some) for some in zip(*ratios, strict=True))
        print(f"{ours.tokens:,} tokens a turn: ratio {wall:.3f}, by CPU time {cpu:.3f} (target 0.95)")


if __name__ == "__main__":
    main()
