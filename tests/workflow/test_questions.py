"""A benchmark of a file: its questions are made from it, and again when it changes."""

import json
from pathlib import Path

from checkout import Checkout

CONFIG = """
run: {benchmarks: [gcd, mine]}
benchmarks:
  mine: {domain: math, file: data/mine.jsonl, size: 2, prompt: boxed, budget: 16}
"""


def test_a_file_benchmark_is_made_from_its_file_and_again_when_it_changes(tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path / "study")
    arguments = checkout.with_config(CONFIG)
    refused = checkout.run("-n", *arguments)
    assert refused.returncode != 0
    assert "mine.yaml: benchmarks.mine.file: data/mine.jsonl is not there" in refused.stdout

    source = checkout.folder / "data/mine.jsonl"
    source.parent.mkdir()
    rows = [{"question": f"{number} + 1?", "answer": number + 1} for number in (1, 2)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    jobs = checkout.planned(*arguments)
    assert (jobs["generate_questions"], jobs["draw_samples"]) == (
        3,
        8,
    )  # the third is of a training benchmark

    target = "results/smoke/questions/mine.parquet"
    ended = checkout.run(*arguments, "--", target)
    assert (checkout.folder / target).is_file(), ended.stdout
    told = json.loads((checkout.folder / target).with_suffix(".json").read_text())
    assert told["source"]["path"] == "data/mine.jsonl"
    assert "Nothing to be done" in checkout.run("-n", *arguments, "--", target).stdout
    source.write_text(source.read_text().replace("1 + 1?", "0 + 2?"))
    assert "Updated input files: data/mine.jsonl" in checkout.run("-n", *arguments, "--", target).stdout
