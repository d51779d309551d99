"""One expression to a tree and its value: notation, precedence, and what is refused."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.math import evaluate
from leash.verify.math.scalar import parse
from leash.verify.math.text import clean
from leash.verify.math.tree import UnreadableError

EXACT = [
    (r"\frac{1}{2}", "1/2"),
    (r"\dfrac12", "1/2"),
    (r"\tfrac34", "3/4"),
    (r"\frac1{12}", "1/12"),
    ("½", "1/2"),
    ("2½", "5/2"),
    (r"3\frac{1}{2}", "7/2"),
    ("3 1/2", "7/2"),
    (r"-3\frac12", "-7/2"),
    (r"\frac{1}{2}\frac{1}{3}", "1/6"),
    ("1/2/2", "1/4"),
    (r"\dfrac{1}{\frac{1}{3}}", "3"),
    ("{1}/{2}", "1/2"),
    ("2^{10}", "1024"),
    ("2**3", "8"),
    ("2²", "4"),
    ("2^{2^3}", "256"),
    ("2^2^3", "256"),
    ("-2^2", "-4"),
    ("(-2)^2", "4"),
    ("2^{-1}", "1/2"),
    ("16^{1/2}", "4"),
    ("8^{2/3}", "4"),
    ("10^{-3}", "1/1000"),
    (r"\sqrt{16}", "4"),
    (r"\sqrt[3]{27}", "3"),
    (r"\sqrt{\frac{4}{9}}", "2/3"),
    ("1.5e3", "1500"),
    (r"6.72 \times 10^{-5}", "21/312500"),
    (".5", "1/2"),
    ("7.", "7"),
    (r"0.\overline{3}", "1/3"),
    (r"0.1\overline{6}", "1/6"),
    (r"0.333\ldots", "1/3"),
    ("1,234", "1234"),
    ("1{,}234", "1234"),
    (r"12\,345", "12345"),
    ("1 234", "1234"),
    ("−13", "-13"),
    ("3--2", "5"),
    ("5!", "120"),
    (r"\binom{5}{2}", "10"),
    ("|-3|", "3"),
    (r"\lfloor 2.5 \rfloor", "2"),
    (r"\lceil 2.5 \rceil", "3"),
    (r"\gcd(4,6)", "2"),
    (r"\min(2,3)", "2"),
    ("365_7", "194"),
    ("365_{7}", "194"),
    (r"50\%", "1/2"),
    ("2(3+4)", "14"),
    (r"2 \times 3 \div 4", "3/2"),
    (r"2\left(\frac{1}{2}\right)^{2}", "1/2"),
]


@pytest.mark.parametrize(("text", "expected"), EXACT)
def test_rational_values(text: str, expected: str) -> None:
    assert evaluate.exact(parse(clean(text))) == Fraction(expected)


NUMERIC = [
    (r"\sqrt2", math.sqrt(2)),
    (r"2\sqrt{3}", math.sqrt(12)),
    (r"\pi", math.pi),
    (r"e^{i\pi}", -1),
    ("i^2", -1),
    (r"\log_2 8", 3),
    (r"\log_{10} 1000", 3),
    (r"\ln e^2", 2),
    (r"\sin\frac{\pi}{6}", 0.5),
    (r"\sin^2 1 + \cos^2 1", 1),
    (r"\arctan 1", math.pi / 4),
    (r"\tan^{-1} 1", math.pi / 4),
    (r"\cos 2\pi", 1),
    ("np.arcsin(10/13)", math.asin(10 / 13)),
    ("sqrt(3)/3", 1 / math.sqrt(3)),
    ("(-8)^{1/3}", -2),
    (r"\sqrt[3]{-8}", -2),
    (r"\sqrt[4]{2}", 2**0.25),
    ("6!!", 48),
    (r"\frac{\sqrt{5}-1}{2}", (math.sqrt(5) - 1) / 2),
]


@pytest.mark.parametrize(("text", "expected"), NUMERIC)
def test_values_to_many_digits(text: str, expected: float) -> None:
    assert evaluate.close(evaluate.value(parse(clean(text)), {}), expected, 1e-14)


@pytest.mark.parametrize(
    ("text", "point", "expected"),
    [
        ("2xy", {"x": 3, "y": 5}, 30),
        ("1/2x", {"x": 3}, 1.5),
        ("t/RC", {"t": 6, "R": 2, "C": 3}, 1),
        (r"\frac{x}{2}y", {"x": 4, "y": 3}, 6),
        ("x^2y", {"x": 2, "y": 3}, 12),
        ("-x^2", {"x": 3}, -9),
        (r"x_1 + x_{1}", {"x_1": 2}, 4),
        (r"\omega_0 t", {"omega_0": 2, "t": 3}, 6),
        (r"\pi r^2", {"r": 1}, math.pi),
        (r"\sqrt{x^2}", {"x": 3}, 3),
        ("x(y+1)", {"x": 2, "y": 3}, 8),
        ("|x|-|y|", {"x": -2, "y": -3}, -1),
    ],
)
def test_values_at_a_point(text: str, point: dict[str, int], expected: float) -> None:
    tree = parse(clean(text))
    assert evaluate.symbols(tree) == point.keys()
    assert evaluate.close(
        evaluate.value(tree, {name: evaluate.number(Fraction(one)) for name, one in point.items()}),
        expected,
        1e-14,
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "1 2",
            "2 +",
            "(1",
            "1)",
            "1,2",
            "*2",
            "x = 2",
            r"\frac{1}",
            r"\sqrt",
            "2^",
            r"\binom{5}",
            "1.2.3",
        ),
        *(
            r"\text{two words}",
            r"\overline",
            r"\left",
            r"x \in y",
            "5_",
            "12_1",
            "abcdef",
            "1" * 2000,
            "1e99999",
        ),
        *("(" * 200 + "1" + ")" * 200, "2^" * 200 + "2", r"\sqrt" * 200 + "2"),
    ],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises((UnreadableError, RecursionError)):
        parse(clean(text))


@pytest.mark.parametrize("text", ["1/0", r"\frac{x}{0}", "(-1)!", r"\ln 0", r"\tan\frac{\pi}{2}", "0^{-1}"])
def test_no_value(text: str) -> None:
    tree = parse(clean(text))
    assert evaluate.exact(tree) is None
    try:
        value = evaluate.value(tree, {"x": evaluate.number(Fraction(2))})
    except evaluate.UndefinedError:
        return
    assert abs(value) > 10**30


@pytest.mark.parametrize(
    "text", ["9^{9^{9^9}}", "100000000000000!", "(10^{10})!!", "2^" * 6 + "9", "e^{e^{e^{99}}}"]
)
def test_what_is_too_big_is_never_computed(text: str) -> None:
    with pytest.raises(evaluate.TooBigError):
        evaluate.value(parse(clean(text)), {})


numbers = st.integers(-(10**6), 10**6)


@given(numbers, st.integers(1, 10**4))
def test_a_fraction_is_itself(top: int, bottom: int) -> None:
    assert evaluate.exact(parse(rf"\frac{{{top}}}{{{bottom}}}")) == Fraction(top, bottom)


@given(numbers, numbers, numbers)
def test_arithmetic_has_the_usual_precedence(one: int, two: int, three: int) -> None:
    assert evaluate.exact(parse(f"{one}+{two}*{three}")) == one + two * three
    assert evaluate.exact(parse(f"({one}+{two})*{three}")) == (one + two) * three
    assert evaluate.exact(parse(f"{one}-{two}-{three}")) == one - two - three


@given(st.text(alphabet="0123456789xyei+-*/^_(){}[]|!,.\\% frac sqrt pi text'", max_size=40))
def test_parsing_ends_in_a_tree_or_a_refusal(text: str) -> None:
    try:
        tree = parse(text)
    except UnreadableError:
        return
    evaluate.exact(tree)
