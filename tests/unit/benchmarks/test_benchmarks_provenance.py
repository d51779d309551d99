"""The command line: a questions file, and beside it where the questions came from."""

import hashlib
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from leash.benchmarks import QUESTIONS_VERSION, prompts
from leash.benchmarks.__main__ import check_spec
from leash.benchmarks.provenance import provenance
from leash.errors import InputError
from leash.records import QUESTIONS, read

COMMON = {"size": 2, "prompt": prompts.TEMPLATES["boxed"], "version": QUESTIONS_VERSION}
GYM = {"reasoning_gym": "gcd", "params": {}, "seed": 5, **COMMON}
TABLE = {"columns": {"id": "id"}, "benchmark": "mine", **COMMON}
HUB = {"hub": "org/name", "hub_config": "main", "split": "train", "revision": "c1", **TABLE}


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leash.benchmarks", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_file_is_told_by_its_hash(tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    source.write_text(
        '{"id": "a", "question": "?", "answer": 27.0}\n{"id": "b", "question": "?", "answer": 27}\n'
    )
    out = tmp_path / "questions/mine.parquet"
    spec = {"file": str(source), **TABLE}
    done = run("--spec", json.dumps(spec), "--out", out, out.with_suffix(".json"))
    assert done.returncode == 0, done.stderr
    assert f"2 questions of {source}" in done.stderr
    assert "the same question: a = b" in done.stderr
    assert [row["gold"] for row in read(out, QUESTIONS)] == [["27"], ["27"]]
    assert json.loads(out.with_suffix(".json").read_text()) == {
        "source": {
            "kind": "file",
            "path": str(source),
            "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
            "columns": {"id": "id"},
        },
        "questions": 2,
        "repeated_questions": [["a", "b"]],
        "prompt": {
            "name": "boxed",
            "template": prompts.TEMPLATES["boxed"],
            "sha256": prompts.digest(prompts.TEMPLATES["boxed"]),
        },
        "versions": {},
        "questions_version": QUESTIONS_VERSION,
    }


def test_without_a_second_output_none_is_written(tmp_path: Path) -> None:
    assert run("--spec", json.dumps(GYM), "--out", tmp_path / "a.parquet").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_a_hub_dataset_is_told_by_its_commit() -> None:
    told = provenance(HUB, [])
    assert told["source"] == {
        "kind": "hub",
        "dataset": "org/name",
        "config": "main",
        "split": "train",
        "revision": "c1",
        "columns": {"id": "id"},
    }
    assert told["versions"] == {"datasets": version("datasets")}


def test_a_dataset_folder_is_told_as_one(tmp_path: Path) -> None:
    assert provenance(HUB | {"hub": str(tmp_path)}, [])["source"]["kind"] == "folder"


def test_a_task_is_told_with_its_parameters() -> None:
    told = provenance(GYM | {"prompt": "{question}!"}, [])
    assert told["source"] == {"kind": "reasoning_gym", "task": "gcd", "params": {}, "seed": 5}
    assert told["versions"] == {"reasoning_gym": version("reasoning_gym")}
    assert told["prompt"]["name"] is None


def test_questions_of_a_file_cannot_be_kept_apart(tmp_path: Path) -> None:
    spec = json.dumps({"file": "a.jsonl", **TABLE})
    done = run("--spec", spec, "--exclude", tmp_path / "other", "--out", tmp_path / "a")
    assert done.returncode == 2
    assert "--exclude goes with reasoning_gym" in done.stderr


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({**GYM, "file": "a.csv"}, "one of the keys reasoning_gym, file, hub"),
        (COMMON, "one of the keys reasoning_gym, file, hub"),
        ([], "one of the keys reasoning_gym, file, hub"),
        ({"file": "a.csv", **COMMON}, "exactly the keys file, benchmark, columns"),
        ({**HUB, "hub_config": 3}, "hub_config must be of type str or NoneType, not 3"),
        ({**HUB, "seed": 3}, "exactly the keys hub, hub_config"),
    ],
)
def test_a_spec_of_another_shape_is_an_input_error(spec: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_spec(spec)


def test_an_unknown_key_of_columns_is_an_input_error(tmp_path: Path) -> None:
    spec = {"file": "a.jsonl", **TABLE, "columns": {"golds": "x"}}
    done = run("--spec", json.dumps(spec), "--out", tmp_path / "a")
    assert done.returncode == 1
    assert done.stderr.startswith("error: --spec: columns.golds: Extra inputs")
