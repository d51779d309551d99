"""Whether two expressions have the same value: exactly, to 50 digits, or as one is a rounding of the other."""

from fractions import Fraction
from math import isqrt
from typing import Any, Final, NamedTuple

from leash.verify.math import evaluate
from leash.verify.math.evaluate import TooBigError, UndefinedError
from leash.verify.math.tree import Call, Num, Op, Sym, Tree

_POINTS: Final = 8
_MORE_POINTS: Final = 64
"""Where steps or factorials make functions agree at many integers and not at all."""
_NEEDED: Final = 4
_EXACT_FROM: Final = 6
"""Significant digits from which a decimal may stand for an exact gold: 4.12311 for sqrt(17)."""
_FLOATING_FROM: Final = 14
_ROUNDED_FROM: Final = 3
"""Significant digits a decimal gold must have for a finer answer that rounds to it: 100/3 for 33.3."""
_SIGNED: Final = frozenset(("abs", "sgn"))
_STEPS: Final = frozenset(("floor", "ceil"))
_INTEGER_OPERATORS: Final = frozenset(("factorial", "factorial2", "binom", "gcd", "lcm"))


class Written(NamedTuple):
    """A decimal as written: its value, the value of one unit in its last place, its significant digits."""

    value: Fraction
    unit: Fraction
    digits: int


def same(gold: Tree, answer: Tree) -> str | None:
    """How an answer equals the gold ("numbers", "rounded", "values at 8 points", "form"), or None."""
    names = evaluate.symbols(gold) | evaluate.symbols(answer)
    if names:
        return _same_functions(gold, answer, names)
    primes = _prime_factors(gold)
    if primes:
        return "factors" if primes == _factors(answer) else None
    one, other = evaluate.exact(gold), evaluate.exact(answer)
    if one is not None and one == other:
        return "numbers"
    if not _roundable(gold, answer) and one is not None and other is not None:
        return None
    return _same_values(gold, answer)


def _prime_factors(tree: Tree) -> list[int] | None:
    """The numbers of a product written out in three primes or more, or None: 2 × 2 × 3 asks for its factors."""
    if not isinstance(tree, Op) or tree.name != "mul" or not all(isinstance(one, Num) for one in tree.args):
        return None
    values = [evaluate.exact(one) for one in tree.args]
    whole = [int(value) for value in values if value is not None and value.denominator == 1]
    return sorted(whole) if len(whole) == len(values) > 2 and all(map(_is_prime, whole)) else None


def _is_prime(number: int) -> bool:
    return 1 < number < 10**8 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def _factors(tree: Tree) -> list[int] | None:
    """The numbers that are multiplied in a tree, powers written out; None where anything else is in it."""
    if isinstance(tree, Num):
        return [int(tree.value)] if tree.value.denominator == 1 else None
    if not isinstance(tree, Op):
        return None
    if tree.name == "pow":
        base, power = (evaluate.exact(one) for one in tree.args)
        if base is None or power is None or base.denominator != 1 or power not in range(1, 100):
            return None
        return [int(base)] * int(power)
    parts = [_factors(one) for one in tree.args] if tree.name == "mul" else [None]
    return sorted(factor for part in parts if part for factor in part) if all(parts) else None


def _same_values(gold: Tree, answer: Tree) -> str | None:
    try:
        one, other = evaluate.value(gold, {}), evaluate.value(answer, {})
    except TooBigError:
        return "form" if _same_form(gold, answer) else None
    except UndefinedError:
        return None
    if evaluate.close(one, other):
        # beyond the digits computed, only numbers built alike are known to be equal: 10^{60} + 1 is not 10^{60}
        if _same_form(gold, answer):
            return "form"
        return (
            "numbers"
            if abs(one) < evaluate.EXACT_BELOW and evaluate.agree_closely(gold, answer, {})
            else None
        )
    return "rounded" if _rounds(gold, answer, one, other) else None


def _roundable(gold: Tree, answer: Tree) -> bool:
    return written(gold) is not None or written(answer) is not None


def _rounds(gold: Tree, answer: Tree, one: Any, other: Any) -> bool:
    """A finer answer that rounds to a decimal gold, or a fine decimal answer of an exact gold."""
    if isinstance(one, evaluate.COMPLEX) or isinstance(other, evaluate.COMPLEX):
        return False
    golden, given = written(gold), written(answer)
    difference = abs(one - other)
    if golden is not None:
        finer = given is None or given.digits > golden.digits
        coarse = _integral(answer) and given is None
        # printed to six digits and more, a gold may be cut off rather than rounded
        half = evaluate.number(golden.unit) / (1 if golden.digits >= _EXACT_FROM else 2)
        if golden.value.denominator == 1:  # 50.0 is 50
            return False
        return golden.digits >= _ROUNDED_FROM and finer and not coarse and bool(difference <= half * 1.000001)
    if given is None or _terminates(gold) or given.digits < _EXACT_FROM:
        return False
    unit = evaluate.number(given.unit)
    # cut off rather than rounded, or with the last digit of floating-point arithmetic
    loose = abs(other) < abs(one) or given.digits >= _FLOATING_FROM
    return bool(difference <= unit / 2 * 1.000001) or (loose and bool(difference < unit * 1.000001))


def _integral(tree: Tree) -> bool:
    value = evaluate.exact(tree)
    return value is not None and value.denominator == 1


def _terminates(tree: Tree) -> bool:
    """Whether a value is a decimal of finitely many places, and so has no need of rounding."""
    value = evaluate.exact(tree)
    if value is None:
        return False
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def written(tree: Tree) -> Written | None:
    """The decimal that a tree is (-0.5, 3.89e-10, 6.72 × 10^{-5}), or None for any other expression."""
    if isinstance(tree, Num):
        if tree.decimals is None:
            return None
        return Written(tree.value, _last_place(tree), tree.digits)
    if isinstance(tree, Op) and tree.name == "neg":
        inside = written(tree.args[0])
        return inside and Written(-inside.value, inside.unit, inside.digits)
    if isinstance(tree, Op) and tree.name == "mul" and len(tree.args) == 2:
        mantissa, scale = written(tree.args[0]), _power_of_ten(tree.args[1])
        if scale is None and isinstance(tree.args[0], Num):
            return None
        if mantissa and scale is not None:
            return Written(mantissa.value * scale, mantissa.unit * scale, mantissa.digits)
    return None


def _last_place(number: Num) -> Fraction:
    if number.value == 0 or number.digits == 0:
        return Fraction(1, 10 ** (number.decimals or 0))
    size = abs(number.value)
    place = Fraction(1)
    while place > size:
        place /= 10
    while place * 10 <= size:
        place *= 10
    return place / Fraction(10) ** (number.digits - 1)


def _power_of_ten(tree: Tree) -> Fraction | None:
    if isinstance(tree, Op) and tree.name == "pow" and tree.args[0] == Num(Fraction(10), None, 2):
        return evaluate.exact(tree)
    return None


def _same_functions(gold: Tree, answer: Tree, names: set[str]) -> str | None:
    used = evaluate.operators(gold) | evaluate.operators(answer)
    count = _POINTS if not used & (_INTEGER_OPERATORS | _STEPS) else _MORE_POINTS
    points = evaluate.points(
        names, count, integers=bool(used & _INTEGER_OPERATORS), negative=bool(used & _SIGNED)
    )
    agreeing = 0
    for point in points:
        values = _both(gold, answer, point)
        if values is None:
            continue
        if not evaluate.close(*values, relative=1e-25):
            return None
        # a value of more digits than are computed shows nothing
        agreeing += bool(abs(values[0]) < evaluate.EXACT_BELOW)
    return f"values at {agreeing} points" if agreeing >= _NEEDED else None


def _both(gold: Tree, answer: Tree, point: evaluate.Point) -> tuple[Any, Any] | None:
    try:
        return evaluate.value(gold, point), evaluate.value(answer, point)
    except (TooBigError, UndefinedError):
        return None


def proportional(gold: Tree, answer: Tree, positive: bool = False) -> bool:
    """Whether one is a constant multiple of the other (a positive one, for inequalities), as functions."""
    names = evaluate.symbols(gold) | evaluate.symbols(answer)
    if evaluate.symbols(gold) != evaluate.symbols(answer) or not names:
        return False
    used = evaluate.operators(gold) | evaluate.operators(answer)
    ratio, agreeing = None, 0
    signed = bool(used & _SIGNED)
    for point in evaluate.points(names, _POINTS, bool(used & _INTEGER_OPERATORS), negative=signed):
        values = _both(gold, answer, point)
        if values is None or values[0] == 0 or values[1] == 0:
            continue
        this = values[1] / values[0]
        if ratio is not None and not evaluate.close(ratio, this, relative=1e-25):
            return False
        ratio = this
        agreeing += 1
    if ratio is None or agreeing < _NEEDED:
        return False
    return not positive or bool(evaluate.real(ratio) > 0)


def _same_form(one: Tree, other: Tree) -> bool:
    """Whether two trees too big to be evaluated are built alike from equal parts."""
    if isinstance(one, Num | Sym | Call) or isinstance(other, Num | Sym | Call):
        return one == other
    if one.name != other.name or len(one.args) != len(other.args):
        return False
    return all(_same_values(mine, theirs) for mine, theirs in zip(one.args, other.args, strict=True))
