import json
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leash import records, shift
from leash.errors import InputError
from synthetic_scoring import scored, unscored, write_perplexity, write_regions, write_tokens

SPEC = {
    "base": {"model": "qwen", "checkpoint": "main"},
    "target": {"model": "dapo", "checkpoint": "final"},
    "benchmark": "gcd",
}
Row = dict[str, Any]
Files = tuple[Path, Path]


def files(folder: Path, base: list[Row], target: list[Row]) -> Files:
    """Tokens files of both sides."""
    return (
        write_tokens(folder / "base/trace-tokens.parquet", base),
        write_tokens(folder / "target/trace-tokens.parquet", target),
    )


def run(tokens: Files, regions: dict[str, str], profile: bool = True, seed: int = 0) -> dict[str, Any]:
    sides = shift.read(*(write_perplexity(path) for path in tokens))
    profiles = None
    if profile:
        profiles = shift.read_profile(tokens[0], sides.base), shift.read_profile(tokens[1], sides.target)
    regions_file = write_regions(tokens[0].with_name("regions.parquet"), regions)
    return shift.shift(SPEC, regions_file, sides, profiles, seed)


def cell(found: dict[str, Any], region: str, source: str = "r1") -> dict[str, Any]:
    return next(c for c in found["cells"] if (c["region"], c["source"]) == (region, source))


def constant(question: str, nll: float, tokens: int = 100, source: str = "r1", index: int = 0) -> Row:
    return scored(question, "trace", [-nll] * tokens, source, index)


def test_known_numbers_of_a_cell(tmp_path: Path) -> None:
    base = [
        constant("a", log(2)),
        constant("a", log(8), index=1),
        constant("b", log(2)),
        constant("c", 1.0, source="x"),
    ]
    base += [scored("a", "question", [-1.0] * 5), scored("b", "question", [-2.0] * 5)]
    target = [
        constant("a", log(4)),
        constant("a", log(16), index=1),
        constant("b", log(2)),
        constant("c", 1.5, source="x"),
    ]
    target += [scored("a", "question", [-1.25] * 5), scored("b", "question", [-1.5] * 5)]
    found = run(files(tmp_path, base, target), {"a": "shrinkage", "b": "shrinkage", "c": "preservation"})
    lost = cell(found, "shrinkage")
    assert (lost["questions"], lost["traces"], lost["few"]) == (2, 3, True)
    # of a's two traces the mean is taken first: log 4, then log 8
    assert lost["base"]["perplexity"]["value"] == pytest.approx((4 + 2) / 2)
    assert lost["target"]["perplexity"]["value"] == pytest.approx((8 + 2) / 2)
    assert lost["target"]["geometric"]["value"] == pytest.approx(4.0)
    assert lost["difference"]["value"] == pytest.approx(log(2) / 2)
    assert lost["beyond_question"]["value"] == pytest.approx(((log(2) - 0.25) + (0 + 0.5)) / 2)
    other = cell(found, "preservation", "x")
    assert other["beyond_question"]["questions"] == 0
    assert other["beyond_question"]["value"] is None
    assert other["difference"]["low"] is None
    assert [(c["region"], c["source"]) for c in found["cells"]] == [
        ("shrinkage", "r1"),
        ("preservation", "x"),
        ("all", "r1"),
        ("all", "x"),
    ]
    assert (found["traces"], found["left_out"], found["comparable"]) == (4, {}, True)


def random_study(folder: Path, questions: int = 30) -> tuple[Files, dict[str, dict[str, np.ndarray]]]:
    random = np.random.default_rng(5)
    told: dict[str, dict[str, np.ndarray]] = {}
    rows: dict[str, list[Row]] = {"base": [], "target": []}
    for number in range(questions):
        length = int(random.integers(20, 600))
        each = {side: random.gamma(0.5, 1.0, length).astype(np.float16).astype(float) for side in rows}
        told[f"q{number}"] = each
        for side, of_side in rows.items():
            of_side.append(scored(f"q{number}", "trace", -each[side], "r1"))
    rows["target"].reverse()  # the files need not be in the same order
    return files(folder, rows["base"], rows["target"]), told


def test_tails_and_profile_against_the_tokens_themselves(tmp_path: Path) -> None:
    tokens, told = random_study(tmp_path)
    found = run(tokens, dict.fromkeys(told, "out_of_support"))
    here = cell(found, "out_of_support")
    assert {k: v for k, v in cell(found, "all").items() if k != "region"} == {
        k: v for k, v in here.items() if k != "region"
    }
    for tail in here["tails"]:
        window = tail["window"]
        long = [(o["base"], o["target"]) for o in told.values() if o["base"].size > window]
        rest = [t[window:].mean() - b[window:].mean() for b, t in long]
        assert tail["difference"]["value"] == pytest.approx(np.mean(rest))
        assert tail["whole"]["value"] == pytest.approx(np.mean([t.mean() - b.mean() for b, t in long]))
        assert tail["difference"]["questions"] == tail["whole"]["questions"] == len(long)
    assert [(part["first"], part["last"]) for part in here["profile"][:4]] == [
        (1, 1),
        (2, 3),
        (4, 7),
        (8, 15),
    ]
    for part in here["profile"]:
        span = slice(part["first"] - 1, part["last"])
        reach = [o for o in told.values() if o["base"].size >= part["first"]]
        assert part["traces"] == part["questions"] == len(reach)
        wanted = np.mean([o["target"][span].mean() - o["base"][span].mean() for o in reach])
        assert part["value"] == pytest.approx(wanted)


def test_intervals_follow_the_seed_and_questions(tmp_path: Path) -> None:
    tokens, told = random_study(tmp_path)
    regions = dict.fromkeys(told, "expansion")
    one, same, other = (run(tokens, regions, profile=False, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert cell(one, "expansion")["difference"]["low"] != cell(other, "expansion")["difference"]["low"]
    values = np.array([o["target"].mean() - o["base"].mean() for o in told.values()])
    drawn = values[np.random.default_rng(1).integers(30, size=(2000, 30))].mean(axis=1)
    found = cell(one, "expansion")
    assert [found["difference"][end] for end in ("low", "high")] == pytest.approx(
        np.quantile(drawn, [0.025, 0.975])
    )
    nlls = np.array([o["base"].mean() for o in told.values()])
    assert found["base"]["perplexity"]["value"] == pytest.approx(np.exp(nlls).mean())
    assert found["base"]["geometric"]["value"] == pytest.approx(exp(nlls.mean()))
    assert found["profile"] == []


def test_only_what_both_sides_scored_enters_and_the_rest_is_counted(tmp_path: Path) -> None:
    long = "5000 tokens with its prompt, and the context is 4096"
    base = [
        constant("a", 1.0),
        unscored("b", "trace", "empty text", "r1"),
        constant("c", 1.0),
        constant("d", 1.0) | {"cut": True},
        constant("e", 1.0) | {"cut": True},
        constant("f", 1.0),
        constant("g", 1.0),
    ]
    target = [
        constant("a", 2.0),
        unscored("b", "trace", "empty text", "r1"),
        unscored("c", "trace", long, "r1"),
        constant("d", 2.0) | {"cut": True},
        constant("e", 2.0, tokens=90),
        constant("f", 2.0),
        unscored("g", "trace", long.replace("5000", "7000"), "r1"),
    ]
    found = run(files(tmp_path, base, target), dict.fromkeys("abcdeg", "shrinkage"))
    assert found["comparable"] is True
    assert found["left_out"] == {
        "base and target: empty text": 1,
        "target: N tokens with its prompt, and the context is N": 2,
        "cut to the model's context, to other lengths": 1,
        "its question is not compared": 1,
    }
    assert found["traces"] == 2
    assert cell(found, "shrinkage")["difference"]["value"] == 1.0


def test_problems_only_leaves_no_cell(tmp_path: Path) -> None:
    rows = [unscored("a", "trace", "empty text", "r1")]
    found = run(files(tmp_path, rows, rows), {"a": "shrinkage"})
    assert (found["cells"], found["traces"]) == ([], 0)
    assert found["left_out"] == {"base and target: empty text": 1}


def test_other_tokenizers_leave_each_side_its_own_perplexity(tmp_path: Path) -> None:
    base = [constant("a", log(2)), constant("b", log(2))]
    target = [constant("a", log(4), tokens=130), constant("b", log(4))]
    found = run(files(tmp_path, base, target), {"a": "shrinkage", "b": "shrinkage"})
    assert found["comparable"] is False
    assert found["note"] == "tokenizers differ: per-token values are not comparable"
    here = cell(found, "shrinkage")
    assert here["base"]["perplexity"]["value"] == pytest.approx(2)
    assert here["target"]["perplexity"]["value"] == pytest.approx(4)
    assert (here["difference"], here["beyond_question"], here["tails"], here["profile"]) == (
        None,
        None,
        [],
        [],
    )


def test_the_command_writes_json_without_nan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = files(tmp_path, [constant("a", 900.0)], [constant("a", 1.0)])
    base, target = (write_perplexity(path) for path in tokens)
    regions = write_regions(tmp_path / "regions.parquet", {"a": "expansion"})
    out = tmp_path / "shift.json"
    argv = ["shift", "--spec", json.dumps(SPEC), "--regions", regions, "--base", base, "--target", target]
    argv += ["--base-tokens", tokens[0], "--target-tokens", tokens[1], "--seed", 0, "--out", out]
    monkeypatch.setattr("sys.argv", [*map(str, argv)])
    shift.main()
    found = records.read_json(out)
    assert found["benchmark"] == "gcd"
    here = cell(found, "expansion")
    assert here["difference"]["value"] == -899.0
    assert here["base"]["geometric"]["value"] is None  # beyond what a number holds
    assert len(here["profile"]) == 7
    monkeypatch.setattr("sys.argv", [*map(str, argv[:-6]), "--seed", "0", "--out", str(out)])
    with pytest.raises(SystemExit, match="go together"):
        shift.main()


def spoiled(**change: Any) -> Callable[[Path], Path]:
    def spoil(path: Path) -> Path:
        rows = [row | change for row in records.read(path, shift.PERPLEXITY)]
        records.write(path, shift.PERPLEXITY.with_metadata({"windows": "[64, 256]"}), rows)
        return path

    return spoil


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (spoiled(nll=float("nan")), "trace .*: nan is no log-likelihood"),
        (spoiled(nll=None), "None is no log-likelihood"),
        (
            spoiled(index=5),
            r"base/perplexity.parquet: lacks traces that the other side has: a \(r1 0\), b \(r1 0\)",
        ),
        (spoiled(question_id="a"), "stands twice"),
    ],
)
def test_perplexities_that_cannot_be(tmp_path: Path, spoil: Callable[[Path], Path], complaint: str) -> None:
    rows = [constant("a", 1.0), constant("b", 1.0)]
    base, target = (write_perplexity(path) for path in files(tmp_path, rows, rows))
    with pytest.raises(InputError, match=complaint):
        shift.read(spoil(base), target)


def test_files_that_do_not_go_together(tmp_path: Path) -> None:
    rows = [constant("a", 1.0)]
    tokens = files(tmp_path, rows, rows)
    base, target = (write_perplexity(path) for path in tokens)
    records.write(tmp_path / "w.parquet", shift.PERPLEXITY.with_metadata({"windows": "[8]"}), [])
    with pytest.raises(InputError, match=r"its windows are \[8\]"):
        shift.read(base, tmp_path / "w.parquet")
    records.write(tmp_path / "e.parquet", shift.PERPLEXITY.with_metadata({"windows": "[64, 256]"}), [])
    with pytest.raises(InputError, match=r"e.parquet: holds no traces"):
        shift.read(base, tmp_path / "e.parquet")
    sides = shift.read(base, target)
    longer = write_tokens(tmp_path / "longer.parquet", [constant("a", 1.0, tokens=101)])
    with pytest.raises(InputError, match="has 101 tokens here"):
        shift.read_profile(longer, sides.base)
    strange = write_tokens(tmp_path / "strange.parquet", [constant("z", 1.0)])
    with pytest.raises(InputError, match=r"trace \('z', 'r1', 0\)"):
        shift.read_profile(strange, sides.base)


@pytest.mark.parametrize(
    "spec", ["[]", "{", json.dumps(SPEC | {"seed": 1}), json.dumps(SPEC | {"base": "x"})]
)
def test_specs_are_checked(spec: str) -> None:
    with pytest.raises(InputError, match="--spec"):
        shift.parse_spec(spec)
