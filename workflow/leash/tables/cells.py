"""How a number or a text is written in a Markdown or LaTeX cell."""

import re
from collections.abc import Iterable
from math import isnan
from typing import Final

UNDEFINED: Final = "—"
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    UNDEFINED: "---",
    "≤": r"$\leq$",
}
_NEGATIVE: Final = re.compile(r"-\d+(\.\d+)?")


def ratio(value: float) -> str:
    """A measure in three decimals; never "-0.000"."""
    return UNDEFINED if isnan(value) else f"{value:z.3f}"


def percent(fraction: float | None) -> str:
    """A fraction as a percentage in two decimals, without the sign."""
    return UNDEFINED if fraction is None or isnan(fraction) else f"{100 * fraction:.2f}"


def number(value: float | None, digits: int) -> str:
    """A number with so many decimals; never "-0.000"."""
    return UNDEFINED if value is None or isnan(value) else f"{value:z.{digits}f}"


def interval(low: float | None, high: float | None, digits: int) -> str:
    """An interval: "[-0.037, -0.008]"."""
    if low is None or high is None or isnan(low) or isnan(high):
        return UNDEFINED
    return f"[{number(low, digits)}, {number(high, digits)}]"


def p_value(value: float) -> str:
    """A probability that may be small, in three significant digits."""
    return f"{value:.3g}"


def count(value: int) -> str:
    """A whole number, without thousands separators so that columns align and copy."""
    return str(value)


def per_side(cells: Iterable[str]) -> str:
    """One cell for base and target: "1.2/3.4"."""
    return "/".join(cells)


def as_markdown(text: str) -> str:
    """Plain text as Markdown that shows it: nothing in it ends a cell, or is emphasis, code, a link or a formula."""
    return re.sub(r"([|*_<`$&~\[\\])", r"\\\1", text)


def escape(text: str) -> str:
    """Plain text as LaTeX; a negative number gets a minus sign."""
    if _NEGATIVE.fullmatch(text):
        return f"${text}$"
    return "".join(_LATEX.get(character, character) for character in text)
