r"""One figure of a study, as PDF and PNG.

python -m leash.figures --figure figure02-pass-at-k-BENCHMARK --spec JSON --metrics M.json ... \
                        --out-pdf F.pdf --out-png F.png                        (spec: see leash.comparisons)
python -m leash.figures --figure figure-regions-over-training --spec JSON --pooled P.json ... \
                        --out-pdf F.pdf --out-png F.png
"""

import argparse
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from leash.comparisons import Comparison, load
from leash.errors import InputError, exits_cleanly
from leash.figures import pass_at_k, regions, style

PASS_AT_K: Final = "figure02-pass-at-k-"
REGIONS: Final = "figure-regions-over-training"


def draw(slug: str, comparisons: list[Comparison]) -> Figure:
    """The figure of this slug. Raises InputError for a slug that names none."""
    if slug == REGIONS:
        return regions.draw(comparisons)
    if slug.startswith(PASS_AT_K):
        return pass_at_k.draw(comparisons, slug.removeprefix(PASS_AT_K))
    raise InputError(f"--figure: no figure {slug!r}; there are {REGIONS} and {PASS_AT_K}BENCHMARK")


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.figures", description="Draw one figure of a study.")
    parser.add_argument("--figure", required=True)
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--metrics", type=Path, nargs="+", default=[], help="metrics.json per benchmark")
    parser.add_argument("--pooled", type=Path, nargs="+", default=[], help="pooled metrics per comparison")
    parser.add_argument("--out-pdf", type=Path, required=True)
    parser.add_argument("--out-png", type=Path, required=True)
    args = parser.parse_args()
    figure = draw(args.figure, load(args.spec, args.metrics, args.pooled))
    style.save(figure, args.out_pdf, args.out_png)


if __name__ == "__main__":
    main()
