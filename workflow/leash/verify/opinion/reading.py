"""From an answer as it was written to a bare formula: dressing off, units aside, lists taken apart."""

import re
import unicodedata
from typing import Final, NamedTuple


class UnreadableError(Exception):
    """The text is beyond this reader; the message says why."""


class Reading(NamedTuple):
    """An answer without its dressing: a formula, and the unit after it ("" for none)."""

    text: str
    unit: str


class Values(NamedTuple):
    """What an answer lists. kind: "one", "set", "union", "matrix of R rows", or brackets such as "()"."""

    kind: str
    items: list[str]


_UNICODE: Final = str.maketrans(
    {
        **{"−": "-", "–": "-", "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "÷": "/", "√": r"\sqrt "},
        **{"π": r"\pi ", "∞": r"\infty ", "²": "^{2}", "³": "^{3}", "±": r"\pm ", "≈": r"\approx "},
        **{"°": r"^\circ ", "∪": r"\cup ", "θ": r"\theta ", "\u202f": r"\,", "\u2009": r"\,", "\xa0": " "},
    }
)
_TEXT: Final = r"\\(?:text|textrm|textbf|mathrm|mathbf|mbox|operatorname|rm)\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
_UNIT: Final = re.compile(rf"(.*?[\d)}}\]])\s*((?:{_TEXT})(?:{_TEXT}|\^\{{?-?\d+\}}?|[/\s~]|\\cdot)*)")
_PLAIN_UNIT: Final = re.compile(r"([-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s+([A-Za-z]{2,}[A-Za-z\s/^0-9-]*)")
_WORDS: Final = (
    *("arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "sin", "cos", "tan", "sec", "csc", "cot"),
    *("sqrt", "exp", "log", "ln", "pi"),
)
_GROUPED: Final = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NAME: Final = re.compile(r"\(?\s*\\?[A-Za-z]{1,9}[A-Za-z0-9_{}\\,\s]*\)?(?:\([A-Za-z,\s]*\))?")
_OPENING, _CLOSING = "([{", ")]}"


def undress(text: str) -> Reading:
    """The formula in an answer, with the unit apart."""
    text = unicodedata.normalize("NFKC", text.strip().strip("*").translate(_UNICODE)).replace("⁄", "/")
    # Spacing that groups digits: 1{,}234 and 1\,234. A plain comma may separate a list.
    text = re.sub(r"(?<=\d)(?:\{,\}|\\,|\\!,?|,\\!)(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"(?<!\\)\\[,;:! ]|\\q?quad(?![A-Za-z])|~", " ", text)
    text = re.sub(r"\\\(|\\\)|\\\[|\\\]|\\?\$|€|£|\\displaystyle", " ", text)
    text = re.sub(r"\\right\s*\.|\\left\s*\.|\\(?:left|right|[bB]igg?)[lrm]?(?![A-Za-z])", "", text)
    text = re.sub(r"\\[dtc]frac(?![A-Za-z])", r"\\frac", text)
    text = re.sub(r"\\[lr]vert(?![A-Za-z])", "|", text)
    text = re.sub(r"\^\s*(?:\\circ|\{\s*\\circ\s*\}|\\degree)|\\degree(?![A-Za-z])", "°", text)
    text = re.sub(_TEXT, _conjunction, text)
    text = re.sub(r"(?<![A-Za-z])(?:or|and)(?![A-Za-z])", ",", text)
    text = _unboxed(text.strip().rstrip(".").strip())
    text, unit = _without_unit(text)
    text = re.sub(rf"(_\s*\{{?\s*)?{_TEXT}", _letters, text)
    words = "|".join(_WORDS)
    text = re.sub(rf"(?<![\\A-Za-z])({words})(?![A-Za-z])", r"\\\1", text).replace("**", "^")
    return Reading(text.strip(), unit)


def split(text: str) -> Values:
    """The values of an undressed answer: an interval or tuple, a set, a union, a matrix, a bare list, or one."""
    text = text.strip()
    matrix = re.fullmatch(r"\\begin\{([pbvV]?matrix|array)\}(?:\{[lcr|]*\})?(.*)\\end\{\1\}", text, re.DOTALL)
    if matrix:
        rows = [row for row in re.split(r"\\\\", matrix[2]) if row.strip()]
        return Values(f"matrix of {len(rows)} rows", [cell for row in rows for cell in row.split("&")])
    if _GROUPED.fullmatch(text):
        return Values("one", [text.replace(",", "")])
    pieces = _at_top_level(text, r"\cup")
    if len(pieces) > 1:
        return Values("union", pieces)
    braced = re.fullmatch(r"\\\{(.*)\\\}", text, re.DOTALL)
    if braced and r"\{" not in braced[1]:
        return Values("set", _signed(_at_top_level(braced[1], ",")))
    pieces = [piece for piece in _at_top_level(text.replace(";", ","), ",") if piece]
    if len(pieces) == 1 and text[:1] in tuple("([") and text[-1:] in tuple(")]"):
        inside = _at_top_level(text[1:-1], ",")
        if len(inside) > 1:
            return Values(text[0] + text[-1], inside)
    items = _signed(pieces or [text])
    return Values("one" if len(items) == 1 else "set", items)


def name_and_value(text: str) -> tuple[str, str]:
    """("x", "5") of "x = 5" and of "x in 5"; ("", text) where no bare name stands on the left."""
    left, sign, right = re.sub(r"\\in(?![A-Za-z])", "=", text, count=1).partition("=")
    if sign and right.strip() and "=" not in right and _NAME.fullmatch(left.strip()):
        return re.sub(r"[\s{}]", "", left), right.strip()
    return "", text


def _conjunction(match: re.Match[str]) -> str:
    return "," if match[1].strip() in ("or", "and", ",") else match[0]


def _letters(match: re.Match[str]) -> str:
    """A letter, a function or a subscript out of its \\text; words stay in it, so that no formula is read in them."""
    below, inside = match[1] or "", match[2].strip()
    if below or inside in _WORDS or not re.search(r"[A-Za-z]{2}", inside):
        return below + inside
    return match[0]


def _unboxed(text: str) -> str:
    while (boxed := re.fullmatch(r"\\f?boxed\s*\{(.*)\}", text, re.DOTALL)) is not None:
        text = boxed[1].strip().rstrip(".").strip()
    return text


def _without_unit(text: str) -> Reading:
    sign = re.fullmatch(r"(.*[\d)}])\s*(°|\\?%)", text)
    if sign:
        return Reading(re.sub(r"°|\\?%", "", sign[1]).strip(), sign[2].strip("\\"))
    text = text.replace("°", "")
    found = _UNIT.fullmatch(text) or _PLAIN_UNIT.fullmatch(text)
    if not found:
        return Reading(text, "")
    return Reading(found[1].strip(), re.sub(r"\\[a-z]+\s*\{|[{}\s~]|\\cdot", "", found[2]))


def _at_top_level(text: str, separator: str) -> list[str]:
    """Pieces between separators outside all brackets; (1,2] is an interval, so any bracket closes any."""
    pieces, depth, start, index = [], 0, 0, 0
    while index < len(text):
        depth += (text[index] in _OPENING) - (text[index] in _CLOSING)
        if depth == 0 and text.startswith(separator, index):
            pieces.append(text[start:index].strip())
            start = index = index + len(separator)
        else:
            index += 1
    return [*pieces, text[start:].strip()]


def _signed(items: list[str]) -> list[str]:
    """Each a \\pm b as the two values it stands for."""
    return [
        item.replace(r"\pm", sign)
        for item in items
        for sign in (("+", "-") if item.count(r"\pm") == 1 else (r"\pm",))
    ]
