"""Whether two answers are the same: known pairs, and laws that hold for all."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leash.verify.math.equality import same_answer
from leash.verify.math.labels import canonical

SAME = [
    (r"\frac{1}{2}", "0.5"),
    (r"-\frac{1}{2}", r"\frac{-1}{2}"),
    (r"\frac{1}{-2}", "-0.5"),
    ("4.5", r"4\frac12"),
    ("10", "10."),
    ("1000", "1{,}000"),
    ("58,500", "58500"),
    ("0", "0.0"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    ("i", r"\sqrt{-1}"),
    ("x+1", "1+x"),
    ("(x+1)^2", "x^2+2x+1"),
    (r"\sin^2 x", r"1-\cos^2 x"),
    ("e^{2x}", "(e^x)^2"),
    (r"\dfrac{n(n+1)}{2}", r"\binom{n+1}{2}"),
    (r"1.70e4", r"1.70 \times 10^4"),
    # roundings: a finer answer of a decimal gold, a fine decimal of an exact one
    ("33.3", "100/3"),
    ("24.4", "24.35"),
    (r"\sqrt{17}", "4.123106"),
    (r"\pi", "3.14159265"),
    # powers and factorials too big to compute
    ("2004!", r"2004 \cdot 2003!"),
    ("100000000!", "100000000!"),
    ("9^{9^{9^9}}", "9^{9^{9^9}}"),
    # several values
    (r"\{1,2\}", "2,1"),
    ("(1,2)", "(1, 2)"),
    ("(1,2),(3,4)", "(3,4),(1,2)"),
    (r"\frac{1}{2},\frac{1}{3}", r"1/3 \text{ and } 1/2"),
    (r"1 \pm \sqrt{2}", r"1-\sqrt{2}, 1+\sqrt{2}"),
    ("3, 5", r"x=3 \text{ or } x=5"),
    (r"1,2,\ldots,5", "1,2,3,4,5"),
    ("A=2, B=3", "B=3, A=2"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{bmatrix}1 & 2\\ 3 & 4\end{bmatrix}"),
    # names and equations
    ("x=5", "5"),
    ("5", "x=5"),
    ("y=2x", "2y=4x"),
    ("2x+3y=6", r"y=2-\frac{2x}{3}"),
    ("f(x)=x+1", "f(t) = t+1"),
    ("13", "3^2+2^2 = 13"),
    # sets of numbers
    (r"(-\infty, 2]", r"x \le 2"),
    ("[1,2)", r"1 \le x < 2"),
    (r"(0,1)\cup(2,3)", r"(2,3)\cup(0,1)"),
    (r"x<1 \text{ or } x>2", r"(-\infty,1)\cup(2,\infty)"),
    ("|x|<2", "-2<x<2"),
    (r"x \neq 3", r"(-\infty,3)\cup(3,\infty)"),
    (r"x \in [1,2]", "[1,2]"),
    (r"\mathbb{R}", r"(-\infty,\infty)"),
    # units
    (r"5\text{ km}", r"5000 \text{ m}"),
    (r"5 \text{ km}", "5"),
    ("5", r"5 \text{ apples}"),
    (r"\$5", r"5 \text{ dollars}"),
    (r"3 \text{ hours}", "180 minutes"),
    (r"72^\circ", "72"),
    (r"72^\circ", r"\frac{2\pi}{5}"),
    (r"60\%", "0.6"),
    (r"60\%", "60"),
    ("0.6", r"60\%"),
    (r"\frac{1}{2}", r"\sin 30^\circ"),
    # words, choices, ratios, bases
    (r"\text{(C)}", "C"),
    ("C", "(C) 12"),
    ("12", "(C) 12"),
    ("no solution", r"\emptyset"),
    (r"\infty", "infinity"),
    (r"\text{Monday}", "monday"),
    ("3:4", r"\frac{3}{4}"),
    ("3:4", "6:8"),
    ("365_7", "365"),
]
OTHER = [
    ("5", "-5"),
    (r"\frac{1}{2}", r"\frac{1}{3}"),
    (r"\frac{1}{2}", "2"),
    ("12", "1 2"),
    ("12", "1,2"),
    ("1,2", "12"),
    ("58,500", "58, 501"),
    ("123456789", "123456788"),
    ("10^{20}", "10^{20}+1"),
    ("2^{10}", "2^{11}"),
    ("9^{9^{9^9}}", "9^{9^{9^8}}"),
    ("100000000!", "100000001!"),
    ("1/0", "0"),
    ("2+3i", "3+2i"),
    ("i", "-i"),
    ("x+1", "y+1"),
    ("x^2", "x"),
    ("|x|", "x"),
    ("5", "5x"),
    ("n!", "n"),
    # no rounding: too coarse, not the right one, or of an integer
    (r"\sqrt2", "1.41"),
    (r"\pi", "22/7"),
    ("33.3", "33.4"),
    ("33.3", "33"),
    ("24.4", "24.46"),
    ("0.33", "1/3"),
    ("1.5", "1.50001"),
    ("1", "0.999999999"),
    ("7", "7.0000001"),
    ("1.70e4", "1.70e6"),
    # several values
    ("(1,2)", "(2,1)"),
    ("1,2", "1,2,3"),
    ("1,1,2", "1,2,2"),
    ("4", r"\pm 4"),
    (r"\pm 4", "4"),
    ("x=2,y=3", "x=3,y=2"),
    (r"1,2,\ldots,5", r"1,2,\ldots,6"),
    (r"\begin{pmatrix}1&2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
    # names and equations
    ("x=5", "y=6"),
    ("a=1", "b=1"),
    ("y=2x", "y=3x"),
    ("f(x)=x+1", "f(x)=x+2"),
    # sets of numbers
    ("[1,2)", "[1,2]"),
    ("(1,2]", "[1,2)"),
    ("x<1", "x>1"),
    ("x<4", "x^2<4"),
    ("x^2<4", "y^2<4"),
    ("x<2", "x+y<2"),
    (r"(-\infty,4)", "x^2<4"),
    ("x>2", "2x>2"),
    (r"x \ge 3", "x>3"),
    (r"\mathbb{R}", r"(0,\infty)"),
    ("[1,2]", r"\{1,2\}"),
    ("0", r"\emptyset"),
    # units
    (r"5\text{ km}", r"5 \text{ m}"),
    (r"5\text{ km}", r"5 \text{ kg}"),
    (r"1 \text{ m}^2", r"1\text{ m}"),
    ("5 apples", "5 oranges"),
    (r"60\%", "6"),
    ("0.6", r"0.6\%"),
    (r"72^\circ", r"36^\circ"),
    (r"\frac{37}{4} m", r"\frac{37}{4m}"),
    # words, choices, ratios, bases
    (r"\text{C}", "D"),
    (r"\text{yes}", "no"),
    ("no solution", "infinitely many"),
    ("no solution", "1"),
    (r"\infty", r"-\infty"),
    ("3:4", "4:3"),
    ("7:30", "19:30"),
    ("194", "365_7"),
    ("365_7", "365_8"),
    ("11", "11_2"),
]


@pytest.mark.parametrize(("gold", "answer"), SAME)
def test_the_same(gold: str, answer: str) -> None:
    assert same_answer(gold, answer)
    assert same_answer(gold, gold)
    assert same_answer(answer, answer)


@pytest.mark.parametrize(("gold", "answer"), OTHER)
def test_another(gold: str, answer: str) -> None:
    assert same_answer(gold, answer) is None
    assert same_answer(gold, gold)


# An expression in two spellings, with the value of each variable-free part known to be finite


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> tuple[str, str]:
    if depth == 0 or draw(st.booleans()):
        atom = draw(st.one_of(st.integers(1, 99).map(str), st.sampled_from(["x", "y", "t"])))
        return atom, atom
    one, plain = draw(expressions(depth=depth - 1))
    kind = draw(st.sampled_from(["+", "-", "*", "/", "^", "sqrt", "sin", "neg"]))
    if kind == "^":
        power = draw(st.integers(2, 3))
        return rf"\left({one}\right)^{{{power}}}", f"({plain})**{power}"
    if kind in ("sqrt", "sin"):
        return (rf"\sqrt{{{one}}}" if kind == "sqrt" else rf"\sin\left({one}\right)"), f"{kind}({plain})"
    if kind == "neg":
        return f"-({one})", f"(-({plain}))"
    two, second = draw(expressions(depth=depth - 1))
    if kind == "/":
        return rf"\frac{{{one}}}{{{two}}}", f"({plain})/({second})"
    sign = r" \cdot " if kind == "*" else kind
    return rf"\left({one}\right){sign}\left({two}\right)", f"({plain}){kind}({second})"


@given(expressions())
def test_an_expression_is_itself_in_another_spelling(pair: tuple[str, str]) -> None:
    latex, plain = pair
    assert same_answer(latex, latex)
    assume(same_answer(f"0 + {latex}", latex))  # it has a value: no division by zero
    assert same_answer(latex, plain)
    assert same_answer(plain, latex)
    assert canonical(latex) == canonical(plain)


@given(expressions())
def test_an_expression_is_not_that_and_one(pair: tuple[str, str]) -> None:
    latex, plain = pair
    assert same_answer(latex, f"{plain} + 1") is None
    assert same_answer(f"{plain} + 1", latex) is None


rationals = st.builds(Fraction, st.integers(-(10**6), 10**6), st.integers(1, 10**4))
terminating = st.builds(
    lambda top, twos, fives: Fraction(top, 2**twos * 5**fives),
    st.integers(-(10**6), 10**6),
    st.integers(0, 4),
    st.integers(0, 4),
)


def fraction(value: Fraction) -> str:
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def decimal(value: Fraction) -> str:
    """Of a terminating one."""
    scaled = value * 10**12
    assert scaled.denominator == 1
    sign, digits = "-" * (value < 0), f"{abs(scaled.numerator):013d}"
    return f"{sign}{digits[:-12]}.{digits[-12:]}".rstrip("0").rstrip(".")


def spellings(value: Fraction) -> list[str]:
    """Fraction, quotient, mixed number; of a terminating one also decimal and scientific notation."""
    found = [fraction(value), f"{value.numerator}/{value.denominator}"]
    whole, rest = divmod(abs(value), 1)
    if whole and rest:
        found.append(f"{'-' * (value < 0)}{whole}{fraction(rest)}")
    if (value * 10**12).denominator == 1:
        found += [
            decimal(value),
            rf"{decimal(value * 100)} \times 10^{{-2}}",
            f"{decimal(value * 1000)}e-3",
            f"{decimal(value / 100)}e2" if (value * 10**10).denominator == 1 else "0" + decimal(abs(value)),
        ][: 4 if (value * 10**10).denominator == 1 else 3]
    return found


@given(st.one_of(rationals, terminating))
def test_a_rational_is_one_value_and_one_class_in_all_spellings(value: Fraction) -> None:
    written = spellings(value)
    assert not [(one, other) for one in written for other in written if not same_answer(one, other)]
    assert len({canonical(one) for one in written}) == 1


@given(rationals, rationals)
def test_rationals_are_equal_as_numbers_are(one: Fraction, other: Fraction) -> None:
    assert (same_answer(fraction(one), fraction(other)) is not None) == (one == other)
    assert (same_answer(fraction(other), fraction(one)) is not None) == (one == other)
    assert (canonical(fraction(one)) == canonical(fraction(other))) == (one == other)


@given(rationals.filter(bool), st.sampled_from([1, -1]))
def test_a_rational_is_not_one_that_differs_by_a_billionth(value: Fraction, sign: int) -> None:
    near = value * (1 + Fraction(sign, 10**9))
    assert same_answer(fraction(value), fraction(near)) is None
    assert same_answer(fraction(near), fraction(value)) is None
    assert canonical(fraction(value)) != canonical(fraction(near))


@given(terminating.filter(bool), st.sampled_from([1, -1]))
def test_a_decimal_that_differs_by_a_billionth_is_not_the_fraction(value: Fraction, sign: int) -> None:
    near = value * (1 + Fraction(sign, 10**9))
    scaled = near * 10**17
    assert scaled.denominator == 1
    written = f"{scaled.numerator}e-17"
    assert same_answer(fraction(value), f"{written[:-4]}.0e-17") is None


items = st.lists(rationals, min_size=2, max_size=5, unique=True)


@given(items, st.randoms(use_true_random=False))
def test_order_counts_in_tuples_and_in_nothing_else(values: list[Fraction], random: object) -> None:
    shuffled = [*values]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    gold, answer = (", ".join(map(fraction, side)) for side in (values, shuffled))
    assert same_answer(rf"\{{{gold}\}}", rf"\{{{answer}\}}")
    assert same_answer(gold, answer)
    assert same_answer(gold, rf"\{{{answer}\}}")
    assert canonical(gold) == canonical(answer)
    assert (same_answer(f"({gold})", f"({answer})") is not None) == (values == shuffled)


@given(items)
def test_a_missing_or_added_item_counts(values: list[Fraction]) -> None:
    gold, fewer = (", ".join(map(fraction, side)) for side in (values, values[:-1]))
    for one, other in ((gold, fewer), (fewer, gold)):
        assert same_answer(one, other) is None
        assert same_answer(rf"\{{{one}\}}", rf"\{{{other}\}}") is None
