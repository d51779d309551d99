"""Drawing from a real vLLM server, which is killed in the middle."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from leash.sampling.endpoint import Endpoint
from leash.sampling.fleet import Backoff
from leash.sampling.request import Completion, Request

# What `vllm serve` runs; that command itself asks for the name of vLLM's GPU build.
SERVE = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OMP_PROC_BIND": "false",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TOKENIZERS_PARALLELISM": "false",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
}
REQUESTS = [Request(f"q{i % 12}", i // 12, (i % 12 << 15) + i // 12, f"{i % 12} + 1 =") for i in range(96)]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def start(model: Path, port: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """A server in a process group of its own."""
    return subprocess.Popen(
        [
            *(*SERVE, "--model", str(model), "--served-model-name", "micro"),
            *("--host", "127.0.0.1", "--port", str(port), "--chat-template", "{{ messages[0].content }}"),
            *("--dtype", "float32", "--max-model-len", "64", "--max-num-seqs", "16", "--enforce-eager"),
            *("--no-enable-chunked-prefill", "--max-num-batched-tokens", "2048"),
        ],
        env=os.environ | SETTINGS,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def kill(server: subprocess.Popen[bytes]) -> None:
    """kill -9 to the server and all that it has started."""
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()


@contextmanager
def ended_at_last(servers: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    try:
        yield
    finally:
        for server in servers:
            if server.poll() is None:
                kill(server)


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
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    servers: list[subprocess.Popen[bytes]] = []
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
