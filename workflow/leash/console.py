"""Progress for a person, kept apart from the chatter of libraries."""

import os
import sys
import time
from typing import TextIO


def claim_stdout() -> TextIO:
    """Give the terminal to progress lines: whatever else writes to stdout goes to stderr, the rule's log."""
    sys.stdout.flush()
    terminal = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return terminal


class Progress:
    """One line every `every` seconds: what is done, how fast, and how long it will still take.

    `total` and the counts given to `update` are in the same unit, named by `unit`.
    """

    def __init__(self, out: TextIO, name: str, total: int, unit: str, every: float = 15.0) -> None:
        self._out, self._name, self._total, self._unit, self._every = out, name, total, unit, every
        self._began = self._printed = time.monotonic()
        self._started_at: int | None = None

    def update(self, done: int, note: str = "") -> None:
        """Print the line if it is due. `done` counts from 0 to the total, over earlier attempts too."""
        if self._started_at is None:
            self._started_at = done
        now = time.monotonic()
        if now - self._printed < self._every and done < self._total:
            return
        self._printed = now
        rate = (done - self._started_at) / max(now - self._began, 1e-9)
        left = f"{(self._total - done) / rate:.0f} s left" if rate > 0 else "time left unknown"
        line = f"{self._name}: {done:,}/{self._total:,} {self._unit}, {rate:,.1f}/s, {left}"
        print(f"{line}, {note}" if note else line, file=self._out, flush=True)
