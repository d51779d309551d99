"""Write a questions file: python -m leash.benchmarks --spec JSON [--exclude FILE ...] --out FILE."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from leash import records
from leash.benchmarks import QUESTIONS_VERSION, prompts, reasoning_gym
from leash.errors import InputError, exits_cleanly

_SPEC_KEYS: Final = {
    "reasoning_gym": str,
    "params": dict,
    "seed": int,
    "size": int,
    "prompt": str,
    "version": int,
}


def questions(spec: records.Row, exclude: Iterable[str] = ()) -> list[records.Row]:
    """The rows of the file that `spec` describes. Raises InputError; see `reasoning_gym.generate`."""
    check_spec(spec)
    prompts.check_template(spec["prompt"])
    rows = reasoning_gym.generate(
        spec["reasoning_gym"], spec["params"], spec["seed"], spec["size"], frozenset(exclude)
    )
    return [{**row, "prompt": prompts.render(spec["prompt"], row["question"])} for row in rows]


def check_spec(spec: Any) -> None:
    """Raise InputError for a spec that lacks a key, has one more, or holds a value of another type."""
    if not isinstance(spec, dict) or spec.keys() != _SPEC_KEYS.keys():
        raise InputError(f"--spec: must be a JSON object with exactly the keys {', '.join(_SPEC_KEYS)}")
    for key, kind in _SPEC_KEYS.items():
        if type(spec[key]) is not kind:
            raise InputError(f"--spec: {key} must be of type {kind.__name__}, not {spec[key]!r}")
    if spec["version"] != QUESTIONS_VERSION:
        raise InputError(f"--spec: version is {spec['version']}, and this code makes {QUESTIONS_VERSION}")


@exits_cleanly
def main() -> None:
    """Command line; see the module's first line."""
    parser = argparse.ArgumentParser(prog="python -m leash.benchmarks", description=__doc__)
    parser.add_argument("--spec", required=True, help="JSON: " + ", ".join(_SPEC_KEYS))
    parser.add_argument(
        "--exclude", nargs="*", default=[], type=Path, help="questions files to keep apart from"
    )
    parser.add_argument("--out", required=True, type=Path, help="questions file to write")
    arguments = parser.parse_args()
    spec = records.parse_spec(arguments.spec)
    exclude = [
        row["question"]
        for path in arguments.exclude
        for row in records.stream(path, records.QUESTIONS, ["question"])
    ]
    rows = questions(spec, exclude)
    records.write(arguments.out, records.QUESTIONS, rows)
    print(f"{arguments.out}: {len(rows):,} questions of {spec['reasoning_gym']}", file=sys.stderr)


if __name__ == "__main__":
    main()
