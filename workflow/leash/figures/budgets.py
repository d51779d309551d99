"""Expected regions, and the measures with their intervals, at every budget k up to the one drawn, on one benchmark."""

from collections.abc import Sequence
from itertools import pairwise
from math import log2
from textwrap import wrap
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullFormatter
from numpy.typing import NDArray

from leash.dynamics.regions import REGIONS
from leash.errors import InputError
from leash.figures import style
from leash.findings import Finding

_PER_ROW: Final = 3
_WIDTHS: Final = {1: 4.6, 2: 5.8, 3: 7.0}
"""In inches, by columns in a row."""
_HEIGHTS: Final = (1.5, 1.0, 0.95, 0.8, 0.65)
"""Of a column's panels, in inches; they are lower where a page would not hold all rows."""
_LABELS: Final = ("questions (%)", "E up,\nS down (%)", "NSCR", "NDR,\nSDS", "SRR")
_AROUND: Final = 0.85
"""Height of titles and ticks of a row of columns, in inches."""
_MARGIN: Final = 0.75
"""Width of the labels of the y axes, in inches."""
_LEGEND: Final = 0.95
_MOST_HEIGHT: Final = 9.6
_LOWEST: Final = 0.62

_NAMES: Final = dict(zip(REGIONS, ("preservation", "expansion", "shrinkage", "out of support"), strict=True))
_LETTERS: Final = dict(zip(REGIONS, "PESO", strict=True))
_COLOURS: Final = dict(zip(REGIONS, style.REGION_COLOURS, strict=True))
_STACK: Final = ("shrinkage", "preservation", "out_of_support", "expansion")
"""From below. S and E are thin, and thickness is read best at a straight edge: theirs are 0 and 100 %."""
_LINES: Final[dict[str, dict[str, Any]]] = {
    "nscr": {"color": "black", "linestyle": "-", "marker": "o", "linewidth": 1.6},
    "ndr": {"color": "#009E73", "linestyle": "--", "marker": "^", "linewidth": 1.1},
    "sds": {"color": "#AA4499", "linestyle": ":", "marker": "D", "linewidth": 1.3},
    "srr": {"color": "#0072B2", "linestyle": "-", "marker": "s", "linewidth": 1.1},
}
_MEASURES: Final = (("nscr",), ("ndr", "sds"), ("srr",))
"""Those that share a panel: SRR lies near 1, and NSCR, which matters most, between the others and 0."""
_DIFFERENCE: Final[dict[str, Any]] = {"color": "black", "linestyle": "-", "marker": "x", "linewidth": 1.1}
_BAND: Final = 0.17
_SIZE: Final = 6.8
_DIGIT: Final = 0.64 * _SIZE / 72
"""Width of a digit, in inches."""

Floats = NDArray[np.float64]
Budgets = list[dict[str, Any]]


def final_on(findings: list[Finding], benchmark: str) -> list[Finding]:
    """The final checkpoints' findings on the benchmark of this slug. Raises InputError where there is none."""
    on_it = [finding for finding in findings if finding.scope == "benchmark" and finding.is_final]
    shown = [finding for finding in on_it if finding.slug == benchmark]
    if not shown:
        known = ", ".join(dict.fromkeys(finding.slug for finding in on_it))
        raise InputError(
            f"--evidence: no final checkpoint on the benchmark {benchmark!r}; "
            f"give its file, or one of {known} in --figure"
        )
    return shown


def draw(findings: list[Finding], benchmark: str) -> Figure:
    """The figure: a column per final checkpoint; in it shares, E against S, NSCR, NDR with SDS, and SRR."""
    shown = final_on(findings, benchmark)
    rows = -(-len(shown) // _PER_ROW)
    columns = -(-len(shown) // rows)
    scale = ((_MOST_HEIGHT - _LEGEND) / rows - _AROUND) / sum(_HEIGHTS)
    heights = [height * min(1.0, max(_LOWEST, scale)) for height in _HEIGHTS]
    with mpl.rc_context(style.RC | {"lines.markersize": 2.4, "xtick.labelsize": _SIZE}):
        figure = Figure(
            figsize=(_WIDTHS[columns], (sum(heights) + _AROUND) * rows + _LEGEND), layout="constrained"
        )
        grid = figure.add_gridspec(len(heights) * rows, columns, height_ratios=heights * rows)
        figure.legend(
            handles=_handles(),
            loc="outside upper center",
            ncols=3,
            handlelength=2.0,
            columnspacing=1.4,
            title=_title(shown[0].name, _WIDTHS[columns]),
            title_fontsize=7.5,
        )
        overs = [finding.block["over_budgets"] for finding in shown]
        ks = sorted({at["k"] for over in overs for at in over})
        limits = _limits(overs)
        drawn: list[list[Axes]] = []
        for index, finding in enumerate(shown):
            row, column = divmod(index, columns)
            cells = range(len(heights) * row, len(heights) * (row + 1))
            panels = [figure.add_subplot(grid[cell, column]) for cell in cells]
            drawn.append(panels)
            _column(panels, finding, (_WIDTHS[columns] - _MARGIN) / columns)
            # the same limits in all columns, but no shared axes: each of their ticks looks through all of them
            for axes, height, ends in zip(panels, heights, limits, strict=True):
                _scale(axes, ks)
                axes.set_ylim(ends)
                most, least = (4, 3) if height > 0.6 else (3, 2)
                axes.locator_params(axis="y", nbins=most, min_n_ticks=least)
                axes.tick_params(labelbottom=axes is panels[-1], labelleft=column == 0)
            if index + columns >= len(shown):
                panels[-1].set_xlabel("k (samples per question)")
            if column == 0:
                for axes, label in zip(panels, _LABELS, strict=True):
                    axes.set_ylabel(label)
        figure.align_ylabels()
        figure.draw_without_rendering()  # lays the axes out, so that their size is known
        for panels, over in zip(drawn, overs, strict=True):
            for axes in panels:
                _label_ticks(figure, axes, ks)
            _name_areas(figure, panels[0], over)
    return figure


def _column(panels: list[Axes], finding: Finding, width: float) -> None:
    shares, changes, net, found, kept = panels
    over = finding.block["over_budgets"]
    ks = _ks(over)
    letters = int(15.5 * width)
    shares.set_title(
        "\n".join(
            [
                *wrap(finding.label, letters, max_lines=2, placeholder=" …"),
                *wrap(f"against {finding.base_label}", letters, max_lines=2, placeholder=" …"),
            ]
        ),
        fontsize=8,
    )
    edges = _edges(over)
    for region, (low, high) in zip(_STACK, edges, strict=True):
        _area(shares, ks, low, high, color=_COLOURS[region], linewidth=0, label=region)
    shares.grid(visible=False)
    for region, sign in (("expansion", 1), ("shrinkage", -1)):
        height = sign * _share(over, region)
        _area(
            changes,
            ks,
            np.minimum(height, 0),
            np.maximum(height, 0),
            facecolor=to_rgba(_COLOURS[region], 0.3),
            edgecolor=_COLOURS[region],
            linewidth=0.8,
            label=region,
        )
    difference = 100 * (_numbers(over, "target_pass") - _numbers(over, "base_pass"))
    _line(changes, ks, difference, _difference_band(over), "pass_difference", _DIFFERENCE)
    for name, looks in _LINES.items():
        axes = {"nscr": net, "srr": kept}.get(name, found)
        _line(axes, ks, _numbers(over, "metrics", name), _band(over, name), name, looks)
    for axes in (changes, net):
        axes.axhline(0, color="#555555", linewidth=0.9, zorder=1.5)
    for axes, names in zip((net, found, kept), _MEASURES, strict=True):
        if all(np.isnan(_numbers(over, "metrics", name)).all() for name in names):
            axes.text(
                0.5,
                0.5,
                "undefined",
                transform=axes.transAxes,
                ha="center",
                va="center",
                fontsize=_SIZE,
                color="#555555",
                path_effects=[style.HALO],
            )


def _area(axes: Axes, ks: Floats, low: Floats, high: Floats, **looks: Any) -> None:
    """Filled between two curves; a bar where there is a single k."""
    if len(ks) == 1:
        ks, low, high = np.array([ks[0] / 1.3, ks[0] * 1.3]), np.repeat(low, 2), np.repeat(high, 2)
    axes.fill_between(ks, low, high, **looks)


def _line(
    axes: Axes, ks: Floats, values: Floats, band: tuple[Floats, Floats], name: str, looks: dict[str, Any]
) -> None:
    """A curve with its band: both have gaps where they are undefined, and a band at a single k is a bar."""
    low, high = band
    axes.plot(ks, values, label=name, zorder=3, **looks)
    known = ~(np.isnan(low) | np.isnan(high))
    beside = np.r_[False, known, False]
    alone = known & ~beside[:-2] & ~beside[2:]
    looks = {"color": looks["color"], "label": name}
    axes.fill_between(ks, low, high, where=(known & ~alone).tolist(), alpha=_BAND, linewidth=0, **looks)
    axes.vlines(ks[alone], low[alone], high[alone], alpha=2.5 * _BAND, linewidth=2.5, **looks)


def _limits(overs: list[Budgets]) -> list[tuple[float, float]]:
    """Of y, panel by panel: the same in all columns."""
    heights = [
        series
        for over in overs
        for series in (_share(over, "expansion"), -_share(over, "shrinkage"), *_difference_band(over))
    ]
    limits = [(0.0, 100.0), _padded(heights, 0.0, 1.0)]
    for names, anchor in zip(_MEASURES, (0.0, 0.0, 1.0), strict=True):
        values = [
            series
            for over in overs
            for name in names
            for series in (_numbers(over, "metrics", name), *_band(over, name))
        ]
        limits.append(_padded(values, anchor, 0.02))
    return limits


def _padded(series: Sequence[Floats], anchor: float, least: float) -> tuple[float, float]:
    """Limits that hold all numbers and the anchor, and are never closer than that."""
    values = np.r_[anchor, np.concatenate(series)]
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if high - low < least:
        low, high = low - least, max(high, anchor + least * (anchor == 0))
    pad = 0.08 * (high - low)
    return low - pad, high + pad


def _scale(axes: Axes, ks: list[int]) -> None:
    """Log2, from the first k to the last, with a tick at each."""
    axes.set_xscale("log", base=2)
    ratio = (ks[-1] / ks[0]) ** 0.02 if len(ks) > 1 else 2.0
    axes.set_xlim(ks[0] / ratio, ks[-1] * ratio)
    axes.xaxis.set_minor_locator(FixedLocator(ks))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(ks, labels=[""] * len(ks))


def _label_ticks(figure: Figure, axes: Axes, ks: list[int]) -> None:
    """As many of the ticks as have room for it."""
    low, high = axes.get_xlim()
    labelled = _labelled(ks, _inches(figure, axes)[0] / log2(high / low))
    axes.set_xticks(labelled, labels=[str(k) for k in labelled])


def _inches(figure: Figure, axes: Axes) -> tuple[float, float]:
    """Width and height, once the figure is laid out."""
    box = axes.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def _labelled(ks: list[int], inches: float) -> list[int]:
    """Every k, or every second, third, ... of those whose labels have room, and always the last."""

    def touch(a: int, b: int) -> bool:
        return log2(b / a) * inches < (len(str(a)) + len(str(b)) + 2) / 2 * _DIGIT

    for step in range(1, len(ks)):
        kept = [k for k in ks[:-1:step] if not touch(k, ks[-1])] + [ks[-1]]
        if not any(touch(a, b) for a, b in pairwise(kept)):
            return kept
    return [ks[-1]]


def _name_areas(figure: Figure, axes: Axes, over: Budgets) -> None:
    """Each area's name, or else its letter, where it is thickest, if it has room there."""
    width, height = _inches(figure, axes)
    start, end = (log2(k) for k in axes.get_xlim())
    ks = np.log2(_ks(over))
    if len(ks) == 1:
        ks = ks + log2(1.3) * np.array([-1, 1])
    at = np.linspace(ks[0], ks[-1], 101)
    tall = 100 * 1.35 * _SIZE / 72 / height
    for region, (low, high) in zip(_STACK, _edges(over), strict=True):
        if len(low) == 1:
            low, high = np.repeat(low, 2), np.repeat(high, 2)
        bottom, top = np.interp(at, ks, low), np.interp(at, ks, high)
        for text in (_NAMES[region], _LETTERS[region]):
            half = (len(text) + 1) / 2 * _DIGIT / width * (end - start)
            places = [x for x in at if ks[0] <= x - half and x + half <= ks[-1]]
            rooms = [_room(at, bottom, top, x, half) for x in places]
            most = max((room for room, _ in rooms), default=0.0)
            if most >= tall:
                # where it is thick, as near to the middle as that allows
                wide = [(x, y) for x, (room, y) in zip(places, rooms, strict=True) if room >= 0.85 * most]
                x, y = min(wide, key=lambda place: abs(place[0] - (ks[0] + ks[-1]) / 2))
                axes.text(
                    2**x,
                    y,
                    text,
                    ha="center",
                    va="center",
                    fontsize=_SIZE,
                    color="black" if region == "out_of_support" else "white",
                )
                break


def _room(at: Floats, bottom: Floats, top: Floats, x: float, half: float) -> tuple[float, float]:
    """Height that an area has over a text's whole width, and its middle."""
    under = (at >= x - half) & (at <= x + half)
    low, high = float(bottom[under].max()), float(top[under].min())
    return high - low, (low + high) / 2


def _edges(over: Budgets) -> list[tuple[Floats, Floats]]:
    """Lower and upper edge of each area of the stack, in percent."""
    tops = np.cumsum([_share(over, region) for region in _STACK], axis=0)
    return list(zip([np.zeros(len(over)), *tops[:-1]], tops, strict=True))


def _ks(over: Budgets) -> Floats:
    return np.array([at["k"] for at in over], dtype=np.float64)


def _share(over: Budgets, region: str) -> Floats:
    """Expected questions in a region at each k, in percent of all."""
    return np.array([100 * at["regions"][region] / sum(at["regions"].values()) for at in over])


def _numbers(over: Budgets, *keys: str) -> Floats:
    """What lies under these keys at each k; null, and what lies in null, is NaN."""
    found: list[Any] = list(over)
    for key in keys:
        found = [None if one is None else one[key] for one in found]
    return np.array([np.nan if one is None else one for one in found], dtype=np.float64)


def _band(over: Budgets, measure: str) -> tuple[Floats, Floats]:
    low, high = (_numbers(over, "intervals", "other_questions", measure, end) for end in ("low", "high"))
    return low, high


def _difference_band(over: Budgets) -> tuple[Floats, Floats]:
    """In percent. Where no two questions differ the band is all that can be, which says nothing: a gap."""
    low, high = (_numbers(over, "pass_difference", end) for end in ("low", "high"))
    empty = (low <= -1) & (high >= 1)
    return np.where(empty, np.nan, 100 * low), np.where(empty, np.nan, 100 * high)


def _title(name: str, width: float) -> str:
    """What the figure shows and what its bands are, wrapped to its width in inches."""
    text = (
        f"{name}: expected at k samples per question. Bands: 95 %, other questions of this kind "
        "(that of E − S holds at all k together)."
    )
    return "\n".join(wrap(text, int(15.5 * width)))


def _handles() -> list[Patch | Line2D]:
    return [
        *(
            Patch(color=_COLOURS[region], label=f"{_NAMES[region]} ({_LETTERS[region]})")
            for region in REGIONS
        ),
        Line2D([], [], label="E − S (change of pass@k)", **_DIFFERENCE),
        *(Line2D([], [], label=name.upper(), **looks) for name, looks in _LINES.items()),
        Patch(color="black", alpha=_BAND, linewidth=0, label="95 % band"),
    ]
