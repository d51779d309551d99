"""Shares of the four regions over training, all benchmarks pooled, with the net support change below."""

from collections.abc import Sequence
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from leash.comparisons import Comparison, Result, by_model
from leash.dynamics.evidence import unseen
from leash.errors import InputError
from leash.figures import style

_NAMES: Final = ("preservation (P)", "expansion (E)", "shrinkage (S)")
_MODELS_PER_ROW: Final = 2
_SMALLEST_LABELLED: Final = 4.5
_MOST_CHANGES_LABELLED: Final = 5


def draw(comparisons: list[Comparison]) -> Figure:
    """The figure: per model with several checkpoints, stacked shares in percent and NSCR on its own axis."""
    groups = [group for group in by_model(comparisons).values() if len(group) > 1]
    if not groups:
        return style.notice("No model of this study has more than one checkpoint.")
    columns = min(_MODELS_PER_ROW, len(groups))
    rows = -(-len(groups) // columns)
    names = (*_NAMES, _out_of_support(groups))
    changes = [_pooled(comparison).metrics["nscr"] for group in groups for comparison in group]
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(max(2.9 * columns, 4.2), 3.7 * rows + 0.3), layout="constrained")
        grid = figure.add_gridspec(2 * rows, columns, height_ratios=[2.3, 1.0] * rows)
        bars: list[Axes] = []
        for index, group in enumerate(groups):
            row, column = divmod(index, columns)
            top = figure.add_subplot(grid[2 * row, column])
            bottom = figure.add_subplot(grid[2 * row + 1, column], sharex=top)
            _shares(top, group, names)
            _net_change(bottom, group, changes)
            if column == 0:
                top.set_ylabel("share of questions (%)")
                bottom.set_ylabel("NSCR")
            bars.append(top)
        handles, labels = bars[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return figure


def _out_of_support(groups: list[list[Comparison]]) -> str:
    """The region's name, with what it bounds the rate of its questions by where they all have one budget."""
    budgets = {k for group in groups for comparison in group for k in _pooled(comparison).budgets}
    if len(budgets) > 1:
        return "out of support (O)"
    return f"out of support (O, p ≤ {unseen(*budgets):.2g} at 95 %)"


def _shares(axes: Axes, group: list[Comparison], names: Sequence[str]) -> None:
    positions = np.arange(len(group))
    below = np.zeros(len(group))
    for index, (name, colour) in enumerate(zip(names, style.REGION_COLOURS, strict=True)):
        results = [_pooled(comparison) for comparison in group]
        shares = np.array([100 * result.regions[index] / result.questions for result in results])
        axes.bar(positions, shares, 0.78, below, color=colour, edgecolor="white", linewidth=0.5, label=name)
        for x, bottom, share in zip(positions, below, shares, strict=True):
            if share >= _SMALLEST_LABELLED:
                axes.text(
                    float(x),
                    float(bottom + share / 2),
                    f"{share:.0f}",
                    ha="center",
                    va="center",
                    fontsize=6.5,
                    color="black" if name.startswith("out") else "white",
                )
        below += shares
    axes.set_ylim(0, 100)
    axes.set_title(f"{group[0].target_label}\nfrom {group[0].base_label}")
    axes.grid(visible=False)
    axes.tick_params(axis="x", labelbottom=False, length=0)


def _net_change(axes: Axes, group: list[Comparison], all_changes: list[float]) -> None:
    values = [_pooled(comparison).metrics["nscr"] for comparison in group]
    axes.axhline(0, color="#888888", linewidth=0.8)
    axes.plot(range(len(group)), values, color="black", marker="o")
    known = [value for value in [*all_changes, 0.0] if not np.isnan(value)]
    pad = 0.35 * max(max(known) - min(known), 0.02)
    axes.set_ylim(min(known) - pad, max(known) + pad)
    every = -(-len(group) // _MOST_CHANGES_LABELLED)
    for x, value in enumerate(values):
        if (len(group) - 1 - x) % every == 0 and not np.isnan(value):
            axes.annotate(
                f"{value:z.3f}",
                (x, value),
                xytext=(0, 4 if value >= 0 else -4),
                textcoords="offset points",
                ha="center",
                va="bottom" if value >= 0 else "top",
                fontsize=6.5,
                path_effects=[style.HALO],
            )
    axes.set_xticks(range(len(group)), labels=[c.checkpoint_label for c in group])
    if len(group) > 4 or any(len(c.checkpoint_label) > 8 for c in group):
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    axes.set_xlabel("checkpoint")
    axes.grid(visible=False, axis="x")


def _pooled(comparison: Comparison) -> Result:
    if comparison.overall is None:
        raise InputError(f"--pooled: no file of {comparison.target}/{comparison.checkpoint}; pool them")
    return comparison.overall
