"""`python -m leash.verify.golds`: golds that no answer could match are told before a sample is drawn."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.verify import VERIFIER_VERSION

SPEC: dict[str, Any] = {
    "verifier": "math",
    "rules": None,
    "task": "",
    "open_ended": False,
    "timeout": 5.0,
    "tolerance": 0.05,
    "version": VERIFIER_VERSION,
}


def run(folder: Path, golds: list[list[str]], **spec: Any) -> subprocess.CompletedProcess[str]:
    rows = [
        {"question_id": f"q{index}", "question": "q", "gold": gold, "prompt": "q", "metadata": "{}"}
        for index, gold in enumerate(golds)
    ]
    records.write(folder / "questions", records.QUESTIONS, rows)
    specs = json.dumps({"sums": {**SPEC, **spec}, "other": {}})
    command = [sys.executable, "-m", "leash.verify.golds", "--benchmark=sums", f"--specs={specs}"]
    return subprocess.run([*command, f"--questions={folder / 'questions'}"], capture_output=True, text=True)


def test_good_golds(tmp_path: Path) -> None:
    golds = [["5"], [r"\frac{1}{2}", "0.5"], ["x+1"], [r"\text{Monday}"], ["(1, 2)"], ["y = 2x"]]
    done = run(tmp_path, golds)
    assert (done.returncode, done.stderr) == (0, "")
    done = run(tmp_path, [["50.7 $\\mathrm{atm}$"], ["-3"]], verifier="numeric")
    assert (done.returncode, done.stderr) == (0, "")


def test_golds_that_are_no_mathematics_are_listed(tmp_path: Path) -> None:
    done = run(tmp_path, [["5"], ["{{5 @ ("]])
    assert done.returncode == 0
    assert "golds compared as text: q1" in done.stderr


@pytest.mark.parametrize(
    ("golds", "spec", "message"),
    [
        ([["5"], []], {}, "q1: "),
        ([["5"], ["5", " "]], {}, "q1: an empty gold"),
        ([["5"], ["fast"]], {"verifier": "numeric"}, "q1: gold 'fast'"),
        ([["x + 1"]], {"verifier": "numeric"}, "q0: gold 'x + 1'"),
        ([[""]] * 7, {}, "7 golds"),
    ],
)
def test_golds_that_cannot_be_used(
    tmp_path: Path, golds: list[list[str]], spec: dict[str, Any], message: str
) -> None:
    done = run(tmp_path, golds, **spec)
    assert done.returncode == 1
    assert done.stderr.startswith("error: benchmark sums: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_benchmark_without_a_spec() -> None:
    command = [sys.executable, "-m", "leash.verify.golds", "--benchmark=sums", "--questions=none"]
    for specs in ("{}", "5", "{"):
        done = subprocess.run([*command, f"--specs={specs}"], capture_output=True, text=True)
        assert done.returncode == 1
        assert done.stderr.startswith("error: --spec")
