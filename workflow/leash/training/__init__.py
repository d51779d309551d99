"""The tiny organism: a Qwen2 of a third of a million parameters, trained here from scratch in minutes.

`corpus` writes worked solutions to generated questions, `supervised` trains on them, `dapo` continues with
reinforcement learning from a verifier. Nothing here imports torch until a training starts.
"""

from typing import Final

TRAINING_VERSION: Final = 2
"""Raised when the same spec and the same inputs would give other weights."""

CORPUS_VERSION: Final = 1
"""Raised when the same spec and the same questions would give another corpus."""
