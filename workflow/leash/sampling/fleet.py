"""Which server is asked next: the least busy of those that answer. One that fails is left alone for a while."""

import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_REPORT_EVERY: Final = 60.0


class Backoff(NamedTuple):
    """Seconds between tries: `first`, doubling up to `most`.

    The first request to a server that had failed goes alone for `trial` seconds, so that one that does not even
    answer holds up no others.
    """

    first: float = 0.5
    most: float = 30.0
    trial: float = 10.0

    def after(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row, with jitter: between half of them and all."""
        whole = min(self.most, self.first * 2.0 ** min(failures - 1, 60))
        return whole * random.uniform(0.5, 1.0)

    def within(self, patience: float) -> "Backoff":
        """The same with no wait longer than a quarter of `patience` seconds, so that these allow several tries."""
        first, most, trial = (min(seconds, patience / 4) for seconds in self)
        return self._replace(first=first, most=most, trial=trial)


@dataclass
class Server:
    """One base URL, and how it has fared. Times are of the fleet's clock."""

    url: str
    running: int = 0
    asked: int = 0
    failures: int = 0
    failed_at: float = -math.inf
    rests_until: float = -math.inf
    on_trial: bool = False
    reported_at: float = -math.inf


class Fleet:
    """The servers of one model."""

    def __init__(
        self, urls: Sequence[str], backoff: Backoff, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._servers = [Server(url) for url in urls]
        self._backoff, self.clock = backoff, clock

    def take(self) -> Server | None:
        """The server to ask, which counts as busy until `release`; None where all of them rest."""
        now = self.clock()
        awake = [server for server in self._servers if server.rests_until <= now]
        if not awake:
            return None
        server = min(awake, key=lambda one: (one.running, one.asked))
        if server.failures and not server.on_trial:
            server.on_trial = True
            server.rests_until = now + self._backoff.trial
        server.running += 1
        server.asked += 1
        return server

    def release(self, server: Server) -> None:
        """A request to the server has ended, one way or another."""
        server.running -= 1

    def rest(self) -> float:
        """Seconds until a server may be asked again; 0 where one may be asked now."""
        return max(0.0, min(server.rests_until for server in self._servers) - self.clock())

    def succeeded(self, server: Server, began: float) -> None:
        """A request that began at `began` was answered. It is news only if it began after the last failure."""
        if server.failures and began > server.failed_at:
            server.failures, server.on_trial, server.rests_until = 0, False, self.clock()

    def failed(self, server: Server, began: float, told: str, retry_after: float = 0.0) -> None:
        """A request that began at `began` failed. All that were in flight at a failure count as one.

        told: what happened, for the log. retry_after: seconds for which the server itself asks to be left alone.
        """
        now = self.clock()
        server.failures = max(1, server.failures + (began > server.failed_at))
        rest = max(retry_after, self._backoff.after(server.failures))
        server.failed_at, server.on_trial = now, False
        server.rests_until = max(server.rests_until, now + rest)
        if now >= server.reported_at + _REPORT_EVERY:
            server.reported_at = now
            print(f"{server.url}: {told}; it is tried again, and others meanwhile", file=sys.stderr)
