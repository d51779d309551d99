"""A copy of the repository in which Snakemake really runs."""

import os
import re
import shutil
import subprocess
import sys
from base64 import urlsafe_b64decode
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
SMOKE = "config/test/smoke.yaml"
PARTS = ("Snakefile", "config", "workflow", "profiles")

Planned = dict[str, int]


class Checkout:
    """A folder that holds what Snakemake needs, run with the code that lies in it."""

    def __init__(self, folder: Path, config: str = SMOKE) -> None:
        self.folder = folder
        self.config = config

    @classmethod
    def make(cls, folder: Path, config: str = SMOKE) -> "Checkout":
        folder.mkdir(parents=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, folder / part)
        return cls(folder, config)

    def copy(self, folder: Path) -> "Checkout":
        """The same files, modification times and Snakemake's records included."""
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return Checkout(folder, self.config)

    @property
    def results(self) -> Path:
        return self.folder / "results" / Path(self.config).stem

    @property
    def printed(self) -> Path:
        """What the last Snakemake printed."""
        return self.folder / "printed.txt"

    def command(self, *arguments: str) -> list[str]:
        config = [] if "--configfile" in arguments else ["--configfile", self.config]
        return [sys.executable, "-m", "snakemake", *config, *arguments]

    def environment(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(self.folder / "workflow"), "TERM": "dumb"}

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Snakemake in its own process group. It prints to a file: a pipe that nobody reads would stop it."""
        with self.printed.open("wb") as printed:
            return subprocess.Popen(
                self.command(*arguments),
                cwd=self.folder,
                env=self.environment(),
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        job = self.start(*arguments)
        job.wait()
        return subprocess.CompletedProcess(job.args, job.returncode, self.printed.read_text())

    def remake(self, file: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Ask for one file by name."""
        return self.run("--configfile", self.config, *arguments, "--", str(file.relative_to(self.folder)))

    def planned(self, *arguments: str) -> Planned:
        """Jobs that a dry run lists, by rule; `all` left out."""
        ended = self.run("-n", *arguments)
        assert ended.returncode == 0, ended.stdout
        if "Nothing to be done" in ended.stdout:
            return {}
        table = ended.stdout.rpartition("Job stats:")[2]
        jobs = {
            name: int(count) for name, count in re.findall(r"^([a-z][\w-]*) +(\d+)$", table, re.MULTILINE)
        }
        total = jobs.pop("total")
        assert total == sum(jobs.values())
        jobs.pop("all")
        return jobs

    def edit(self, file: str, change: Callable[[str], str]) -> None:
        path = self.folder / file
        before = path.read_text()
        after = change(before)
        assert after != before
        path.write_text(after)

    def with_config(self, text: str) -> tuple[str, ...]:
        """Arguments that merge `text` over the config."""
        (self.folder / "mine.yaml").write_text(text)
        return ("--configfile", self.config, "mine.yaml")


def shards(checkout: Checkout) -> list[Path]:
    """All sample files."""
    return sorted(checkout.results.glob("*/*/*/samples/r*.parquet"))


def finished_shards(checkout: Checkout) -> list[Path]:
    """Sample files of jobs that Snakemake has recorded as ended well.

    A job's times are written when it ends; only then does the main process record it and take its mark away. A job
    between the two is remade after an interruption, since Snakemake cannot know that it had ended.
    """
    running = marked(checkout)
    names = [path.stem.split("@") for path in checkout.results.glob("benchmarks/draw_samples/*.tsv")]
    drawn = sorted(
        checkout.results.joinpath(*state, "samples", f"{shard}.parquet") for *state, shard in names
    )
    return [path for path in drawn if not {path, path.with_suffix(".json")} & running]


def marked(checkout: Checkout) -> set[Path]:
    """Outputs that Snakemake marks as incomplete: it names a mark by the path in base 64, a long one in folders."""
    folder = checkout.folder / ".snakemake/incomplete"
    names = (
        "".join(path.relative_to(folder).parts).replace("@", "")
        for path in folder.rglob("*")
        if path.is_file()
    )
    return {checkout.folder / urlsafe_b64decode(name).decode() for name in names}
