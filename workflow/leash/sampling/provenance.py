"""What a shard says of how it was drawn, held against how the config would draw it now."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leash import records
from leash.errors import InputError


def check(provenance: Path, spec: Mapping[str, Any]) -> None:
    """Raise InputError unless the shard beside `provenance` was drawn by this spec (leash.specs.sample)."""
    contents = records.read_json(provenance)
    found = contents.get("spec") if isinstance(contents, dict) else None
    samples = provenance.with_suffix(".parquet")
    anew = f"delete {provenance} and {samples} and run again, which draws it anew"
    if not isinstance(found, dict):
        raise InputError(f"{provenance}: not the provenance of a shard (no spec); {anew}")
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
