"""A training corpus: worked solutions to generated questions.

Each source cycles through its questions until it has given its rows; each row's style is drawn anew,
whatever the question. The same spec and questions give the same file.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from random import Random

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.training.spec import CorpusSource, CorpusSpec, parse_corpus_spec
from leash.training.traces import STYLES, write_trace


def completion_text(trace: str, answer: str) -> str:
    """The completion a model learns to write, without the end-of-sequence token."""
    return f"<think>{trace}</think><answer>{answer}</answer>"


def check_styles(source: CorpusSource) -> None:
    """Raise InputError for a task without traces or a style the task does not have."""
    if source.task not in STYLES:
        raise InputError(
            f"benchmark {source.benchmark}: no traces for task '{source.task}'; known: {', '.join(STYLES)}"
        )
    for style in source.traces:
        if style not in STYLES[source.task]:
            raise InputError(
                f"benchmark {source.benchmark}: no trace style '{style}' for task {source.task}; "
                f"known: {', '.join(STYLES[source.task])}"
            )


def source_rows(source: CorpusSource, questions: list[records.Row], seed: int) -> Iterator[records.Row]:
    """The rows of one source, in CORPUS columns, in the order of its questions.

    Two streams of random numbers, so that what a trace draws never shifts the styles that follow.
    """
    check_styles(source)
    draw = Random(f"{seed}/{source.benchmark}/styles")
    rng = Random(f"{seed}/{source.benchmark}/traces")
    styles, weights = list(source.traces), list(source.traces.values())
    for question in islice(cycle(questions), source.rows):
        style = draw.choices(styles, weights)[0]
        trace = write_trace(source.task, style, json.loads(question["metadata"]), question["gold"], rng)
        yield {
            "question_id": question["question_id"],
            "benchmark": source.benchmark,
            "style": style,
            "prompt": question["prompt"],
            "completion": completion_text(trace, question["gold"][0]),
        }


def build_corpus(spec: CorpusSpec, questions: list[Path]) -> Iterator[records.Row]:
    """All rows of a corpus, source by source. Raises InputError for an empty or a missing question file."""
    if len(questions) != len(spec.sources):
        raise InputError(f"--questions: {len(questions)} files for {len(spec.sources)} sources")
    for source, path in zip(spec.sources, questions, strict=True):
        rows = records.read(path, records.QUESTIONS)
        if not rows:
            raise InputError(f"{path}: holds no question for benchmark {source.benchmark}")
        yield from source_rows(source, rows, spec.seed)


@exits_cleanly
def main() -> None:
    """`python -m leash.training.corpus --spec JSON --questions Q.parquet ... --out corpus.parquet`."""
    parser = argparse.ArgumentParser(prog="leash.training.corpus", description=__doc__)
    parser.add_argument("--spec", required=True, help="JSON: sources, seed, version")
    parser.add_argument("--questions", nargs="+", type=Path, required=True, help="one file per source")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_corpus_spec(args.spec)
    records.write(args.out, records.CORPUS, build_corpus(spec, args.questions))


if __name__ == "__main__":
    main()
