from math import log
from pathlib import Path

import pytest
from matplotlib.text import Text

from leash.dynamics.theory import entropy, entropy_limit
from leash.figures import theory


def test_lines_are_the_entropies_of_the_tilts_and_start_at_the_base() -> None:
    (axes,) = theory.draw().axes
    drawn = {line.get_label(): line for line in axes.lines if str(line.get_label()).startswith("q =")}
    assert list(drawn) == [case.label for case in theory.CASES]
    for case in theory.CASES:
        strengths, heights = theory.curve(case)
        assert list(drawn[case.label].get_ydata()) == heights
        assert heights[0] == pytest.approx(entropy(case.base))
        assert heights[-1] == pytest.approx(entropy_limit(case.base, case.reward), abs=0.05)
        assert strengths[0] == 0


def test_two_bases_rise_and_two_do_not() -> None:
    rises = [max(heights) > heights[0] + 0.01 for _, heights in map(theory.curve, theory.CASES)]
    assert rises == [True, True, False, False]
    assert max(theory.curve(theory.CASES[0])[1]) == pytest.approx(log(2), abs=1e-4)


def test_nothing_is_clipped() -> None:
    figure = theory.draw()
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.findobj(Text):
        if isinstance(text, Text) and text.get_text() and text.get_visible():
            box = text.get_window_extent()
            assert box.x0 >= -1
            assert box.y0 >= -1
            assert box.x1 <= width + 1
            assert box.y1 <= height + 1


def test_the_command_writes_the_same_bytes_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for run in ("one", "two"):
        outs = tmp_path / run / "f.pdf", tmp_path / run / "f.png"
        monkeypatch.setattr("sys.argv", ["theory", "--out-pdf", str(outs[0]), "--out-png", str(outs[1])])
        theory.main()
        made.append([path.read_bytes() for path in outs])
    assert made[0] == made[1]
