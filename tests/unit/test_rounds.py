"""Which questions the next round draws, and what of it lies on disk already."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from leash import records, rounds
from question_files import write_questions

DRAWN_BY = {"model": {"hub": "a/b", "revision": "c1"}, "temperature": 0.6}
QUESTIONS = ["q0", "q1", "q2", "q3"]


def drawn(
    folder: Path,
    shard: str,
    start: int,
    stop: int,
    correct: dict[str, set[int]],
    drawn_by: dict[str, Any] = DRAWN_BY,
    n_tokens: int = 10,
) -> tuple[Path, Path]:
    """Samples and verdicts of a shard: verdicts file, provenance."""
    cells = [(name, index) for name in correct for index in range(start, stop)]
    samples = folder / f"samples/{shard}.parquet"
    records.write(
        samples,
        records.SAMPLES,
        [
            {"question_id": name, "sample_index": index, "completion": "", "n_tokens": n_tokens}
            for name, index in cells
        ],
    )
    provenance = samples.with_suffix(".json")
    records.write_json(
        provenance,
        {
            "spec": drawn_by | {"start": start, "stop": stop},
            "seeds": {"questions": dict.fromkeys(correct, 7)},
            "tokens": n_tokens * len(cells),
            "seconds": {"drawing": 0.5},
        },
    )
    verdicts = folder / f"verdicts/{shard}.parquet"
    records.write(
        verdicts,
        records.VERDICTS,
        [
            {
                "question_id": name,
                "sample_index": index,
                "outcome": "correct" if index in correct[name] else "wrong",
            }
            for name, index in cells
        ],
    )
    return verdicts, provenance


def planned(
    folder: Path, monkeypatch: pytest.MonkeyPatch, before: list[tuple[Path, Path]], **spec: Any
) -> dict[str, Any]:
    spec = {
        "round": 1,
        "rounds": [4, 16],
        "always": [],
        "shard_tokens": 10_000,
        "drawn_by": DRAWN_BY,
    } | spec
    out = folder / "rounds/r1.json"
    options = ["--spec", json.dumps(spec), "--questions", str(write_questions(folder, QUESTIONS))]
    options += ["--verdicts", *(str(one) for one, _ in before)]
    options += ["--provenance", *(str(one) for _, one in before)]
    options += ["--samples", str(folder / "samples"), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["leash.rounds", *options])
    rounds.main()
    return dict(records.read_json(out))


def asked(plan: dict[str, Any]) -> list[tuple[str, int, int, list[str]]]:
    return [(one["name"], one["start"], one["stop"], one["questions"]) for one in plan["shards"]]


SOLVED_ONE = {"q0": {2}, "q1": set[int](), "q2": set[int](), "q3": set[int]()}


def test_the_next_round_asks_for_the_open_questions_and_for_those_always_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawn(tmp_path, "r0-s0", 0, 4, SOLVED_ONE)
    plan = planned(tmp_path, monkeypatch, [first])
    assert plan["open"] == ["q1", "q2", "q3"]
    assert asked(plan) == [("r1-s0", 4, 16, ["q1", "q2", "q3"])]
    plan = planned(tmp_path, monkeypatch, [first], always=["q0"])
    assert asked(plan) == [("r1-s0", 4, 16, QUESTIONS)]


def test_a_success_beyond_the_rounds_before_solves_nothing_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shard of a larger budget that was lowered."""
    before = [
        drawn(tmp_path, "r0-s0", 0, 4, SOLVED_ONE),
        drawn(tmp_path, "r1-s0", 4, 16, {"q1": {8}, "q2": {7}, "q3": set()}),
    ]
    plan = planned(tmp_path, monkeypatch, before, round=2, rounds=[4, 8, 32])
    assert plan["open"] == ["q1", "q3"]


def test_shards_are_cut_by_the_tokens_of_the_open_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawn(tmp_path, "r0-s0", 0, 4, SOLVED_ONE, n_tokens=100)
    plan = planned(tmp_path, monkeypatch, [first], shard_tokens=1200)
    assert plan["samples_of_a_shard"] == 12
    assert [one[:3] for one in asked(plan)] == [("r1-s0", 4, 8), ("r1-s1", 8, 12), ("r1-s2", 12, 16)]
    # 1600 tokens in half a second: 5,760,000 in half an hour, of 100 each
    plan = planned(tmp_path, monkeypatch, [first], shard_tokens=None)
    assert plan["samples_of_a_shard"] == 57_600


def test_what_was_drawn_by_this_config_is_kept_and_what_was_not_is_drawn_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawn(tmp_path, "r0-s0", 0, 4, SOLVED_ONE)
    drawn(tmp_path, "r1-s0", 4, 16, {"q2": set(), "q0": set()})
    assert asked(planned(tmp_path, monkeypatch, [first])) == [
        ("r1-s0", 4, 16, ["q0", "q2"]),
        ("r1-s1", 4, 16, ["q1", "q3"]),
    ]
    drawn(tmp_path, "r1-s0", 4, 16, {"q2": set()}, drawn_by=DRAWN_BY | {"temperature": 1.0})
    assert asked(planned(tmp_path, monkeypatch, [first])) == [("r1-s0", 4, 16, ["q1", "q2", "q3"])]


def test_a_round_without_an_open_question_has_no_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawn(tmp_path, "r0-s0", 0, 4, {name: {0} for name in QUESTIONS})
    plan = planned(tmp_path, monkeypatch, [first])
    assert plan["open"] == plan["shards"] == []


@pytest.mark.parametrize(
    ("broken", "spec", "message"),
    [
        ("", {"always": ["q9"]}, "sampling.always names questions that are not there: q9; correct the ids"),
        ("seeds", {}, "not the provenance of a shard"),
        ("seconds", {}, "not the provenance of a shard"),
    ],
)
def test_bad_input_is_named(
    broken: str,
    spec: dict[str, Any],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = drawn(tmp_path, "r0-s0", 0, 4, SOLVED_ONE)
    if broken:
        records.write_json(first[1], records.read_json(first[1]) | {broken: None})
    with pytest.raises(SystemExit) as ended:
        planned(tmp_path, monkeypatch, [first], **spec)
    assert message in str(ended.value)
    assert not (tmp_path / "rounds/r1.json").exists()
