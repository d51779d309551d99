"""A worker process that may hang, crash or eat memory, and is then killed and replaced. Linux only.

Why a fork server: importing an environment library takes seconds and a kill must be cheap, so workers are
forked from a process that has imported it and does nothing else; forking the caller would copy the locks of
its threads (pyarrow's). Why not SIGALRM: a handler waits for the bytecode to end, and `10**10**10` is one
bytecode; SIGKILL does not wait.
One worker: shards already run side by side, one job each.
Why processor time: on a machine that is busy or swapping, a wall clock would end calls that did nothing wrong,
and a verdict would depend on who else was at work.
"""

import importlib
import json
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import psutil

from leash.processes import die_with_parent

_START_LIMIT: Final = 120.0  # seconds; covers the library's import on a busy machine
_IDLE_FACTOR: Final = (
    5  # a call that hardly computes (it sleeps, or waits) may take this many times its limit
)
_LONGEST_TEXT: Final = 2000  # characters of an exception's text


class Reply(NamedTuple):
    """What a call came to; `failure` is None, "timeout" (we killed it) or "error" (it raised, or it died)."""

    value: Any
    failure: str | None
    detail: str
    seconds: float


class Worker:
    """Calls `function` in a process of its own, one call at a time.

    function: importable by name; its result must be JSON.
    timeout: seconds of processor time a call may take (five times that on the clock, where it waits instead of
        computing); a worker's start is not counted.
    headroom: bytes of address space a worker may take beyond what it starts with.
    preload: modules the function will import, so that no call has to: the fork server does, once for all, and
        each worker again before its first call, since a fork server may have begun with another list.
    """

    def __init__(
        self,
        function: Callable[..., object],
        timeout: float = 2.0,
        headroom: int = 2**30,
        preload: Sequence[str] = (),
    ) -> None:
        self._function, self._timeout, self._headroom = function, timeout, headroom
        self._context = multiprocessing.get_context("forkserver")
        self._preload = tuple(preload)
        self._context.set_forkserver_preload(list(preload))
        self._process: ForkServerProcess | None = None
        self._pipe: Connection[Any, Any] | None = None
        self._spent = 0.0  # seconds of processor time the worker had used when it last answered

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, *arguments: object) -> Reply:
        """The function's value, or how it failed; never raises for what the function does."""
        pipe = self._ready()
        began = time.monotonic()
        try:
            pipe.send(arguments)
            if not self._replies(pipe, began):
                self.close()
                return Reply(None, "timeout", f"killed after {self._timeout:g} s", time.monotonic() - began)
            value, text, full, self._spent = json.loads(pipe.recv_bytes())
        except (EOFError, OSError, ValueError) as error:
            code = self._exit_code()
            self.close()
            text = f"worker died (exit code {code}; {type(error).__name__})"
            return Reply(None, "error", text, time.monotonic() - began)
        if full:
            self.close()
        return Reply(value, "error" if text else None, text, time.monotonic() - began)

    def close(self) -> None:
        """Kill the worker and all it started; the next call begins a fresh one."""
        if self._process is not None and self._process.pid is not None:
            with suppress(ProcessLookupError):  # it may have died by itself
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.join()
            self._process.close()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _replies(self, pipe: "Connection[Any, Any]", began: float) -> bool:
        """Wait for the answer; False once the call has had its time."""
        left = self._timeout
        while not pipe.poll(left):
            assert self._process is not None
            try:
                used = sum(psutil.Process(self._process.pid).cpu_times()[:2]) - self._spent
            except psutil.Error:  # it has just died, which the pipe tells
                return pipe.poll(0.0)
            left = min(self._timeout - used, began + _IDLE_FACTOR * self._timeout - time.monotonic())
            if left <= 0:
                return False
        return True

    def _ready(self) -> "Connection[Any, Any]":
        if self._process is not None and not self._process.is_alive():
            self.close()
        if self._pipe is None:
            self._pipe, theirs = self._context.Pipe()
            self._process = self._context.Process(
                target=_serve, args=(theirs, self._function, self._headroom, self._preload), daemon=True
            )
            self._process.start()
            theirs.close()
            if not self._pipe.poll(_START_LIMIT):
                self._process.kill()
                raise RuntimeError(f"the verifier's worker did not start within {_START_LIMIT:g} s")
            self._spent = json.loads(self._pipe.recv_bytes())
        return self._pipe

    def _exit_code(self) -> int | None:
        if self._process is None:
            return None
        self._process.join(1.0)
        return self._process.exitcode


def _serve(
    pipe: "Connection[Any, Any]", function: Callable[..., object], headroom: int, preload: Sequence[str]
) -> None:
    os.setsid()  # a group of its own, killed as one; and Ctrl-C reaches the caller only
    # Dies with the fork server, which dies with the caller: a busy worker would never see the pipe close. But
    # the server lives while anyone holds its "alive" descriptor, and gives one to each worker. Keep ours only
    ours = pipe.fileno()
    os.closerange(3, ours)
    os.closerange(ours + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    die_with_parent(signal.SIGKILL)
    for name in preload:
        importlib.import_module(name)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + headroom, size + headroom))
    pipe.send_bytes(json.dumps(time.process_time()).encode())
    while True:
        try:
            arguments = pipe.recv()
        except EOFError:
            return
        pipe.send_bytes(_answer(function, arguments))


def _answer(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    try:
        return json.dumps([function(*arguments), "", False, time.process_time()]).encode()
    except BaseException as error:  # SystemExit too: scoring must not end the worker unseen
        text = f"{type(error).__name__}: {error}"[:_LONGEST_TEXT]
        return json.dumps([None, text, isinstance(error, MemoryError), time.process_time()]).encode()
