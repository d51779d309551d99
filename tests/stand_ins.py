"""A verifier that fails in every way a real one can, importable by a worker process."""

import os
from collections.abc import Mapping, Sequence
from typing import Any


def assess(
    verifier: str, answer: str, together: str | None, gold: Sequence[str], options: Mapping[str, Any]
) -> tuple[bool, str, str]:
    """Text equality, except that some answers hang, use up memory, raise or crash."""
    del verifier, together, options
    if answer == "hang":
        while True:
            pass
    if answer == "power":
        10**10**10  # one C call: no signal handler of Python's runs before it ends
    if answer == "memory":
        bytearray(2**36)
    if answer == "raise":
        raise RuntimeError("cannot judge")
    if answer == "crash":
        os.abort()
    return answer in gold, "by the stand-in", answer
