"""Drawing from a real vLLM server, which is killed in the middle."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from leash.sampling.endpoint import Endpoint
from leash.sampling.fleet import Backoff
from leash.sampling.request import Completion, Request
from serving import Server, ended_at_last, free_port, kill, start

REQUESTS = [Request(f"q{i % 12}", i // 12, (i % 12 << 15) + i // 12, f"{i % 12} + 1 =") for i in range(96)]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def drawing(port: int, chat: bool = False) -> Iterator[tuple[Request, Completion]]:
    settings = {
        "urls": [f"http://127.0.0.1:{port}/v1"],
        "key_env": None,
        "concurrency": 8,
        "timeout": 300.0,
        "patience": 600.0,
    }
    sampler = Endpoint({"endpoint": "micro", "revision": "1"}, settings, chat, Backoff(most=2.0, trial=2.0))
    assert sampler.context == 64
    (card,) = sampler.describe()["servers"]
    assert card["version"]
    return sampler.draw(iter(REQUESTS), 1.0, 0.95, 24)


def test_a_server_that_is_killed_and_started_again_draws_what_an_undisturbed_one_does(
    micro_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model"
    shutil.copytree(micro_model, model)
    # Defaults that would make all samples of a question the same.
    (model / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, "top_k": 1}))
    port = free_port()
    servers: list[Server] = []
    with (tmp_path / "log").open("wb") as log, ended_at_last(servers):
        servers.append(start(model, port, log))
        undisturbed = dict(drawing(port))
        assert len(undisturbed) == len(REQUESTS)
        assert len({made.text for made in undisturbed.values()}) > 0.9 * len(REQUESTS)
        assert dict(drawing(port, chat=True)) == undisturbed

        disturbed = []
        for drawn in drawing(port):
            disturbed.append(drawn)
            if len(disturbed) == 30:
                kill(servers[0])
                servers.append(start(model, port, log))
        assert len(disturbed) == len(REQUESTS)
        assert dict(disturbed) == undisturbed
    assert f"http://127.0.0.1:{port}/v1: " in capsys.readouterr().err.partition("waiting for")[2]
