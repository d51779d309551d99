"""One of the tables evidence, sensitivity, budgets.

python -m leash.tables.evidence --table NAME --spec JSON --evidence E.json ... --out-csv F.csv --out-md F.md
                                                                                (spec: see leash.comparisons)
"""

import argparse
from pathlib import Path
from typing import Final

from leash import records
from leash.errors import exits_cleanly
from leash.findings import load
from leash.tables.evidence import budgets, sensitivity, summary
from leash.tables.text import csv_text

TABLES: Final = {"evidence": summary, "sensitivity": sensitivity, "budgets": budgets}


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.evidence", description="Write a table of evidence.")
    parser.add_argument("--table", choices=TABLES, required=True)
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument(
        "--evidence", type=Path, nargs="+", required=True, help="evidence.json per comparison"
    )
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    args = parser.parse_args()
    table, findings = TABLES[args.table], load(args.spec, args.evidence)
    records.write_text(args.out_csv, csv_text(table.COLUMNS, table.csv_rows(findings)))
    records.write_text(args.out_md, table.markdown(findings))


if __name__ == "__main__":
    main()
