from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from leash import evidence, records
from leash.errors import InputError
from leash.figures import __main__ as command
from leash.figures.budgets import draw, series
from leash.findings import Finding, load
from leash.match import match
from synthetic_study import write_counts


def findings(folder: Path, base: list[int], target: list[int], n: int, models: int = 1) -> list[Finding]:
    """One benchmark "gcd", with so many models that all have the same counts."""
    sides = [
        write_counts(folder / f"{name}.parquet", counts, n) for name, counts in (("b", base), ("t", target))
    ]
    regions = folder / "gcd/regions.parquet"
    records.write(regions, records.REGIONS, match(*sides))
    names = [f"model-{index}" for index in range(models)]
    files = []
    for name in names:
        spec = {
            "base": {"model": "qwen", "checkpoint": "final"},
            "target": {"model": name, "checkpoint": "final"},
            "seed": 0,
            "benchmarks": {"gcd": {"domain": "arithmetic", "budget": n}},
        }
        files.append(folder / f"{name}.json")
        records.write_json(files[-1], evidence.weigh(spec, [regions]))
    labels = {name: {"label": f"{name} with a name that is rather long"} for name in ("qwen", *names)}
    shown = {
        "models": labels,
        "checkpoints": {},
        "benchmarks": {"gcd": "GCD"},
        "comparisons": [[name, "final"] for name in names],
    }
    return load(records.canonical_json(shown), files)


def areas(figure: Figure) -> list[Any]:
    return list(figure.axes[0].collections)


def test_areas_and_lines_are_the_numbers_of_the_file(tmp_path: Path) -> None:
    found = findings(tmp_path, [8, 3, 1, 0, 0], [8, 5, 0, 2, 0], 8)
    figure = draw(found, "gcd")
    at = found[0].block["over_budgets"]
    edges = [area.get_paths()[0].vertices for area in areas(figure)]
    tops = [max(y for x, y in edge if x == 8) for edge in edges]
    assert tops == pytest.approx([40, 60, 80, 100])  # P, S, E, O of five questions at k = 8
    line = figure.axes[1].lines[0]
    assert list(line.get_xdata()) == [1, 2, 4, 8]
    assert list(line.get_ydata()) == pytest.approx([one["metrics"]["srr"] for one in at])
    drawn = {one.get_label(): one for one in figure.axes[2].lines}
    assert list(drawn["NSCR"].get_ydata()) == pytest.approx([one["metrics"]["nscr"] for one in at])


def test_what_is_undefined_is_a_gap(tmp_path: Path) -> None:
    found = findings(tmp_path, [0, 0], [0, 0], 4)
    assert np.isnan(series(found[0].block["over_budgets"], "metrics", "srr")).all()
    figure = draw(found, "gcd")
    figure.draw_without_rendering()
    assert np.isnan(np.asarray(figure.axes[1].lines[0].get_ydata(), dtype=float)).all()


@pytest.mark.parametrize(("n", "models"), [(1, 1), (4, 9), (8192, 2)])
def test_one_sample_many_models_and_large_budgets_fit(tmp_path: Path, n: int, models: int) -> None:
    figure = draw(findings(tmp_path, [0, n, 1], [n, n, 0], n, models), "gcd")
    figure.draw_without_rendering()
    assert len(figure.axes) == 3 * models
    width, height = figure.bbox.width, figure.bbox.height
    texts = [one for axes in figure.axes for one in (axes.title, axes.xaxis.label, axes.yaxis.label)]
    for text in [*texts, *figure.texts]:
        if text.get_text():
            box = text.get_window_extent()
            assert box.x0 >= 0, text.get_text()
            assert box.y0 >= 0, text.get_text()
            assert box.x1 <= width, text.get_text()
            assert box.y1 <= height, text.get_text()


def test_a_benchmark_without_findings_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--evidence: no final checkpoint on the benchmark 'hle'"):
        draw(findings(tmp_path, [1], [1], 1), "hle")


def test_the_command_knows_the_figure() -> None:
    with pytest.raises(InputError, match="--spec"):
        command.draw("figure-budgets-gcd", "{}", [], [], [])
