"""The worker outlives whatever a call does, and the caller learns what happened."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import stand_ins
from leash.verify.assess import assess
from leash.verify.pool import Worker


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    # `eval` stands for a verifier that runs what a model wrote
    with Worker(eval, timeout=1.0, headroom=2**29) as worker:
        yield worker


@pytest.mark.parametrize(
    ("code", "failure", "detail"),
    [
        ("exec('while True: pass')", "timeout", "killed after 1 s"),
        ("10**10**10", "timeout", "killed after 1 s"),
        ("__import__('time').sleep(60)", "timeout", "killed after 1 s"),
        ("__import__('os')._exit(3)", "error", "exit code 3"),
        ("__import__('os').abort()", "error", "exit code -6"),
        ("__import__('ctypes').string_at(0)", "error", "exit code -11"),
        ("bytearray(2**30)", "error", "MemoryError"),
        ("[0] * 10**12", "error", "MemoryError"),
        ("__import__('sys').exit(4)", "error", "SystemExit: 4"),
        ("1 / 0", "error", "ZeroDivisionError: division by zero"),
        ("f()", "error", "NameError"),
        ("object()", "error", "not JSON serializable"),
        ("(_ for _ in ()).throw(ValueError('x' * 10**7))", "error", "ValueError: xxx"),
    ],
)
def test_a_call_that_fails_is_reported_and_the_next_one_works(
    worker: Worker, code: str, failure: str, detail: str
) -> None:
    reply = worker.call(code)
    assert (reply.value, reply.failure) == (None, failure)
    assert detail in reply.detail
    assert worker.call("'\\ud800\\0' + '…'").value == "\ud800\0…"


def test_the_verifier_itself_is_called_and_killed_where_it_is_slow() -> None:
    with Worker(assess, timeout=30, preload=["leash.verify.assess"]) as worker:
        assert worker.call("math", r"\frac{1}{2}", None, ["0.5"], {}).value == [True, "numbers", "0.5"]
        assert worker.call("math", "1/3", None, ["0.5"], {}).value == [False, "", "1/3"]
        assert worker.call("numeric", "1", None, ["fast"], {"tolerance": 0.05}).failure == "error"
    slow = "+".join(f"\\sin({index}x)" for index in range(150))
    with Worker(assess, timeout=1e-4, preload=["leash.verify.assess"]) as worker:
        reply = worker.call("math", slow, None, [slow + "+1"], {})
        assert (reply.value, reply.failure) == (None, "timeout")
        assert worker.call("math", slow, None, [slow + "+1"], {}).failure == "timeout"


@pytest.mark.parametrize(
    ("answer", "failure"),
    [("hang", "timeout"), ("power", "timeout"), ("memory", "error"), ("raise", "error"), ("crash", "error")],
)
def test_a_function_of_this_project_that_fails_is_never_an_answer(answer: str, failure: str) -> None:
    with Worker(stand_ins.assess, timeout=1.0) as worker:
        reply = worker.call("math", answer, None, ["5"], {})
        assert (reply.value, reply.failure) == (None, failure)
        assert reply.seconds < 60
        assert worker.call("math", "5", None, ["5"], {}).value == [True, "by the stand-in", "5"]
        assert worker.call("math", "6", None, ["5"], {}).value == [False, "by the stand-in", "6"]


def test_a_healthy_worker_is_kept_and_a_killed_one_replaced(worker: Worker) -> None:
    first = worker.call("__import__('os').getpid()").value
    worker.call("1 / 0")
    assert worker.call("__import__('os').getpid()").value == first != os.getpid()
    os.kill(first, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while worker.call("__import__('os').getpid()").value in (first, None):
        assert time.monotonic() < deadline


def test_time_in_which_a_call_did_not_run_is_not_counted_against_it(worker: Worker) -> None:
    assert worker.call("__import__('time').sleep(2.5) or 'woke'").value == "woke"
    assert worker.call("exec('for _ in range(10**5): pass') or 'done'").value == "done"


def test_a_worker_brings_its_modules_though_the_fork_server_began_without_them() -> None:
    loaded = "'tabnanny' in __import__('sys').modules"  # of the standard library, and nobody imports it
    with Worker(eval, timeout=5.0) as worker:
        assert worker.call(loaded).value is False
    with Worker(eval, timeout=5.0, preload=["tabnanny"]) as worker:
        assert worker.call(loaded).value is True


def test_a_timeout_kills_what_the_call_started(worker: Worker, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = f"__import__('os').system('sleep 600 & echo $! > {note}; wait')"
    assert worker.call(code).failure == "timeout"
    assert gone(int(note.read_text()))


def test_a_busy_worker_dies_with_its_caller() -> None:
    program = (
        "from leash.verify.pool import Worker\n"
        "if __name__ == '__main__':\n"
        "    worker = Worker(eval, timeout=600)\n"
        "    print(worker.call(\"__import__('os').getpid()\").value, flush=True)\n"
        "    worker.call(\"exec('while True: pass')\")\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        pid = int(caller.stdout.readline())
        assert Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
        caller.kill()
    assert gone(pid)


def gone(pid: int) -> bool:
    """Whether the process ends (or is only waiting to be reaped) within half a minute."""
    for _ in range(300):
        try:
            if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.1)
    return False
