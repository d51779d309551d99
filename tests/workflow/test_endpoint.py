"""A model behind a real vLLM server goes through the workflow beside those on disk."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from checkout import Checkout
from serving import Server, ended_at_last, free_port, start

COLUMNS = ["question_id", "sample_index", "outcome", "answer"]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def served(study: Checkout, port: int, revision: str = "1", patience: int = 1) -> tuple[str, ...]:
    return study.with_config(
        "run: {models: [base, far]}\n"
        "models: {far: {base: base, method: rlvr, endpoint: "
        f"{{urls: ['http://127.0.0.1:{port}/v1'], model: micro, revision: '{revision}', patience: {patience}}}}}}}\n"
    )


def test_a_served_model_is_drawn_verified_and_matched(study: Checkout, tmp_path: Path) -> None:
    port = free_port()
    planned = study.planned(*served(study, port))
    assert planned["draw_samples"] == planned["verify_samples"] == planned["match_states"] == 2
    assert not planned.keys() & {"train_model", "score_completions", "score_traces"}

    silent = study.run("--keep-going", *served(study, port))
    assert silent.returncode != 0
    assert f"http://127.0.0.1:{port}/v1" in silent.stdout

    servers: list[Server] = []
    with (tmp_path / "log").open("wb") as log, ended_at_last(servers):
        servers.append(start(study.results / "training/base/final", port, log, context=256))
        ended = study.run(*served(study, port, patience=300))  # it is starting
    assert ended.returncode == 0, ended.stdout
    for benchmark in ("chain-sum", "gcd"):
        here, there = (drawn(study.results / model / "final" / benchmark) for model in ("base", "far"))
        assert len(there) == 12 * 16
        assert there.keys() == here.keys()
        # other draws than the base's: a model's name is part of the seed
        assert there != here
        assert {row["outcome"] for row in there.values()} & {"correct", "wrong", "no_answer"}
        regions = pq.read_table(study.results / "far/final" / benchmark / "regions.parquet")
        assert len(regions) == 12

    # where a model is served is no part of what is drawn; what is served is
    assert study.planned(*served(study, port + 1)) == {}
    assert study.planned(*served(study, port, revision="2"))["draw_samples"] == 2


def drawn(folder: Path) -> dict[tuple[str, int], dict[str, object]]:
    """Outcome and answer by question and sample index."""
    rows = [
        row
        for path in sorted((folder / "verdicts").glob("*.parquet"))
        for row in pq.read_table(path, columns=COLUMNS).to_pylist()
    ]
    return {(row.pop("question_id"), row.pop("sample_index")): row for row in rows}
