"""Style against ability: what base and target make of others' traces, all benchmarks together.

python -m leash.figures.style_shift --spec JSON --shifts MODEL/CHECKPOINT/BENCHMARK/shift.json ...
                                    --out-pdf F.pdf --out-png F.png                 (spec: see leash.comparisons)
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten, wrap
from typing import Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from leash.dynamics.regions import REGIONS as PAPER_ORDER
from leash.errors import exits_cleanly
from leash.figures import style
from leash.shift import REGIONS
from leash.shifts import REGION_LABELS, Block, Shift, by_comparison, load, overall

_WIDTH: Final = 7.4
_MOST_HEIGHT: Final = 9.6
"""Inches of a page; rows are lower where there are many."""
_LONGEST: Final = 56
"""Characters of a title's line: a longer one would push the panels apart."""
_LETTERS: Final = dict(zip(PAPER_ORDER, "PESO", strict=True))
_COLOURS: Final = dict(zip(PAPER_ORDER, style.REGION_COLOURS, strict=True)) | {"out_of_support": "#8a8a8a"}
_MARKERS: Final = ("o", "s", "^", "D", "v", "P")
_DASHES: Final = ("-", "--", ":", "-.")


def draw(shifts: list[Shift]) -> Figure:
    """The figure: raw and after the first tokens; beyond the question; by position. In nats per token.

    Of final checkpoints only.
    """
    groups = [
        members
        for members in by_comparison(shift for shift in shifts if shift.is_final)
        if any(shift.comparable and shift.cells for shift in members)
    ]
    if not groups:
        return style.notice(
            "No traces of this study were scored by both base and target, with the same tokens."
        )
    sources = sorted({cell["source"] for members in groups for shift in members for cell in shift.cells})
    rows = len(groups)
    height = min(2.35, (_MOST_HEIGHT - 1.2) / rows)
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(_WIDTH, height * rows + 1.1), layout="constrained")
        grid = figure.subplots(rows, 3, squeeze=False, sharex="col", width_ratios=[1.15, 1, 1.15])
        for index, axes in enumerate(grid.flat):
            if index not in (0, 2):
                axes.sharey(grid[0, 2 if index % 3 == 2 else 0])  # the first two panels are on one scale
        for row, members in zip(grid, groups, strict=True):
            whole = overall(members)
            cells = [cell for cell in whole.cells if cell["region"] in REGIONS]
            _tails(row[0], cells, whole.windows, sources)
            _beyond(row[1], cells, members, sources)
            _profile(row[2], cells, sources)
            row[0].set_title(
                "\n".join(wrap(whole.title, _LONGEST, max_lines=2, placeholder=" …")),
                loc="left",
                fontweight="bold",
            )
            for axes in row:
                axes.axhline(0, color="#555555", linewidth=0.8, zorder=1)
                axes.locator_params(axis="y", nbins=5)
        ends = [part["last"] for g in groups for s in g for cell in s.cells for part in cell["profile"]]
        _label(grid[-1], groups[0][0].windows, max(ends, default=1))
        figure.supylabel("log ppl(target) − log ppl(base), nats per token", fontsize=8)
        figure.legend(handles=_handles(sources), loc="outside upper center", ncols=4)
        return figure


def _tails(axes: Axes, cells: Sequence[Block], windows: Sequence[int], sources: list[str]) -> None:
    series = [(region, source) for region in REGIONS for source in sources]
    for place, key in enumerate(series):
        cell = _of(cells, *key)
        if cell is None:
            continue
        means = [cell["difference"], *(tail["difference"] for tail in cell["tails"])]
        shift = _spread(place, len(series), 0.62)
        known = [(index + shift, mean) for index, mean in enumerate(means) if mean["value"] is not None]
        colour, dashes = _COLOURS[key[0]], _DASHES[sources.index(key[1]) % len(_DASHES)]
        axes.plot(
            [x for x, _ in known],
            [m["value"] for _, m in known],
            color=colour,
            linestyle=dashes,
            linewidth=0.9,
        )
        for x, mean in known:
            _bar(axes, x, mean, colour, _marker(sources, key[1]))
    axes.set_xlim(-0.5, len(windows) + 0.5)


def _beyond(axes: Axes, cells: Sequence[Block], members: Sequence[Shift], sources: list[str]) -> None:
    for place, region in enumerate(REGIONS):
        for number, source in enumerate(sources):
            cell = _of(cells, region, source)
            if cell is None or cell["beyond_question"]["value"] is None:
                continue
            x = place + _spread(number, len(sources), 0.5)
            for shift in members:
                one = _of(shift.cells, region, source) if shift.comparable else None
                if one and len(members) > 1 and one["beyond_question"]["value"] is not None:
                    axes.plot(
                        x + 0.1,
                        one["beyond_question"]["value"],
                        "_",
                        color=_COLOURS[region],
                        alpha=0.5,
                        markersize=4,
                    )
            _bar(axes, x, cell["beyond_question"], _COLOURS[region], _marker(sources, source))
    axes.set_xlim(-0.6, len(REGIONS) - 0.4)


def _profile(axes: Axes, cells: Sequence[Block], sources: list[str]) -> None:
    for region in REGIONS:
        for source in sources:
            cell = _of(cells, region, source)
            parts = [part for part in cell["profile"] if part["value"] is not None] if cell else []
            if not parts or parts[0]["questions"] < 1:
                continue
            # a part is drawn at its middle, on a scale of ratios
            x = [(part["first"] * part["last"]) ** 0.5 for part in parts]
            axes.plot(
                x,
                [part["value"] for part in parts],
                color=_COLOURS[region],
                linestyle=_DASHES[sources.index(source) % len(_DASHES)],
                linewidth=1.1,
            )
            bounded = [(at, part) for at, part in zip(x, parts, strict=True) if part["low"] is not None]
            axes.fill_between(
                [at for at, _ in bounded],
                [part["low"] for _, part in bounded],
                [part["high"] for _, part in bounded],
                color=_COLOURS[region],
                alpha=0.1,
                linewidth=0,
            )
    axes.set_xscale("log", base=2)


def _of(cells: Sequence[Block], region: str, source: str) -> Block | None:
    return next((cell for cell in cells if (cell["region"], cell["source"]) == (region, source)), None)


def _bar(axes: Axes, x: float, mean: Block, colour: str, marker: str) -> None:
    if mean["low"] is not None:
        axes.plot([x, x], [mean["low"], mean["high"]], color=colour, linewidth=1.0)
    few = mean["questions"] < 5
    axes.plot(
        x, mean["value"], marker, color=colour, markersize=3.6, markerfacecolor="white" if few else colour
    )


def _spread(index: int, many: int, width: float) -> float:
    return 0.0 if many == 1 else width * (index / (many - 1) - 0.5)


def _marker(sources: list[str], source: str) -> str:
    return _MARKERS[sources.index(source) % len(_MARKERS)]


def _label(bottom: Sequence[Axes], windows: Sequence[int], last: int) -> None:
    bottom[0].set_xticks(range(len(windows) + 1), labels=["whole trace", *(f"after {w}" for w in windows)])
    bottom[0].set_xlabel("tokens given as context")
    bottom[1].set_xticks(range(len(REGIONS)), labels=[_LETTERS[region] for region in REGIONS])
    bottom[1].set_xlabel("less the difference on the question")
    ticks = [2**power for power in range(0, 21, 2) if 2**power <= last]
    bottom[2].xaxis.set_major_locator(FixedLocator(ticks))
    bottom[2].xaxis.set_minor_locator(NullLocator())
    bottom[2].set_xticklabels([str(tick) for tick in ticks])
    bottom[2].set_xlabel("position in the trace (token)")


def _handles(sources: list[str]) -> list[Line2D]:
    regions = [
        Line2D(
            [], [], color=_COLOURS[region], linewidth=3, label=f"{REGION_LABELS[region]} ({_LETTERS[region]})"
        )
        for region in REGIONS
    ]
    named = [
        Line2D(
            [],
            [],
            color="black",
            linewidth=0.9,
            linestyle=_DASHES[index % len(_DASHES)],
            marker=_marker(sources, source),
            markersize=3.6,
            label=shorten(f"traces of {source}", 40, placeholder=" …"),
        )
        for index, source in enumerate(sources)
    ]
    few = Line2D(
        [],
        [],
        color="black",
        marker="o",
        markersize=3.6,
        markerfacecolor="white",
        linestyle="none",
        label="fewer than 5 questions",
    )
    one = Line2D([], [], color="#777777", marker="_", markersize=5, linestyle="none", label="one benchmark")
    return [*regions, *named, few, one]


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="leash.figures.style_shift", description="Draw style against ability."
    )
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--shifts", type=Path, nargs="+", required=True)
    parser.add_argument("--out-pdf", type=Path, required=True)
    parser.add_argument("--out-png", type=Path, required=True)
    args = parser.parse_args()
    style.save(draw(load(args.spec, args.shifts)), args.out_pdf, args.out_png)


if __name__ == "__main__":
    main()
