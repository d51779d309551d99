import json
from pathlib import Path
from types import ModuleType

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from leash import records
from leash.figures import decoupling, style, style_shift
from leash.precision import load as load_precision
from leash.precision import parse_spec
from leash.records import ENTROPY
from leash.shifts import load as load_shifts
from leash.shifts import overall
from synthetic_scoring import Scored, write_entropies, write_shifts

LONG = "a-trained-model-with-a-name-that-is-longer-than-any-panel-of-the-figure-is-wide"


@pytest.fixture(scope="module")
def entropies(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    families = {
        "qwen": [("dapo", ["step-1", "step-2"]), (LONG, ["final"])],
        "llama": [("grpo", ["end"])],
        "b3": [("t3", ["end"])],
        "b4": [(f"t4-{index}", ["end"]) for index in range(8)],
    }
    return write_entropies(tmp_path_factory.mktemp("e"), families, {"gcd": 4, "aime": 4}, 4)


@pytest.fixture(scope="module")
def shifts(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return write_shifts(tmp_path_factory.mktemp("s"), ["dapo", LONG], {"gcd": 24, "aime": 12})


def clipped(figure: Figure) -> list[str]:
    """Texts that leave the figure; ticks outside an axis' limits are not drawn."""
    with mpl.rc_context(style.RC):  # as style.save draws: ticks are made late
        figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    hidden = {
        label
        for axes in figure.axes
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim()))
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not low <= tick.get_loc() <= high
    }
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts if t.get_visible() and t not in hidden]
    return [name for name, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1]


def drawn_points(figure: Figure) -> set[tuple[float, float]]:
    return {
        (round(float(x), 9), round(float(y), 9))
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() not in ("None", "", None)
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def test_every_average_and_every_base_is_a_point(entropies: Scored) -> None:
    families = load_precision(parse_spec(entropies.spec_text), entropies.paths, 4)
    figure = decoupling.draw(families)
    points = drawn_points(figure)
    for family in families:
        for one in [state.average for state in family.states] + list(family.base.on.values()):
            assert (round(one.token_entropy or 0, 9), round(one.answer_entropy or 0, 9)) in points
    panels = [axes for axes in figure.axes if axes.axison]
    assert len(panels) == 4
    assert len({axes.get_xlim() for axes in panels}) == 1
    # of each target an arrow per benchmark, and one per step of its average
    assert [len(axes.texts) for axes in panels] == [2 * 2 + 2 + 1, 2 + 1, 2 + 1, 8 * 3]
    assert clipped(figure) == []


def test_targets_of_a_base_look_different() -> None:
    assert len({decoupling._looks(index) for index in range(24)}) == 24


def test_a_study_without_scores_gets_a_notice(entropies: Scored, tmp_path: Path) -> None:
    paths = []
    for path in entropies.paths:
        paths.append(tmp_path.joinpath(*path.parts[-4:]))
        rows = [
            row | {"scored": 0, "token_entropy": None, "n_tokens": None}
            for row in records.read(path, ENTROPY)
        ]
        records.write(paths[-1], ENTROPY, rows)
    figure = decoupling.draw(load_precision(parse_spec(entropies.spec_text), paths, 4))
    assert "No completion" in figure.texts[0].get_text()
    one = decoupling.draw(
        load_precision(parse_spec(entropies.spec_text), [*entropies.paths[:2], *paths[2:]], 4)
    )
    assert clipped(one) == []


def test_style_panels_show_the_pooled_numbers(shifts: Scored) -> None:
    loaded = load_shifts(shifts.spec_text, shifts.paths)
    figure = style_shift.draw(loaded)
    assert len(figure.axes) == 6
    cells = [cell for cell in overall(loaded[:2]).cells if cell["region"] != "all"]
    heights = [
        {round(float(y), 9) for line in axes.lines for y in line.get_ydata() if y == y}
        for axes in figure.axes[:3]
    ]
    for cell in cells:
        assert round(cell["difference"]["value"], 9) in heights[0]
        assert {round(tail["difference"]["value"], 9) for tail in cell["tails"]} <= heights[0]
        assert round(cell["beyond_question"]["value"], 9) in heights[1]
        assert {round(part["value"], 9) for part in cell["profile"]} <= heights[2]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim() == figure.axes[3].get_ylim()
    assert clipped(figure) == []


def test_traces_that_cannot_be_compared_get_a_notice(shifts: Scored, tmp_path: Path) -> None:
    spec = shifts.spec | {"comparisons": [["dapo", "final"]]}
    for change in ({"comparable": False, "note": "…"}, {"cells": []}):
        path = tmp_path / "shift.json"
        records.write_json(path, records.read_json(shifts.paths[0]) | change)
        figure = style_shift.draw(load_shifts(json.dumps(spec), [path]))
        assert "No traces" in figure.texts[0].get_text()
        assert clipped(figure) == []


@pytest.mark.parametrize("module", [decoupling, style_shift])
def test_the_same_numbers_give_the_same_bytes(
    module: ModuleType, entropies: Scored, shifts: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, option = (entropies, "--entropies") if module is decoupling else (shifts, "--shifts")
    made = []
    for run in ("one", "two"):
        outs = tmp_path / run / "f.pdf", tmp_path / run / "f.png"
        argv = ["figure", "--spec", study.spec_text, option, *map(str, study.paths)]
        argv += ["--samples", "4"] if module is decoupling else []
        monkeypatch.setattr("sys.argv", [*argv, "--out-pdf", str(outs[0]), "--out-png", str(outs[1])])
        module.main()
        made.append([path.read_bytes() for path in outs])
    assert made[0] == made[1]
    assert made[0][0].startswith(b"%PDF")
