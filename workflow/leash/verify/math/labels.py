"""The name of an answer's equivalence class: the same for all answers with the same value, whoever wrote them.

A class is told by value, not by comparing answers in pairs, so the name depends on the answer alone: not on
which shard, run or model it came from, nor on what else was drawn. Numbers are named by their exact value or
12 digits, functions by their values at two fixed points, the rest by its parts or its cleaned text.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from leash.verify.math import evaluate, sets, units
from leash.verify.math import text as spelling
from leash.verify.math.nodes import (
    Chain,
    Group,
    Letter,
    Matrix,
    Node,
    Quantity,
    Ratio,
    Raw,
    Relation,
    Scalar,
    SetOp,
    Words,
)
from leash.verify.math.reading import prepare
from leash.verify.math.tree import Tree

_LONGEST: Final = 300
_DIGITS: Final = 12
_AT_POINTS: Final = 10
_MOST_BITS: Final = 200


def canonical(answer: str) -> str:
    """The class name of an answer. Never empty for an answer that is not blank; at most 300 characters."""
    return _label(prepare(answer).readings[0])[:_LONGEST] or "(nothing readable)"


def _label(node: Node) -> str:
    return _LABELS[type(node)](node)


def _of_scalar(node: Scalar) -> str:
    return _of_tree(node.tree, node.text)


def _of_tree(tree: Tree, text: str) -> str:
    names = sorted(evaluate.symbols(tree))
    if names:
        return _of_function(tree, names, text)
    exact = evaluate.exact(tree)
    if exact is not None:
        return of_fraction(exact)
    try:
        return _of_number(evaluate.value(tree, {}), _DIGITS)
    except ValueError:
        return spelling.textual(text)


def _of_function(tree: Tree, names: list[str], text: str) -> str:
    values = []
    for point in evaluate.points(names, 2, integers=False, negative=False):
        try:
            values.append(_of_number(evaluate.value(tree, point), _AT_POINTS))
        except ValueError:
            return spelling.textual(text)
    return f"f({', '.join(names)}): {', '.join(values)}"


def of_fraction(value: Fraction) -> str:
    """As a decimal where it has a short one, else as p/q; a very long one as its first digits and a hash."""
    if max(abs(value.numerator), value.denominator).bit_length() > _MOST_BITS:
        digest = hashlib.sha256(f"{value.numerator:x}/{value.denominator:x}".encode()).hexdigest()
        return f"{_of_number(evaluate.number(value), _DIGITS)}#{digest[:8]}"
    if value.denominator == 1:
        return str(value.numerator)
    places, rest = 0, value.denominator
    while rest % 10 == 0 or rest % 5 == 0 or rest % 2 == 0:
        rest //= 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2
        places += 1
    if rest == 1 and places <= _DIGITS:
        sign, size = "-" if value < 0 else "", abs(value)
        digits = f"{size.numerator * 10**places // size.denominator:0{places + 1}d}"
        return f"{sign}{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")
    return f"{value.numerator}/{value.denominator}"


def _of_number(value: Any, digits: int) -> str:
    return evaluate.printed(value, digits)


def _of_quantity(node: Quantity) -> str:
    if not node.marked and node.whole is not None and len(node.unit.text) == 1:
        return _of_tree(node.whole, node.text)
    if node.unit.noun:
        return f"{_of_tree(node.tree, node.text)} {node.unit.noun}"
    try:
        number = evaluate.real(evaluate.value(node.tree, {}))
    except (ValueError, KeyError):
        return spelling.textual(node.text)
    return f"{_of_number(number * evaluate.decimal(node.unit.factor), _DIGITS)} {_of_unit(node.unit)}".strip()


def _of_unit(unit: units.Unit) -> str:
    if unit.offset:
        return unit.text
    return " ".join(
        name if power == 1 else f"{name}^{power:g}"
        for name, power in zip(units.BASES, unit.dimension, strict=True)
        if power
    )


def _of_group(node: Group) -> str:
    items = [_label(item) for item in node.items]
    if node.kind in ("list", "set"):
        return "{" + ", ".join(sorted(set(items) if node.kind == "set" else items)) + "}"
    brackets = node.kind if len(node.kind) == 2 else "()"
    return f"{brackets[0]}{', '.join(items)}{brackets[1]}"


def _of_chain(node: Chain) -> str:
    if node.name and len(node.members) == 1:
        return _label(node.members[0])
    return " = ".join(dict.fromkeys(map(_label, node.members)))  # 3 + 4 = 7 is 7


def _of_set(node: Node) -> str:
    pieces = sets.real_set(node)
    if pieces is None:
        parts = node.parts if isinstance(node, SetOp) else node.members if isinstance(node, Relation) else ()
        signs = f" {node.name} " if isinstance(node, SetOp) else " ".join(getattr(node, "signs", ()))
        return signs.join(_label(part) for part in parts)
    return " or ".join(
        f"{'[' if piece.low_closed else '('}{_of_number(piece.low, _DIGITS)}, "
        f"{_of_number(piece.high, _DIGITS)}{']' if piece.high_closed else ')'}"
        for piece in pieces
    )


def _of_matrix(node: Matrix) -> str:
    return "[" + "; ".join(", ".join(_label(cell) for cell in row) for row in node.rows) + "]"


_LABELS: Final[dict[type, Callable[[Any], str]]] = {
    Scalar: _of_scalar,
    Quantity: _of_quantity,
    Group: _of_group,
    SetOp: _of_set,
    Chain: _of_chain,
    Relation: _of_set,
    Ratio: lambda node: ":".join(_label(item) for item in node.items),
    Matrix: _of_matrix,
    Letter: lambda node: node.letter,
    Words: lambda node: node.text,
    Raw: lambda node: spelling.textual(node.text).lower(),
}
