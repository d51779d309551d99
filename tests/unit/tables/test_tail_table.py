"""The tail audit as a table: order, captions, and answers that must not break it."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from leash import records
from leash.errors import InputError
from leash.tables import tail

SPEC: dict[str, Any] = {
    "models": {"qwen": {"label": "Qwen"}, "dapo": {"label": "DAPO_1"}},
    "checkpoints": {"dapo/step20": "step 20", "dapo/final": ""},
    "benchmarks": {"math": "MATH", "gcd": "GCD"},
    "comparisons": [["dapo", "step20"], ["dapo", "final"]],
}
HOSTILE = "a|b\n$x$ `c` <b>*_\\ [l](u)\r\0 " + "y" * 80


def row(question: str, opinion: str, **changes: Any) -> records.Row:
    return {
        "question_id": question,
        "region": "expansion",
        "side": "target",
        "correct": 2,
        "sample_index": 5,
        "samples": 1,
        "extracted": "7",
        "rule": "boxed",
        "gold": ["7", "seven"],
        "opinion": opinion,
        "how": "integers",
        **changes,
    }


def written(folder: Path, rows: dict[str, list[records.Row]]) -> list[Path]:
    places = [
        f"dapo/{checkpoint}/{benchmark}"
        for checkpoint in ("final", "step20")
        for benchmark in ("gcd", "math")
    ]
    for place in places:
        records.write(folder / place / "tail.parquet", records.TAIL, rows.get(place, []))
    return [folder / place / "tail.parquet" for place in places]


def made(
    folder: Path, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[dict[str, str]], str]:
    outs = folder / "tail-audit.csv", folder / "tail-audit.md"
    argv = ["tail", "--spec", json.dumps(SPEC), "--tails", *map(str, paths)]
    monkeypatch.setattr("sys.argv", [*argv, "--out-csv", str(outs[0]), "--out-md", str(outs[1])])
    tail.main()
    text = outs[0].read_bytes().decode()
    return list(csv.DictReader(io.StringIO(text, newline=""))), outs[1].read_text()


def md_rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[:1] + lines[2:]]


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    return written(
        tmp_path,
        {
            "dapo/final/gcd": [
                row("q4", "disagrees", how="values at 5 points"),
                row("q5", "none", rule=None),
            ],
            "dapo/step20/math": [
                row("q1", "agrees"),
                row("q1", "disagrees", side="base", extracted="8"),
                row("q2", "agrees", region="preservation", correct=40),
                row("q2", "agrees", region="preservation", side="base", correct=1),
            ],
            "dapo/step20/gcd": [row("q3", "none", region="out_of_support")],
        },
    )


def test_disagreements_come_first_then_no_opinion_and_within_them_the_order_of_the_spec(
    tmp_path: Path, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, text = made(tmp_path, paths, monkeypatch)
    assert [(r["opinion"], r["target_checkpoint"], r["benchmark"], r["question_id"]) for r in table] == [
        ("disagrees", "step20", "math", "q1"),
        ("disagrees", "final", "gcd", "q4"),
        ("none", "step20", "gcd", "q3"),
        ("none", "final", "gcd", "q5"),
        ("agrees", "step20", "math", "q1"),
        ("agrees", "step20", "math", "q2"),
        ("agrees", "step20", "math", "q2"),
    ]
    assert list(table[0]) == list(tail.COLUMNS)
    assert {"target", "question_id", "extracted", "gold", "how"} < set(tail.COLUMNS)
    assert json.loads(table[0]["gold"]) == ["7", "seven"]
    assert table[3]["rule"] == ""
    head, *rows = md_rows(text)
    assert head == list(tail._HEADINGS)
    first = "disagrees|DAPO\\_1 (step 20)|MATH|q1|expansion|base|2|8|1|7 or seven|boxed|integers"
    assert rows[0] == first.split("|")
    assert rows[1][1:3] == ["DAPO\\_1", "GCD"]
    # the agreement on a side with 40 successes is no row of it
    assert [(r[3], r[5]) for r in rows[4:]] == [("q1", "target"), ("q2", "base")]


def test_the_caption_counts_labels_and_answers(
    tmp_path: Path, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    caption = made(tmp_path, paths, monkeypatch)[1].partition("\n")[0]
    assert caption.startswith(
        "**Tail audit.** The 5 labels (question and comparison: expansion 3, out of support 1, "
    )
    assert "rest on 3 or fewer verified successes" in caption
    assert "the 7 different answers" in caption
    assert "disagrees with 2, has nothing to say on 2 and agrees with 3" in caption
    assert "more than 3 successes (1) are in the CSV only" in caption


def test_answers_cannot_break_the_table_and_are_whole_in_the_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = written(
        tmp_path, {"dapo/final/gcd": [row("q|1", "none", extracted=HOSTILE, gold=["$\\frac{1}{2}$"])]}
    )
    table, text = made(tmp_path, paths, monkeypatch)
    assert table[0]["extracted"] == HOSTILE
    rows = md_rows(text)
    assert {len(cells) for cells in rows} == {12}
    assert rows[1][7].startswith(r"a\|b \$x\$ \`c\` \<b>\*\_\\ \[l](u) yyy")
    assert rows[1][7].endswith("y…")
    assert rows[1][9] == r"\$\\frac{1}{2}\$"


def test_an_empty_audit_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, text = made(tmp_path, written(tmp_path, {}), monkeypatch)
    assert table == []
    assert text == (
        "**Tail audit.** In this study no question's region rests on 3 or fewer verified successes of a state.\n"
    )
    assert (tmp_path / "tail-audit.csv").read_text() == ",".join(tail.COLUMNS) + "\n"


def test_files_that_are_missing_or_of_another_study_are_named(paths: list[Path]) -> None:
    with pytest.raises(InputError, match=r"--tails: no file of dapo/final/gcd; give one"):
        tail.read(SPEC, paths[1:])
    with pytest.raises(
        InputError, match=r"--tails: no comparison .*final/gcd/tail.parquet, .*; leave it out"
    ):
        tail.read(SPEC | {"comparisons": [["dapo", "step20"]]}, paths)
