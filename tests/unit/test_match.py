from pathlib import Path

import pytest

from leash import match, records
from leash.errors import InputError
from synthetic_study import write_counts


def test_matches_question_by_question_whatever_the_order(tmp_path: Path) -> None:
    base = write_counts(tmp_path / "base.parquet", [3, 0, 1, 0], n=4, truncated=1)
    target = write_counts(tmp_path / "target.parquet", [1, 2, 0, 0], n=4)
    backwards = list(reversed(records.read(target, records.COUNTS)))
    records.write(target, records.COUNTS, backwards)
    out = tmp_path / "regions.parquet"
    records.write(out, records.REGIONS, match.match(base, target))
    rows = records.read(out, records.REGIONS)
    assert [
        (row["question_id"], row["region"], row["base_correct"], row["target_correct"]) for row in rows
    ] == [
        ("q0", "preservation", 3, 1),
        ("q1", "expansion", 0, 2),
        ("q2", "shrinkage", 1, 0),
        ("q3", "out_of_support", 0, 0),
    ]
    assert (rows[1]["base_first_correct"], rows[1]["target_first_correct"]) == (None, 0)
    bounds = [(row["base_rate_low"], row["base_rate_high"]) for row in rows]
    assert bounds[1] == bounds[3] == (0, pytest.approx(1 - 0.05 ** (1 / 4)))
    assert bounds[0] == pytest.approx((0.194, 0.994), abs=5e-4)  # 3 of 4
    assert bounds[2] == pytest.approx((0.006, 0.806), abs=5e-4)  # 1 of 4
    assert (rows[1]["base_truncated"], rows[1]["base_wrong"], rows[1]["target_wrong"]) == (1, 3, 2)


def test_lists_the_questions_each_side_lacks(tmp_path: Path) -> None:
    base = write_counts(tmp_path / "base.parquet", [1, 1, 1], n=2)
    target = write_counts(tmp_path / "target.parquet", [1, 1], n=2)
    extra = records.read(target, records.COUNTS)
    extra[0]["question_id"] = "stranger"
    records.write(target, records.COUNTS, extra)
    with pytest.raises(InputError, match=r"base.parquet lacks stranger; .*target.parquet lacks q0, q2;"):
        match.match(base, target)


def test_refuses_states_sampled_to_different_depths(tmp_path: Path) -> None:
    base = write_counts(tmp_path / "base.parquet", [1, 1], n=2)
    target = write_counts(tmp_path / "target.parquet", [1, 1], n=3)
    with pytest.raises(InputError, match=r"n differs for q0 \(2 and 3\), q1 \(2 and 3\)"):
        match.match(base, target)


def test_the_command_line_explains_itself_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = write_counts(tmp_path / "base.parquet", [1], n=2)
    monkeypatch.setattr(
        "sys.argv", ["match", "--base", str(base), "--target", "absent.parquet", "--out", "never"]
    )
    with pytest.raises(SystemExit, match=r"^error: absent.parquet: not there"):
        match.main()


def test_a_count_that_cannot_be_is_named(tmp_path: Path) -> None:
    base, target = (write_counts(tmp_path / f"{name}.parquet", [1], n=2) for name in ("base", "target"))
    rows = records.read(target, records.COUNTS)
    records.write(target, records.COUNTS, [rows[0] | {"correct": 3}])
    with pytest.raises(InputError, match=r"target.parquet: counts must lie between 0 and n = 2, not 3"):
        match.match(base, target)
