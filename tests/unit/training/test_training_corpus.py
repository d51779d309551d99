"""A corpus is the same for the same spec, holds the mixture asked for, and refuses unknown styles."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from leash import records
from leash.errors import InputError
from leash.training import corpus
from leash.training.spec import parse_corpus_spec


def spec(seed: int = 0, rows: int = 400, **traces: float) -> str:
    sources = [
        {
            "benchmark": "maths-gcd",
            "task": "gcd",
            "rows": rows,
            "traces": traces or {"euclid": 3, "factors": 1},
        }
    ]
    return json.dumps({"sources": sources, "seed": seed, "version": 1})


def build(text: str, file: Path) -> list[records.Row]:
    return list(corpus.build_corpus(parse_corpus_spec(text), [file]))


def test_same_spec_gives_the_same_rows(question_files: dict[str, Path]) -> None:
    file = question_files["gcd"]
    assert build(spec(), file) == build(spec(), file)
    assert build(spec(), file) != build(spec(seed=1), file)


def test_questions_repeat_in_order_with_styles_drawn_anew(question_files: dict[str, Path]) -> None:
    rows = build(spec(), question_files["gcd"])
    ids = [row["question_id"] for row in records.read(question_files["gcd"], records.QUESTIONS)]
    assert [row["question_id"] for row in rows] == ids * 10
    assert any(first["style"] != again["style"] for first, again in zip(rows[:40], rows[40:80], strict=True))


def test_mixture_follows_the_weights(question_files: dict[str, Path]) -> None:
    counts = Counter(row["style"] for row in build(spec(rows=4000), question_files["gcd"]))
    # 3000 expected, standard deviation 27
    assert 2860 < counts["euclid"] < 3140
    assert counts.total() == 4000


def test_styles_do_not_depend_on_the_traces(question_files: dict[str, Path]) -> None:
    """Swapping a style that draws random numbers for one that does not leaves all other draws alone."""
    sources = {"benchmark": "b", "task": "countdown", "rows": 100}
    drawn = []
    for weights in ({"forward": 1, "search": 1}, {"forward": 1, "backward": 1}):
        text = json.dumps({"sources": [{**sources, "traces": weights}], "seed": 3, "version": 1})
        drawn.append([row["style"] == "forward" for row in build(text, question_files["countdown"])])
    assert drawn[0] == drawn[1]


def test_unknown_style_and_task_name_the_known_ones(question_files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match=r"'euclidean' for task gcd; known: euclid, subtract, factors"):
        build(spec(euclidean=1.0), question_files["gcd"])
    with pytest.raises(InputError, match=r"'lcm'; known: countdown, prime_factorization, chain_sum, gcd"):
        build(spec().replace('"gcd"', '"lcm"'), question_files["gcd"])


def test_wrong_number_of_files_and_empty_file(question_files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 files for 1 sources"):
        list(corpus.build_corpus(parse_corpus_spec(spec()), [question_files["gcd"]] * 2))
    empty = tmp_path / "empty.parquet"
    records.write(empty, records.QUESTIONS, [])
    with pytest.raises(InputError, match="holds no question"):
        build(spec(), empty)


def test_command_line_writes_the_same_bytes_twice(
    question_files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outs = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for out in outs:
        argv = ["corpus", "--spec", spec(), "--questions", str(question_files["gcd"]), "--out", str(out)]
        monkeypatch.setattr(sys, "argv", argv)
        corpus.main()
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert len(records.read(outs[0], records.CORPUS)) == 400
