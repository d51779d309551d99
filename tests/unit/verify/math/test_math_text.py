"""One spelling for what can be written in several ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.math.text import LONGEST, clean, textual


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$5$", "5"),
        (r"\(5\)", "5"),
        ("**5**", "5"),
        (" 5. ", "5"),
        ("= 5", "5"),
        ("{5}", "5"),
        (r"\left(1, 2\right)", "(1, 2)"),
        (r"\dfrac{1}{2}", r"\frac{1}{2}"),
        ("½", r"\frac{1}{2}"),
        ("x²", "x^{2}"),
        ("x₁", "x_{1}"),
        ("−3", "-3"),
        (r"x \leq 3", r"x \le 3"),
        ("1{,}234", "1234"),
        ("1,234,567", "1234567"),
        (r"12\,345", "12345"),
        (r"45^\circ", "45°"),
        (r"45^{\circ}", "45°"),
        (r"50\%", "50%"),
        (r"\mathrm{km}", r"\text{km}"),
        (r"4210_{\text{five}}", "4210_{5}"),
        ("4210 (base 5)", "4210_{5}"),
        ("（7，−3）", "(7,-3)"),
        (r"{1 \over 2}", r"\frac{1}{2}"),
    ],
)
def test_spellings(text: str, expected: str) -> None:
    assert textual(clean(text)) == textual(expected)


@pytest.mark.parametrize("text", [r"\$5", "$5", "5 dollars", r"5 \text{ dollars}", r"\$ 5.00"])
def test_amounts(text: str) -> None:
    assert "dollars" in clean(text)
    assert clean(text).startswith("5")


def test_thousands_can_be_left_apart() -> None:
    assert clean("58,500", join=False).replace(" ", "") == "58,500"


@given(st.text(max_size=60))
def test_cleaning_never_raises_and_leaves_what_can_be_written(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert cleaned == cleaned.strip()
    textual(cleaned)


@given(st.text(alphabet="0123456789+-*/=xy ()", max_size=30))
def test_plain_text_is_cleaned_once(text: str) -> None:
    assert textual(clean(clean(text))) == textual(clean(text))


def test_a_long_text_is_only_stripped() -> None:
    text = "  " + r"\dfrac " * LONGEST
    assert clean(text) == text.strip()
