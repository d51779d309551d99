import json
from pathlib import Path
from typing import Any

import pytest

from leash import metrics, records
from leash.errors import InputError
from leash.match import match
from synthetic_study import write_counts

SPEC: dict[str, Any] = {
    "base": {"model": "qwen", "checkpoint": "main"},
    "target": {"model": "dapo", "checkpoint": "step-20"},
    "benchmark": "gcd",
    "domain": "arithmetic",
    "budget": 4,
}


def regions(folder: Path, base: list[int], target: list[int], n: int = 4) -> Path:
    sides = [
        write_counts(folder / f"{name}.parquet", correct, n, truncated=1)
        for name, correct in (("base", base), ("target", target))
    ]
    path = folder / "regions.parquet"
    records.write(path, records.REGIONS, match(*sides))
    return path


def test_the_file_reads_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = regions(tmp_path, base=[4, 0, 1, 0], target=[2, 2, 0, 0]), tmp_path / "metrics.json"
    argv = ["metrics", "--spec", json.dumps(SPEC), "--regions", str(path), "--out", str(out)]
    monkeypatch.setattr("sys.argv", argv)
    metrics.main()
    none = {"no_answer": 0, "verifier_timeout": 0, "verifier_error": 0}
    assert records.read_json(out) == {
        "benchmark": "gcd",
        "domain": "arithmetic",
        "budget": 4,
        "questions": 4,
        "regions": {"preservation": 1, "expansion": 1, "shrinkage": 1, "out_of_support": 1},
        "tail": 3,
        "metrics": {"srr": 0.5, "ndr": 0.5, "sds": 0.5, "nscr": 0.0},
        "base": {
            "model": "qwen",
            "checkpoint": "main",
            "pass_at": {"1": pytest.approx(5 / 16), "2": pytest.approx(1.5 / 4), "4": 0.5},
            "samples": 16,
            "outcomes": none | {"correct": 5, "wrong": 8, "truncated": 3},
        },
        "target": {
            "model": "dapo",
            "checkpoint": "step-20",
            "pass_at": {"1": pytest.approx(0.25), "2": pytest.approx((5 / 6 + 5 / 6) / 4), "4": 0.5},
            "samples": 16,
            "outcomes": none | {"correct": 4, "wrong": 8, "truncated": 4},
        },
    }


def test_undefined_is_null_in_the_file(tmp_path: Path) -> None:
    out = tmp_path / "metrics.json"
    records.write_json(out, metrics.summarise(SPEC, regions(tmp_path, [0], [0])))
    assert records.read_json(out)["metrics"] == {"srr": None, "ndr": None, "sds": None, "nscr": None}


def test_the_region_of_the_file_counts_and_not_a_rule_of_its_own(tmp_path: Path) -> None:
    path = regions(tmp_path, [4, 1], [4, 0])
    rows = records.read(path, records.REGIONS)
    rows[1]["region"] = "out_of_support"
    records.write(path, records.REGIONS, rows)
    assert metrics.summarise(SPEC, path)["regions"]["out_of_support"] == 1


def test_the_tail_counts_labels_that_rest_on_three_successes_or_fewer(tmp_path: Path) -> None:
    path = regions(tmp_path, base=[4, 4, 4, 0, 0, 0, 3, 2], target=[4, 1, 0, 4, 3, 0, 0, 3])
    assert metrics.summarise(SPEC, path)["tail"] == 4


def test_refuses_another_budget_an_unknown_region_and_an_empty_file(tmp_path: Path) -> None:
    path = regions(tmp_path, [1, 1], [1, 1], n=3)
    with pytest.raises(InputError, match="not matched at the budget 4: q0, q1"):
        metrics.summarise(SPEC, path)
    rows = records.read(path, records.REGIONS)
    rows[0]["region"] = "limbo"
    records.write(path, records.REGIONS, rows)
    with pytest.raises(InputError, match=r"regions.parquet: .*limbo"):
        metrics.summarise(SPEC | {"budget": 3}, path)
    records.write(path, records.REGIONS, [])
    with pytest.raises(InputError, match="holds no questions"):
        metrics.summarise(SPEC, path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not valid JSON"),
        ("[]", "exactly"),
        (json.dumps(SPEC | {"bugdet": 4}), "bugdet"),
        (json.dumps({key: SPEC[key] for key in SPEC if key != "domain"}), "domain"),
        (json.dumps(SPEC | {"base": {"model": "qwen"}}), "base must be"),
        (json.dumps(SPEC | {"budget": True}), "True"),
        (json.dumps(SPEC | {"budget": 0}), "0"),
    ],
)
def test_a_spec_that_is_off_is_explained(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=rf"--spec: .*{complaint}"):
        metrics.parse_spec(text)
