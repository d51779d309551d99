"""Decimals as written, and what may count as a rounding of what."""

from fractions import Fraction

import pytest

from leash.verify.math import numbers
from leash.verify.math.scalar import parse
from leash.verify.math.text import clean


@pytest.mark.parametrize(
    ("text", "value", "unit", "digits"),
    [
        ("0.5", "1/2", "1/10", 1),
        ("-0.50", "-1/2", "1/100", 2),
        ("33.3", "333/10", "1/10", 3),
        ("3.89e-10", "389/1000000000000", "1/1000000000000", 3),
        (r"6.72 \times 10^{-5}", "672/10000000", "1/10000000", 3),
        ("1.70e4", "17000", "100", 3),
        ("0.0", "0", "1/10", 0),
    ],
)
def test_decimals_as_written(text: str, value: str, unit: str, digits: int) -> None:
    found = numbers.written(parse(clean(text)))
    assert found == (Fraction(value), Fraction(unit), digits)


@pytest.mark.parametrize("text", ["5", "1/2", r"\frac{1}{2}", r"\pi", "x", "0.5x", "0.5+1", "2 \\cdot 3"])
def test_what_is_not_written_as_a_decimal(text: str) -> None:
    assert numbers.written(parse(clean(text))) is None


@pytest.mark.parametrize(
    ("gold", "answer", "how"),
    [
        ("33.3", "33.33", "rounded"),
        ("33.3", "100/3", "rounded"),
        ("33.3", r"\frac{100}{3}", "rounded"),
        ("0.667", "2/3", "rounded"),
        ("1.41", r"\sqrt{2}", "rounded"),
        ("33.3", "33.349", "rounded"),
        ("33.3", "33.36", None),
        ("33.3", "33.2", None),
        ("33.3", "33", None),
        ("33", "33.3", None),
        ("0.7", "2/3", None),  # one digit is too few
        ("50.0", "50.04", None),  # an integer
        (r"\sqrt{17}", "4.12311", "rounded"),
        (r"\sqrt{17}", "4.1231", None),
        (r"\sqrt{17}", "4.12312", None),
        ("2/3", "0.666667", "rounded"),
        ("2/3", "0.667", None),
        ("5", "4.999999", None),
        (r"1.7 \times 10^4", "17000", "numbers"),
    ],
)
def test_roundings(gold: str, answer: str, how: str | None) -> None:
    assert numbers.same(parse(clean(gold)), parse(clean(answer))) == how


@pytest.mark.parametrize(
    ("gold", "answer", "positive", "expected"),
    [
        ("x-y", "2x-2y", False, True),
        ("x-y", "y-x", False, True),
        ("x-y", "y-x", True, False),
        ("x-y", "x+y", False, False),
        ("x-y", "x-z", False, False),
        ("x^2-1", "(x-1)(x+1)", True, True),
        ("5", "10", False, False),
    ],
)
def test_constant_multiples(gold: str, answer: str, positive: bool, expected: bool) -> None:
    assert numbers.proportional(parse(gold), parse(answer), positive) is expected
