"""Numbers within a tolerance, with units and powers of ten."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.numeric import agrees

ATM, PHOTON = r"50.7 $\mathrm{atm}$", r"3.52 $10^{-19} \mathrm{~J}$"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("50.7", "50.7"),
        ("50.7", "53"),
        ("50.7", r"\frac{507}{10}"),
        ("+65.49", "65.5"),
        ("-114.40", "-1.144 \\times 10^2"),
        (ATM, "50.7"),
        (ATM, r"51 \text{ atm}"),
        (ATM, r"5137 \text{ kPa}"),
        (ATM, r"P = 50.7 \text{ atm}"),
        (PHOTON, "3.52"),
        (PHOTON, "3.52e-19"),
        (PHOTON, r"3.5 \times 10^{-19} \text{ J}"),
        (PHOTON, r"2.2 \text{ eV}"),
        (r"25 $\%$", "0.25"),
        (r"25 $\%$", r"25\%"),
        ("0", "0"),
    ],
)
def test_within(gold: str, answer: str) -> None:
    assert agrees(gold, answer, 0.05)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("50.7", "53.5"),
        ("50.7", "-50.7"),
        ("50.7", "x"),
        ("50.7", "50, 51"),
        ("50.7", ""),
        ("50.7", "1/0"),
        ("50.7", r"\infty"),
        ("50.7", "50.7i"),
        (ATM, r"50.7 \text{ kPa}"),
        (ATM, r"50.7 \text{ kg}"),
        (PHOTON, "3.52e-18"),
        (PHOTON, r"3.52 \text{ J}"),
        ("0", "0.001"),
    ],
)
def test_not_within(gold: str, answer: str) -> None:
    assert agrees(gold, answer, 0.05) is None


@pytest.mark.parametrize("gold", ["", "fast", "x + 1", "1, 2", "1/0", "i"])
def test_a_gold_that_is_no_number_raises(gold: str) -> None:
    with pytest.raises(ValueError, match="no number"):
        agrees(gold, "5", 0.05)


@given(st.integers(1, 10**6), st.integers(-100, 100), st.sampled_from(["", r" \mathrm{~J}", r" \text{ m/s}"]))
def test_the_tolerance_is_relative(value: int, permille: int, unit: str) -> None:
    answer = value * (1000 + permille)
    assert (agrees(f"{value * 1000}{unit}", str(answer), 0.05) is not None) == (abs(permille) <= 50)
    assert (agrees(f"-{value * 1000}{unit}", f"{-answer}", 0.05) is not None) == (abs(permille) <= 50)


@given(st.text(max_size=40))
def test_any_answer_is_judged(answer: str) -> None:
    assert agrees("50.7", answer, 0.05) is None or any(one.isdigit() for one in answer)
