import json
from pathlib import Path
from typing import Any

import pytest

from leash import evidence, records
from leash.dynamics.regions import RegionCounts
from leash.errors import InputError
from leash.match import match
from synthetic_study import write_counts


def regions(folder: Path, benchmark: str, base: list[int], target: list[int], n: int) -> Path:
    sides = [
        write_counts(folder / benchmark / f"{name}.parquet", correct, n)
        for name, correct in (("base", base), ("target", target))
    ]
    path = folder / benchmark / "regions.parquet"
    records.write(path, records.REGIONS, match(*sides))
    return path


def spec(**benchmarks: tuple[str, int]) -> dict[str, Any]:
    return {
        "base": {"model": "qwen", "checkpoint": "main"},
        "target": {"model": "dapo", "checkpoint": "step-20"},
        "seed": 3,
        "benchmarks": {slug: {"domain": domain, "budget": n} for slug, (domain, n) in benchmarks.items()},
    }


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two benchmarks of different budgets: one lost question of four, one gained of three."""
    folder = tmp_path_factory.mktemp("weighed")
    files = [
        regions(folder, "gcd", [4, 1, 2, 0], [3, 0, 2, 0], 4),
        regions(folder, "aime", [0, 8, 0], [1, 8, 0], 8),
    ]
    out = folder / "evidence.json"
    records.write_json(
        out, evidence.weigh(spec(gcd=("arithmetic", 4), aime=("math", 8)), list(reversed(files)))
    )
    contents: dict[str, Any] = records.read_json(out)
    return contents


def test_each_benchmark_is_weighed_at_its_own_budget(weighed: dict[str, Any]) -> None:
    gcd, aime = weighed["benchmarks"]["gcd"], weighed["benchmarks"]["aime"]
    assert RegionCounts(**gcd["regions"]) == (2, 0, 1, 1)
    assert RegionCounts(**aime["regions"]) == (1, 1, 0, 1)
    assert [at["k"] for at in gcd["over_budgets"]] == [1, 2, 4]
    assert [at["k"] for at in aime["over_budgets"]] == [1, 2, 4, 8]
    assert (gcd["budgets"], gcd["nulls"]["k"]) == ([4], 2)
    assert gcd["unseen"] == pytest.approx(1 - 0.05 ** (1 / 4))
    # against itself at k = 2 of 4: no success in two, and one in the two others
    assert gcd["nulls"]["expansion_over_base"]["null"] == pytest.approx(1 / 2 + 1 / 6)
    assert gcd["over_budgets"][0]["regions"]["preservation"] == pytest.approx(1 * 3 / 4 + 2 / 4 * 2 / 4)


def test_the_last_budget_is_what_was_counted(weighed: dict[str, Any]) -> None:
    for block in weighed["benchmarks"].values():
        last = block["over_budgets"][-1]
        assert last["regions"] == pytest.approx(block["regions"])
        assert last["metrics"] == pytest.approx(block["metrics"])
        assert last["intervals"] == block["intervals"]


def test_the_papers_reading_of_pass_at_k_takes_the_first_samples(tmp_path: Path) -> None:
    file = regions(tmp_path, "gcd", [2, 1], [0, 2], 4)
    rows = records.read(file, records.REGIONS)
    rows[0] |= {"base_first_correct": 2}
    records.write(file, records.REGIONS, rows)
    at = evidence.weigh(spec(gcd=("arithmetic", 4)), [file])["benchmarks"]["gcd"]["over_budgets"]
    assert [one["base_prefix_pass"] for one in at] == [0.5, 0.5, 1.0]
    assert [one["target_prefix_pass"] for one in at] == [0.5, 0.5, 0.5]
    rows[0] |= {"base_first_correct": None}
    records.write(file, records.REGIONS, rows)
    at = evidence.weigh(spec(gcd=("arithmetic", 4)), [file])["benchmarks"]["gcd"]["over_budgets"]
    assert [one["base_prefix_pass"] for one in at] == [None, None, None]


def test_pools_add_what_their_benchmarks_have(weighed: dict[str, Any]) -> None:
    overall = weighed["overall"]
    assert RegionCounts(**overall["regions"]) == (3, 1, 1, 2)
    assert overall["questions"] == 7
    assert overall["budgets"] == [4, 8]
    assert overall["mcnemar_p"] == 1
    assert overall["nulls"]["k"] is None
    assert overall["nulls"]["shrinkage_over_base"]["null"] == pytest.approx(
        sum(block["nulls"]["shrinkage_over_base"]["null"] for block in weighed["benchmarks"].values())
    )
    assert list(weighed["domains"]) == ["arithmetic", "math"]
    assert weighed["domains"]["math"]["regions"] == weighed["benchmarks"]["aime"]["regions"]
    assert weighed["domains"]["math"]["nulls"] == weighed["benchmarks"]["aime"]["nulls"]
    for kind in ("other_questions", "same_questions"):
        assert overall["intervals"][kind]["nscr"]["value"] == overall["metrics"]["nscr"] == 0
    assert overall["verdict"]["change"] == "no net change"


def test_one_sample_has_no_null_and_one_question_no_band(tmp_path: Path) -> None:
    file = regions(tmp_path, "gcd", [1], [0], 1)
    found = evidence.weigh(spec(gcd=("arithmetic", 1)), [file])["benchmarks"]["gcd"]
    assert found["nulls"] is None
    assert found["over_budgets"][0]["pass_difference"] is None
    assert found["verdict"]["words"][0] == "net shrinkage beyond resampling noise: no, p = 1"


def test_files_that_do_not_fit_are_named(tmp_path: Path) -> None:
    file = regions(tmp_path, "gcd", [1, 2], [0, 2], 4)
    with pytest.raises(InputError, match=r"gcd/regions.parquet: not matched at the budget 8: q0, q1"):
        evidence.weigh(spec(gcd=("arithmetic", 8)), [file])
    with pytest.raises(InputError, match=r"a folder of each of gcd, aime"):
        evidence.weigh(spec(gcd=("arithmetic", 4), aime=("math", 4)), [file])
    with pytest.raises(InputError, match=r"exactly one file"):
        evidence.weigh(spec(gcd=("arithmetic", 4)), [file, file])
    records.write(file, records.REGIONS, [])
    with pytest.raises(InputError, match=r"regions.parquet: holds no questions"):
        evidence.weigh(spec(gcd=("arithmetic", 4)), [file])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"benchmarks": {}}, "at least one benchmark"),
        ({"benchmarks": {"gcd": {"domain": "a"}}}, r"benchmarks.gcd must be"),
        ({"benchmarks": {"gcd": {"domain": "a", "budget": 0}}}, r"benchmarks.gcd.budget"),
        ({"base": {"model": "x"}}, "base must be"),
        ({"more": 1}, "exactly"),
    ],
)
def test_a_broken_spec_is_explained(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evidence.parse_spec(json.dumps(spec(gcd=("arithmetic", 4)) | change))
