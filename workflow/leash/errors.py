"""Errors a user can act on, and how a command line prints them."""

import difflib
import sys
from collections.abc import Callable, Iterable
from functools import wraps


class InputError(Exception):
    """Something the user gave is wrong. The message names the file, the key or row, and the remedy."""


def exits_cleanly(main: Callable[[], None]) -> Callable[[], None]:
    """Print an `InputError` as one plain line and exit with status 1; leave real bugs their traceback."""

    @wraps(main)
    def guarded() -> None:
        try:
            main()
        except InputError as error:
            sys.exit(f"error: {error}")

    return guarded


def nearest(name: str, known: Iterable[str]) -> str:
    """'; did you mean 'x'?' for the nearest known name, else the known names."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else f" (known: {', '.join(known)})"
