"""Set-up happens when the pins have changed, and only then. `make -n` prints what would run."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy2(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "envs", tmp_path / "envs")
    return tmp_path


def planned(folder: Path, *arguments: str) -> str:
    # Not as a child of the `make test` that runs this: its variables and its messages would come along.
    outer = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "ARGS", "CONFIG", "CORES", "PYTHON")
    apart = {name: value for name, value in os.environ.items() if name not in outer}
    return subprocess.run(
        ["make", "-n", *arguments], cwd=folder, env=apart, capture_output=True, text=True, check=True
    ).stdout


def mark_ready(folder: Path) -> None:
    (folder / ".venv").mkdir(exist_ok=True)
    for stamp in set(re.findall(r"touch (\.venv/ready-\S+)", planned(folder, "test"))):
        (folder / stamp).touch()


def test_a_new_folder_is_set_up_for_the_study_without_the_test_tools(folder: Path) -> None:
    told = planned(folder, "study")
    assert "-m venv --clear .venv" in told
    assert "envs/dev.txt" not in told
    assert told.strip().endswith("snakemake --cores all --configfile config/config.yaml")


def test_torch_comes_first_and_alone_on_a_machine_without_a_gpu(folder: Path) -> None:
    installs = [line for line in planned(folder, "study").splitlines() if "pip install" in line]
    if len(installs) == 3:
        assert "--no-deps --retries 1" in installs[0]
        assert "^torch==" in installs[0]
    assert all("--no-deps" in line for line in installs)


def test_a_second_make_does_no_set_up(folder: Path) -> None:
    mark_ready(folder)
    assert "pip" not in planned(folder, "study")
    assert "pip" not in planned(folder, "test")


def test_changed_pins_are_installed_again_and_a_touch_is_no_change(folder: Path) -> None:
    mark_ready(folder)
    for file in (folder / "envs").iterdir():
        file.touch()
    assert "pip" not in planned(folder, "test")
    with (folder / "envs/dev.txt").open("a") as pins:
        pins.write("six==1.17.0\n")
    assert "pip" not in planned(folder, "study")
    assert "pip install -qq --no-deps -r envs/dev.txt" in planned(folder, "test")
    for device in ("cpu", "gpu"):
        with (folder / f"envs/{device}.txt").open("a") as pins:
            pins.write("six==1.17.0\n")
    assert "-m venv --clear" in planned(folder, "study")


def test_config_and_cores_are_passed_through(folder: Path) -> None:
    mark_ready(folder)
    told = planned(folder, "study", "CONFIG=config/test/smoke.yaml", "CORES=8", "ARGS=-n")
    assert told.strip() == "snakemake --cores 8 --configfile config/test/smoke.yaml -n"


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_every_pin_is_exact_and_no_file_holds_an_address(device: str) -> None:
    text = (ROOT / f"envs/{device}.txt").read_text()
    pins = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(pins) > 150
    assert [pin for pin in pins if not re.fullmatch(r"[a-z0-9._-]+==[\w.+]+", pin)] == []
    assert "://" not in text
