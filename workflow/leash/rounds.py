"""Verdicts of the rounds before -> which questions the next round draws, and in which shards.

python -m leash.rounds --spec JSON --questions Q.parquet --verdicts V1 V2 ... --provenance S1.json S2.json ...
--samples FOLDER --out rounds/r1.json
with spec = {"round": 1, "rounds": [32, 128, ...], "always": [ids], "shard_tokens": n or null, "drawn_by": {...}}

`drawn_by` is the sampling spec without what differs between shards. Shards of this round that lie in the folder of
samples and were drawn by it are kept: a verifier that has changed its mind asks for what is missing, and no more.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.sampling import provenance
from leash.sampling.plan import Asked, Shard, later_round
from leash.sampling.provenance import whole_shards

SECONDS_OF_A_SHARD = 1800


class Pilot(NamedTuple):
    """What the rounds before say of the next: mean tokens of a sample of its questions, and tokens a second."""

    tokens_per_sample: float
    tokens_per_second: float


def open_questions(
    questions: Iterable[str], verdicts: Iterable[Path], start: int, always: set[str]
) -> list[str]:
    """Those of the questions without a correct sample below index `start`, and those of `always`, in order."""
    solved: set[str] = set()
    for path in verdicts:
        for row in records.stream(path, records.VERDICTS, ["question_id", "sample_index", "outcome"]):
            if row["outcome"] == "correct" and row["sample_index"] < start:
                solved.add(row["question_id"])
    return [name for name in questions if name in always or name not in solved]


def drawn_shards(folder: Path, number: int, drawn_by: dict[str, Any]) -> list[Asked]:
    """The round's finished shards in a folder of samples, of those that the sampling spec would draw."""
    found = []
    for shard in whole_shards(folder):
        if shard.round != number:
            continue
        told = _provenance(shard.path)
        spec = told["spec"]
        if provenance.drawn_by(spec) == drawn_by:
            asked = tuple(told["seeds"]["questions"])
            found.append(Asked(Shard(number, shard.number, spec["start"], spec["stop"]), asked))
    return found


def pilot(finished: Sequence[Path], questions: Iterable[str]) -> Pilot:
    """What the finished shards of the rounds before tell, the questions being those of the next round.

    Raises InputError for provenance without tokens and seconds.
    """
    asked = set(questions)
    tokens = samples = 0
    for path in finished:
        columns = ["question_id", "n_tokens"]
        for row in records.stream(path.with_suffix(".parquet"), records.SAMPLES, columns):
            if row["question_id"] in asked:
                tokens += row["n_tokens"]
                samples += 1
    told = [_provenance(path) for path in finished]
    drawn = sum(one["tokens"] for one in told)
    seconds = sum(one["seconds"]["drawing"] for one in told)
    return Pilot(tokens / max(1, samples), drawn / max(seconds, 1e-9))


def plan(
    spec: dict[str, Any], questions: list[str], drawn: list[Asked], asked: list[str], told: Pilot
) -> dict[str, Any]:
    """The contents of a round's file: the questions, its shards, and what they are cut by."""
    number, rounds = spec["round"], spec["rounds"]
    start, stop = rounds[number - 1], rounds[number]
    at_once = spec["shard_tokens"] or told.tokens_per_second * SECONDS_OF_A_SHARD
    most = max(1, int(at_once / max(told.tokens_per_sample, 1)))
    found = later_round(number, start, stop, asked, drawn, most)
    order = {name: place for place, name in enumerate(questions)}
    return {
        "round": number,
        "start": start,
        "stop": stop,
        "open": asked,
        "shards": [
            {
                "name": one.shard.name,
                "start": one.shard.start,
                "stop": one.shard.stop,
                "questions": sorted(one.questions, key=lambda name: order.get(name, len(order))),
            }
            for one in found
        ],
        "samples_of_a_shard": most,
        **told._asdict(),
    }


def _provenance(path: Path) -> dict[str, Any]:
    contents = provenance.read(path)
    try:
        spec = contents["spec"]
        if all(isinstance(spec[key], int) for key in ("start", "stop")) and contents["seeds"]["questions"]:
            float(contents["tokens"]), float(contents["seconds"]["drawing"])
            return contents
    except (KeyError, TypeError, ValueError):
        pass
    raise InputError(
        f"{path}: not the provenance of a shard (spec, seeds, tokens and seconds are needed); "
        f"{provenance.remedy(path)}"
    )


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.rounds", description="Plan the next round of sampling.")
    parser.add_argument("--spec", required=True, help="JSON: the round and how it is drawn")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path, nargs="+", required=True, help="of the rounds before")
    parser.add_argument(
        "--provenance", type=Path, nargs="+", required=True, help="of the samples of the rounds before"
    )
    parser.add_argument(
        "--samples", type=Path, required=True, help="folder in which the round's shards stand"
    )
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    spec = records.parse_spec(args.spec)
    questions = list(records.read_by_question(args.questions, records.QUESTIONS))
    strange = sorted(set(spec["always"]) - set(questions))
    if strange:
        raise InputError(
            f"{args.questions}: sampling.always names questions that are not there: {records.listed(strange)}; "
            "correct the ids"
        )
    start = spec["rounds"][spec["round"] - 1]
    asked = open_questions(questions, args.verdicts, start, set(spec["always"]))
    drawn = drawn_shards(args.samples, spec["round"], spec["drawn_by"])
    found = plan(spec, questions, drawn, asked, pilot(args.provenance, asked))
    records.write_json(args.out, found)
    print(
        f"{args.out}: {len(asked):,} of {len(questions):,} questions open, {len(found['shards']):,} shards of samples "
        f"[{found['start']}, {found['stop']})",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
