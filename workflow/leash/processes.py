"""Jobs that hold what they work on, and end with the process that started them. Linux."""

import ctypes
import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leash.errors import InputError

_PR_SET_PDEATHSIG = 1


def die_with_parent(sent: signal.Signals = signal.SIGTERM) -> None:
    """Ask Linux to send this process a signal when its parent ends: a killed Snakemake leaves no job behind."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, sent, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")


@contextmanager
def sole_owner(path: Path) -> Iterator[None]:
    """Hold a lock beside `path`. Raises InputError that says which process holds it already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise InputError(
                f"{path}: process {lock.read().strip() or 'unknown'} is making it already; "
                "wait for it, or end it, and run again"
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
