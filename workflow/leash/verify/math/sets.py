"""Sets of real numbers: intervals, unions, points, and inequalities in one variable, in one normal form."""

from fractions import Fraction
from typing import Any, Final, NamedTuple

from leash.verify.math import evaluate
from leash.verify.math.evaluate import TooBigError, UndefinedError
from leash.verify.math.nodes import NONE, REALS, Chain, Group, Node, Quantity, Relation, Scalar, SetOp
from leash.verify.math.tree import Call, Op, Sym, Tree

_INF: Final = evaluate.number(Fraction(1)) * float("inf")


class Piece(NamedTuple):
    """One interval; a point has equal ends, both closed."""

    low: Any
    low_closed: bool
    high: Any
    high_closed: bool


Reals = list[Piece]
_ALL: Final = [Piece(-_INF, False, _INF, False)]


def real_set(node: Node) -> Reals | None:
    """The set that a node is, in order and without overlap; None where it is none of real numbers."""
    if len(_bounded(node)) > 1:
        return None
    found = _pieces(node)
    return None if found is None else _merged(found)


def same_variable(one: Node, other: Node) -> bool:
    """Whether two sets bound the same thing, where both name it: x < 3 is not y < 3."""
    mine, theirs = _bounded(one), _bounded(other)
    return not mine or not theirs or mine == theirs


def _bounded(node: Node) -> set[Tree]:
    """What is bounded by the inequalities in a node."""
    if isinstance(node, Relation):
        trees = [one.tree for one in node.members if isinstance(one, Scalar)]
        bounded = {tree for tree in trees if evaluate.symbols(tree) or isinstance(tree, Call)}
        names = set().union(*map(evaluate.symbols, bounded))
        return {Sym(name) for name in names} if len(names) == 1 and not _called(bounded) else bounded
    if isinstance(node, Chain):
        return {node.left} if node.left is not None and is_set(node) else set()
    parts = node.parts if isinstance(node, SetOp) else ()
    return set().union(*map(_bounded, parts))


def _called(trees: set[Tree]) -> bool:
    return any("call" in evaluate.operators(tree) for tree in trees)


def equal(one: Reals, other: Reals) -> bool:
    """Whether two sets in normal form are the same."""
    return len(one) == len(other) and all(
        mine.low_closed == theirs.low_closed
        and mine.high_closed == theirs.high_closed
        and evaluate.close(mine.low, theirs.low)
        and evaluate.close(mine.high, theirs.high)
        for mine, theirs in zip(one, other, strict=True)
    )


def is_set(node: Node) -> bool:
    """Whether a node can only be a set of numbers (a pair in round brackets may also be a point)."""
    if isinstance(node, Chain):
        return len(node.members) == 1 and is_set(node.members[0])
    if isinstance(node, Group):
        return node.kind in ("(]", "[)", "[]")
    return isinstance(node, SetOp | Relation) or node == REALS


def _pieces(node: Node) -> Reals | None:
    if node == NONE:
        return []
    if node == REALS:
        return _ALL
    if isinstance(node, Chain) and len(node.members) == 1:
        return _pieces(node.members[0])
    if isinstance(node, Relation):
        return _solved(node)
    if isinstance(node, SetOp):
        return _joined(node)
    if not isinstance(node, Group):
        return None
    if node.kind in ("tuple", "(]", "[)", "[]"):
        return _interval(node)
    if node.kind == "set" or (node.kind == "list" and all(isinstance(one, Scalar) for one in node.items)):
        points = [_constant(item) for item in node.items]
        return None if None in points else [Piece(one, True, one, True) for one in points]
    if node.kind == "list":
        parts = [_pieces(item) for item in node.items]
        known = [part for part in parts if part is not None]
        return [piece for part in known for piece in part] if len(known) == len(parts) else None
    return None


def _interval(group: Group) -> Reals | None:
    if len(group.items) != 2:
        return None
    low, high = (_constant(item) for item in group.items)
    if low is None or high is None or not low < high:
        return None
    kind = "()" if group.kind == "tuple" else group.kind
    return [Piece(low, kind[0] == "[", high, kind[1] == "]")]


def _joined(node: SetOp) -> Reals | None:
    parts = [_pieces(part) for part in node.parts]
    known = [_merged(part) for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if node.name == "both":  # a list of conditions: all of them, where they can hold together
        held = known[0]
        for other in known[1:]:
            held = _intersection(held, other)
        return held or [piece for one in known for piece in one]
    first = known[0]
    for other in known[1:]:
        if node.name == "cup":
            first = first + other
        elif node.name == "cap":
            first = _intersection(first, other)
        else:
            first = _intersection(first, _complement(other))
    return first


def _constant(node: Node) -> Any:
    tree = node.tree if isinstance(node, Scalar | Quantity) else None
    return None if tree is None else _real_value(tree)


def _real_value(tree: Tree) -> Any:
    if evaluate.symbols(tree):
        return None
    try:
        found = evaluate.real(evaluate.value(tree, {}))
    except (TooBigError, UndefinedError):
        return None
    return None if found != found else found


def _solved(relation: Relation) -> Reals | None:
    """The solutions of linear inequalities in one variable: each pair of neighbours is one condition."""
    trees = [one.tree for one in relation.members if isinstance(one, Scalar)]
    inside = _inside_bars(trees)
    if inside is not None and len(relation.members) == 2:
        return _solved_bars(relation.signs[0], inside, trees)
    bounded = {tree for tree in trees if evaluate.symbols(tree) or isinstance(tree, Call)}
    if len(trees) < len(relation.members):
        return None
    if len(bounded) == 1 and _called(bounded):  # 0 < f(x) < 1 bounds f(x)
        trees = [Sym("x") if tree in bounded else tree for tree in trees]
    names = set().union(*map(evaluate.symbols, trees))
    if len(names) != 1:
        return None
    (name,) = names
    found: Reals = _ALL
    for sign, left, right in zip(relation.signs, trees, trees[1:], strict=False):
        condition = _condition(name, sign, left, right)
        if condition is None:
            return None
        found = _intersection(found, condition)
    return found


def _inside_bars(trees: list[Tree]) -> Tree | None:
    """T where one of two sides is |T| and the other a constant."""
    bars = [tree for tree in trees if isinstance(tree, Op) and tree.name == "abs" and evaluate.symbols(tree)]
    constants = [tree for tree in trees if not evaluate.symbols(tree)]
    return bars[0].args[0] if len(bars) == 1 and len(constants) == 1 else None


def _solved_bars(sign: str, inside: Tree, trees: list[Tree]) -> Reals | None:
    """|T| < c is -c < T < c, and |T| > c is T < -c or T > c."""
    if sign == "!=":
        return None
    if not evaluate.symbols(trees[0]):  # c > |T|
        sign = sign.translate(str.maketrans("<>", "><"))
    bound = next(tree for tree in trees if not evaluate.symbols(tree))
    mirrored = sign.translate(str.maketrans("<>", "><"))
    parts = [_pieces(Relation((sign,), (Scalar(inside, ""), Scalar(bound, ""))))]
    parts.append(_pieces(Relation((mirrored,), (Scalar(inside, ""), Scalar(Op("neg", (bound,)), "")))))
    first, second = parts
    if first is None or second is None:
        return None
    return _intersection(first, second) if sign.startswith("<") else first + second


_PLACES: Final = tuple(map(Fraction, ("0", "1", "-3", "2.5", "-7.75", "40")))


def _condition(name: str, sign: str, left: Tree, right: Tree) -> Reals | None:
    difference = Op("add", (left, Op("neg", (right,))))
    values = []
    for place in _PLACES:
        try:
            values.append(evaluate.real(evaluate.value(difference, {name: evaluate.number(place)})))
        except (TooBigError, UndefinedError):
            return None
    slope = values[1] - values[0]
    linear = all(
        evaluate.close(values[0] + evaluate.number(place) * slope, value)
        for place, value in zip(_PLACES, values, strict=True)
    )
    if not linear or slope == 0 or slope != slope:
        return None
    root = -values[0] / slope
    if sign == "!=":
        return [Piece(-_INF, False, root, False), Piece(root, False, _INF, False)]
    below = (sign in ("<", "<=")) == (slope > 0)
    closed = sign.endswith("=")
    return [Piece(-_INF, False, root, closed)] if below else [Piece(root, closed, _INF, False)]


def _complement(pieces: Reals) -> Reals:
    found, low, closed = [], -_INF, False
    for piece in pieces:
        if low < piece.low or (low == piece.low and closed and not piece.low_closed):
            found.append(Piece(low, closed, piece.low, not piece.low_closed))
        low, closed = piece.high, not piece.high_closed
    if low < _INF:
        found.append(Piece(low, closed, _INF, False))
    return found


def _intersection(one: Reals, other: Reals) -> Reals:
    found = []
    for mine in one:
        for theirs in other:
            low, low_closed = max((mine.low, not mine.low_closed), (theirs.low, not theirs.low_closed))
            high, high_closed = min((mine.high, mine.high_closed), (theirs.high, theirs.high_closed))
            if low < high or (low == high and not low_closed and high_closed):
                found.append(Piece(low, not low_closed, high, high_closed))
    return found


def _merged(pieces: Reals) -> Reals:
    found: Reals = []
    for piece in sorted(pieces, key=lambda one: (one.low, not one.low_closed)):
        last = found[-1] if found else None
        touching = last is not None and (
            piece.low < last.high
            or (evaluate.close(piece.low, last.high) and (piece.low_closed or last.high_closed))
        )
        if last is None or not touching:
            found.append(piece)
        elif (piece.high, piece.high_closed) > (last.high, last.high_closed):
            found[-1] = Piece(last.low, last.low_closed, piece.high, piece.high_closed)
    return found
