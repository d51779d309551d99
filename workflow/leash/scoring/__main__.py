"""Score a model's own completions, or others' traces, on one benchmark: log-likelihood and entropy per token.

python -m leash.scoring --spec JSON --settings JSON --questions Q.parquet [--weights DIR]
                        (--samples S.parquet ... --sampled S.json | --traces T.parquet)
                        --out tokens.parquet --provenance tokens.json

A job that was killed goes on from its finished batches, and its file is the same.
"""

import argparse
import hashlib
import json
import platform
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from leash import records
from leash.console import Progress, claim_stdout
from leash.errors import exits_cleanly
from leash.processes import die_with_parent, sole_owner
from leash.records import Row
from leash.sampling.__main__ import inputs_sha256, source_of
from leash.sampling.prompts import render
from leash.scoring.batches import Item, plan
from leash.scoring.forward import Scored, Scorer
from leash.scoring.parts import Parts
from leash.scoring.work import Prompts, Text, blocks, completions, fitted, traces


@exits_cleanly
def main() -> None:
    """Command line of the score rules."""
    arguments = parser().parse_args()
    terminal = claim_stdout()
    die_with_parent()
    with sole_owner(arguments.out):
        Job(arguments).run(terminal)


def parser() -> argparse.ArgumentParser:
    """The options; see the module's docstring."""
    options = argparse.ArgumentParser(prog="leash.scoring", description="Teacher-forced scoring.")
    options.add_argument("--spec", type=json.loads, required=True, help="what is scored (leash.specs.score)")
    options.add_argument(
        "--settings", type=json.loads, required=True, help="speed and memory (leash.specs.scorer)"
    )
    options.add_argument("--questions", type=Path, required=True)
    options.add_argument("--weights", type=Path, help="folder of a model trained by this workflow")
    what = options.add_mutually_exclusive_group(required=True)
    what.add_argument("--samples", type=Path, nargs="+", help="the shards that hold the first samples")
    what.add_argument("--traces", type=Path)
    options.add_argument(
        "--sampled", type=Path, help="provenance of the first shard, for the prompt it was given"
    )
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--provenance", type=Path, required=True)
    return options


class Job:
    """One run of the command."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments, self._spec, self._settings = arguments, arguments.spec, arguments.settings
        self._source = source_of(self._spec["model"], arguments.weights)
        self._inputs = inputs_sha256(self._source, arguments.questions) | {
            str(path): records.file_sha256(path) for path in arguments.samples or [arguments.traces]
        }
        self._tokens = 0
        self._unscored: dict[str, int] = {}

    def run(self, terminal: Any) -> None:
        """Score what is not scored yet, write the output and its provenance."""
        began = time.monotonic()
        scorer = Scorer(
            self._source,
            self._spec["dtype"],
            chunk_tokens=self._settings["chunk_tokens"],
            threads=self._settings["threads"],
            trust_remote_code=self._settings["trust_remote_code"],
        )
        prompts = Prompts(
            self._arguments.questions,
            lambda text: render(scorer.tokenizer, text, self._spec["chat_template"]),
        )
        if self._arguments.sampled:
            prompts.check(self._arguments.sampled)
        # The batches depend on what bounds them, and so do the last bits of what they give.
        job = {"spec": self._spec, "inputs": self._inputs, "bound": self._settings["max_batch_tokens"]}
        parts = Parts(self._arguments.out, job)
        ready = time.monotonic()
        batches = self._score(scorer, prompts, parts, terminal)
        notes = {"windows": json.dumps(self._spec["windows"])}
        rows = parts.finish(self._arguments.out, batches, notes)
        records.write_json(
            self._arguments.provenance,
            {
                "spec": self._spec,
                "settings": self._settings,
                "model": self._source._asdict(),
                "inputs_sha256": self._inputs,
                "chat_template_sha256": _template_hash(scorer.tokenizer),
                "rows": rows,
                "tokens_scored_in_this_run": self._tokens,
                "not_scored": self._unscored,
                "seconds": {"loading": ready - began, "scoring": time.monotonic() - ready},
                "versions": {
                    "python": platform.python_version(),
                    **{name: version(name) for name in ("torch", "transformers")},
                },
                "device": scorer.device_name,
            },
        )

    def _texts(self, scorer: Scorer, prompts: Prompts) -> Iterator[Text]:
        if self._arguments.samples:
            return completions(self._arguments.samples, self._spec["samples"], prompts)
        return traces(self._arguments.traces, prompts, scorer.tokenizer)

    def _score(self, scorer: Scorer, prompts: Prompts, parts: Parts, terminal: Any) -> int:
        """Score batch by batch; how many batches there are."""
        name = f"score {'/'.join(self._spec['state'])} {self._spec['benchmark']} {self._arguments.out.stem}"
        progress = Progress(terminal, name, self._total(prompts), "texts")
        progress.update(0)
        batch = done = 0
        for block in blocks(self._texts(scorer, prompts)):
            texts, items = self._prepared(scorer, block)
            refused = [_row(text, None, self._spec, was_cut) for text, was_cut in texts if text.problem]
            if not parts.has(batch):
                parts.add(batch, refused)
            batch, done = batch + 1, done + len(refused)
            for some in plan(items, self._settings["max_batch_tokens"]):
                if not parts.has(batch):
                    scored = scorer.score(some)
                    rows = [
                        _row(texts[item.key][0], one, self._spec, texts[item.key][1])
                        for item, one in zip(some, scored, strict=True)
                    ]
                    parts.add(batch, rows)
                    self._tokens += sum(len(item.scored_ids) for item in some)
                batch, done = batch + 1, done + len(some)
                progress.update(done, f"{self._tokens:,} tokens")
        return batch

    def _prepared(self, scorer: Scorer, block: list[Text]) -> tuple[list[tuple[Text, bool]], list[Item]]:
        """The texts of a block, cut or with their problem, and the items of those that can be scored."""
        texts, items = [], []
        for index, text in enumerate(block):
            kept, was_cut = fitted(text, scorer.context, self._spec["too_long"])
            item = Item(index, kept.prompt_ids, kept.ids)
            problem = kept.problem or scorer.problem(item)
            texts.append((kept._replace(problem=problem), was_cut))
            if problem:
                self._unscored[problem] = self._unscored.get(problem, 0) + 1
            else:
                items.append(item)
        return texts, items

    def _total(self, prompts: Prompts) -> int:
        if self._arguments.samples:
            return len(prompts.rows) * int(self._spec["samples"])
        rows = records.read(self._arguments.traces, records.TRACES, ["question_id"])
        return len(rows) + len({row["question_id"] for row in rows})


def _row(text: Text, scored: Scored | None, spec: dict[str, Any], cut: bool) -> Row:
    row: Row = dict.fromkeys(records.TOKENS.names) | {
        "question_id": text.question_id,
        "kind": text.kind,
        "source": text.source,
        "index": text.ordinal,
        "problem": text.problem,
        "cut": cut,
    }
    if scored is None:
        return row
    loglik = scored.loglik.astype(np.float64)
    row |= {
        "n_tokens": len(loglik),
        "loglik": float(loglik.sum()),
        "entropy": float(scored.entropy.astype(np.float64).sum()),
    }
    if text.kind == "trace":
        row["tail_loglik"] = [
            float(loglik[window:].sum()) if window < len(loglik) else None for window in spec["windows"]
        ]
    if text.kind == "trace" or spec["per_token"]:
        row["token_loglik"] = scored.loglik.astype(np.float16)
        row["token_entropy"] = scored.entropy.astype(np.float16)
    return row


def _template_hash(tokenizer: Any) -> str | None:
    template = tokenizer.chat_template
    return hashlib.sha256(str(template).encode()).hexdigest() if template else None


if __name__ == "__main__":
    main()
