from pathlib import Path
from typing import Any

import pytest

from leash import pooling, records
from leash.errors import InputError


def metrics(benchmark: str, domain: str, budget: int, regions: list[int], **changes: Any) -> dict[str, Any]:
    """One benchmark's metrics; pass@1 is 0.1 for the base and 0.2 for the target, pass@2 0.3."""
    questions = sum(regions)
    sides = {
        side: {
            "model": side,
            "checkpoint": "main",
            "pass_at": {"1": pass_1, "2": 0.3, str(budget): sum(solved) / questions},
            "samples": questions * budget,
            "outcomes": dict.fromkeys(records.OUTCOMES, budget),
        }
        for side, pass_1, solved in (
            ("base", 0.1, (regions[0], regions[2])),
            ("target", 0.2, (regions[0], regions[1])),
        )
    }
    return {
        "benchmark": benchmark,
        "domain": domain,
        "budget": budget,
        "questions": questions,
        "regions": dict(
            zip(("preservation", "expansion", "shrinkage", "out_of_support"), regions, strict=True)
        ),
        "tail": regions[1] + regions[2],
        **sides,
        **changes,
    }


def written(folder: Path, *contents: dict[str, Any]) -> list[Path]:
    paths = [folder / f"m{index}.json" for index in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        records.write_json(path, content)
    return paths


def test_pools_by_domain_and_overall(tmp_path: Path) -> None:
    zebra = metrics("zebra", "logic", 8, [0, 0, 0, 10])
    zebra["base"]["pass_at"]["1"] = 0.5
    pooled = pooling.pool(
        written(
            tmp_path,
            metrics("aime", "math", 16, [20, 2, 3, 5]),
            zebra,
            metrics("amc", "math", 8, [38, 0, 2, 0]),
        )
    )
    assert pooled["base"] == {"model": "base", "checkpoint": "main"}
    assert list(pooled["domains"]) == ["math", "logic"]
    math, overall = pooled["domains"]["math"], pooled["overall"]
    assert math["regions"] == {"preservation": 58, "expansion": 2, "shrinkage": 5, "out_of_support": 5}
    assert math["metrics"]["srr"] == 58 / 63
    assert (math["benchmarks"], math["budgets"], math["questions"]) == (["aime", "amc"], [8, 16], 70)
    assert math["base"]["pass_at_budget"] == pytest.approx((58 + 5) / 70)
    assert overall["base"]["pass_at"] == {
        "1": pytest.approx((70 * 0.1 + 10 * 0.5) / 80),
        "2": pytest.approx(0.3),
    }
    assert (math["tail"], overall["tail"]) == (2 + 3 + 2, 2 + 3 + 2)
    assert overall["target"]["samples"] == 30 * 16 + 50 * 8
    assert overall["target"]["outcomes"]["truncated"] == 16 + 8 + 8


def test_a_pool_of_one_is_that_benchmark(tmp_path: Path) -> None:
    one = metrics("aime", "math", 16, [20, 2, 3, 5])
    overall = pooling.pool(written(tmp_path, one))["overall"]
    assert overall["regions"] == one["regions"]
    assert overall["base"]["pass_at"] == pytest.approx(one["base"]["pass_at"])


def test_undefined_in_a_domain_stays_undefined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,), out = written(tmp_path, metrics("zebra", "logic", 8, [0, 0, 0, 10])), tmp_path / "pooled.json"
    monkeypatch.setattr("sys.argv", ["pooling", "--metrics", str(path), "--out", str(out)])
    pooling.main()
    assert records.read_json(out)["domains"]["logic"]["metrics"]["srr"] is None


def test_refuses_mixed_comparisons_a_benchmark_twice_and_other_files(tmp_path: Path) -> None:
    one = metrics("aime", "math", 16, [1, 0, 0, 0])
    other = metrics("amc", "math", 16, [1, 0, 0, 0])
    other["target"]["checkpoint"] = "step-9"
    with pytest.raises(InputError, match=r"m1.json: compares other states than .*m0.json"):
        pooling.pool(written(tmp_path, one, other))
    with pytest.raises(InputError, match=r"m1.json: benchmark 'aime' is also in .*m0.json"):
        pooling.pool(written(tmp_path, one, one))
    with pytest.raises(InputError, match=r"m0.json: not the metrics"):
        pooling.pool(written(tmp_path, {"regions": {}}))
