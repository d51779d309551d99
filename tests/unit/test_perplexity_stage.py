from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leash import perplexity, records
from leash.errors import InputError
from leash.records import PERPLEXITY
from leash.scoring.read import trace_logliks, windows
from synthetic_scoring import scored, unscored, write_tokens


def test_every_number_of_a_small_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = -np.arange(1, 301) / 100
    tokens = write_tokens(
        tmp_path / "trace-tokens.parquet",
        [
            scored("b", "trace", long, "r1", index=1, cut=True),
            scored("a", "trace", [-0.5, -1.5], "r1"),
            scored("b", "trace", -np.ones(64), "r1", index=0),
            unscored("a", "trace", "empty text", "claude"),
            scored("b", "question", [-2.0, -4.0]),
            unscored("a", "question", "empty text"),
            scored("z", "completion", [-9.0]),
        ],
    )
    out = tmp_path / "perplexity.parquet"
    monkeypatch.setattr("sys.argv", ["perplexity", "--tokens", str(tokens), "--out", str(out)])
    perplexity.main()
    assert records.note(out, "windows") == [64, 256]
    rows = records.read(out, PERPLEXITY)
    assert [(row["question_id"], row["source"], row["index"]) for row in rows] == [
        ("b", "r1", 0),
        ("b", "r1", 1),
        ("a", "claude", 0),
        ("a", "r1", 0),
    ]
    whole, cut, empty, short = rows
    assert (whole["nll"], whole["tail_nll"], whole["question_nll"]) == (1.0, [None, None], 3.0)
    assert cut["tail_nll"] == pytest.approx([-long[64:].mean(), -long[256:].mean()])
    assert (cut["n_tokens"], cut["cut"], cut["nll"]) == (300, True, pytest.approx(-long.mean()))
    assert (short["nll"], short["question_nll"], short["problem"]) == (1.0, None, None)
    assert (empty["nll"], empty["tail_nll"], empty["n_tokens"], empty["problem"]) == (
        None,
        None,
        None,
        "empty text",
    )


def test_problems_only(tmp_path: Path) -> None:
    tokens = write_tokens(tmp_path / "t.parquet", [unscored("a", "trace", "empty text", "r1")])
    (row,) = perplexity.measure(tokens)
    assert (row["nll"], row["question_nll"], row["problem"]) == (None, None, "empty text")
    assert list(trace_logliks(tokens)) == []


def test_a_certain_trace_has_a_perplexity_of_one(tmp_path: Path) -> None:
    tokens = write_tokens(tmp_path / "t.parquet", [scored("a", "trace", [0.0, 1e-7], "r1")])
    (row,) = perplexity.measure(tokens)
    assert row["nll"] == 0.0
    assert str(row["nll"]) == "0.0"


TRACE = scored("a", "trace", [-1.0] * 70, "r1")
QUESTION = scored("a", "question", [-1.0])


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], "t.parquet: holds no traces"),
        ([QUESTION], "holds no traces"),
        ([TRACE, TRACE], "question 'a', source 'r1', trace 0: stands twice"),
        ([TRACE, QUESTION, QUESTION], "question 0: stands twice"),
        ([TRACE | {"loglik": float("nan")}], "a log-likelihood of nan over 70 tokens cannot be"),
        ([TRACE | {"loglik": float("-inf")}], "a log-likelihood of -inf"),
        ([TRACE | {"loglik": 5.0}], "a log-likelihood of 5.0 over 70 tokens"),
        ([TRACE | {"loglik": None}], "a log-likelihood of None"),
        ([TRACE | {"n_tokens": 0, "tail_loglik": [None, None]}], "over 0 tokens"),
        ([TRACE | {"n_tokens": None}], "over None tokens"),
        ([TRACE | {"tail_loglik": None}], "its tails None do not fit windows"),
        ([TRACE | {"tail_loglik": [-1.0]}], "do not fit windows"),
        ([TRACE | {"tail_loglik": [None, -1.0]}], "do not fit windows"),
        ([TRACE | {"tail_loglik": [float("nan"), None]}], "a log-likelihood of nan over 6 tokens"),
        ([TRACE, QUESTION | {"loglik": float("nan")}], "question 0: a log-likelihood of nan"),
    ],
)
def test_what_cannot_be(tmp_path: Path, rows: list[dict[str, Any]], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        perplexity.measure(write_tokens(tmp_path / "t.parquet", rows))


@pytest.mark.parametrize("note", [None, "64", [0], [64.0], [True]])
def test_windows_are_checked(tmp_path: Path, note: object) -> None:
    tokens = write_tokens(tmp_path / "t.parquet", [TRACE], windows=note)
    with pytest.raises(InputError, match=r"t.parquet: its note 'windows' is"):
        windows(tokens)


def test_tokens_of_traces_are_read_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leash.scoring.read._AT_ONCE", 3)
    rows = [scored(f"q{n}", "trace", -np.ones(n + 1) * (n + 1) / 4, "r1", index=n) for n in range(10)]
    rows.insert(4, scored("q", "question", [-1.0]))
    rows.insert(7, rows[0] | {"question_id": "none kept", "token_loglik": None})
    tokens = write_tokens(tmp_path / "t.parquet", rows)
    found = dict(trace_logliks(tokens))
    assert list(found) == [(f"q{n}", "r1", n) for n in range(10)]
    assert [values.tolist() for values in found.values()] == [[-(n + 1) / 4] * (n + 1) for n in range(10)]


def test_tokens_that_are_not_finite_or_not_there(tmp_path: Path) -> None:
    nan = TRACE | {"token_loglik": np.array([np.nan] * 70, dtype=np.float16)}
    with pytest.raises(InputError, match="a token's log-likelihood is not finite"):
        list(trace_logliks(write_tokens(tmp_path / "t.parquet", [nan])))
    with pytest.raises(InputError, match="not there"):
        list(trace_logliks(tmp_path / "none.parquet"))
    other = tmp_path / "other.parquet"
    records.write(other, records.TRACES, [])
    with pytest.raises(InputError, match="lacks the columns kind"):
        list(trace_logliks(other))
