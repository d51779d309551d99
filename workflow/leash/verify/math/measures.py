"""Values with units: converted where both have one; a bare number is taken in the other's unit."""

from fractions import Fraction
from typing import Final

from leash.verify.math import evaluate, numbers, units
from leash.verify.math.nodes import Quantity, Scalar
from leash.verify.math.tree import Num, Op, Tree


def same(gold: Scalar | Quantity, answer: Scalar | Quantity) -> str | None:
    """How two values agree, or None."""
    if isinstance(gold, Quantity) and isinstance(answer, Quantity):
        return _same_measures(gold, answer)
    if isinstance(gold, Quantity):
        assert isinstance(answer, Scalar)
        return _answer_without_unit(gold, answer)
    if isinstance(answer, Quantity):
        return _answer_with_unit(gold, answer)
    if _based(gold) or _based(answer):
        return _same_based(gold, answer)
    return numbers.same(gold.tree, answer.tree)


def _same_measures(gold: Quantity, answer: Quantity) -> str | None:
    if not (gold.marked and answer.marked) and gold.whole is not None and answer.whole is not None:
        how = numbers.same(gold.whole, answer.whole)
        if how:
            return how
    if not units.convertible(gold.unit, answer.unit):
        return None
    if gold.unit.noun is None and not any(gold.unit.dimension):
        return numbers.same(gold.tree, answer.tree) if gold.unit == answer.unit else _same_plain(gold, answer)
    how = numbers.same(gold.tree, _scaled(answer.tree, answer.unit.factor / gold.unit.factor))
    return how and f"{how}, units {gold.unit.text} and {answer.unit.text}"


def _same_plain(gold: Quantity, answer: Quantity) -> str | None:
    return numbers.same(_in_plain(gold), _in_plain(answer))


def _scaled(tree: Tree, factor: float) -> Tree:
    """A tree times a unit's factor: exact for powers of ten and simple fractions, else to 12 digits."""
    if abs(factor - 1) < 1e-12:
        return tree
    simple = (
        Fraction(factor).limit_denominator(10**6)
        if factor >= 1e-3
        else 1 / Fraction(1 / factor).limit_denominator(10**6)
    )
    if abs(float(simple) / factor - 1) > 1e-12:
        simple = Fraction(factor)
    written = numbers.written(tree)
    if isinstance(tree, Num) and written:
        return Num(tree.value * simple, tree.decimals, tree.digits)
    return Op("mul", (tree, Num(simple)))


def _answer_without_unit(gold: Quantity, answer: Scalar) -> str | None:
    """A bare number is taken in the gold's unit; of an angle or a share also as the plain number it is."""
    if not gold.marked and gold.whole is not None:
        how = numbers.same(gold.whole, answer.tree)
        if how:
            return how
        if len(gold.unit.text) == 1 and numbers.written(gold.tree) is None:
            return None
    how = numbers.same(gold.tree, answer.tree)
    if how:
        return f"{how}, in the gold's unit"
    if _is_plain(gold.unit):
        return numbers.same(_in_plain(gold), answer.tree)
    return None


def _answer_with_unit(gold: Scalar, answer: Quantity) -> str | None:
    """A unit beside the gold's bare number is the question's, unless a share or an angle says otherwise."""
    if _based(gold):
        return None
    if answer.whole is not None and not answer.marked:
        how = numbers.same(gold.tree, answer.whole)
        if how:
            return how
        alone = len(answer.unit.text) == 1 and numbers.written(answer.tree) is None
        if alone or evaluate.symbols(gold.tree):
            return None
    if evaluate.symbols(gold.tree) and not answer.marked:
        return None
    if _is_plain(answer.unit):
        how = numbers.same(gold.tree, _in_plain(answer))
        if how:
            return how
        if answer.unit.text in _SHARES and _small(gold.tree):
            return None
    how = numbers.same(gold.tree, answer.tree)
    return how and f"{how}, the unit {answer.unit.text} being the question's"


_SHARES: Final = ("%", "percent", "percents", "pct")


def _small(tree: Tree) -> bool:
    value = evaluate.exact(tree)
    return value is not None and abs(value) < 1


def _is_plain(unit: units.Unit) -> bool:
    return unit.noun is None and not any(unit.dimension) and unit.factor != 1


def _in_plain(quantity: Quantity) -> Tree:
    if quantity.unit.factor == 1:
        return quantity.tree
    if quantity.unit.text in _SHARES:
        return Op("div", (quantity.tree, Num(Fraction(100))))
    return Op("mul", (quantity.tree, Op("div", (Op("pi", ()), Num(Fraction(180))))))


def _based(node: Scalar) -> bool:
    return isinstance(node.tree, Op) and node.tree.name == "based"


def _same_based(gold: Scalar, answer: Scalar) -> str | None:
    """Numbers in a base: digits alone are taken in the gold's base, which the question names."""
    if _based(gold) and not _based(answer):
        assert isinstance(gold.tree, Op)
        return (
            numbers.same(gold.tree.args[0], answer.tree) and isinstance(answer.tree, Num) and "digits"
        ) or None
    if not _based(gold):
        return None
    return numbers.same(gold.tree, answer.tree)
