"""The nodes of one expression, and numbers as they are written."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final


class UnreadableError(ValueError):
    """The text is not an expression of this grammar."""


@dataclass(frozen=True, slots=True)
class Num:
    """A number as written. `decimals`: digits after the point, in its own power of ten; None for an integer
    without a point. `digits`: significant ones."""

    value: Fraction
    decimals: int | None = None
    digits: int = 0


@dataclass(frozen=True, slots=True)
class Sym:
    """A variable, with its decoration and subscript."""

    name: str


@dataclass(frozen=True, slots=True)
class Op:
    """An operator or a known function over arguments."""

    name: str
    args: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Call:
    """A function that is not known: f(2), I(0)."""

    name: str
    args: "tuple[Tree, ...]"


Tree = Num | Sym | Op | Call

CONSTANTS: Final = {"pi": Op("pi", ()), "e": Op("e", ()), "i": Op("i", ()), "infty": Op("inf", ())}


def number(text: str) -> Num:
    mantissa, _, exponent = text.lower().partition("e")
    whole, point, decimals = mantissa.partition(".")
    if len(text) > 1000 or abs(int(exponent or 0)) > 5000:
        raise UnreadableError("a number too long")
    value = Fraction(int((whole or "0") + decimals), 10 ** len(decimals)) * Fraction(10) ** int(exponent or 0)
    digits = len((whole + decimals).lstrip("0"))
    return Num(value, len(decimals) if point or exponent else None, digits)


def repeated(text: str, block: str) -> Num:
    decimals = len(text.partition(".")[2])
    head = number(text).value
    return Num(head + Fraction(int(block), (10 ** len(block) - 1) * 10**decimals))


def recurring(text: str) -> Tree:
    """0.333… : a block that stands at least three times (once repeated for two digits and more)."""
    whole, _, decimals = text.partition(".")
    for size in range(1, 7):
        times = 3 if size == 1 else 2
        block = decimals[-size:]
        if len(decimals) >= size * times and decimals.endswith(block * times):
            return repeated(f"{whole}.{decimals[: -size * times]}", block)
    raise UnreadableError("decimals that go on without a pattern")
