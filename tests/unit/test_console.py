"""Progress lines: on a terminal, in a file, and in the log of a rule."""

import os
import pty
import sys
from io import StringIO

import pytest

from leash import console
from leash.console import Progress, duration


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(console.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (11_520, "3 h 12 min"),
        (5e6, "1,388 h 53 min"),
    ],
)
def test_durations_are_said_as_a_person_does(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_line_has_the_rate_of_this_attempt_and_the_time_left(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, out = StringIO(), StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    progress = Progress(out, "sample m b r0-s0", 1200, "samples")
    progress.update(600)
    clock.now += 60
    progress.update(720, "40 tokens/s")
    line = "sample m b r0-s0: 720/1,200 samples, 2.0/s, 4 min 0 s left, 40 tokens/s\n"
    assert out.getvalue() == log.getvalue() == line
    clock.now += 240
    progress.update(1200)
    end = "sample m b r0-s0: 1,200/1,200 samples, 2.0/s, after 5 min 0 s\n"
    assert out.getvalue() == log.getvalue() == line + end


def test_lines_grow_rare_where_many_jobs_share_the_output_and_the_log_has_one_a_minute(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, out = StringIO(), StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    progress = Progress(out, "sample", 10**6, "samples")
    told = []
    for second in range(24 * 3600):
        clock.now = 1000.0 + second
        progress.update(second)
        if len(out.getvalue().splitlines()) > len(told):
            told.append(second)
    assert told[:7] == [60, 180, 420, 900, 1860, 3780, 7380]
    assert len(told) == 6 + 22
    assert len(log.getvalue().splitlines()) == 24 * 60 - 1


def test_on_a_terminal_the_line_moves_in_place_and_never_wraps(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    reader, writer = pty.openpty()
    with open(writer, "w") as terminal:  # noqa: PTH123  # a descriptor
        monkeypatch.setattr(console.os, "get_terminal_size", lambda _: os.terminal_size((30, 20)))
        progress = Progress(terminal, "sample", 100, "samples")
        for done in range(0, 101, 25):
            progress.update(done)
            clock.now += 0.5
    with open(reader, "rb", buffering=0) as screen:  # noqa: PTH123
        shown = screen.read(1000).decode()
    # 29 characters of a line, so that it never wraps; due after a second, and at the end.
    first, last = "\rsample: 50/100 samples, 50.0/s", "\rsample: 100/100 samples, 50.0"
    assert shown == f"{first[:30]}{last[:30]}\r\n"
    assert log.getvalue().count("\n") == 1


def test_the_log_is_left_alone_where_progress_goes_there_already(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = StringIO()
    monkeypatch.setattr(sys, "stderr", both)
    progress = Progress(both, "train", 2, "steps")
    clock.now += 61
    progress.update(1)
    progress.update(2)
    assert len(both.getvalue().splitlines()) == 2
