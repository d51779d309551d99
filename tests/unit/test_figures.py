from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from leash import records
from leash.comparisons import load
from leash.errors import InputError
from leash.figures import __main__ as command
from leash.figures import pass_at_k, regions, style
from synthetic_study import Study, write_study

BENCHMARKS = {"gcd": ("arithmetic", 64), "zebra": ("logic", 6)}
REGIONS = "figure-regions-over-training"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    targets = {
        "dapo": ("rlvr", [f"step-{step}" for step in (30, 60, 90)]),
        "grpo": ("rlvr", [f"step-{step}" for step in range(20, 220, 20)]),
        **{f"arm_{index}$": ("sft", ["end"]) for index in range(5)},
    }
    return write_study(tmp_path_factory.mktemp("study"), targets, BENCHMARKS)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return write_study(tmp_path_factory.mktemp("pair"), {"dapo": ("rlvr", ["v1"])}, {"gcd": ("math", 1024)})


def overlapping(figure: Figure, texts: list[Text]) -> list[tuple[str, str]]:
    figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [(a, b) for i, (a, one) in enumerate(boxes) for b, two in boxes[:i] if one.overlaps(two)]


def clipped(figure: Figure) -> list[str]:
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_visible()]
    return [name for name, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1]


def shown_values(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_curves_are_the_metrics_files_numbers_of_final_checkpoints(study: Study) -> None:
    lines = pass_at_k.curves(load(study.spec_text, study.metrics, []), "zebra")
    assert [line.label for line in lines[:3]] == ["Qwen base", "DAPO (step 90)", "GRPO (step 200)"]
    assert len(lines) == 8
    final = next(path for path in study.metrics if "dapo/step-90/zebra" in str(path))
    wanted = records.read_json(final)["target"]["pass_at"]
    assert lines[1].percents == {k: 100 * wanted[str(k)] for k in (1, 2, 4, 6)}
    assert len({(line.colour, line.marker) for line in lines}) == 8


def test_a_pair_is_labelled_at_every_k(pair: Study) -> None:
    comparisons = load(pair.spec_text, pair.metrics, [])
    figure = pass_at_k.draw(comparisons, "gcd")
    (axes,) = figure.axes
    lines = pass_at_k.curves(comparisons, "gcd")
    assert sorted(shown_values(axes)) == sorted(f"{v:.1f}" for line in lines for v in line.percents.values())
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [str(2**power) for power in range(11)]
    assert overlapping(figure, [*axes.texts, *axes.get_xticklabels()]) == []
    assert clipped(figure) == []


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_many_curves_are_labelled_at_both_ends_without_overlap(study: Study, benchmark: str) -> None:
    figure = pass_at_k.draw(load(study.spec_text, study.metrics, []), benchmark)
    (axes,) = figure.axes
    assert len(shown_values(axes)) == 2 * 8
    assert overlapping(figure, [*axes.texts, *axes.get_xticklabels()]) == []
    assert clipped(figure) == []


def test_bars_show_every_share_and_the_line_every_change(study: Study) -> None:
    comparisons = load(study.spec_text, [], study.pooled)
    figure = regions.draw(comparisons)
    top, bottom = figure.axes[:2]
    pooled = [records.read_json(path)["overall"] for path in study.pooled[:3]]
    heights = [[patch.get_height() for patch in bars.patches] for bars in top.containers]
    assert np.sum(heights, axis=0) == pytest.approx([100, 100, 100])
    assert heights[2] == pytest.approx([100 * b["regions"]["shrinkage"] / b["questions"] for b in pooled])
    line = next(line for line in bottom.lines if line.get_marker() == "o")
    assert list(line.get_ydata()) == [block["metrics"]["nscr"] for block in pooled]
    assert len(figure.axes) == 4
    for axes in figure.axes:
        assert overlapping(figure, axes.texts) == []
    assert clipped(figure) == []


def test_the_legend_says_what_a_budget_bounds_where_there_is_one(study: Study, tmp_path: Path) -> None:
    targets = {model: ("rlvr", ["step-1", "step-2"]) for model in ("dapo", "grpo")}
    alike = write_study(tmp_path, targets, {"gcd": ("arithmetic", 256), "zebra": ("logic", 256)})
    for made, wanted in (
        (study, "out of support (O)"),
        (alike, "out of support (O, p ≤ 0.012 at 95 %)"),  # 1 - 0.05^(1/256)
    ):
        figure = regions.draw(load(made.spec_text, [], made.pooled))
        assert [text.get_text() for text in figure.legends[0].get_texts()][3] == wanted
        assert clipped(figure) == []


@pytest.mark.parametrize("figure", [REGIONS, "figure02-pass-at-k-gcd"])
def test_the_same_numbers_give_the_same_bytes(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: str
) -> None:
    files = ["--pooled", *study.pooled] if figure == REGIONS else ["--metrics", *study.metrics]
    bytes_of = []
    for run in ("one", "two"):
        outs = [tmp_path / run / "f.pdf", tmp_path / run / "f.png"]
        argv = ["figures", "--figure", figure, "--spec", study.spec_text, *map(str, files)]
        monkeypatch.setattr("sys.argv", [*argv, "--out-pdf", str(outs[0]), "--out-png", str(outs[1])])
        command.main()
        bytes_of.append([path.read_bytes() for path in outs])
    assert bytes_of[0] == bytes_of[1]
    assert bytes_of[0][0].startswith(b"%PDF")
    assert b"CreationDate" not in bytes_of[0][0]


def test_a_study_of_single_checkpoints_gets_a_notice(pair: Study) -> None:
    figure = regions.draw(load(pair.spec_text, [], pair.pooled))
    assert "more than one checkpoint" in figure.texts[0].get_text()
    assert clipped(figure) == []


def test_what_cannot_be_drawn_is_named(study: Study) -> None:
    files = study.spec_text, study.metrics, [], []
    with pytest.raises(InputError, match="'aime'"):
        command.draw("figure02-pass-at-k-aime", *files)
    with pytest.raises(InputError, match="no figure 'figure99'"):
        command.draw("figure99", *files)
    with pytest.raises(InputError, match="--pooled: no file of dapo/step-30"):
        command.draw(REGIONS, *files)
    with pytest.raises(InputError, match="--evidence: no file of dapo/step-30"):
        command.draw("figure-budgets-gcd", *files)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0.1, 10))
def test_spread_labels_keep_their_distance_and_their_order(values: list[float], gap: float) -> None:
    positions = style.spread(values, gap)
    order = np.argsort(values, kind="stable")
    assert (np.diff(np.array(positions)[order]) >= gap - 1e-9).all()


def test_labels_with_room_stay_where_they_are() -> None:
    assert style.spread([30.0, 10.0, 20.0], 5.0) == pytest.approx([30.0, 10.0, 20.0])
