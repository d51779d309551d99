"""One table of a study, in three formats.

python -m leash.tables --table SLUG --spec JSON --metrics M.json ... --pooled P.json ...
                       --out-csv F.csv --out-md F.md --out-tex F.tex          (spec: see leash.comparisons)
                       [--published results/published]   for a spec with "published" (see leash.tables.beside)
"""

import argparse
from pathlib import Path

from leash import records
from leash.comparisons import load
from leash.errors import exits_cleanly
from leash.tables import beside, notes, render
from leash.tables.layouts import LAYOUTS


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables", description="Write one table of a study.")
    parser.add_argument("--table", choices=LAYOUTS, required=True)
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--metrics", type=Path, nargs="+", required=True, help="metrics.json per benchmark")
    parser.add_argument("--pooled", type=Path, nargs="+", required=True, help="pooled metrics per comparison")
    parser.add_argument(
        "--published", type=Path, help="folder of the paper's numbers, read if the spec asks for it"
    )
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    parser.add_argument("--out-tex", type=Path, required=True)
    args = parser.parse_args()
    layout = LAYOUTS[args.table]
    sections = layout.sections(load(args.spec, args.metrics, args.pooled))
    paper = beside.from_spec(args.spec, args.published)
    further = () if paper is None else beside.csv_columns(paper)
    layout = layout if paper is None else beside.beside_published(layout, sections, paper)
    caption, warnings = notes.caption(layout, sections), notes.warnings(sections)
    records.write_text(args.out_csv, render.csv(sections, further))
    records.write_text(args.out_md, render.markdown(layout, sections, caption, warnings))
    records.write_text(args.out_tex, render.latex(args.table, layout, sections, caption, warnings))


if __name__ == "__main__":
    main()
