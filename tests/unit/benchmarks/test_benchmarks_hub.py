"""Hub datasets, through a dataset folder: the same call loads both."""

import json
from pathlib import Path
from typing import Any

import pytest

from leash.benchmarks import hub
from leash.benchmarks.__main__ import questions
from leash.errors import InputError

ROWS = [
    {"problem": "1 + 1?", "golds": ["2", "two"], "more": {"unit": "m", "level": 1}},
    {"problem": "2 + 2?", "golds": ["4"], "more": {"unit": None, "level": 2}},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset folder with the splits test and train."""
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "dataset"
    for split, rows in (("test", ROWS), ("train", ROWS[:1])):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        datasets.Dataset.from_list(rows).to_parquet(folder / f"data/{split}-00000-of-00001.parquet")
    return folder


def test_the_rows_of_a_split(folder: Path) -> None:
    assert hub.read("mine", str(folder), None, "test", "v1") == ROWS
    assert hub.read("mine", str(folder), None, "train", "v1") == ROWS[:1]


def test_json_lines_in_a_folder(folder: Path) -> None:
    other = folder.parent / "lines"
    other.mkdir()
    (other / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert hub.read("mine", str(other), None, "test", "v1") == ROWS


def test_the_questions_of_a_hub_spec(folder: Path) -> None:
    spec = {
        "hub": str(folder),
        "hub_config": None,
        "split": "test",
        "revision": "v1",
        "columns": {
            "question": "problem",
            "gold": "golds",
            "unit": "more.unit",
            "metadata": ["more.level"],
        },
        "size": 2,
        "prompt": "Q: {question}",
        "version": 1,
        "benchmark": "mine",
    }
    made = questions(spec)
    assert [row["gold"] for row in made] == [["2 m", "two m"], ["4"]]
    assert [row["prompt"] for row in made] == ["Q: 1 + 1?", "Q: 2 + 2?"]
    assert json.loads(made[1]["metadata"]) == {"more.level": 2}
    with pytest.raises(InputError, match=r"benchmarks\.mine\.size: .*dataset has 2 rows, and size says 3"):
        questions(spec | {"size": 3})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": "tset"}, r"benchmarks\.mine\.split: .*split tset.*Unknown split.*'test'.*name a split"),
        ({"config": "main"}, r"benchmarks\.mine\.hub_config: .*hub_config main.*default.*name a config"),
        ({"path": "not/a/dataset"}, r"benchmarks\.mine\.hub: not/a/dataset .*check hub, revision"),
    ],
)
def test_what_cannot_be_loaded_names_the_key(folder: Path, change: dict[str, Any], message: str) -> None:
    asked = {"path": str(folder), "config": None, "split": "test", "revision": "v1"} | change
    with pytest.raises(InputError, match=message):
        hub.read("mine", **asked)


def test_without_network_the_remedy_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    def unreachable(*_: object, **__: object) -> None:
        raise ConnectionError("Couldn't reach 'org/name' on the Hub")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(
        InputError, match=r"benchmarks\.mine\.hub: org/name .*the first load needs the network"
    ):
        hub.read("mine", "org/name", None, "test", "v1")
    assert folder.is_dir()
