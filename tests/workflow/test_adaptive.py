"""Drawing in rounds, on real parts: the same regions as exhaustive drawing, and nothing is drawn twice."""

import os
import shutil
import signal
import time
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from checkout import Checkout, shards
from leash.records import read_json

ROUNDS = [4, 8, 16]
DOUBLED = "sampling: {rounds: [4, 8, 16, 32]}\nbenchmarks: {chain-sum: {budget: 32}, gcd: {budget: 32}}\n"
UNTIL = ("--until", "match_states")  # neither scores nor tables, which other tests make
EXHAUSTIVE = "sampling: {protocol: exhaustive, rounds: null, shard_tokens: null, shard_samples: 16}\n"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A study drawn in rounds: Snakemake killed while it sampled, then run to its end."""
    checkout = Checkout.make(tmp_path_factory.mktemp("adaptive") / "study", "config/test/adaptive.yaml")
    job = checkout.start()
    deadline = time.monotonic() + 900
    while not list(checkout.results.glob("*/*/*/samples/.r*.part")):
        if job.poll() is not None or time.monotonic() > deadline:
            os.killpg(job.pid, signal.SIGKILL)
            pytest.fail(f"no sample was drawn:\n{checkout.printed.read_text()}")
        time.sleep(0.05)
    job.kill()
    job.wait()
    assert checkout.run("--unlock").returncode == 0
    ended = checkout.run()
    assert ended.returncode == 0, ended.stdout
    return checkout


@pytest.fixture
def study(drawn: Checkout, tmp_path: Path) -> Checkout:
    return drawn.copy(tmp_path / "study")


def counts(checkout: Checkout) -> dict[Path, list[dict[str, object]]]:
    return {
        path.relative_to(checkout.results): pq.read_table(path).to_pylist()
        for path in checkout.results.glob("*/*/*/counts.parquet")
    }


def regions(checkout: Checkout) -> dict[Path, list[tuple[str, str]]]:
    return {
        path.relative_to(checkout.results): [
            (row["question_id"], row["region"]) for row in pq.read_table(path).to_pylist()
        ]
        for path in checkout.results.glob("*/*/*/regions.parquet")
    }


def times(checkout: Checkout) -> dict[Path, int]:
    return {path.relative_to(checkout.folder): path.stat().st_mtime_ns for path in shards(checkout)}


def test_a_round_draws_the_questions_that_no_round_before_has_solved(drawn: Checkout) -> None:
    assert drawn.planned() == {}
    states = {path.parent for path in drawn.results.glob("*/*/*/counts.parquet")} - {
        path.parent for path in drawn.results.glob("*/*/*/round0/counts.parquet")
    }
    assert len(states) == 4
    later = 0
    for folder in states:
        rows = pq.read_table(folder / "counts.parquet").to_pylist()
        for number, (start, stop) in enumerate(pairwise(ROUNDS), 1):
            place = folder / f"rounds/r{number}.json"
            expected = [row["question_id"] for row in rows if row["n"] > start]
            if not place.exists():  # nothing was open
                assert not expected
                continue
            plan = read_json(place)
            assert plan["open"] == expected
            cells = [
                (row["question_id"], row["sample_index"])
                for one in plan["shards"]
                for row in pq.read_table(folder / f"samples/{one['name']}.parquet").to_pylist()
            ]
            assert sorted(cells) == sorted((name, at) for name in expected for at in range(start, stop))
            later += len(plan["shards"])
        assert all(row["n"] == 16 or row["correct"] for row in rows)
        assert all(
            row["correct"] == 0 or row["first_correct"] >= {4: 0, 8: 4, 16: 8}[row["n"]] for row in rows
        )
    assert later > 4


def test_the_regions_are_those_of_exhaustive_drawing_from_a_fraction_of_the_samples(
    study: Checkout, drawn: Checkout
) -> None:
    ended = study.run(*study.with_config(EXHAUSTIVE), *UNTIL)
    assert ended.returncode == 0, ended.stdout
    assert regions(study) == regions(drawn)
    whole, fraction = counts(study), counts(drawn)
    for path, rows in whole.items():
        for row, other in zip(rows, fraction[path], strict=True):
            assert row["first_correct"] == other["first_correct"]
    assert sum(row["n"] for rows in fraction.values() for row in rows) < 4 * 12 * 2 * 16 * 0.9  # type: ignore[misc]


def test_a_doubled_budget_draws_the_new_round_and_counts_as_a_fresh_run(
    study: Checkout, drawn: Checkout, tmp_path: Path
) -> None:
    doubled = study.with_config(DOUBLED)
    before = times(study)
    planned = study.planned(*doubled)
    assert "draw_samples" not in planned
    assert "verify_samples" not in planned
    assert planned["plan_round"] == 4
    assert study.run(*doubled, *UNTIL).returncode == 0
    after = times(study)
    assert {path: after[path] for path in before} == before
    assert after.keys() - before.keys()
    assert all(path.stem.startswith("r3-") for path in after.keys() - before.keys())

    fresh = study.copy(tmp_path / "fresh")
    # the pages too: a run leaves out what lies before a page that is there
    for folder in ("base", "dapo", "tables", "figures"):
        shutil.rmtree(fresh.results / folder)
    assert fresh.run(*doubled, *UNTIL).returncode == 0
    assert len(counts(fresh)) == 4
    assert counts(fresh) == counts(study)
    assert regions(fresh) == regions(study)

    # and back: a prefix of what is there
    assert "draw_samples" not in study.planned()
    was = times(study)
    assert study.run(*UNTIL).returncode == 0
    assert times(study) == was
    assert counts(study) == counts(drawn)


def test_a_verifier_that_was_edited_verifies_again_and_draws_nothing(study: Checkout) -> None:
    before = times(study)
    study.edit("workflow/leash/verify/verdict.py", lambda text: text + "\n# a remark\n")
    planned = study.planned()
    assert planned["verify_samples"] > 0
    assert "draw_samples" not in planned
    ended = study.run()
    assert ended.returncode == 0, ended.stdout
    assert times(study) == before
    assert study.planned() == {}


def test_a_question_that_is_always_drawn_adds_its_own_samples(study: Checkout) -> None:
    before = times(study)
    row = next(
        row
        for row in pq.read_table(study.results / "base/final/gcd/counts.parquet").to_pylist()
        if row["n"] == 4
    )
    mine = study.with_config(f"sampling: {{always: {{gcd: [{row['question_id']}]}}}}\n")
    ended = study.run(*mine, *UNTIL)
    assert ended.returncode == 0, ended.stdout
    after = times(study)
    assert {path: after[path] for path in before} == before
    for path in after.keys() - before.keys():
        assert path.parts[-3] == "gcd"
        assert set(pq.read_table(study.folder / path)["question_id"].to_pylist()) == {row["question_id"]}
    rows = pq.read_table(study.results / "base/final/gcd/counts.parquet").to_pylist()
    assert next(one["n"] for one in rows if one["question_id"] == row["question_id"]) == 16
