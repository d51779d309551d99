"""Expected regions and measures over every smaller budget k, on one benchmark, for the final checkpoints."""

from textwrap import fill
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from leash.dynamics.regions import REGIONS
from leash.errors import InputError
from leash.figures import style
from leash.findings import Finding

_COLUMNS: Final = 3
_MOST_TICKS: Final = 8
_TITLE: Final = 32  # characters of a line
_KIND: Final = "other_questions"
# E and S, the thin ones that matter, lie between the thick ones, so that their edges can be compared.
_STACK: Final = ("preservation", "shrinkage", "expansion", "out_of_support")
_NAMES: Final = {
    "preservation": "preservation (P)",
    "expansion": "expansion (E)",
    "shrinkage": "shrinkage (S)",
    "out_of_support": "out of support (O)",
}
_LOW_MEASURES: Final = {"nscr": "#000000", "ndr": "#009E73", "sds": "#AA4499"}
_SMALLEST_LABELLED: Final = 6.0


def chosen(findings: list[Finding], benchmark: str) -> list[Finding]:
    """The final checkpoints' findings on the benchmark of this slug. Raises InputError where there is none."""
    found = [one for one in findings if one.is_final and one.scope == "benchmark" and one.slug == benchmark]
    if not found:
        raise InputError(f"--evidence: no final checkpoint on the benchmark {benchmark!r}; give its file")
    return found


def draw(findings: list[Finding], benchmark: str) -> Figure:
    """The figure: per comparison the four shares as areas, then SRR, then NSCR, NDR and SDS, over k."""
    shown = chosen(findings, benchmark)
    columns = min(_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(max(2.45 * columns, 5.2), 4.6 * rows + 0.55), layout="constrained")
        grid = figure.add_gridspec(3 * rows, columns, height_ratios=[2.2, 0.9, 1.4] * rows)
        panels: list[list[Axes]] = [[], [], []]
        for index, finding in enumerate(shown):
            row, column = divmod(index, columns)
            axes: list[Axes] = []
            for part in range(3):
                shared = axes[0] if axes else None
                level = panels[part][0] if panels[part] else None
                axes.append(figure.add_subplot(grid[3 * row + part, column], sharex=shared, sharey=level))
                panels[part].append(axes[-1])
            at = finding.block["over_budgets"]
            _areas(axes[0], at, finding.block["questions"])
            _lines(axes[1], at, {"srr": "#0072B2"})
            _lines(axes[2], at, _LOW_MEASURES)
            names = finding.label, f"against {finding.base_label}"
            axes[0].set_title("\n".join(fill(name, _TITLE) for name in names))
            axes[2].axhline(0, color="#888888", linewidth=0.8, zorder=1)
            _ticks(axes, [one["k"] for one in at])
            if column == 0:
                axes[0].set_ylabel("share of questions (%)")
                axes[1].set_ylabel("SRR")
                axes[2].set_ylabel("NSCR, NDR, SDS")
            else:
                for one in axes:
                    one.tick_params(axis="y", labelleft=False)
        _legend(figure, panels, shown[0].name)
    return figure


def series(at: list[dict[str, Any]], *path: str) -> NDArray[np.float64]:
    """A number of every budget, NaN where it is undefined, shape (budgets,)."""
    found = []
    for one in at:
        value: Any = one
        for key in path:
            value = value[key]
        found.append(np.nan if value is None else float(value))
    return np.array(found)


def _areas(axes: Axes, at: list[dict[str, Any]], questions: int) -> None:
    ks = series(at, "k")
    below = np.zeros(len(at))
    for name in _STACK:
        shares = 100 * series(at, "regions", name) / questions
        colour = style.REGION_COLOURS[REGIONS.index(name)]
        if len(at) == 1:  # one budget is no area
            axes.bar(ks, shares, 0.3, below, color=colour, label=_NAMES[name])
        else:
            axes.fill_between(
                ks, below, below + shares, color=colour, linewidth=0.4, edgecolor="white", label=_NAMES[name]
            )
        middle = len(at) // 2
        if shares[middle] >= _SMALLEST_LABELLED:
            axes.text(
                ks[middle],
                below[middle] + shares[middle] / 2,
                {"out_of_support": "O"}.get(name, name[0].upper()),
                ha="center",
                va="center",
                color="black" if name == "out_of_support" else "white",
            )
        below += shares
    axes.set_ylim(0, 100)
    axes.grid(visible=False)


def _lines(axes: Axes, at: list[dict[str, Any]], measures: dict[str, str]) -> None:
    ks = series(at, "k")
    marker = "o" if len(at) == 1 else ""
    for name, colour in measures.items():
        low, high = (series(at, "intervals", _KIND, name, end) for end in ("low", "high"))
        if len(at) == 1:
            axes.vlines(ks, low, high, color=colour, alpha=0.5)
        else:
            axes.fill_between(ks, low, high, color=colour, alpha=0.16, linewidth=0)
        wide = 2.0 if name == "nscr" else 1.3
        axes.plot(
            ks, series(at, "metrics", name), color=colour, marker=marker, linewidth=wide, label=name.upper()
        )


def _ticks(axes: list[Axes], ks: list[int]) -> None:
    every = -(-len(ks) // _MOST_TICKS)
    shown = ks[::-1][::every][::-1]
    for one in axes:
        one.set_xscale("log", base=2)
        one.set_xticks(shown, labels=[str(k) for k in shown])
        one.xaxis.set_minor_locator(NullLocator())
        one.set_xlim((ks[0], ks[-1]) if len(ks) > 1 else (ks[0] / 2, ks[0] * 2))
    for one in axes[:-1]:
        one.tick_params(axis="x", labelbottom=False)
    if len(shown) > 8 or max(shown) > 1000:
        for label in axes[-1].get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    axes[-1].set_xlabel("k (samples per question)")


def _legend(figure: Figure, panels: list[list[Axes]], benchmark: str) -> None:
    handles, labels = panels[0][0].get_legend_handles_labels()
    for part in panels[1:]:
        more, names = part[0].get_legend_handles_labels()
        handles += more
        labels += names
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    figure.suptitle(
        f"{benchmark}: expected at k; bands: 95 %, other questions of this kind",
        fontsize=style.RC["axes.titlesize"],
    )
