"""The paper's own tables, transcribed in results/published, and whether their numbers fit each other."""

from leash.published.record import Record, aggregate, read, value

__all__ = ["Record", "aggregate", "read", "value"]
