"""Token entropy against answer entropy: a panel per base, with an arrow from the base to each of its targets.

python -m leash.figures.decoupling --spec JSON --entropies MODEL/CHECKPOINT/BENCHMARK/entropy.parquet ... --samples N
                                   --out-pdf F.pdf --out-png F.png                  (spec: see leash.precision)
"""

import argparse
from itertools import groupby, pairwise
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from leash.errors import exits_cleanly
from leash.figures import style
from leash.precision import Family, Precision, State, load, parse_spec

_PER_ROW: Final = 3
_PANEL_WIDTHS: Final = {1: 3.7, 2: 2.9, 3: 2.35}
"""In inches, by panels in a row; so is the height."""
_PANEL_HEIGHT: Final = 2.1
_LINE: Final = 0.155
"""Height of a legend's line, in inches."""
_LONGEST: Final = 34
"""Characters of a legend's line at a panel's width."""

Point = tuple[float, float]


def draw(families: list[Family]) -> Figure:
    """The figure: the average over benchmarks bold, each benchmark faint; all panels have the same axes."""
    drawn = [
        family for family in families if any(_point(one) for s in family.states for one in s.on.values())
    ]
    if not drawn:
        return style.notice("No completion of this study was scored for its token entropy.")
    columns = min(_PER_ROW, len(drawn))
    rows = -(-len(drawn) // columns)
    legends = [_legend_handles(family) for family in drawn]
    # of each row of panels, the height of the names above it, in inches
    heights = [
        _LINE * max(_lines(handles) for handles in legends[row * columns : (row + 1) * columns])
        for row in range(rows)
    ]
    with mpl.rc_context(style.RC):
        figure = Figure(
            figsize=(
                _PANEL_WIDTHS[columns] * columns + 0.5,
                sum(heights) + (_PANEL_HEIGHT + 0.35) * rows + 0.4,
            ),
            layout="constrained",
        )
        grid = figure.add_gridspec(
            2 * rows, columns, height_ratios=[part for height in heights for part in (height, _PANEL_HEIGHT)]
        )
        first: Axes | None = None
        for index, (family, handles) in enumerate(zip(drawn, legends, strict=True)):
            row, column = divmod(index, columns)
            names = figure.add_subplot(grid[2 * row, column])
            names.set_axis_off()
            # its row has a height of its own, and a long name must not widen the column
            names.legend(
                handles=handles,
                loc="lower left",
                borderaxespad=0,
                borderpad=0,
                labelspacing=0.3,
                handlelength=1.2,
            ).set_in_layout(False)
            axes = figure.add_subplot(grid[2 * row + 1, column], sharex=first, sharey=first)
            first = first or axes
            _panel(axes, family)
            if index + columns >= len(drawn):
                axes.set_xlabel("token entropy (nats)")
            if column == 0:
                axes.set_ylabel("answer entropy (nats)")
            axes.tick_params(labelbottom=index + columns >= len(drawn), labelleft=column == 0)
            axes.margins(0.08)
            axes.locator_params(axis="x", nbins=5)
        figure.legend(
            handles=[
                _handle("o", style.BASE_COLOUR, "average over benchmarks"),
                _handle("o", style.BASE_COLOUR, "one benchmark", markersize=2.2, alpha=0.45),
            ],
            loc="outside lower center",
            ncols=2,
            handlelength=1.2,
        )
        return figure


def _panel(axes: Axes, family: Family) -> None:
    for index, states in enumerate(_models(family)):
        marker, colour = _looks(index)
        last = states[-1]
        for slug in family.benchmarks:
            pair = _point(family.base.on.get(slug)), _point(last.on.get(slug))
            if pair[0] and pair[1]:
                _arrow(axes, pair[0], pair[1], color=colour, alpha=0.28, linewidth=0.8, mutation_scale=6)
        path = [point for state in (family.base, *states) if (point := _point(state.average))]
        for start, end in pairwise(path):
            _arrow(axes, start, end, color=colour, linewidth=1.6, mutation_scale=9, zorder=4)
        for point in path[1:]:
            axes.plot(*point, color=colour, marker=marker, zorder=5)
    for one in family.base.on.values():
        if base_point := _point(one):
            axes.plot(*base_point, color=style.BASE_COLOUR, marker="o", markersize=2.2, alpha=0.45)
    if average := _point(family.base.average):
        axes.plot(*average, color=style.BASE_COLOUR, marker="o", markersize=5.5, zorder=6)


def _models(family: Family) -> list[list[State]]:
    """The targets by model: its checkpoints in order."""
    return [list(states) for _, states in groupby(family.targets, key=lambda state: state.model)]


def _point(one: Precision | None) -> Point | None:
    if one is None or one.token_entropy is None or one.answer_entropy is None:
        return None
    return one.token_entropy, one.answer_entropy


def _arrow(axes: Axes, start: Point, end: Point, **looks: Any) -> None:
    axes.annotate(
        "", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 1.5, **looks}
    )
    # an annotation does not widen the axes
    axes.plot(*zip(start, end, strict=True), linestyle="none")


def _legend_handles(family: Family) -> list[Line2D]:
    handles = [_handle("o", style.BASE_COLOUR, family.base.label)]
    for index, states in enumerate(_models(family)):
        steps = f", {len(states)} checkpoints" if len(states) > 1 else ""
        handles.append(_handle(*_looks(index), f"{states[-1].label}{steps}"))
    return handles


def _lines(handles: list[Line2D]) -> int:
    return sum(str(handle.get_label()).count("\n") + 1 for handle in handles)


def _looks(index: int) -> tuple[str, str]:
    """Marker and colour of a family's target; where colours repeat, markers do not."""
    colours, markers = style.COLOURS, style.MARKERS
    return markers[(index + index // len(colours)) % len(markers)], colours[index % len(colours)]


def _handle(marker: str, colour: str, label: str, **looks: Any) -> Line2D:
    shown = "\n".join(wrap(label, _LONGEST, max_lines=2, placeholder=" …"))
    return Line2D([], [], color=colour, marker=marker, linestyle="none", label=shown, **looks)


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.figures.decoupling", description="Draw the two entropies.")
    parser.add_argument("--spec", required=True, help="JSON: labels, order, comparisons and bases")
    parser.add_argument("--entropies", type=Path, nargs="+", required=True)
    parser.add_argument("--samples", type=int, required=True, help="samples of each question")
    parser.add_argument("--out-pdf", type=Path, required=True)
    parser.add_argument("--out-png", type=Path, required=True)
    args = parser.parse_args()
    style.save(draw(load(parse_spec(args.spec), args.entropies, args.samples)), args.out_pdf, args.out_png)


if __name__ == "__main__":
    main()
