"""The plan that `snakemake plan` made last, and how long a sampling job may run on a cluster by it."""

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any, Final

from leash import records

VERSION: Final = 2
"""Of the plan's format. Plans of record of another version are dropped."""
UNPLANNED: Final = 720
"""Minutes of a job whose cell no plan knows a speed of."""
_LEAST: Final = 30
_MARGIN: Final = 2  # a plan is a mean; and a job that is ended goes on from its part file


def last_plan(path: Path) -> dict[str, Any] | None:
    """The plan made last; None where there is none, or one of another version. Raises InputError for a broken file."""
    if not path.is_file():
        return None
    contents = records.read_json(path)
    return contents if isinstance(contents, dict) and contents.get("version") == VERSION else None


def minutes(plan: Mapping[str, Any] | None, state: str, benchmark: str, samples: int, gpus: int) -> int:
    """Twice the expected minutes of `samples` samples of a state on a benchmark, at least 30; 720 without a plan."""
    cells = plan["cells"] if plan else ()
    cell = next((one for one in cells if (one["state"], one["benchmark"]) == (state, benchmark)), None)
    whole = cell and cell["exhaustive"]
    if not whole or whole["hours"] is None or not whole["samples"]:
        return UNPLANNED
    expected: float = whole["hours"] * 60 / max(1, gpus) * samples / whole["samples"]
    return max(_LEAST, ceil(_MARGIN * expected))
