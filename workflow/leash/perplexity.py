"""Scored traces of one state on one benchmark -> negative log-likelihood per token of each trace.

python -m leash.perplexity --tokens trace-tokens.parquet --out perplexity.parquet

Perplexity is exp of it. Beside it what is left after the first tokens of the trace were given as context, and that of
the question's text alone: the same model's on text that no one reasoned.
"""

import argparse
import json
import sys
from math import isfinite
from pathlib import Path

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.records import PERPLEXITY, TOKENS, Row
from leash.scoring.read import windows


def measure(tokens: Path) -> list[Row]:
    """Rows of a perplexity file, by question as they first appear, then source and index.

    Raises InputError for a file without traces, a trace or question that stands twice, numbers that cannot be, and
    tails that do not fit the file's windows.
    """
    after = windows(tokens)
    columns = [
        "question_id",
        "kind",
        "source",
        "index",
        "n_tokens",
        "loglik",
        "tail_loglik",
        "problem",
        "cut",
    ]
    traces: dict[str, dict[tuple[str, int], Row]] = {}
    questions: dict[str, float | None] = {}
    for row in records.stream(tokens, TOKENS, columns):
        name = row["question_id"]
        where = f"{tokens}: question {name!r}, source {row['source']!r}, {row['kind']} {row['index']}"
        if row["kind"] == "question":
            if name in questions:
                raise InputError(f"{where}: stands twice; score again")
            questions[name] = _nll(where, row["loglik"], row["n_tokens"]) if row["problem"] is None else None
        elif row["kind"] == "trace":
            of_question = traces.setdefault(name, {})
            if (row["source"], row["index"]) in of_question:
                raise InputError(f"{where}: stands twice; score again")
            of_question[row["source"], row["index"]] = _trace(where, row, after)
    if not traces:
        raise InputError(f"{tokens}: holds no traces; name a source of traces of this benchmark")
    return [
        trace | {"question_nll": questions.get(name)}
        for name, of_question in traces.items()
        for _, trace in sorted(of_question.items())
    ]


def _trace(where: str, row: Row, after: list[int]) -> Row:
    found: Row = dict.fromkeys(PERPLEXITY.names) | {
        name: row[name] for name in ("question_id", "source", "index", "problem", "cut")
    }
    if row["problem"] is not None:
        return found
    tokens, tails = row["n_tokens"], row["tail_loglik"]
    nll = _nll(where, row["loglik"], tokens)
    known = None if tails is None else [tail is not None for tail in tails]
    if known != [window < tokens for window in after]:
        raise InputError(
            f"{where}: its tails {tails} do not fit windows {after} of {tokens} tokens; score again"
        )
    tail_nll = [
        None if tail is None else _nll(where, tail, tokens - window)
        for tail, window in zip(tails, after, strict=True)
    ]
    return found | {"n_tokens": tokens, "nll": nll, "tail_nll": tail_nll}


def _nll(where: str, loglik: float | None, tokens: int | None) -> float:
    """Negative log-likelihood per token, in nats; never -0."""
    # a sum of float32 logarithms may come out a little above 0
    if not tokens or tokens < 1 or loglik is None or not isfinite(loglik) or loglik > 1e-3 * tokens:
        raise InputError(
            f"{where}: a log-likelihood of {loglik} over {tokens} tokens cannot be; score it again"
        )
    return max(0.0, -loglik / tokens)


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.perplexity", description="Perplexity of every trace.")
    parser.add_argument("--tokens", type=Path, required=True, help="scored traces and questions")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rows = measure(args.tokens)
    schema = PERPLEXITY.with_metadata({"windows": json.dumps(windows(args.tokens))})
    records.write(args.out, schema, rows)
    lost = sum(row["problem"] is not None for row in rows)
    print(f"{args.out}: {len(rows):,} traces, {lost:,} of them not scored", file=sys.stderr)


if __name__ == "__main__":
    main()
