"""Whether a printed number is an exact one, rounded. In exact arithmetic: a tie is a tie."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Final

HALF: Final = Fraction(1, 2)
# Of a number of at least 0; both sides of zero are rounded alike.
_OTHER_WAYS: Final[dict[str, Callable[[Fraction], int]]] = {"half even": round, "truncation": floor}


def rounded(exact: Fraction, decimals: int) -> Decimal:
    """An exact number to so many decimals, half up: away from zero where it is a tie."""
    return _to(exact, decimals, _half_up)


def decimals(printed: Decimal) -> int:
    """How many decimals a printed number has. Raises ValueError for one that is not finite."""
    if not printed.is_finite():
        raise ValueError(f"{printed}: not a finite number")
    return max(0, -int(printed.as_tuple().exponent))


def explanation(exact: Fraction, printed: Decimal, slack: Fraction = Fraction(0)) -> str:
    """Which rounding makes the exact number the printed one: "" for the usual one, half up.

    Else "yes: ..." names another one, and "no" none. `slack` is how far off the exact number may be where it is
    made from printed numbers that are rounded themselves.
    """
    digits = decimals(printed)
    if rounded(exact, digits) == printed:
        return ""
    for name, way in _OTHER_WAYS.items():
        if _to(exact, digits, way) == printed:
            return f"yes: {name}"
    if slack and abs(Fraction(printed) - exact) <= slack + HALF / 10**digits:
        return "yes: of the numbers it is made from"
    first = rounded(exact, digits + 1)
    if rounded(Fraction(first), digits) == printed:
        return f"no: only if rounded twice, by way of {first:z}"
    return "no"


def _half_up(value: Fraction) -> int:
    return floor(value + HALF)


def _to(exact: Fraction, digits: int, way: Callable[[Fraction], int]) -> Decimal:
    whole = way(abs(exact) * 10**digits)
    return Decimal(-whole if exact < 0 else whole).scaleb(-digits)
