"""Values: chosen points that never change, comparison to many digits, printing."""

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.math import evaluate
from leash.verify.math.scalar import parse

SHOW = "from leash.verify.math import evaluate; print(evaluate.points(['x', 'n'], 3, False, True))"


def test_points_are_the_same_in_every_process_and_order() -> None:
    here = str(evaluate.points(["n", "x"], 3, False, True))
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SHOW],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == here


def test_points_of_counted_things_are_integers() -> None:
    for point in evaluate.points(["n", "x"], 8, integers=False, negative=False):
        assert point["n"] == int(point["n"])
        assert point["x"] != int(point["x"])
        assert point["x"] > 0
    assert any(point["x"] < 0 for point in evaluate.points(["x"], 8, integers=False, negative=True))
    assert all(point["x"] == int(point["x"]) for point in evaluate.points(["x"], 8, True, False))


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_exact_and_decimal_values_agree(top: int, bottom: int) -> None:
    tree = parse(rf"\frac{{{top}}}{{{bottom}}}")
    assert evaluate.exact(tree) == Fraction(top, bottom)
    assert evaluate.close(evaluate.value(tree, {}), evaluate.number(Fraction(top, bottom)))


@pytest.mark.parametrize(
    ("text", "digits", "printed"),
    [
        ("1/3", 5, "0.33333"),
        ("5", 5, "5"),
        (r"\pi", 12, "3.14159265359"),
        ("3-4i", 5, "3 - 4i"),
        (r"e^{i\pi}", 12, "-1"),
        (r"\sin\pi", 12, "0"),
    ],
)
def test_printing(text: str, digits: int, printed: str) -> None:
    found = evaluate.printed(evaluate.value(parse(text), {}), digits)
    assert found.replace("+ -", "- ") == printed


def test_tiny_values_are_told_from_zero() -> None:
    assert evaluate.value(parse(r"\sin\pi"), {}) == 0
    assert evaluate.value(parse(r"\sqrt{2}^2 - 2"), {}) == 0
    assert evaluate.value(parse("10^{-60}"), {}) != 0
    assert evaluate.value(parse(r"\frac{1}{2004!}"), {}) != 0


def test_closeness_is_relative() -> None:
    one = evaluate.number(Fraction(10) ** -40)
    assert not evaluate.close(one, 2 * one)
    assert not evaluate.close(one, 0)
    assert evaluate.close(one, one * (1 + evaluate.number(Fraction(1, 10**35))))
    infinity = evaluate.value(parse(r"\infty"), {})
    assert evaluate.close(infinity, infinity)
    assert not evaluate.close(infinity, -infinity)
    assert not evaluate.close(infinity, one)


@pytest.mark.parametrize(
    ("text", "names", "used"),
    [
        ("x + y_1", {"x", "y_1"}, {"add"}),
        (r"\sin^2 t", {"t"}, {"pow", "sin"}),
        ("f(2)", set(), {"call"}),
        ("5", set(), set()),
    ],
)
def test_what_is_in_a_tree(text: str, names: set[str], used: set[str]) -> None:
    tree = parse(text)
    assert evaluate.symbols(tree) == names
    assert evaluate.operators(tree) == used


def test_an_unknown_function_has_a_value_of_its_own() -> None:
    values = [evaluate.value(parse(text), {}) for text in ("f(2)", "f(1+1)", "f(3)", "g(2)")]
    assert values[0] == values[1]
    assert len({str(value) for value in values}) == 3
