"""Tables on a terminal, and where the run's time went.

python -m leash.tables.show --tables T1.md T2.md --benchmarks DIR      (DIR holds <rule>/*.tsv)
python -m leash.tables.show --results results/STUDY      (short for its tables/*.md and its benchmarks/)
"""

import argparse
from pathlib import Path

from leash.errors import InputError, exits_cleanly
from leash.tables import timing


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.show", description="Print tables and wall times.")
    parser.add_argument("--tables", type=Path, nargs="*", default=[], help="Markdown tables")
    parser.add_argument(
        "--benchmarks", type=Path, help="folder of Snakemake benchmark files, one folder per rule"
    )
    parser.add_argument("--results", type=Path, help="folder of a study: all its tables and its benchmarks")
    args = parser.parse_args()
    tables, times = args.tables, args.benchmarks
    if args.results:
        tables = [*tables, *sorted((args.results / "tables").glob("*.md"))]
        times = times or args.results / "benchmarks"
    for path in tables:
        try:
            print(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise InputError(f"{path}: not there; run the workflow again to make it") from error
    if times:
        print(timing.as_text(timing.summarise(times)))


if __name__ == "__main__":
    main()
