"""A shard that was drawn otherwise than the config asks is refused by whoever reads it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.errors import InputError
from leash.modules import module_files
from leash.sampling.provenance import check
from leash.verify import VERIFIER_VERSION

SPEC: dict[str, Any] = {"model": {"hub": "a/b", "revision": "c"}, "temperature": 0.6, "start": 0, "stop": 8}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r0-s0.json"
    records.write_json(path, {"spec": SPEC, "tokens": 5})
    return path


def test_the_same_spec_passes(file: Path) -> None:
    check(file, json.loads(records.canonical_json(SPEC)))


def test_every_field_that_differs_is_named_with_both_values(file: Path) -> None:
    asked = {key: value for key, value in SPEC.items() if key != "stop"} | {
        "temperature": 1.0,
        "model": {"hub": "a/b", "revision": "d"},
        "questions": "00ff",
    }
    with pytest.raises(InputError) as error:
        check(file, asked)
    assert str(error.value) == (
        f"{file}: this shard was not drawn as the config asks: "
        'model is {"hub": "a/b", "revision": "c"}, and {"hub": "a/b", "revision": "d"} is asked for; '
        'questions is absent, and "00ff" is asked for; stop is 8, and absent is asked for; '
        "temperature is 0.6, and 1.0 is asked for. Snakemake draws such a shard anew, unless an option such as "
        "--rerun-triggers keeps it from it: leave that option out, or delete "
        f"{file} and {file.with_suffix('.parquet')} and run again, which draws it anew"
    )


@pytest.mark.parametrize("content", ["[]", "{}", '{"spec": 1}', "{"])
def test_what_is_no_provenance_is_refused(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(InputError, match=r"r0-s0\.json: not"):
        check(file, SPEC)


def test_verification_refuses_such_samples_before_it_reads_them(file: Path, tmp_path: Path) -> None:
    spec = {
        "verifier": "math",
        "rules": None,
        "timeout": 1.0,
        "tolerance": 1e-6,
        "task": "",
        "open_ended": False,
        "version": VERIFIER_VERSION,
    }
    command = [
        *(sys.executable, "-m", "leash.verify", "--spec", json.dumps(spec)),
        *("--questions", "none", "--samples", "none", "--out", str(tmp_path / "v.parquet")),
        *("--provenance", str(file), "--drawn"),
    ]
    for drawn, message in (
        (
            SPEC | {"temperature": 1.0},
            f"error: {file}: this shard was not drawn as the config asks: temperature is",
        ),
        (SPEC, "error: none: not there"),
    ):
        ended = subprocess.run([*command, json.dumps(drawn)], capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        assert message in ended.stderr
    ended = subprocess.run(command[:-1], capture_output=True, text=True, check=False)
    assert "--provenance and --drawn go together" in ended.stderr


def test_verification_does_not_depend_on_how_samples_are_drawn() -> None:
    names = {
        path.rpartition("leash/sampling/")[2] for path in module_files("leash.verify") if "/sampling/" in path
    }
    assert names == {"__init__.py", "provenance.py"}
