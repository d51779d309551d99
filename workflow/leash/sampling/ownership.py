"""One sampler per output, and none that outlives the workflow that started it."""

import ctypes
import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leash.errors import InputError

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent ends: a killed Snakemake leaves no job behind."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")


@contextmanager
def sole_owner(output: Path) -> Iterator[None]:
    """Hold a lock beside `output`. Raises InputError that says which process holds it already."""
    output.parent.mkdir(parents=True, exist_ok=True)
    path = output.with_name(f".{output.name}.lock")
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise InputError(
                f"{output}: process {lock.read().strip() or 'unknown'} is drawing it already; "
                "wait for it, or end it, and run again"
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
