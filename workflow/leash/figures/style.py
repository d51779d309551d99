"""How every figure looks, and how one is saved so that the same numbers give the same bytes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from leash import records

RC: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "invisible-leash",
    # Labels are the user's text: a dollar sign in one is a dollar sign.
    "text.parse_math": False,
}
# Okabe and Ito's palette without its yellow, which is unreadable on white; the base is always black.
BASE_COLOUR: Final = "#000000"
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9")
MARKERS: Final = ("s", "^", "D", "v", "P", "X")
REGION_COLOURS: Final = ("#0072B2", "#009E73", "#D55E00", "#c8c8c8")
_DIGITS: Final = 6  # of a panel's position, in figure widths
HALO: Final = withStroke(linewidth=2.0, foreground="white")


def save(figure: Figure, pdf: Path, png: Path) -> None:
    """Write both formats atomically, without a time stamp."""
    with mpl.rc_context(RC):
        _settle(figure)
        with records.replacing(pdf) as temporary:
            figure.savefig(temporary, format="pdf", metadata={"CreationDate": None})
        with records.replacing(png) as temporary:
            figure.savefig(temporary, format="png", dpi=200)


def _settle(figure: Figure) -> None:
    """Lay the figure out, and hold every panel where it then is.

    The solver of the constrained layout ends an ulp away from one run to the next, which the shades of single pixels
    show: positions are rounded, and it is not asked again.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (round(float(part), _DIGITS) for part in axes.get_position().bounds)
        axes.set_position((left, bottom, width, height))


def notice(text: str) -> Figure:
    """A figure that says why there is nothing to draw."""
    figure = Figure(figsize=(5.5, 1.0), layout="constrained")
    figure.text(0.5, 0.5, text, ha="center", va="center", fontsize=9)
    return figure


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Positions at least `gap` apart, in the order of the values and near them: where labels can stand."""
    order = np.argsort(values, kind="stable")
    ascending = np.asarray(values, dtype=np.float64)[order]
    steps = gap * np.arange(len(values))
    # Pushing only upwards and pushing only downwards each keep the gap, and so does their mean.
    upwards = np.maximum.accumulate(ascending - steps) + steps
    downwards = np.minimum.accumulate((ascending - steps)[::-1])[::-1] + steps
    positions = np.empty(len(values))
    positions[order] = (upwards + downwards) / 2
    return [float(position) for position in positions]
