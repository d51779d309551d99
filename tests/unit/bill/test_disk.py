"""What is read of a pilot, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_pilot import DRAWN_BY, draw
from leash import records
from leash.bill.disk import Found, Rates, look
from leash.bill.request import Cell, digest
from leash.errors import InputError

KEYS = tuple(DRAWN_BY)
CELL = Cell(
    "base/final", "sums", digest(DRAWN_BY, KEYS), "Base", "base", "Sums", 2, 128, (32, 128), 90, (None, None)
)
ONE_OF_TWO = [[True, False], [False, False]]


def looked(results: Path) -> Found:
    return look(results, CELL, KEYS)


def test_nothing_on_disk_is_no_pilot(tmp_path: Path) -> None:
    assert looked(tmp_path / "none") == Found([], 0, None)


def test_a_shard_by_its_provenance(tmp_path: Path) -> None:
    path = draw(tmp_path, "base/final", "sums", ONE_OF_TWO, tokens=(10, 30), gpus=2, verified_in=3.5)
    found = looked(tmp_path)
    (shard,) = found.drawn
    assert (shard.start, shard.stop, shard.samples, shard.tokens) == (0, 2, 4, 80)
    assert (shard.starting, shard.drawing, shard.verifying, shard.on_gpu) == (10, 40, 3.5, True)
    assert shard.bytes == path.stat().st_size + path.with_suffix(".parquet").stat().st_size
    assert found.rates == Rates(2, [1, 0], [10, 30])


def test_counts_of_these_shards_are_read_before_verdicts(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", ONE_OF_TWO)
    counts = [{"question_id": f"q{i}", "n": 2, "correct": 2 - i} for i in range(2)]
    path = tmp_path / "base/final/sums/counts.parquet"
    records.write(path, records.COUNTS, counts)
    found = looked(tmp_path).rates
    assert found
    assert found.correct == [2, 1]
    # of an earlier budget, or of rounds that stopped: not these
    records.write(path, records.COUNTS, [row | {"n": 4} for row in counts])
    found = looked(tmp_path).rates
    assert found
    assert found.correct == [1, 0]


def test_the_pilot_is_round_0_in_order_and_later_rounds_are_only_spent(tmp_path: Path) -> None:
    for number in (0, 10, 2):
        draw(tmp_path, "base/final", "sums", ONE_OF_TWO, shard=f"r0-s{number}", start=2 * number)
    draw(tmp_path, "base/final", "sums", [[True] * 8], shard="r1-s0", start=22)
    found = looked(tmp_path)
    assert [shard.path.stem for shard in found.drawn] == ["r0-s0", "r0-s2", "r0-s10", "r1-s0"]
    assert [shard.path.stem for shard in found.pilot] == ["r0-s0", "r0-s2", "r0-s10"]
    assert found.rates == Rates(6, [3, 0], [10, 10])


def test_shards_drawn_otherwise_or_not_finished_are_left_out(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", ONE_OF_TWO, drawn_by=DRAWN_BY | {"temperature": 1.0})
    draw(tmp_path, "base/final", "sums", ONE_OF_TWO, shard="r0-s1", start=2).with_suffix(".parquet").unlink()
    assert looked(tmp_path) == Found([], 1, None)


def test_a_shard_without_samples_is_no_pilot(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", [[], []], verified_in=0.5)
    found = looked(tmp_path)
    assert [shard.samples for shard in found.drawn] == [0]
    assert found.pilot == []
    assert found.rates is None


def test_a_time_that_was_not_measured_is_not_known(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", ONE_OF_TWO, verified_in=1)
    times = next(tmp_path.glob("benchmarks/verify_samples/*.tsv"))
    times.write_text("s\th:m:s\nNA\tNA\n")
    assert looked(tmp_path).drawn[0].verifying is None
    times.write_text("")
    with pytest.raises(InputError, match=r"r0-s0\.tsv: not a Snakemake benchmark"):
        looked(tmp_path)


def set_to(*path: str, value: object) -> Callable[[dict[str, Any]], object]:
    def change(provenance: dict[str, Any]) -> object:
        inner = provenance
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return provenance

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: [], r"not the provenance of a shard \(no spec\)"),
        (set_to("spec", value=None), r"not the provenance of a shard \(no spec\)"),
        (set_to("tokens", value="80"), "tokens is '80', not a whole number of at least 0"),
        (set_to("samples", value=-1), "samples is -1, not a whole number of at least 0"),
        (set_to("samples", value=True), "samples is True, not a whole number"),
        (set_to("spec", "stop", value=2.5), "spec.stop is 2.5, not a whole number"),
        (set_to("seconds", value=None), "seconds.engine_start is None, not a number of at least 0"),
        (set_to("seconds", "drawing", value=float("inf")), "seconds.drawing is inf, not a number"),
        (set_to("engine", value=[]), "engine.tensor_parallel_size is None"),
    ],
)
def test_broken_provenance_is_named_with_its_remedy(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    path = draw(tmp_path, "base/final", "sums", ONE_OF_TWO)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(InputError, match=rf"r0-s0\.json: {message}.*; put back a copy, or delete it"):
        looked(tmp_path)


def test_provenance_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = draw(tmp_path, "base/final", "sums", ONE_OF_TWO)
    path.write_text(path.read_text()[:40])
    with pytest.raises(InputError, match=r"r0-s0\.json: not valid JSON"):
        looked(tmp_path)


def test_verdicts_of_other_samples_are_refused(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", ONE_OF_TWO)
    draw(tmp_path, "other/final", "sums", [[True], [True, False]])
    other = tmp_path / "other/final/sums/verdicts/r0-s0.parquet"
    other.rename(tmp_path / "base/final/sums/verdicts/r0-s0.parquet")
    with pytest.raises(
        InputError, match=r"verdicts/r0-s0\.parquet: not a verdict for each sample of question q0"
    ):
        looked(tmp_path)
