"""The name of an answer's class: one for each value, never the gold's for a wrong answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.assess import NOT_GOLD, assess
from leash.verify.math.equality import same_answer
from leash.verify.math.labels import canonical


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("5", "5"),
        ("5.0", "5"),
        ("x = 5", "5"),
        (r"\frac{1}{2}", "0.5"),
        (r"\frac{2}{6}", "1/3"),
        ("-0.25", "-0.25"),
        ("1e3", "1000"),
        (r"\sqrt{2}", "1.41421356237"),
        ("2, 1", "{1, 2}"),
        (r"\{2, 1, 1\}", "{1, 2}"),
        ("(2, 1)", "(2, 1)"),
        (r"\text{(C)}", "C"),
        ("No Solution", "no solution"),
        (r"2 \text{ km}", "2000 m"),
    ],
)
def test_labels(answer: str, label: str) -> None:
    assert canonical(answer) == label


def test_huge_integers_are_named_apart() -> None:
    names = [canonical(text) for text in ("10^{100}", "10^{100}+1", "2022^{2023}", "2022^{2023}-1")]
    assert len(set(names)) == 4
    assert all(len(name) <= 60 for name in names)


ONES = [
    "1",
    "1.0",
    r"\frac{2}{2}",
    "x=1",
    "1e0",
    r"\sqrt{1}",
    r"\$1",
    r"1\text{ m}",
    r"100\text{ cm}",
    r"100\%",
    "A",
    r"\text{A}",
]
POOL = [
    *ONES,
    *(
        "2",
        "-1",
        "0.5",
        r"\frac12",
        r"50\%",
        "0.333",
        "1/3",
        r"\frac{2}{6}",
        r"\sqrt2",
        r"\frac{2}{\sqrt2}",
        "1.41421356",
    ),
    *(
        "1, 2",
        r"\{2, 1\}",
        "(1, 2)",
        "(2, 1)",
        "[1, 2]",
        "[1, 2)",
        r"1 \le x \le 2",
        r"1 \pm 1",
        "0, 2",
        "1 and 2",
    ),
    *("x+1", "1+x", "x + 2 - 1", "y + 1", "f(x) = x + 1", "y = x + 1", "x - y + 1 = 0", "2x", "x^2", "|x|"),
    *(
        r"\pi",
        "3.14159265",
        "180^\\circ",
        "e",
        "i",
        "-i",
        "2^{100}",
        "2^{100}+1",
        "100!",
        "9^{9^{9^9}}",
        "9^{9^{9^8}}",
    ),
    *("no solution", r"\emptyset", r"\infty", "infinite", "yes", "red", "(C) 12", "12", "3:4", "0.75", "6:8"),
    *(
        r"\begin{pmatrix}1\\2\end{pmatrix}",
        r"\begin{bmatrix}1\\2\end{bmatrix}",
        "",
        "((",
        "5 @ 3",
        "365_7",
        "194",
    ),
]
answers = st.one_of(st.sampled_from(POOL), st.text(max_size=20))


@given(answers, answers)
def test_one_label_is_one_value(one: str, other: str) -> None:
    if canonical(one) == canonical(other) and one.strip() and other.strip():
        assert same_answer(one, other) or same_answer(other, one)


@pytest.mark.parametrize("gold", [one for one in POOL if one])
def test_a_wrong_answer_never_has_the_golds_label(gold: str) -> None:
    for answer in POOL:
        correct, _, label = assess("math", answer, None, [gold], {})
        assert (label == canonical(gold)) == correct, (answer, label)


@given(answers, answers.filter(str.strip))
def test_a_label_tells_right_from_wrong(answer: str, gold: str) -> None:
    correct, _, label = assess("math", answer, None, [gold], {})
    assert (label == canonical(gold)) == correct
    assert label.removeprefix(NOT_GOLD) == canonical(gold if correct else answer)
    assert len(label) <= 302


@given(st.text(min_size=1, max_size=50).filter(str.strip))
def test_a_label_is_there_and_short_and_can_be_written(answer: str) -> None:
    assert canonical(answer)
    assert len(canonical(answer)) <= 300


def test_the_first_gold_names_all_that_are_correct() -> None:
    golds = [r"\frac{1}{2}", "0.333"]
    assert [assess("math", one, None, golds, {})[::2] for one in ("0.5", "0.333", "1/4")] == [
        (True, "0.5"),
        (True, "0.5"),
        (False, "0.25"),
    ]
