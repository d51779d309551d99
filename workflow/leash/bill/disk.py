"""What of a cell lies on disk: its shards by their provenance, and the rates of its questions."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.bill.request import Cell, digest
from leash.errors import InputError
from leash.sampling import provenance
from leash.sampling.provenance import whole_shards

# More samples of a question say little more of its rate and length, and would take minutes to read.
_ENOUGH_SAMPLES: Final = 256


class Drawn(NamedTuple):
    """A shard: samples and tokens; seconds of the engine's start and of drawing, times its GPUs; bytes.

    `start` and `stop` bound its sample indices. `verifying` is the wall time of its verification in seconds, None
    where it is not known.
    """

    path: Path
    round: int
    start: int
    stop: int
    samples: int
    tokens: int
    starting: float
    drawing: float
    device: str
    bytes: int
    verifying: float | None

    @property
    def on_gpu(self) -> bool:
        """Whether its time is GPU time. What a server spends is not known."""
        return not self.device.startswith(("CPU", "server"))


class Rates(NamedTuple):
    """Of n samples of each question, the correct ones, and the mean length in tokens."""

    n: int
    correct: list[int]
    lengths: list[float]


class Found(NamedTuple):
    """A cell's shards, how many others stand there that its config would draw otherwise, and its rates."""

    drawn: list[Drawn]
    others: int
    rates: Rates | None

    @property
    def pilot(self) -> list[Drawn]:
        """Its shards of round 0, which is drawn for every question."""
        return [shard for shard in self.drawn if shard.round == 0 and shard.samples]


def look(results: Path, cell: Cell, keys: Iterable[str]) -> Found:
    """What lies below the folder of a study. A shard without provenance is not finished, and left out.

    Raises InputError for provenance or verification times that cannot be read, and verdicts that are not those of
    their shard.
    """
    folder = results / cell.state / cell.benchmark
    shards, others = [], 0
    for number, _, path in whole_shards(folder / "samples"):
        told = provenance.read(path)
        if digest(told["spec"], keys) != cell.digest:
            others += 1
            continue
        times = (
            results
            / "benchmarks/verify_samples"
            / f"{cell.state}/{cell.benchmark}/{path.stem}".replace("/", "@")
        )
        shards.append(_drawn(path, number, told, _seconds(times.with_name(times.name + ".tsv"))))
    found = Found(shards, others, None)
    return found._replace(rates=_rates(folder, found))


def _drawn(path: Path, round: int, told: dict[str, Any], verifying: float | None) -> Drawn:
    def number(*keys: str, whole: bool = False) -> float:
        value: Any = told
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not is_number or not isfinite(value) or value < 0:
            kind = "whole number" if whole else "number"
            raise InputError(
                f"{path}: {'.'.join(keys)} is {value!r}, not a {kind} of at least 0; {provenance.remedy(path)}"
            )
        return float(value)

    def count(*keys: str) -> int:
        return int(number(*keys, whole=True))

    gpus = max(1, count("engine", "tensor_parallel_size"))
    return Drawn(
        path=path,
        round=round,
        start=count("spec", "start"),
        stop=count("spec", "stop"),
        samples=count("samples"),
        tokens=count("tokens"),
        starting=gpus * number("seconds", "engine_start"),
        drawing=gpus * number("seconds", "drawing"),
        device=str(told.get("device") or "unknown"),
        bytes=path.stat().st_size + path.with_suffix(".parquet").stat().st_size,
        verifying=verifying,
    )


def _seconds(times: Path) -> float | None:
    """Wall time of a job, by the file Snakemake wrote; None where there is none, or it was not measured."""
    try:
        with times.open(newline="", encoding="utf-8") as lines:
            row = next(csv.DictReader(lines, delimiter="\t"))
        return None if row["s"] in ("-", "NA") else float(row["s"])
    except FileNotFoundError:
        return None
    except (KeyError, StopIteration, TypeError, ValueError) as error:
        raise InputError(f"{times}: not a Snakemake benchmark (no time under s); delete it") from error


def _rates(folder: Path, found: Found) -> Rates | None:
    """By the counts where they are of these very shards, else by the verdicts of the first shards; None without."""
    first: list[Drawn] = []
    for shard in found.pilot:
        if sum(one.stop - one.start for one in first) < _ENOUGH_SAMPLES:
            first.append(shard)
    counted = _counted(folder / "counts.parquet", found)
    if counted is None:
        counted = _by_verdicts(folder, first)
    if counted is None:
        return None
    n, correct = counted
    lengths = _mean_lengths(first)
    usual = sum(lengths.values()) / max(1, len(lengths))
    return Rates(n, list(correct.values()), [lengths.get(name, usual) for name in correct])


def _counted(path: Path, found: Found) -> tuple[int, dict[str, int]] | None:
    if found.others or not path.is_file():
        return None
    rows = records.read(path, records.COUNTS, ["question_id", "n", "correct"])
    drawn = sum(shard.stop - shard.start for shard in found.pilot)
    if not rows or any(row["n"] != drawn or row["correct"] is None for row in rows):
        return None
    return drawn, {row["question_id"]: row["correct"] for row in rows}


def _by_verdicts(folder: Path, first: list[Drawn]) -> tuple[int, dict[str, int]] | None:
    n = 0
    seen: defaultdict[str, int] = defaultdict(int)
    correct: defaultdict[str, int] = defaultdict(int)
    for shard in first:
        path = folder / "verdicts" / f"{shard.path.stem}.parquet"
        if not path.is_file():
            continue
        n += shard.stop - shard.start
        for row in records.stream(path, records.VERDICTS, ["question_id", "outcome"]):
            seen[row["question_id"]] += 1
            correct[row["question_id"]] += row["outcome"] == "correct"
        off = [name for name, total in seen.items() if total != n]
        if off:
            raise InputError(
                f"{path}: not a verdict for each sample of question {records.listed(off)}; "
                f"delete it and run again with it as the target (snakemake {path}): only it is remade"
            )
    return (n, dict(correct)) if n else None


def _mean_lengths(shards: list[Drawn]) -> dict[str, float]:
    tokens: defaultdict[str, list[int]] = defaultdict(list)
    for shard in shards:
        path = shard.path.with_suffix(".parquet")
        for row in records.stream(path, records.SAMPLES, ["question_id", "n_tokens"]):
            tokens[row["question_id"]].append(row["n_tokens"])
    return {name: sum(lengths) / len(lengths) for name, lengths in tokens.items()}
