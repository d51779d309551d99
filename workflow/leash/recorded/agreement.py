"""Recorded scores beside the verdicts given here -> how often they agree, question by question.

python -m leash.recorded.agreement --samples S.parquet --verdicts V.parquet --out agreement.parquet
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.records import Row

CELLS = {
    (True, True): "both",
    (True, False): "recorded_only",
    (False, True): "verified_only",
    (False, False): "neither",
}


def compare(samples: Path, verdicts: Path) -> list[Row]:
    """A row per question with a score, in the order of the samples; correct is a score of 1.

    Raises InputError where the files are not of the same samples in the same order.
    """
    found: dict[str, Row] = {}
    for sample, verdict in _pairs(samples, verdicts):
        if sample["score"] is None:
            continue
        name = sample["question_id"]
        row = found.setdefault(
            name,
            {"question_id": name, "scored": 0, "first_differing": None} | dict.fromkeys(CELLS.values(), 0),
        )
        right = sample["score"] == 1, verdict["outcome"] == "correct"
        row["scored"] += 1
        row[CELLS[right]] += 1
        if right[0] != right[1] and row["first_differing"] is None:
            row["first_differing"] = sample["sample_index"]
    return list(found.values())


def _pairs(samples: Path, verdicts: Path) -> Iterator[tuple[Row, Row]]:
    key = ["question_id", "sample_index"]
    left = records.stream(samples, records.SCORED_SAMPLES, [*key, "score"])
    right = records.stream(verdicts, records.VERDICTS, [*key, "outcome"])
    for sample in left:
        verdict = next(right, None)
        if verdict is None or any(sample[one] != verdict[one] for one in key):
            break
        yield sample, verdict
    else:
        if next(right, None) is None:
            return
    raise InputError(f"{verdicts}: not of the samples in {samples}; delete it and run again")


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.recorded.agreement", description="Scores beside verdicts.")
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rows = compare(args.samples, args.verdicts)
    records.write(args.out, records.AGREEMENT, rows)
    differing = sum(row["recorded_only"] + row["verified_only"] for row in rows)
    print(f"{args.out}: {differing:,} of {sum(row['scored'] for row in rows):,} differ", file=sys.stderr)


if __name__ == "__main__":
    main()
