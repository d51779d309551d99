"""One smoke study: interrupted, finished, and copied for the tests that change it."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from checkout import Checkout, finished_shards


@pytest.fixture(scope="session")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, int, dict[Path, int]]:
    """A smoke study that got Ctrl-C while it sampled: its exit code, and the finished shards with their times."""
    checkout = Checkout.make(tmp_path_factory.mktemp("workflow") / "study")
    job = checkout.start()
    deadline = time.monotonic() + 900
    while not finished_shards(checkout):
        if job.poll() is not None or time.monotonic() > deadline:
            os.killpg(job.pid, signal.SIGKILL)
            pytest.fail(f"no shard was drawn:\n{checkout.printed.read_text()}")
        time.sleep(0.2)
    os.killpg(job.pid, signal.SIGINT)
    try:
        job.wait(timeout=300)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        pytest.fail(f"still there 300 s after Ctrl-C:\n{checkout.printed.read_text()}")
    return checkout, job.returncode, {path: path.stat().st_mtime_ns for path in finished_shards(checkout)}


@pytest.fixture(scope="session")
def finished(interrupted: tuple[Checkout, int, dict[Path, int]]) -> tuple[Checkout, str]:
    """The smoke study, run again after the interruption to its end, and what that run printed."""
    checkout = interrupted[0]
    ended = checkout.run()
    assert ended.returncode == 0, ended.stdout
    return checkout, ended.stdout


@pytest.fixture
def study(finished: tuple[Checkout, str], tmp_path: Path) -> Checkout:
    """A copy of the finished study that a test may change."""
    return finished[0].copy(tmp_path / "study")
