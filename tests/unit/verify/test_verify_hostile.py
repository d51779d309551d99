"""Whatever a model writes has a verdict, in this process and through files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash import records
from leash.verify import grade
from leash.verify.stream import Options, grade_many

N = 10**7
HOSTILE = {
    "NUL": "\0<answer>\0\0</answer>",
    "lone surrogates": "\ud800 \\boxed{\ud800\udfff 5}",
    "control characters": "\\boxed{" + "".join(map(chr, range(32))) + "\x7f\x85}",
    "10 MB of digits": "\\boxed{" + "9" * N + "}",
    "10 MB of words": "\\boxed{" + "word " * (N // 5) + "}",
    "10 MB of an open box": "\\boxed{" + "x" * N,
    "10 MB without an answer": "a" * N,
    "10 MB of boxes": r"\boxed{1}" * (N // 9),
    "500 nested braces": "\\boxed{" + "{" * 500 + "5" + "}" * 500 + "}",
    "500 nested parentheses": "\\boxed{" + "(" * 500 + "5" + ")" * 500 + "}",
    "500 nested roots": "\\boxed{" + r"\sqrt{" * 500 + "5" + "}" * 501,
    "500 nested fractions": "\\boxed{" + r"\frac{1}{" * 500 + "5" + "}" * 501,
    "500 minus signs": "\\boxed{" + "-" * 500 + "5}",
    "500 bars": "\\boxed{" + "|" * 500 + "5}",
    "500 primes": "\\boxed{x" + "'" * 500 + "}",
    "500 factorials": "\\boxed{3" + "!" * 500 + "}",
    "500 commas": "\\boxed{" + "1," * 500 + "}",
    "500 equal signs": "\\boxed{" + "1=" * 500 + "1}",
    "500 signs of plus or minus": "\\boxed{" + r"1 \pm " * 200 + "1}",
    "3000 unclosed displays": "\\[" * 3000 + "\\boxed{5}",
    "3000 unclosed displays in the box": "\\boxed{" + "\\[" * 3000 + "5}",
    "a factorial": r"\boxed{100000000!}",
    "a factorial of a power": r"\boxed{(10^{10})!}",
    "factorials of factorials": r"\boxed{((9!)!)!}",
    "a tower": r"\boxed{9^{9^{9^9}}}",
    "a long tower": "\\boxed{" + "2^" * 600 + "2}",
    "a long nested tower": "\\boxed{" + "2^{" * 600 + "2" + "}" * 601,
    "many digits": r"\boxed{2022^{2023}}",
    "a large exponent": r"\boxed{1e999999999}",
    "a negative large exponent": r"\boxed{1e-999999999}",
    "an exponent at the limit": r"\boxed{1e4999}",
    "a binomial": r"\boxed{\binom{10^{9}}{5 \cdot 10^8}}",
    "an exponential": r"\boxed{e^{e^{e^{e^{e}}}}}",
    "a root of large index": r"\boxed{\sqrt[99999999999]{2}}",
    "a division by zero": r"\boxed{\frac{1}{0}}",
    "zero to no power": r"\boxed{0^{-1}}",
    "infinities": r"\boxed{\infty - \infty}",
    "a command without its argument": r"\boxed{\overline}",
    "commands without arguments": r"\boxed{\frac\sqrt\binom\hat\bar\log_}",
    "signs without sides": r"\boxed{:\approx\$\equiv,}",
    "a unit to a large power": r"\boxed{5 \text{ km}^{999}}",
    "spaces after a bracket": "\\boxed{1,000(" + " " * 20_000 + "}",
    "an empty matrix": r"\boxed{\begin{pmatrix}\end{pmatrix}}",
    "a matrix that is not closed": r"\boxed{\begin{pmatrix} 1 & 2}",
    "a large base": r"\boxed{999999999_{36}}",
    "a list with dots to far away": r"\boxed{1, 2, \ldots, 10^{12}}",
    "code": "\\boxed{__import__('os').system('true')}",
    "other digits": r"\boxed{٤٥}",
    "nothing": "",
    "a box of nothing": "\\boxed{}",
    "a dollar": "\\boxed{$}",
}
GOLDS = [
    "5",
    r"\frac{1}{2}",
    "x+1",
    "1, 2",
    "[1, 2)",
    r"5 \text{ km}",
    r"\begin{pmatrix}1\\2\end{pmatrix}",
    "yes",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_verdict_in_this_process(name: str) -> None:
    for gold in GOLDS if len(HOSTILE[name]) < N // 2 else GOLDS[:1]:
        for reason in ("stop", "length"):
            assert grade(HOSTILE[name], gold, finish_reason=reason).outcome in records.OUTCOMES
            assert grade(HOSTILE[name], "5 kg", "numeric", finish_reason=reason).outcome in records.OUTCOMES


def test_no_hostile_answer_makes_the_verifier_fail() -> None:
    outcomes = {name: grade(text, "1/2").outcome for name, text in HOSTILE.items()}
    assert not {name for name, outcome in outcomes.items() if outcome.startswith("verifier")}


def test_verdicts_through_files(tmp_path: Path) -> None:
    # a Parquet file holds no lone surrogates
    texts = {name: text for name, text in HOSTILE.items() if "surrogates" not in name}
    questions = [
        {"question_id": gold, "question": "q", "gold": [gold], "prompt": "q", "metadata": "{}"}
        for gold in GOLDS[1:3]
    ]
    samples = [
        {
            "question_id": question["question_id"],
            "sample_index": index,
            "completion": text,
            "finish_reason": "stop",
            "n_tokens": 1,
            "token_ids": None,
        }
        for question in questions
        for index, text in enumerate(texts.values())
    ]
    records.write(tmp_path / "q", records.QUESTIONS, questions)
    records.write(tmp_path / "s", records.SAMPLES, samples, group=8)
    tally = grade_many(tmp_path / "s", tmp_path / "q", tmp_path / "o", Options("math"), tmp_path / "cache")
    rows = records.read(tmp_path / "o", records.VERDICTS)
    assert tally.samples == len(rows) == len(samples)
    assert {row["outcome"] for row in rows} <= {*records.OUTCOMES}
    assert not [row for row in rows if row["outcome"] == "correct"]
    assert all(len(row["answer"] or "") <= 400 and len(row["extracted"] or "") <= 1000 for row in rows)


PIECES = [
    *(
        "\\frac",
        "\\sqrt",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "^",
        "_",
        "!",
        "|",
        "\\text{",
        "\\pm",
        "\\cup",
        ",",
        ";",
    ),
    *(
        ":",
        "=",
        "<",
        "\\le",
        "x",
        "n",
        "1",
        "12",
        "1.5",
        "e",
        "\\pi",
        "\\infty",
        "°",
        "%",
        " km",
        " and ",
        "\\in",
    ),
    *(
        "+",
        "-",
        "*",
        "/",
        "\\begin{pmatrix}",
        "\\end{pmatrix}",
        "&",
        "\\\\",
        "\\ldots",
        "\\overline",
        "'",
        "\\mp",
    ),
    *(
        "\\log",
        "f(",
        "\\{",
        "\\}",
        "\\binom",
        "_{10}",
        "\\lfloor",
        "base 5",
        "1,000",
        "½",
        "\0",
        "$",
        "e9",
        "\\to",
    ),
    *(
        "\\approx",
        "\\equiv",
        "\\mid",
        "\\setminus",
        ".",
        " ",
        "答案",
        "和",
        "9^9",
        "\\circ",
        "\\hat",
        "\\Delta ",
    ),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.sampled_from(GOLDS),
)
def test_any_heap_of_pieces_is_judged(answer: str, gold: str) -> None:
    found = grade(f"<answer>{answer}</answer>", gold)
    assert found.outcome in ("correct", "wrong", "no_answer")
    assert (found.answer is None) == (found.outcome == "no_answer")
