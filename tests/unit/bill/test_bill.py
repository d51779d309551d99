"""A plan from end to end: what it holds, and which plan spending is held against."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from fake_pilot import DRAWN_BY, draw
from leash import specs
from leash.bill import __main__ as bill
from leash.bill.request import digest, parse
from leash.errors import InputError
from leash.loading import load
from leash.published.record import FOLDER
from leash.sampling.plan import Shard
from leash.study import State
from leash.tables import plan as table

ROOT = Path(__file__).parents[3]
HALF = [[True] * 16 + [False] * 16, [False] * 32]


def request(**changes: Any) -> str:
    spec: dict[str, Any] = {
        "protocol": "exhaustive",
        "shard_samples": 32,
        "cost": {"per_gpu_hour": None, "tokens_per_second": None, "response_tokens": None},
        "states": {
            name: {"label": name, "family": "base", "paper": None} for name in ("base/final", "rl/final")
        },
        "benchmarks": {
            "sums": {
                "label": "Sums",
                "paper": None,
                "questions": 2,
                "budget": 64,
                "rounds": [32, 64],
                "max_tokens": 40,
            }
        },
        "keys": list(DRAWN_BY),
        "cells": [[name, "sums", digest(DRAWN_BY, DRAWN_BY)] for name in ("base/final", "rl/final")],
    }
    return json.dumps(spec | changes)


def planned(results: Path, before: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return bill.plan(parse(request(**changes)), results, FOLDER, before)


def test_pilots_lend_speed_and_verification_to_their_kin(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", HALF, verified_in=6.4)
    base, target = planned(tmp_path)["cells"]
    assert [base["sources"][name] for name in table.SOURCES] == ["pilot"] * 5
    assert [target["sources"][name] for name in table.SOURCES] == [
        *("prior", "prior", "other pilot", "prior", "other pilot")
    ]
    # Table 5 has thousands of tokens, and max_tokens is 40
    assert target["exhaustive"]["tokens"] == 128 * 40
    assert target["exhaustive"]["verify_hours"] == pytest.approx(128 * 0.1 / 3600)


def test_without_a_pilot_of_all_table_5_is_not_read(tmp_path: Path) -> None:
    for state in ("base/final", "rl/final"):
        draw(tmp_path, state, "sums", HALF)
    assert bill.plan(parse(request()), tmp_path, tmp_path / "no-record", None)["cells"]
    with pytest.raises(InputError, match="restore it"):
        bill.plan(parse(request()), tmp_path / "none", tmp_path / "no-record", None)


def test_spending_is_held_against_the_first_plan_by_a_pilot(tmp_path: Path) -> None:
    first = planned(tmp_path)
    of_record = first["cells"][0]["planned"]
    assert of_record == {"by_pilot": False, "amounts": first["cells"][0]["exhaustive"]}

    draw(tmp_path, "base/final", "sums", HALF, tokens=(10, 30))
    second = planned(tmp_path, first)
    of_record = second["cells"][0]["planned"]
    assert of_record["by_pilot"]
    assert of_record["amounts"]["tokens"] == 128 * 20

    draw(tmp_path, "base/final", "sums", HALF, tokens=(20, 40), shard="r0-s1", start=32)
    third = planned(tmp_path, second)
    assert third["cells"][0]["planned"] == of_record
    assert third["cells"][0]["spent"]["tokens"] == 128 * 25
    # another budget is another plan
    blocks = json.loads(request())["benchmarks"]
    blocks["sums"] |= {"budget": 96, "rounds": [32, 96]}
    again = planned(tmp_path, third, benchmarks=blocks)["cells"][0]["planned"]
    assert again["amounts"]["tokens"] == 192 * 25


def test_a_plan_made_when_all_was_drawn_is_none(tmp_path: Path) -> None:
    first = planned(tmp_path)
    for number in (0, 1):
        draw(tmp_path, "base/final", "sums", HALF, shard=f"r0-s{number}", start=32 * number)
    assert planned(tmp_path)["cells"][0]["planned"] is None
    assert planned(tmp_path, first)["cells"][0]["planned"] == first["cells"][0]["planned"]


def test_of_the_adaptive_protocol_the_adaptive_plan_is_the_one_of_record(tmp_path: Path) -> None:
    draw(tmp_path, "base/final", "sums", HALF)
    cell = planned(tmp_path, protocol="adaptive")["cells"][0]
    assert cell["planned"]["amounts"] == cell["adaptive"]
    assert cell["adaptive"]["samples"] == pytest.approx(96)


def test_the_command_keeps_its_last_plan_and_refuses_a_broken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "tables/plan.json"
    arguments = ["--results", str(tmp_path), "--published", str(ROOT / FOLDER), "--out-json", str(out)]
    monkeypatch.setattr("sys.argv", ["bill", "--spec", request(), *arguments])
    bill.main()
    draw(tmp_path, "rl/final", "sums", HALF)
    draw(tmp_path, "rl/final", "sums", HALF, shard="r0-s1", start=32)
    bill.main()
    kept = json.loads(out.read_text())["cells"][1]
    assert kept["planned"]["by_pilot"] is False
    assert kept["spent"]["samples"] == 128
    out.write_text(json.dumps({"version": 0}))
    bill.main()
    assert json.loads(out.read_text())["cells"][1]["planned"] is None
    out.write_text("{")
    with pytest.raises(SystemExit, match=r"plan\.json: not valid JSON"):
        bill.main()
    monkeypatch.setattr("sys.argv", ["bill", "--spec", "{}", *arguments])
    with pytest.raises(SystemExit, match="not a request for a plan"):
        bill.main()
    monkeypatch.setattr("sys.argv", ["bill", "--spec", request(protocol="greedy"), *arguments])
    with pytest.raises(SystemExit, match="protocol is 'greedy'"):
        bill.main()


def test_the_request_of_a_study() -> None:
    study = load(yaml.safe_load((ROOT / "config/config.yaml").read_text()))
    asked = parse(specs.bill(study))
    assert len(asked.cells) == 24
    cell = asked.cells[4]
    assert cell[:2] == ("dapo/step20", "countdown")
    assert cell[3:] == ("Tiny DAPO (step 20)", "base", "Countdown", 50, 256, (32, 128, 256), 90, (None, None))
    # any shard of the cell has its digest, and one of another temperature has not
    drawn = json.loads(specs.sample(study, State("dapo", "step20"), "countdown", Shard(0, 3, 768, 1024)))
    assert digest(drawn, asked.keys) == cell.digest
    assert digest(drawn | {"temperature": 1.0}, asked.keys) != cell.digest
    assert not {"start", "stop"} & set(asked.keys)


@pytest.mark.parametrize("key", ["per_gpu_hour", "tokens_per_second", "response_tokens"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), "fast"])
def test_costs_that_cannot_be_are_refused(key: str, value: object) -> None:
    raw = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | {"cost": {key: value}}
    with pytest.raises(InputError, match=rf"cost\.{key}: "):
        load(raw)


def test_the_request_of_the_papers_study(monkeypatch: pytest.MonkeyPatch) -> None:
    raw: dict[str, Any] = {}
    for name in ("config.yaml", "paper.yaml"):
        merge(raw, yaml.safe_load((ROOT / "config" / name).read_text()))
    monkeypatch.chdir(ROOT)
    cells = parse(specs.bill(load(raw))).cells
    assert len(cells) == 6 * 7
    paper = {cell.state: cell.paper[0] for cell in cells}
    assert paper == {
        "deepseek-1.5b/final": "DeepSeek-1.5B",
        "prorl/v1": "ProRL-1.5B",
        "prorl/v2": "ProRL-1.5B",
        "deepseek-7b/final": "DeepSeek-7B",
        "nemotron-7b/final": "AceReason-7B",
        "skywork-7b/final": "Skywork-OR1-7B",
    }
    assert {cell.family for cell in cells} == {"deepseek-1.5b", "deepseek-7b"}


def test_of_a_study_that_is_all_recorded_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    raw: dict[str, Any] = {}
    for name in ("config.yaml", "recorded.yaml"):
        merge(raw, yaml.safe_load((ROOT / "config" / name).read_text()))
    monkeypatch.chdir(ROOT)
    assert parse(specs.bill(load(raw))).cells == ()


def merge(into: dict[str, Any], given: dict[str, Any]) -> None:
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value
