"""What a shard says of how it was drawn, held against how the config would draw it now."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.errors import InputError

OF_A_SHARD: Final = ("start", "stop", "questions")
"""Keys of a sampling spec in which the shards of a state on a benchmark differ; a sample is the same in any of them."""
_NAME: Final = re.compile(r"r(\d+)-s(\d+)")


class Whole(NamedTuple):
    """A shard that lies on disk, by its provenance."""

    round: int
    number: int
    path: Path


def whole_shards(folder: Path) -> list[Whole]:
    """The shards in a folder of samples, in order; one without provenance, or without samples, is not finished."""
    names = ((path, _NAME.fullmatch(path.stem)) for path in folder.glob("r*-s*.json"))
    return sorted(
        Whole(int(name[1]), int(name[2]), path)
        for path, name in names
        if name and path.with_suffix(".parquet").is_file()
    )


def part_path(out: Path) -> Path:
    """Where the part file of a shard lies (leash.sampling.parts)."""
    return out.with_name(f".{out.name}.part")


def drawn_by(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same in the specs of all shards of a state on a benchmark."""
    return {key: value for key, value in spec.items() if key not in OF_A_SHARD}


def read(path: Path) -> dict[str, Any]:
    """A shard's provenance. Raises InputError for a file that cannot be read, or has no spec."""
    contents = records.read_json(path)
    if not isinstance(contents, dict) or not isinstance(contents.get("spec"), dict):
        raise InputError(f"{path}: not the provenance of a shard (no spec); {remedy(path)}")
    return contents


def remedy(path: Path) -> str:
    """What to do about provenance that is broken."""
    return f"put back a copy, or delete it and run again with it as the target (snakemake {path}), which draws anew"


def check(provenance: Path, spec: Mapping[str, Any]) -> None:
    """Raise InputError unless the shard beside `provenance` was drawn by this spec (leash.specs.sample)."""
    found = read(provenance)["spec"]
    anew = f"delete {provenance} and {provenance.with_suffix('.parquet')} and run again, which draws it anew"
    if found != spec:
        raise InputError(
            f"{provenance}: this shard was not drawn as the config asks: {differences(found, spec)}. Snakemake draws "
            f"such a shard anew, unless an option such as --rerun-triggers keeps it from it: leave that option out, "
            f"or {anew}"
        )


def differences(found: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Each field in which two specs differ, with both values: 'top_p is 0.9, and 0.95 is asked for'."""
    return "; ".join(
        f"{key} is {_shown(found, key)}, and {_shown(asked, key)} is asked for"
        for key in sorted(found.keys() | asked.keys())
        if key not in found or key not in asked or found[key] != asked[key]
    )


def _shown(spec: Mapping[str, Any], key: str) -> str:
    return json.dumps(spec[key], ensure_ascii=False, sort_keys=True) if key in spec else "absent"
