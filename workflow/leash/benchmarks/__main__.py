"""Write a questions file: python -m leash.benchmarks --spec JSON [--exclude FILE ...] --out FILE [PROVENANCE]."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from leash import records
from leash.benchmarks import QUESTIONS_VERSION, files, hub, prompts, reasoning_gym, recorded
from leash.benchmarks import rows as tables
from leash.benchmarks.provenance import provenance
from leash.config import Columns
from leash.errors import InputError, exits_cleanly

_COMMON: Final = {"size": (int,), "prompt": (str,), "version": (int,)}
_TABLE: Final = {"benchmark": (str,), "columns": (dict,), **_COMMON}
_SPEC_KEYS: Final[dict[str, dict[str, tuple[type, ...]]]] = {
    "reasoning_gym": {"reasoning_gym": (str,), "params": (dict,), "seed": (int,), **_COMMON},
    "file": {"file": (str,), **_TABLE},
    "hub": {"hub": (str,), "hub_config": (str, type(None)), "split": (str,), "revision": (str,), **_TABLE},
    "recorded": {"recorded": (str,), "benchmark": (str,), "columns": (dict,), "version": (int,)},
}


def questions(spec: records.Row, exclude: Iterable[str] = ()) -> list[records.Row]:
    """The rows of the file that `spec` describes.

    Raises InputError; see `reasoning_gym.generate`, `files.read`, `hub.read` and `rows.questions`.
    """
    source = check_spec(spec)
    if source == "recorded":
        found = recorded.questions(spec["benchmark"], Path(spec["recorded"]), spec["columns"])
        return [{**row, "prompt": None} for row in found]  # how they were put is not known
    prompts.check_template(spec["prompt"])
    if source == "reasoning_gym":
        made = reasoning_gym.generate(
            spec["reasoning_gym"], spec["params"], spec["seed"], spec["size"], frozenset(exclude)
        )
    else:
        made = tables.questions(_table(spec, source), spec["size"])
    return [{**row, "prompt": prompts.render(spec["prompt"], row["question"])} for row in made]


def _table(spec: records.Row, source: str) -> tables.Table:
    try:
        columns = Columns.model_validate(spec["columns"])
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"--spec: columns.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if source == "file":
        found = files.read(Path(spec["file"]))
    else:
        found = hub.read(spec["benchmark"], spec["hub"], spec["hub_config"], spec["split"], spec["revision"])
    return tables.Table(found, columns, spec["benchmark"], spec[source])


def check_spec(spec: Any) -> str:
    """The kind of source: reasoning_gym, file, hub or recorded.

    Raises InputError for a spec that lacks a key, has one more, or holds a value of another type.
    """
    sources = [source for source in _SPEC_KEYS if isinstance(spec, dict) and source in spec]
    if len(sources) != 1:
        raise InputError(f"--spec: must be a JSON object with one of the keys {', '.join(_SPEC_KEYS)}")
    known = _SPEC_KEYS[sources[0]]
    if spec.keys() != known.keys():
        raise InputError(f"--spec: must be a JSON object with exactly the keys {', '.join(known)}")
    for key, kinds in known.items():
        if type(spec[key]) not in kinds:
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise InputError(f"--spec: {key} must be of type {wanted}, not {spec[key]!r}")
    if spec["version"] != QUESTIONS_VERSION:
        raise InputError(f"--spec: version is {spec['version']}, and this code makes {QUESTIONS_VERSION}")
    return sources[0]


@exits_cleanly
def main() -> None:
    """Command line; see the module's first line."""
    parser = argparse.ArgumentParser(prog="python -m leash.benchmarks", description=__doc__)
    keys = "; or ".join(", ".join(known) for known in _SPEC_KEYS.values())
    parser.add_argument("--spec", required=True, help=f"JSON: {keys}")
    parser.add_argument(
        "--exclude", nargs="*", default=[], type=Path, help="questions files to keep apart from"
    )
    parser.add_argument(
        "--out",
        nargs="+",
        required=True,
        type=Path,
        help="questions file to write, and its provenance (JSON)",
    )
    arguments = parser.parse_args()
    if len(arguments.out) > 2:
        parser.error("--out takes a questions file and a provenance file")
    spec = records.parse_spec(arguments.spec)
    source = check_spec(spec)
    if arguments.exclude and source != "reasoning_gym":
        parser.error("--exclude goes with reasoning_gym: the questions of a file or of the hub are given")
    exclude = [
        row["question"]
        for path in arguments.exclude
        for row in records.stream(path, records.QUESTIONS, ["question"])
    ]
    rows = questions(spec, exclude)
    records.write(arguments.out[0], records.QUESTIONS, rows)
    for path in arguments.out[1:]:
        records.write_json(path, provenance(spec, rows))
    print(f"{arguments.out[0]}: {len(rows):,} questions of {spec[source]}", file=sys.stderr)
    for group in tables.repeated(rows):
        print(f"the same question: {' = '.join(group)}", file=sys.stderr)


if __name__ == "__main__":
    main()
