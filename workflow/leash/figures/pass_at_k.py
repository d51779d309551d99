"""pass@k of bases and final checkpoints on one benchmark (paper, Figures 2 to 4)."""

from typing import Final, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from leash.comparisons import Comparison
from leash.errors import InputError
from leash.figures import style

_WIDTH: Final = 5.5
_LABEL_SIZE: Final = 6.8
_POINTS_PER_INCH: Final = 72


class Curve(NamedTuple):
    """pass@k as percentages by k, and how the line is drawn."""

    label: str
    percents: dict[int, float]
    colour: str
    marker: str
    dashed: bool


def curves(comparisons: list[Comparison], benchmark: str) -> list[Curve]:
    """One curve per base, then one per target's final checkpoint, on the benchmark of this slug.

    Raises InputError where no final checkpoint was measured on it.
    """
    bases: dict[tuple[str, str], Curve] = {}
    targets: list[Curve] = []
    for comparison in comparisons:
        result = next((r for r in comparison.benchmarks if r.slug == benchmark), None)
        if result is None or not comparison.is_final:
            continue
        base_key = comparison.base, comparison.base_checkpoint
        if base_key not in bases:
            bases[base_key] = Curve(
                comparison.base_label,
                _percents(result.base.pass_at),
                style.BASE_COLOUR if not bases else ("#666666", "#999999")[len(bases) % 2],
                "o",
                True,
            )
        index = len(targets)
        targets.append(
            Curve(
                comparison.label,
                _percents(result.target.pass_at),
                style.COLOURS[index % len(style.COLOURS)],
                # Where colours repeat, markers do not: they are one step further.
                style.MARKERS[(index + index // len(style.COLOURS)) % len(style.MARKERS)],
                False,
            )
        )
    if not targets:
        raise InputError(f"--metrics: no final checkpoint on the benchmark {benchmark!r}; give its file")
    return [*bases.values(), *targets]


def draw(comparisons: list[Comparison], benchmark: str) -> Figure:
    """The figure; y in percent of questions, x on a log2 axis with one tick per k."""
    lines = curves(comparisons, benchmark)
    label = next(r.label for c in comparisons for r in c.benchmarks if r.slug == benchmark)
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(_WIDTH, 3.1 + 0.11 * len(lines)), layout="constrained")
        axes = figure.add_subplot()
        for curve in lines:
            axes.plot(
                list(curve.percents),
                list(curve.percents.values()),
                color=curve.colour,
                marker=curve.marker,
                linestyle="--" if curve.dashed else "-",
                label=curve.label,
            )
        _axes(axes, sorted({k for curve in lines for k in curve.percents}), lines)
        axes.set_title(label)
        figure.legend(loc="outside upper center", ncols=min(3, len(lines)))
        if len(lines) == 2 and lines[0].percents.keys() == lines[1].percents.keys():
            _label_pair(axes, lines[0], lines[1])
        else:
            _label_ends(figure, axes, lines)
    return figure


def _percents(pass_at: dict[int, float]) -> dict[int, float]:
    return {k: 100 * fraction for k, fraction in pass_at.items()}


def _axes(axes: Axes, ks: list[int], lines: list[Curve]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(ks, labels=[str(k) for k in ks])
    axes.minorticks_off()
    axes.set_xlabel("k (samples per question)")
    axes.set_ylabel("pass@k (% of questions)")
    ratio = max(ks[-1] / ks[0], 2) ** 0.09
    axes.set_xlim(ks[0] / ratio, ks[-1] * ratio)
    values = [value for curve in lines for value in curve.percents.values()]
    pad = 0.1 * max(max(values) - min(values), 5.0)
    axes.set_ylim(min(values) - pad, max(values) + pad)
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= 100])
    axes.set_ylim(min(values) - pad, max(values) + pad)


def _label_pair(axes: Axes, first: Curve, second: Curve) -> None:
    """Every value of both lines, on the side away from the other one and clear of the rising line itself."""
    for k in first.percents:
        first_is_higher = first.percents[k] >= second.percents[k]
        for curve, above in ((first, first_is_higher), (second, not first_is_higher)):
            axes.annotate(
                f"{curve.percents[k]:.1f}",
                (k, curve.percents[k]),
                xytext=(-5, 4) if above else (5, -4),
                textcoords="offset points",
                ha="center",
                va="bottom" if above else "top",
                fontsize=_LABEL_SIZE,
                color=curve.colour,
                path_effects=[style.HALO],
            )


def _label_ends(figure: Figure, axes: Axes, lines: list[Curve]) -> None:
    """Each line's first value left of it and its last one right of it, moved apart where they would touch."""
    figure.draw_without_rendering()  # lays the axes out, so that their height is known
    height = axes.get_window_extent().height / figure.dpi * _POINTS_PER_INCH
    low, high = axes.get_ylim()
    gap = (high - low) * 1.25 * _LABEL_SIZE / height
    for end, side in ((0, -1), (-1, 1)):
        points = [list(curve.percents.items())[end] for curve in lines]
        positions = style.spread([value for _, value in points], gap)
        shift = min(0.0, high - gap / 2 - max(positions)) + max(0.0, low + gap / 2 - min(positions))
        for curve, (k, value), position in zip(lines, points, positions, strict=True):
            axes.annotate(
                f"{value:.1f}",
                (k, position + shift),
                xytext=(7 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=_LABEL_SIZE,
                color=curve.colour,
                path_effects=[style.HALO],
            )
