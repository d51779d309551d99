"""Entropy of a tilted distribution against the tilt: where it rises above the base's, which Thm C.6(a) denies.

python -m leash.figures.theory --out-pdf F.pdf --out-png F.png
"""

import argparse
from pathlib import Path
from typing import Final, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from leash.dynamics.theory import entropy, tilt
from leash.errors import exits_cleanly
from leash.figures import style


class Case(NamedTuple):
    """A base distribution and a reward for each of its outcomes."""

    base: tuple[float, ...]
    reward: tuple[float, ...]

    @property
    def label(self) -> str:
        """Both, as a legend names them."""
        return f"q = ({', '.join(f'{p:g}' for p in self.base)}), R = ({', '.join(f'{r:g}' for r in self.reward)})"


CASES: Final = (
    Case((0.9, 0.1), (0, 1)),
    Case((0.8, 0.1, 0.1), (0, 1, 1)),
    Case((0.5, 0.5), (0, 1)),
    Case((0.2, 0.8), (0, 1)),
)
STRONGEST: Final = 8.0
_LINES: Final = ("-", "--", "-.", (0, (1, 1.2)))
_COUNTEREXAMPLE: Final = float(np.log(9))


def curve(case: Case) -> tuple[list[float], list[float]]:
    """Tilts from 0 to the strongest, and the entropy at each, in nats."""
    strengths = [float(beta) for beta in np.linspace(0, STRONGEST, 321)]
    return strengths, [entropy(tilt(case.base, case.reward, beta)) for beta in strengths]


def draw() -> Figure:
    """The figure: a line per case, filled where it is above the entropy of its base."""
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(5.5, 3.6), layout="constrained")
        axes = figure.add_subplot()
        for case, colour, dashes in zip(CASES, style.COLOURS, _LINES, strict=False):
            strengths, heights = curve(case)
            start = heights[0]
            above = [height > start for height in heights]
            axes.fill_between(strengths, start, heights, where=above, color=colour, alpha=0.11, linewidth=0)
            axes.plot(strengths, heights, color=colour, linestyle=dashes, label=case.label)
            axes.plot(0, start, color=colour, marker="o", linestyle="none", clip_on=False, zorder=3)
        axes.plot(_COUNTEREXAMPLE, np.log(2), color=style.COLOURS[0], marker="o")
        axes.annotate(
            "from 0.325\nto 0.693\nat β = ln 9",
            (_COUNTEREXAMPLE, float(np.log(2))),
            xytext=(17, -26),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=7,
            color=style.COLOURS[0],
            path_effects=[style.HALO],
        )
        axes.set_xlim(0, STRONGEST)
        axes.set_ylim(0, 1.12)
        axes.set_xlabel("β (strength of the tilt π ∝ q exp(βR))")
        axes.set_ylabel("H[π] (nats)")
        axes.set_title("Filled: above H[q], the entropy of the base (dot at β = 0)")
        figure.legend(loc="outside upper center", ncols=2)
    return figure


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.figures.theory", description="Draw entropy against tilt.")
    parser.add_argument("--out-pdf", type=Path, required=True)
    parser.add_argument("--out-png", type=Path, required=True)
    args = parser.parse_args()
    style.save(draw(), args.out_pdf, args.out_png)


if __name__ == "__main__":
    main()
