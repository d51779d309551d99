r"""One figure of a study, as PDF and PNG.

python -m leash.figures --figure figure02-pass-at-k-BENCHMARK --spec JSON --metrics M.json ... \
                        --out-pdf F.pdf --out-png F.png                        (spec: see leash.comparisons)
python -m leash.figures --figure figure-regions-over-training --spec JSON --pooled P.json ... \
                        --out-pdf F.pdf --out-png F.png
python -m leash.figures --figure figure-budgets-BENCHMARK --spec JSON --evidence E.json ... \
                        --out-pdf F.pdf --out-png F.png
"""

import argparse
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from leash import comparisons, findings
from leash.errors import InputError, exits_cleanly
from leash.figures import budgets, pass_at_k, regions, style

PASS_AT_K: Final = "figure02-pass-at-k-"
REGIONS: Final = "figure-regions-over-training"
BUDGETS: Final = "figure-budgets-"


def draw(slug: str, spec: str, metrics: list[Path], pooled: list[Path], evidence: list[Path]) -> Figure:
    """The figure of this slug, from the files of its kind. Raises InputError for a slug that names none."""
    if slug == REGIONS:
        return regions.draw(comparisons.load(spec, metrics, pooled))
    if slug.startswith(PASS_AT_K):
        return pass_at_k.draw(comparisons.load(spec, metrics, pooled), slug.removeprefix(PASS_AT_K))
    if slug.startswith(BUDGETS):
        return budgets.draw(findings.load(spec, evidence), slug.removeprefix(BUDGETS))
    raise InputError(
        f"--figure: no figure {slug!r}; there are {REGIONS}, {PASS_AT_K}BENCHMARK and {BUDGETS}BENCHMARK"
    )


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.figures", description="Draw one figure of a study.")
    parser.add_argument("--figure", required=True)
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--metrics", type=Path, nargs="+", default=[], help="metrics.json per benchmark")
    parser.add_argument("--pooled", type=Path, nargs="+", default=[], help="pooled metrics per comparison")
    parser.add_argument("--evidence", type=Path, nargs="+", default=[], help="evidence.json per comparison")
    parser.add_argument("--out-pdf", type=Path, required=True)
    parser.add_argument("--out-png", type=Path, required=True)
    args = parser.parse_args()
    figure = draw(args.figure, args.spec, args.metrics, args.pooled, args.evidence)
    style.save(figure, args.out_pdf, args.out_png)


if __name__ == "__main__":
    main()
