"""Where questions come from. One short module per kind of source; `python -m leash.benchmarks` runs it."""

from typing import Final

QUESTIONS_VERSION: Final = 1
"""Part of every questions spec: raise it when the same spec would give other questions."""
