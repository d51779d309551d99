"""Progress for a person, kept apart from the chatter of libraries."""

import io
import os
import sys
import time
from typing import TextIO

_HOUR = 3600.0


def claim_stdout() -> TextIO:
    """Give the terminal to progress lines: whatever else writes to stdout goes to stderr, the rule's log."""
    sys.stdout.flush()
    terminal = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return terminal


def duration(seconds: float) -> str:
    """Seconds as a person says them: '42 s', '5 min 10 s', '3 h 12 min'."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60} min"


class Progress:
    """What is done, how fast, and how long it will still take, in one line.

    On a terminal the line moves in place, every second. Elsewhere a line comes after a minute, then after waits that
    double up to an hour, so that a thousand jobs do not flood what they share. stderr, the rule's log, gets one
    every minute, unless it is a terminal or `out` itself. The end is always told.
    `total` and the counts given to `update` are in the same unit, named by `unit`.
    """

    def __init__(self, out: TextIO, name: str, total: int, unit: str) -> None:
        self._out, self._name, self._total, self._unit = out, name, total, unit
        self._in_place = out.isatty()
        self._log = None if sys.stderr.isatty() or _same_file(out, sys.stderr) else sys.stderr
        self._began = time.monotonic()
        self._wait = 1.0 if self._in_place else 60.0
        self._next_line = self._began + self._wait
        self._next_log = self._began + 60.0
        self._started_at: int | None = None

    def update(self, done: int, note: str = "") -> None:
        """Print the line where it is due. `done` counts from 0 to the total, over earlier attempts too."""
        if self._started_at is None:
            self._started_at = done
        now = time.monotonic()
        ended = done >= self._total
        if not ended and now < min(self._next_line, self._next_log):
            return
        line = self._line(done, now - self._began, note)
        if ended or now >= self._next_line:
            self._show(line, ended)
            if not self._in_place:
                self._wait = min(2 * self._wait, _HOUR)
            self._next_line = now + self._wait
        if self._log and (ended or now >= self._next_log):
            print(line, file=self._log, flush=True)
            self._next_log = now + 60.0

    def _line(self, done: int, seconds: float, note: str) -> str:
        rate = (done - (self._started_at or 0)) / max(seconds, 1e-9)
        if done >= self._total:
            when = f"after {duration(seconds)}"
        else:
            when = f"{duration((self._total - done) / rate)} left" if rate > 0 else "time left unknown"
        line = f"{self._name}: {done:,}/{self._total:,} {self._unit}, {rate:,.1f}/s, {when}"
        return f"{line}, {note}" if note else line

    def _show(self, line: str, ended: bool) -> None:
        if not self._in_place:
            print(line, file=self._out, flush=True)
            return
        # Other jobs may rewrite the same line of the terminal: blank all of it, and never wrap.
        width = max(1, (os.get_terminal_size(self._out.fileno()).columns or 80) - 1)
        print("\r" + line[:width].ljust(width), end="\n" if ended else "", file=self._out, flush=True)


def _same_file(one: TextIO, other: TextIO) -> bool:
    try:
        return os.path.sameopenfile(one.fileno(), other.fileno())
    except (io.UnsupportedOperation, OSError):
        return one is other
