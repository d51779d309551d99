import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from leash import evidence, records
from leash.dynamics.regions import REGIONS
from leash.errors import InputError
from leash.figures import __main__ as command
from leash.figures import budgets
from leash.findings import Finding, load
from leash.match import match
from synthetic_study import write_counts

LONG = "a-trained-model-with-a-name-that-is-much-longer-than-any-column-of-the-figure-is-wide"
BASE, TARGET = [8, 3, 1, 0, 0, 2], [8, 5, 0, 2, 0, 1]
BASE_OF = {"model": "qwen", "checkpoint": "final"}


class Weighed:
    """A benchmark "gcd" of these counts, with evidence of so many models that all have the same."""

    def __init__(self, folder: Path, base: list[int], target: list[int], n: int, models: int = 1) -> None:
        sides = [write_counts(folder / f"{side}.parquet", c, n) for side, c in (("b", base), ("t", target))]
        regions = folder / "gcd/regions.parquet"
        records.write(regions, records.REGIONS, match(*sides))
        spec = {
            "base": BASE_OF,
            "target": {},
            "seed": 0,
            "benchmarks": {"gcd": {"domain": "arithmetic", "budget": n}},
        }
        names = [f"model-{index}" for index in range(models)]
        contents = evidence.weigh(spec, [regions])
        self.paths = []
        for name in names:
            self.paths.append(folder / f"{name}.json")
            records.write_json(self.paths[-1], contents | {"target": {"model": name, "checkpoint": "final"}})
        self.spec = json.dumps(
            {
                "models": {name: {"label": f"{name}: {LONG}"} for name in ("qwen", *names)},
                "checkpoints": {},
                "benchmarks": {"gcd": "GCD with $dollars$"},
                "comparisons": [[name, "final"] for name in names],
            }
        )

    @property
    def findings(self) -> list[Finding]:
        return load(self.spec, self.paths)

    def draw(self) -> Figure:
        return budgets.draw(self.findings, "gcd")


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> Weighed:
    return Weighed(tmp_path_factory.mktemp("weighed"), BASE, TARGET, 8)


def edges(axes: Axes, label: str) -> dict[float, tuple[float, float]]:
    """Of the areas of this label, the lowest and highest y at each x."""
    points: dict[float, list[float]] = {}
    for area in axes.collections:
        if isinstance(area, PolyCollection) and area.get_label() == label:
            for path in area.get_paths():
                for x, y in np.asarray(path.vertices):
                    points.setdefault(round(float(x), 9), []).append(float(y))
    return {x: (min(ys), max(ys)) for x, ys in points.items()}


def lines(axes: Axes) -> dict[str, list[float]]:
    """The y of every line over k, by label."""
    return {
        str(line.get_label()): [float(y) for y in np.asarray(line.get_ydata())]
        for line in axes.lines
        if not str(line.get_label()).startswith("_")
    }


def clipped(figure: Figure) -> list[str]:
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_visible()]
    return [name for name, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1]


def overlapping(texts: list[Text]) -> list[tuple[str, str]]:
    """Pairs of texts, of a figure that was laid out."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [(a, b) for i, (a, one) in enumerate(boxes) for b, two in boxes[:i] if one.overlaps(two)]


def test_areas_are_the_expected_regions_of_the_file(weighed: Weighed) -> None:
    shares, changes, *_ = weighed.draw().axes
    for at in weighed.findings[0].block["over_budgets"]:
        k = float(at["k"])
        percents = {name: 100 * at["regions"][name] / len(BASE) for name in REGIONS}
        heights = {name: np.diff(edges(shares, name)[k])[0] for name in REGIONS}
        assert heights == pytest.approx(percents)
        # the thin ones lie along the straight edges
        assert edges(shares, "shrinkage")[k][0] == 0
        assert edges(shares, "expansion")[k][1] == pytest.approx(100)
        assert edges(changes, "expansion")[k] == pytest.approx((0, percents["expansion"]))
        assert edges(changes, "shrinkage")[k] == pytest.approx((-percents["shrinkage"], 0))


def test_lines_and_bands_are_the_numbers_of_the_file(weighed: Weighed) -> None:
    _, changes, net, found, kept = weighed.draw().axes
    over = weighed.findings[0].block["over_budgets"]
    assert [lines(axes).keys() for axes in (net, found, kept)] == [{"nscr"}, {"ndr", "sds"}, {"srr"}]
    for axes in (net, found, kept):
        assert list(axes.lines[0].get_xdata()) == [1, 2, 4, 8]
        for name, drawn in lines(axes).items():
            assert drawn == pytest.approx([at["metrics"][name] for at in over])
            bands = {at["k"]: at["intervals"]["other_questions"][name] for at in over}
            assert edges(axes, name) == {
                k: pytest.approx((band["low"], band["high"])) for k, band in bands.items()
            }
    differences = [at["pass_difference"] for at in over]
    assert lines(changes)["pass_difference"] == pytest.approx([100 * one["value"] for one in differences])
    assert edges(changes, "pass_difference") == {
        at["k"]: pytest.approx((100 * one["low"], 100 * one["high"]))
        for at, one in zip(over, differences, strict=True)
    }


def test_the_legend_says_what_is_drawn_and_what_the_bands_are(weighed: Weighed) -> None:
    (legend,) = weighed.draw().legends
    title = legend.get_title().get_text().replace("\n", " ")
    assert title.startswith("GCD with $dollars$: expected at k samples")
    assert "95 %, other questions of this kind" in title
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[:4] == ["preservation (P)", "expansion (E)", "shrinkage (S)", "out of support (O)"]
    assert labels[4:] == ["E − S (change of pass@k)", "NSCR", "NDR", "SDS", "SRR", "95 % band"]


def changed(weighed: Weighed, tmp_path: Path, k: int, change: dict[str, Any]) -> Figure:
    contents = records.read_json(weighed.paths[0])
    at = next(one for one in contents["benchmarks"]["gcd"]["over_budgets"] if one["k"] == k)
    at |= change
    records.write_json(tmp_path / "evidence.json", contents)
    return budgets.draw(load(weighed.spec, [tmp_path / "evidence.json"]), "gcd")


def test_what_is_undefined_is_a_gap_and_a_band_beside_it_a_bar(weighed: Weighed, tmp_path: Path) -> None:
    over = weighed.findings[0].block["over_budgets"]
    intervals = over[1]["intervals"]["other_questions"] | {"nscr": {"low": None, "high": None}}
    figure = changed(
        weighed,
        tmp_path,
        2,
        {
            "metrics": over[1]["metrics"] | {"nscr": None},
            "intervals": {"other_questions": intervals},
            "pass_difference": None,
        },
    )
    _, changes, net, *_ = figure.axes
    assert [np.isnan(value) for value in lines(net)["nscr"]] == [False, True, False, False]
    for axes, name in ((net, "nscr"), (changes, "pass_difference")):
        assert edges(axes, name).keys() == {4, 8}
        (bar,) = [area for area in axes.collections if not isinstance(area, PolyCollection)]
        (segment,) = bar.get_segments()  # type: ignore[attr-defined]
        assert [x for x, _ in segment] == [1, 1]
    assert [text.get_text() for text in net.texts] == []


def test_a_band_that_says_nothing_does_not_set_the_scale(weighed: Weighed, tmp_path: Path) -> None:
    figure = changed(weighed, tmp_path, 8, {"pass_difference": {"value": 0.0, "low": -1.0, "high": 1.0}})
    assert edges(figure.axes[1], "pass_difference").keys() == {1, 2, 4}
    assert max(map(abs, figure.axes[1].get_ylim())) < 100


def test_all_out_of_support_is_undefined_in_words(tmp_path: Path) -> None:
    figure = Weighed(tmp_path, [0, 0, 0], [0, 0, 0], 4).draw()
    assert edges(figure.axes[0], "out_of_support")[1] == (0, 100)
    assert [text.get_text() for text in figure.axes[0].texts] == ["out of support"]
    assert [[text.get_text() for text in axes.texts] for axes in figure.axes[2:]] == [["undefined"]] * 3
    assert clipped(figure) == []


@pytest.mark.parametrize(("base", "target"), [([1, 0, 1, 0], [1, 1, 0, 0]), ([1], [0])])
def test_a_single_k_is_drawn_as_bars(tmp_path: Path, base: list[int], target: list[int]) -> None:
    figure = Weighed(tmp_path, base, target, 1).draw()
    shares = figure.axes[0]
    heights = [max(np.diff(edge)[0] for edge in edges(shares, name).values()) for name in REGIONS]
    assert heights == pytest.approx([25, 25, 25, 25] if len(base) > 1 else [0, 0, 100, 0])
    assert all(len(set(edges(shares, name))) == 2 for name in REGIONS)
    assert [tick.get_text() for tick in figure.axes[-1].get_xticklabels()] == ["1"]
    assert clipped(figure) == []


def test_one_question_has_lines_without_a_band_of_its_difference(tmp_path: Path) -> None:
    weighed = Weighed(tmp_path, [2], [5], 8)
    assert all(at["pass_difference"] is None for at in weighed.findings[0].block["over_budgets"])
    changes = weighed.draw().axes[1]
    assert lines(changes)["pass_difference"] == pytest.approx(
        [100 * (at["target_pass"] - at["base_pass"]) for at in weighed.findings[0].block["over_budgets"]]
    )
    assert edges(changes, "pass_difference") == {}


@pytest.mark.parametrize(("models", "per_row"), [(1, 1), (3, 3), (4, 2), (9, 3)])
def test_columns_wrap_share_their_axes_and_fit(tmp_path: Path, models: int, per_row: int) -> None:
    figure = Weighed(tmp_path, [9, 4, 0, 2048], [16384, 0, 0, 2], 16384, models).draw()
    assert len(figure.axes) == 5 * models
    assert figure.get_size_inches()[0] <= 7
    tops = figure.axes[::5]
    assert len({round(axes.get_position().x0, 3) for axes in tops}) == per_row
    for panel in range(5):
        assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes[panel::5]}) == 1
    labels = [label for label in figure.axes[-1].get_xticklabels() if label.get_text()]
    assert [labels[0].get_text(), labels[-1].get_text()] == ["1", "16384"]
    assert clipped(figure) == []
    assert overlapping(labels) == []
    assert overlapping([axes.title for axes in tops]) == []


def test_labels_of_k_are_regular_and_end_at_the_budget() -> None:
    powers = [2**power for power in range(15)]
    assert budgets._labelled(powers, 1.0) == powers
    assert budgets._labelled(powers, 0.16)[-1] == 16384
    assert budgets._labelled([1, 2, 4, 8, 10], 0.2) == [1, 2, 4, 10]
    assert budgets._labelled([1], 0.2) == [1]


def test_names_of_areas_stand_inside_them(weighed: Weighed) -> None:
    figure = weighed.draw()
    figure.draw_without_rendering()
    shares = figure.axes[0]
    names = {"preservation", "expansion", "shrinkage", "out of support", *"PESO"}
    assert {text.get_text() for text in shares.texts} <= names
    assert shares.texts
    for text in shares.texts:
        box = text.get_window_extent()
        assert shares.get_window_extent().contains(box.x0, box.y0)
        assert shares.get_window_extent().contains(box.x1, box.y1)


def test_only_final_checkpoints_are_drawn(weighed: Weighed) -> None:
    (one,) = [finding for finding in weighed.findings if finding.scope == "benchmark"]
    assert budgets.final_on([one._replace(is_final=False, label="early"), one], "gcd") == [one]


def test_a_benchmark_without_findings_is_named_with_the_flag_and_the_known_ones(weighed: Weighed) -> None:
    with pytest.raises(InputError, match=r"--evidence: .* 'hle'; give its file, or one of gcd in --figure"):
        command.draw("figure-budgets-hle", weighed.spec, [], [], weighed.paths)
    with pytest.raises(InputError, match="--evidence: no file of model-0/final"):
        command.draw("figure-budgets-gcd", weighed.spec, [], [], [])


def test_the_same_numbers_give_the_same_bytes(
    weighed: Weighed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bytes_of = []
    for run in ("one", "two"):
        outs = [tmp_path / run / "f.pdf", tmp_path / run / "f.png"]
        argv = ["figures", "--figure", "figure-budgets-gcd", "--spec", weighed.spec, "--evidence"]
        argv += [*map(str, weighed.paths), "--out-pdf", str(outs[0]), "--out-png", str(outs[1])]
        monkeypatch.setattr("sys.argv", argv)
        command.main()
        bytes_of.append([path.read_bytes() for path in outs])
    assert bytes_of[0] == bytes_of[1]
    assert bytes_of[0][0].startswith(b"%PDF")
