"""Verify a file of samples: python -m leash.verify --spec JSON --questions FILE --samples FILE --out FILE.

--cache FILE keeps judgements on answers for the next run. --provenance FILE --drawn JSON refuses samples that were
drawn otherwise than the spec `drawn` says. The part file of the samples, if there is one, is deleted at the end.
"""

import argparse
import sys
from pathlib import Path

from leash import records
from leash.console import Progress, claim_stdout
from leash.errors import exits_cleanly
from leash.sampling import provenance
from leash.verify import spec as specs
from leash.verify.stream import grade_many


@exits_cleanly
def main() -> None:
    """Command line; see the module's first line."""
    parser = argparse.ArgumentParser(prog="python -m leash.verify", description=__doc__)
    parser.add_argument("--spec", required=True, help=specs.HELP)
    parser.add_argument("--questions", required=True, type=Path, help="questions file")
    parser.add_argument("--samples", required=True, type=Path, help="samples file")
    parser.add_argument("--cache", type=Path, help="file of judgements, read and added to")
    parser.add_argument("--provenance", type=Path, help="how the samples were drawn; with --drawn")
    parser.add_argument("--drawn", help="how they must have been drawn (leash.specs.sample)")
    parser.add_argument("--out", required=True, type=Path, help="verdicts file to write")
    arguments = parser.parse_args()
    options = specs.parse(arguments.spec)
    if (arguments.provenance is None) != (arguments.drawn is None):
        parser.error("--provenance and --drawn go together")
    if arguments.provenance:
        provenance.check(arguments.provenance, records.parse_spec(arguments.drawn))
    progress = Progress(claim_stdout(), "verify", _count(arguments.samples), "samples")
    tally = grade_many(
        arguments.samples, arguments.questions, arguments.out, options, arguments.cache, progress.update
    )
    # That this job was asked for says that the shard is recorded: its part file has nothing left to keep.
    provenance.part_path(arguments.samples).unlink(missing_ok=True)
    counts = ", ".join(f"{outcome} {tally.outcomes[outcome]:,}" for outcome in records.OUTCOMES)
    print(
        f"{arguments.out}: {tally.samples:,} samples, {tally.scored:,} calls of the verifier: {counts}",
        file=sys.stderr,
    )


def _count(samples: Path) -> int:
    return sum(1 for _ in records.stream(samples, records.SAMPLES, ["sample_index"]))


if __name__ == "__main__":
    main()
