"""CPU cores of a job's own, so that two engines side by side do not bind to the same one."""

import fcntl
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path


def claim_cores(wanted: int) -> ExitStack | None:
    """Bind this process to `wanted` cores that no other job of this user has claimed.

    Returns what holds the claim (keep it; the kernel frees it when the process ends), or None, and binds
    nothing, where fewer cores are free.
    """
    folder = Path(tempfile.gettempdir()) / f"leash-cores-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    claim = ExitStack()
    cores: list[int] = []
    for core in sorted(os.sched_getaffinity(0)):
        if len(cores) == wanted:
            break
        lock = claim.enter_context((folder / f"core{core}").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        cores.append(core)
    if len(cores) < wanted:
        claim.close()
        return None
    os.sched_setaffinity(0, cores)
    return claim
