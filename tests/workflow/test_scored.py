"""Tables 2 and 5 of the smoke study, recomputed with plain transformers from the files that were scored."""

import csv
from collections import Counter
from math import exp, log
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from checkout import Checkout

SAMPLES = 4  # scoring.samples of the smoke study
STATE = "dapo/step4"


class Plain:
    """A model as transformers runs it, all logits at once."""

    def __init__(self, checkout: Checkout, state: str) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        folder = checkout.results / "training" / state
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModelForCausalLM.from_pretrained(folder)

    def tokens(self, prompt: list[int], ids: list[int]) -> tuple[list[float], list[float]]:
        """Log-likelihood and entropy of each of the ids after the prompt."""
        import torch

        with torch.inference_mode():
            logits = self._model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1].double()
        logs = torch.log_softmax(logits, dim=-1)
        told = logs[torch.arange(len(ids)), torch.tensor(ids)]
        return told.tolist(), (-(logs.exp() * logs).sum(-1)).tolist()


def rows(file: Path) -> list[dict[str, Any]]:
    return pq.read_table(file).to_pylist()


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def entropy(names: list[str]) -> float:
    return -sum(n / len(names) * log(n / len(names)) for n in Counter(names).values())


def prompts(checkout: Checkout, plain: Plain) -> dict[str, list[int]]:
    questions = rows(checkout.results / "questions/gcd.parquet")
    return {row["question_id"]: plain.tokenizer(row["prompt"])["input_ids"] for row in questions}


def test_table05_equals_a_recomputation(finished: tuple[Checkout, str]) -> None:
    checkout = finished[0]
    plain = Plain(checkout, STATE)
    asked = prompts(checkout, plain)
    here = checkout.results / STATE / "gcd"
    by_question: dict[str, list[float]] = {}
    for row in rows(here / "samples/r0-s0.parquet"):
        if row["sample_index"] < SAMPLES:
            entropies = plain.tokens(asked[row["question_id"]], row["token_ids"])[1]
            by_question.setdefault(row["question_id"], []).append(mean(entropies))
    answers: dict[str, list[str]] = {}
    correct = []
    for row in rows(here / "verdicts/r0-s0.parquet"):
        if row["sample_index"] < SAMPLES:
            answers.setdefault(row["question_id"], []).append(row["answer"] or "NA")
            correct.append(float(row["outcome"] == "correct"))
    kept = {row["question_id"]: row["token_entropy"] for row in rows(here / "entropy.parquet")}
    for name in list(by_question)[:3]:
        assert kept[name] == pytest.approx(mean(by_question[name]), abs=1e-4)
    with (checkout.results / "tables/table05-precision-entropy.csv").open(newline="") as file:
        (told,) = (
            row
            for row in csv.DictReader(file)
            if (f"{row['model']}/{row['checkpoint']}", row["benchmark"]) == (STATE, "gcd")
        )
    assert float(told["token_entropy"]) == pytest.approx(
        mean([mean(found) for found in by_question.values()]), abs=1e-4
    )
    assert float(told["answer_entropy"]) == pytest.approx(
        mean([entropy(names) for names in answers.values()]), abs=1e-4
    )
    assert float(told["avg"]) == pytest.approx(mean(correct), abs=1e-12)


def test_table02_equals_a_recomputation(finished: tuple[Checkout, str]) -> None:
    checkout = finished[0]
    sides = {"base": Plain(checkout, "base/final"), "target": Plain(checkout, STATE)}
    asked = prompts(checkout, sides["base"])
    traces = {
        row["question_id"]: row["trace"]
        for row in rows(checkout.results / "traces/gcd.parquet")
        if row["source"] == "rare"
    }
    nll: dict[str, dict[str, float]] = {"base": {}, "target": {}}
    for side, plain in sides.items():
        for name, text in traces.items():
            ids = plain.tokenizer(text, add_special_tokens=False)["input_ids"]
            nll[side][name] = -mean(plain.tokens(asked[name], ids)[0])
    with (checkout.results / "tables/table02-perplexity.csv").open(newline="") as file:
        (told,) = (
            row
            for row in csv.DictReader(file)
            if f"{row['target']}/{row['target_checkpoint']}" == STATE
            and (row["scope"], row["benchmark"], row["region"], row["source"])
            == ("benchmark", "gcd", "all", "rare")
        )
    assert int(told["questions"]) == len(traces) == 12
    for side in sides:
        wanted = mean([exp(value) for value in nll[side].values()])
        assert float(told[f"{side}_perplexity"]) == pytest.approx(wanted, abs=1e-4)
    difference = mean([nll["target"][name] - nll["base"][name] for name in traces])
    assert float(told["difference"]) == pytest.approx(difference, abs=1e-4)


def test_the_figures_and_tables_of_scoring_are_made(finished: tuple[Checkout, str]) -> None:
    results = finished[0].results
    for table in ("table02-perplexity", "table05-precision-entropy"):
        for suffix in ("csv", "md", "tex"):
            assert (results / f"tables/{table}.{suffix}").stat().st_size > 0
    for figure in ("entropy-decoupling", "perplexity-style"):
        for suffix in ("pdf", "png"):
            assert (results / f"figures/{figure}.{suffix}").stat().st_size > 0
