"""Errors a user can act on, and how a command line prints them."""

import sys
from collections.abc import Callable
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
