"""Shards with provenance, verdicts and verification times, as a run leaves them, without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leash import records

DRAWN_BY = {"temperature": 0.6, "version": 1}


def draw(
    results: Path,
    state: str,
    benchmark: str,
    correct: Sequence[Sequence[bool]],
    *,
    shard: str = "r0-s0",
    start: int = 0,
    tokens: Sequence[int] = (),
    seconds: tuple[float, float] = (5.0, 20.0),
    device: str = "NVIDIA H200",
    gpus: int = 1,
    drawn_by: dict[str, Any] | None = None,
    verified_in: float | None = None,
    verdicts: bool = True,
) -> Path:
    """One shard: a row of `correct` per question, `tokens` of each sample by question; where its provenance lies."""
    folder = results / state / benchmark
    lengths = tokens or [10] * len(correct)
    stop = start + len(correct[0])
    rows = [
        (f"q{question}", start + index, solved, lengths[question])
        for question, samples in enumerate(correct)
        for index, solved in enumerate(samples)
    ]
    records.write(
        folder / f"samples/{shard}.parquet",
        records.SAMPLES,
        [
            {"question_id": name, "sample_index": index, "completion": "x", "n_tokens": length}
            for name, index, _, length in rows
        ],
    )
    provenance = folder / f"samples/{shard}.json"
    records.write_json(
        provenance,
        {
            "spec": (DRAWN_BY if drawn_by is None else drawn_by) | {"start": start, "stop": stop},
            "engine": {"tensor_parallel_size": gpus},
            "samples": len(rows),
            "tokens": sum(length for *_, length in rows),
            "seconds": {"engine_start": seconds[0], "drawing": seconds[1]},
            "device": device,
        },
    )
    if verdicts:
        records.write(
            folder / f"verdicts/{shard}.parquet",
            records.VERDICTS,
            [
                {"question_id": name, "sample_index": index, "outcome": "correct" if solved else "wrong"}
                for name, index, solved, _ in rows
            ],
        )
    if verified_in is not None:
        times = results / "benchmarks/verify_samples" / f"{state.replace('/', '@')}@{benchmark}@{shard}.tsv"
        times.parent.mkdir(parents=True, exist_ok=True)
        times.write_text(f"s\th:m:s\tmax_rss\n{verified_in}\t0:00:01\t100\n")
    return provenance
