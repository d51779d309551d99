"""What a finished run prints: its tables, where everything stands, and where the time went.

python -m leash.tables.show --results results/<study>
"""

import argparse
from pathlib import Path

from leash.errors import InputError, exits_cleanly
from leash.tables import timing

# A longer table is printed up to its first section; `snakemake audit` and `snakemake plan` print their own.
_MOST_LINES = 60
_PRINTED_BEFORE = ("audit", "plan")


def summary(results: Path) -> str:
    """The tables in Markdown (of a long one what stands before its first section), the paths of tables and
    figures, and the wall time of each rule, where some were timed.

    Raises InputError where the study has no tables yet.
    """
    # the paper's tables first
    tables = sorted(
        (results / "tables").glob("*.md"), key=lambda path: (not path.stem.startswith("table"), path)
    )
    if not tables:
        raise InputError(f"{results}/tables: no tables; run the workflow to make them")
    shown = [_shown(path) for path in tables if path.stem not in _PRINTED_BEFORE]
    places = [
        "Tables (.csv, .md, and the numbered ones .tex):",
        *(f"  {path}" for path in tables),
        "Figures (.pdf, .png):",
        *(f"  {path}" for path in sorted((results / "figures").glob("*.png"))),
    ]
    times = results / "benchmarks"  # not there after `snakemake plan` alone
    parts = [timing.as_text(timing.summarise(times))] if times.is_dir() else []
    return "\n\n".join([*shown, "\n".join(places), *parts])


def _shown(path: Path) -> str:
    text = path.read_text(encoding="utf-8").rstrip()
    lines = text.splitlines()
    if len(lines) <= _MOST_LINES:
        return text
    section = next((at for at, line in enumerate(lines) if line.startswith("### ")), 1)
    return "\n".join(lines[:section]).rstrip() + f"\n\n({path}: the rest of {len(lines)} lines)"


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.show", description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder of a study")
    print(summary(parser.parse_args().results))


if __name__ == "__main__":
    main()
