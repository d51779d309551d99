"""A real vLLM server on loopback."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# What `vllm serve` runs; that command itself asks for the name of vLLM's GPU build.
_SERVE = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
_SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OMP_PROC_BIND": "false",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TOKENIZERS_PARALLELISM": "false",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
}

Server = subprocess.Popen[bytes]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port: int = reserved.getsockname()[1]
        return port


def start(model: Path, port: int, log: IO[bytes], context: int = 64) -> Server:
    """A server of the model under the name `micro`, in a process group of its own."""
    return subprocess.Popen(
        [
            *(*_SERVE, "--model", str(model), "--served-model-name", "micro"),
            *("--host", "127.0.0.1", "--port", str(port), "--chat-template", "{{ messages[0].content }}"),
            *("--dtype", "float32", "--max-model-len", str(context), "--max-num-seqs", "16"),
            *("--enforce-eager", "--no-enable-chunked-prefill", "--max-num-batched-tokens", "2048"),
        ],
        env=os.environ | _SETTINGS,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def kill(server: Server) -> None:
    """kill -9 to the server and all that it has started."""
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()


@contextmanager
def ended_at_last(servers: list[Server]) -> Iterator[None]:
    try:
        yield
    finally:
        for server in servers:
            if server.poll() is None:
                kill(server)
