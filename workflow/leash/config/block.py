"""What every block of the config has in common."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

# Folders of results/<study>/ that are not models.
RESERVED_SLUGS = frozenset(
    {
        "questions",
        "traces",
        "training",
        "tables",
        "figures",
        "report",
        "logs",
        "benchmarks",
        "published",
        "cache",
    }
)


def _slug(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", value):
        raise ValueError(f"'{value}' is not a slug: use only a-z, 0-9, '.', '_' and '-'")
    if value in RESERVED_SLUGS:
        raise ValueError(f"'{value}' is the name of a results folder: choose another")
    return value


Slug = Annotated[str, AfterValidator(_slug)]
Commit = Annotated[str, Field(min_length=1)]


class Block(BaseModel):
    """Unknown keys are errors; values cannot change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
