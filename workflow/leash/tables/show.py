"""What a finished run prints: its tables, where everything stands, and where the time went.

python -m leash.tables.show --results results/<study>
"""

import argparse
from pathlib import Path

from leash.errors import InputError, exits_cleanly
from leash.tables import timing

_LONG = "table06-benchmarks"  # one section per comparison: to be opened, not printed
# Of these only the caption is printed: a row per answer, and what `snakemake audit` has just printed.
_AUDITS = ("tail-audit", "audit")


def summary(results: Path) -> str:
    """The tables in Markdown (of an audit its caption), the paths of tables and
    figures, and the wall time of each rule.

    Raises InputError where the study has no tables yet.
    """
    tables = sorted((results / "tables").glob("*.md"), key=lambda path: (path.stem in _AUDITS, path))
    if not tables:
        raise InputError(f"{results}/tables: no tables; run the workflow to make them")
    shown = [_shown(path) for path in tables if path.stem != _LONG]
    places = [
        "Tables (.csv, .md, .tex; the audits .csv, .md):",
        *(f"  {path}" for path in tables),
        "Figures (.pdf, .png):",
        *(f"  {path}" for path in sorted((results / "figures").glob("*.png"))),
    ]
    times = timing.as_text(timing.summarise(results / "benchmarks"))
    return "\n\n".join([*shown, "\n".join(places), times])


def _shown(path: Path) -> str:
    text = path.read_text(encoding="utf-8").rstrip()
    return text.partition("\n")[0] if path.stem in _AUDITS else text


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.show", description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder of a study")
    print(summary(parser.parse_args().results))


if __name__ == "__main__":
    main()
