"""Units: read, told from variables, converted."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.math import units
from leash.verify.math.equality import same_answer
from leash.verify.math.labels import canonical
from leash.verify.math.text import clean


@pytest.mark.parametrize(
    ("text", "factor", "like"),
    [
        ("km", 1e3, "m"),
        ("mm", 1e-3, "m"),
        ("cm^2", 1e-4, "m^2"),
        ("cubic meters", 1, "m^3"),
        ("km/h", 1000 / 3600, "m/s"),
        ("m s^{-1}", 1, "m/s"),
        ("kJ", 1e3, "N m"),
        ("eV", 1.602176634e-19, "J"),
        ("kPa", 1e3, "N/m^2"),
        ("hours", 3600, "s"),
        ("inches", 0.0254, "m"),
        (r"\mu m", 1e-6, "m"),
        ("mol/L", 1e3, "mol/m^3"),
        ("cents", 0.01, "dollars"),
        ("%", 0.01, "radians"),
    ],
)
def test_factors_and_dimensions(text: str, factor: float, like: str) -> None:
    unit, other = units.read(text, marked=True), units.read(like, marked=True)
    assert unit is not None
    assert other is not None
    assert units.convertible(unit, other)
    assert unit.factor / other.factor == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("text", ["", "x", "foo", "kmm", "m^", "apples"])
def test_what_is_no_unit(text: str) -> None:
    assert units.read(text, marked=True) is None


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        (r"5 \text{ km}", "5", "km"),
        ("5 km", "5", "km"),
        (r"\frac{1}{2} \text{ m/s}", r"\frac{1}{2}", "m/s"),
        (r"2\sqrt{3} \text{ cm}^2", r"2\sqrt{3}", "cm^2"),
        (r"1.5 \times 10^{3} \text{ J}", r"1.5 \times 10^{3}", "J"),
        ("5 apples", "5", "apples"),
        (r"30^\circ", "30", "°"),
        (r"25\%", "25", "%"),
    ],
)
def test_a_value_and_its_unit(text: str, value: str, unit: str) -> None:
    split = units.split(clean(text))
    assert split is not None
    assert (split.value, split.unit.text) == (value, unit)


@pytest.mark.parametrize("text", ["5", "x + y", r"\text{km}", "km", r"x^2", r"\sqrt{2}"])
def test_no_unit(text: str) -> None:
    assert units.split(clean(text)) is None


values = st.builds(Fraction, st.integers(1, 10**6), st.sampled_from([1, 2, 4, 5, 10]))
PAIRS = [
    ("km", "m", 1000),
    ("kJ", "J", 1000),
    ("m^2", "cm^2", 10**4),
    ("m", "mm", 1000),
    ("h", "min", 60),
    ("kg", "g", 1000),
    ("MPa", "kPa", 1000),
    ("L", "mL", 1000),
    ("dollars", "cents", 100),
]


def spelt(value: Fraction, unit: str) -> str:
    """As an integer or a fraction: a decimal would count as rounded."""
    number = str(value) if value.denominator == 1 else rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    base, power, degree = unit.partition("^")
    return rf"{number} \text{{ {base}}}{power}{degree}"


@given(values, st.sampled_from(PAIRS))
def test_conversions_there_and_back(value: Fraction, pair: tuple[str, str, int]) -> None:
    large, small, factor = pair
    one, other = spelt(value, large), spelt(value * factor, small)
    assert same_answer(one, other)
    assert same_answer(other, one)
    assert canonical(one) == canonical(other)


@given(values, st.sampled_from(PAIRS), st.sampled_from([10, Fraction(1, 10), 1 + Fraction(1, 10**6)]))
def test_a_conversion_that_is_off_is_another_value(
    value: Fraction, pair: tuple[str, str, int], off: Fraction
) -> None:
    large, small, factor = pair
    one, other = spelt(value, large), spelt(value * factor * off, small)
    assert same_answer(one, other) is None
    assert same_answer(other, one) is None


@pytest.mark.parametrize(("one", "other"), [("m", "s"), ("km", "kg"), ("m", "m^2"), ("J", "N"), ("°C", "K")])
def test_other_dimensions_do_not_agree(one: str, other: str) -> None:
    assert same_answer(spelt(Fraction(5), one), spelt(Fraction(5), other)) is None
