"""Numbers within a relative tolerance, in the gold's unit: SciBench's rule, with the unit read.

The gold may carry a power of ten and a unit, "3.52 $10^{-19} \\mathrm{~J}$". An answer with a unit is converted;
a bare one may state the value, or its multiple of that power (3.52).
"""

from typing import Any

from leash.verify.math import evaluate, units
from leash.verify.math.nodes import Chain, Node, Quantity, Scalar
from leash.verify.math.reading import prepare
from leash.verify.math.tree import Op, Tree


def agrees(gold: str, answer: str, tolerance: float) -> str | None:
    """How an answer agrees with the gold to the relative tolerance, or None.

    Raises ValueError where the gold is no number.
    """
    golden = next((value for value in map(_measured, prepare(gold).readings) if value is not None), None)
    if golden is None:
        raise ValueError(f"{gold!r} is no number with a unit")
    for given in map(_measured, prepare(answer).readings):
        if given is not None:
            how = _agree(golden, given, tolerance)
            if how:
                return how
    return None


Measured = tuple[Any, units.Unit | None, Any]


def _measured(node: Node) -> Measured | None:
    """Value, unit, and the value without its power of ten; None for what is no real number."""
    if isinstance(node, Chain):
        return _measured(node.members[-1]) if node.members else None
    if not isinstance(node, Scalar | Quantity):
        return None
    number = _number(node.tree)
    if number is None:
        return None
    mantissa = number
    if isinstance(node.tree, Op) and node.tree.name == "mul" and len(node.tree.args) == 2:
        mantissa = _number(node.tree.args[0])
    return number, node.unit if isinstance(node, Quantity) else None, mantissa


def _number(tree: Tree) -> Any:
    if evaluate.symbols(tree):
        return None
    try:
        found = evaluate.real(evaluate.value(tree, {}))
    except ValueError:
        return None
    return found if found == found else None


def _agree(gold: Measured, answer: Measured, tolerance: float) -> str | None:
    value, unit, mantissa = gold
    given, given_unit, _ = answer
    if unit is not None and given_unit is not None and unit != given_unit:
        if not units.convertible(unit, given_unit):
            return None
        given = given * evaluate.decimal(given_unit.factor) / evaluate.decimal(unit.factor)
        return _near(value, given, tolerance) and f"within {tolerance:g}, from {given_unit.text}"
    if _near(value, given, tolerance):
        return f"within {tolerance:g}"
    if given_unit is None and mantissa != value and _near(mantissa, given, tolerance):
        return f"within {tolerance:g}, in the gold's power of ten"
    for one, other in ((unit, given_unit), (given_unit, unit)):
        if (
            one is not None
            and other is None
            and one.noun is None
            and not any(one.dimension)
            and one.factor != 1
        ):
            factor = evaluate.decimal(one.factor)
            plain = (value * factor, given) if one is unit else (value, given * factor)
            if _near(*plain, tolerance):
                return f"within {tolerance:g}, as a plain number"
    return None


def _near(value: Any, given: Any, tolerance: float) -> str | None:
    return "near" if abs(given - value) <= tolerance * abs(value) else None
