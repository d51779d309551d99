"""Arithmetic: exact on fractions, 60 digits elsewhere; what is too large to be worth its time is refused."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import mpmath

from leash.verify.opinion.reading import UnreadableError

Value = Any  # a Fraction, or a number of mpmath

DIGITS: Final = 60
_MOST_DIGITS: Final = 5000  # before the point
_SAME: Final = mpmath.mpf(10) ** -30  # relative; values have twice as many digits


def as_mpmath(value: Value) -> Value:
    """A value as a number of mpmath, at the precision in force."""
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def apply(function: Callable[[Value, Value], Value], one: Value, other: Value) -> Value:
    """An operator's value, exact where both are. Raises UnreadableError, and ArithmeticError."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return bounded(function(one, other))
    return bounded(function(as_mpmath(one), as_mpmath(other)))


def divide(one: Value, other: Value) -> Value:
    """A quotient, exact where both are. Raises UnreadableError, and ArithmeticError."""
    return apply(operator.truediv, one, other)


def power(base: Value, exponent: Value) -> Value:
    """A power, exact where it is rational and short. Raises UnreadableError, and ArithmeticError."""
    if base != 0 and mpmath.isfinite(as_mpmath(base)):
        size = abs(as_mpmath(exponent)) * abs(mpmath.log10(abs(as_mpmath(base))))
        if size > _MOST_DIGITS:
            raise UnreadableError("too large to evaluate")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(abs(base.numerator), base.denominator).bit_length() - 1
        if bits * abs(exponent) < 4 * _MOST_DIGITS:
            return base**exponent.numerator
    return bounded(mpmath.power(as_mpmath(base), as_mpmath(exponent)))


def factorial(value: Value) -> Value:
    """A factorial, of any number. Raises UnreadableError."""
    if abs(value) > 1500:
        raise UnreadableError("too large to evaluate")
    if isinstance(value, Fraction) and value.denominator == 1 and value >= 0:
        return Fraction(math.factorial(value.numerator))
    return mpmath.factorial(as_mpmath(value))


def bounded(value: Value) -> Value:
    """The value. Raises UnreadableError where it is too large: time and memory have no bound there."""
    number = as_mpmath(value)
    if mpmath.isfinite(number) and abs(number) > mpmath.mpf(10) ** _MOST_DIGITS:
        raise UnreadableError("too large to evaluate")
    return value


def close(one: Value, other: Value, tolerance: float = 0.0) -> bool:
    """Whether `one` is `other`: exactly, or within the relative tolerance of `other`.

    Raises UnreadableError for NaN.
    """
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= Fraction(str(tolerance)) * abs(other)
    with mpmath.workdps(DIGITS):
        one, other = as_mpmath(one), as_mpmath(other)
        if mpmath.isinf(one) or mpmath.isinf(other):
            return bool(one == other)
        if mpmath.isnan(one) or mpmath.isnan(other):
            raise UnreadableError("undefined")
        same = _SAME * max(abs(one), abs(other), _SAME)
        return bool(abs(one - other) <= max(tolerance * abs(other), same))


def is_whole(value: Value) -> bool:
    """Whether the value is an exact integer."""
    return isinstance(value, Fraction) and value.denominator == 1
