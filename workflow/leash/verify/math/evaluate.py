"""The value of a tree: exactly where it is rational and small, else to 50 digits at chosen points.

Nothing here can run away: powers and factorials are bounded before they are computed (TooBigError), and a tree has
at most as many nodes as its text has characters.
"""

import hashlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb, factorial, gcd, lcm, log2
from typing import Any, Final

import mpmath

from leash.verify.math.tree import Call, Num, Op, Sym, Tree

_MOST_BITS: Final = 200_000
_MOST_FACTORIAL: Final = 5000
_LARGEST_LOG2: Final = 10**15
DIGITS: Final = 50
_MANY_DIGITS: Final = 1000
EXACT_BELOW: Final = 1e40
"""Up to here two different integers differ within the digits computed."""

_context = mpmath.mp.clone()
_context.dps = DIGITS

Point = Mapping[str, Any]


class TooBigError(ValueError):
    """The value has too many digits to be computed: compare the trees instead."""


class UndefinedError(ValueError):
    """No value: division by zero, a pole, a form this evaluator does not know."""


def symbols(tree: Tree) -> set[str]:
    """Names of the variables in a tree."""
    if isinstance(tree, Sym):
        return {tree.name}
    if isinstance(tree, Num):
        return set()
    return set().union(*(symbols(one) for one in tree.args)) if tree.args else set()


def operators(tree: Tree) -> set[str]:
    """Names of the operators and functions in a tree; a call of an unknown function is "call"."""
    if isinstance(tree, Num | Sym):
        return set()
    name = {tree.name} if isinstance(tree, Op) else {"call"}
    return name.union(*(operators(one) for one in tree.args))


def numbers(tree: Tree) -> list[Num]:
    """All numbers written in a tree."""
    if isinstance(tree, Num):
        return [tree]
    return [] if isinstance(tree, Sym) else [number for one in tree.args for number in numbers(one)]


def exact(tree: Tree) -> Fraction | None:
    """The rational value, or None where it is not rational by arithmetic alone, or has too many digits."""
    if isinstance(tree, Num):
        return tree.value
    if isinstance(tree, Sym | Call):
        return None
    values = [exact(one) for one in tree.args]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not values:
        return None
    if sum(_bits(value) for value in known) > _MOST_BITS:
        return None
    try:
        return _arithmetic(tree.name, known)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _arithmetic(name: str, values: list[Fraction]) -> Fraction | None:
    first, second = values[0], values[-1]
    whole = all(value.denominator == 1 for value in values)
    match name:
        case "add":
            return sum(values, Fraction(0))
        case "mul":
            product = Fraction(1)
            for value in values:
                product *= value
            return product
        case "neg":
            return -first
        case "div":
            return first / second
        case "pow":
            return _exact_power(first, second)
        case "sqrt":
            return _exact_root(first, 2)
        case "root" if second.denominator == 1 and 2 <= second <= 64:
            return _exact_root(first, int(second))
        case "factorial" if whole and 0 <= first <= _MOST_FACTORIAL:
            return Fraction(factorial(int(first)))
        case "binom" if whole and 0 <= second <= first <= 10 * _MOST_FACTORIAL:
            return Fraction(comb(int(first), int(second)))
        case "abs":
            return abs(first)
        case "floor":
            return Fraction(first.numerator // first.denominator)
        case "ceil":
            return Fraction(-(-first.numerator // first.denominator))
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "gcd" if whole:
            return Fraction(gcd(*(int(value) for value in values)))
        case "lcm" if whole:
            return Fraction(lcm(*(int(value) for value in values)))
        case "based":
            return _in_base(int(first), int(second))
    return None


def _exact_power(base: Fraction, power: Fraction) -> Fraction | None:
    if power.denominator != 1:
        root = _exact_root(base, power.denominator) if power.denominator <= 64 else None
        return None if root is None else _exact_power(root, Fraction(power.numerator))
    if abs(power) * log2(max(abs(base.numerator), base.denominator, 1)) > _MOST_BITS:
        return None
    return base ** int(power)


def _exact_root(value: Fraction, index: int) -> Fraction | None:
    if value < 0:
        return None
    top, bottom = (_integer_root(part, index) for part in (value.numerator, value.denominator))
    return None if top is None or bottom is None else Fraction(top, bottom)


def _integer_root(value: int, index: int) -> int | None:
    guess = round(2 ** (log2(value) / index)) if value else 0
    for root in (guess - 1, guess, guess + 1):
        if root >= 0 and root**index == value:
            return root
    return None


def _in_base(digits: int, base: int) -> Fraction:
    return Fraction(int(str(digits), base))


def value(tree: Tree, point: Point) -> Any:
    """The complex value at a point (symbol -> value), to 50 digits. Raises TooBigError and UndefinedError."""
    try:
        found = _value(tree, point)
        if 0 < abs(found) < 1e-35 and _is_noise(tree, point, found):
            return _context.mpf(0)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError, mpmath.libmp.NoConvergence) as error:
        if isinstance(error, TooBigError | UndefinedError):
            raise
        raise UndefinedError(f"{type(error).__name__}: {error}") from None
    if _context.isnan(found):
        raise UndefinedError("not a number")
    return found


def _is_noise(tree: Tree, point: Point, found: Any) -> bool:
    """Whether a tiny value is what rounding left of zero: with more digits it shrinks, and 1/2004! does not."""
    with _context.workdps(3 * DIGITS):
        return bool(abs(_value(tree, point)) < abs(found) * 1e-20)


COMPLEX: Final = _context.mpc


def number(fraction: Fraction) -> Any:
    """A fraction to 50 digits."""
    return _context.mpf(fraction.numerator) / fraction.denominator


def decimal(factor: float) -> Any:
    """A float as the short decimal it was written as, to 50 digits."""
    return _context.mpf(repr(factor))


def printed(value: Any, digits: int) -> str:
    """A value to so many significant digits; the parts of a complex one below that precision are left out."""
    if isinstance(value, COMPLEX):
        size = abs(value)
        parts = [
            part if abs(part) > size * 10.0**-digits else _context.mpf(0) for part in (value.real, value.imag)
        ]
        if parts[1] == 0:
            return printed(parts[0], digits)
        real_part = f"{printed(parts[0], digits)} + " if parts[0] else ""
        return f"{real_part}{printed(parts[1], digits)}i"
    return str(_context.nstr(value, digits)).removesuffix(".0")


def agree_closely(one: Tree, other: Tree, point: Point) -> bool:
    """Whether two values that agree to DIGITS digits go on to do so: 1 - 2^{-300} is not 1."""
    with _context.workdps(_MANY_DIGITS):
        values = _value(one, point), _value(other, point)
        return bool(abs(values[0] - values[1]) <= abs(values[0]) * _context.mpf(10) ** (20 - _MANY_DIGITS))


def real(value: Any) -> Any:
    """A real value: NaN for one that is not."""
    if isinstance(value, COMPLEX):
        return value.real if abs(value.imag) <= 1e-25 * abs(value) else _context.nan
    return value


def close(one: Any, other: Any, relative: float = 1e-30) -> bool:
    """Whether two values agree to a relative difference; infinities only with themselves."""
    if _context.isinf(one) or _context.isinf(other):
        return bool(one == other)
    size = max(abs(one), abs(other))
    return bool(abs(one - other) <= relative * size)


def points(names: Iterable[str], count: int, integers: bool, negative: bool) -> list[Point]:
    """Fixed pseudo-random points: the same names get the same values in every run and process."""
    names = sorted(names)
    return [{name: _coordinate(name, index, integers, negative) for name in names} for index in range(count)]


_COUNTED: Final = frozenset("nkmNMKjl")


def _coordinate(name: str, index: int, integers: bool, negative: bool) -> Any:
    digest = hashlib.sha256(f"{name}/{index}".encode()).digest()
    if integers or name in _COUNTED:
        return _context.mpf(_whole(name, index))
    fraction = _context.mpf(int.from_bytes(digest[:16])) / _context.mpf(2) ** 128
    sign = -1 if negative and digest[16] % 2 else 1
    # half of the points below 1, for arcsin and its like
    return sign * (fraction * _context.mpf("0.9") + _context.mpf("0.05") if index % 2 else 1 + 2 * fraction)


_WHOLE: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 18, 21, 25, 30, 101, 250)


def _whole(name: str, index: int) -> int:
    """Different integers at different points, small and large, in an order of the name's own."""
    digest = hashlib.sha256(name.encode()).digest()
    first, step = (
        digest[0],
        1 + digest[1] % (len(_WHOLE) - 1),
    )  # their number is prime: every one has its turn
    whole = _WHOLE[(first + step * index) % len(_WHOLE)]
    return whole + len(_WHOLE) * (index // len(_WHOLE))


_FUNCTIONS: Final = {
    **{name: getattr(_context, name) for name in ("sin cos tan cot sec csc sinh cosh tanh coth exp").split()},
    **{
        name: getattr(_context, name)
        for name in ("asin acos atan acot asec acsc asinh acosh atanh erf").split()
    },
    **{"abs": abs, "re": _context.re, "im": _context.im, "cbrt": _context.cbrt},
}


def _value(tree: Tree, point: Point) -> Any:
    if isinstance(tree, Num):
        return _context.mpf(tree.value.numerator) / tree.value.denominator
    if isinstance(tree, Sym):
        return point[tree.name]
    arguments = [_value(one, point) for one in tree.args]
    if isinstance(tree, Call):
        return _unknown(tree.name, arguments)
    match tree.name:
        case "add":
            return _context.fsum(arguments)
        case "mul":
            return _context.fprod(arguments)
        case "neg":
            return -arguments[0]
        case "div":
            return arguments[0] / arguments[1]
        case "pow":
            return _power(arguments[0], arguments[1])
        case "sqrt":
            return _context.sqrt(arguments[0])
        case "root":
            return _root(arguments[0], arguments[1])
        case "ln":
            return _context.ln(arguments[0])
        case "pi":
            return +_context.pi
        case "e":
            return +_context.e
        case "i":
            return _context.mpc(0, 1)
        case "inf":
            return _context.inf
        case "factorial":
            return _factorial(arguments[0])
        case "factorial2":
            return _context.fac2(_bounded(arguments[0], 10**6))
        case "binom":
            return _context.binomial(_bounded(arguments[0], 10**9), _bounded(arguments[1], 10**9))
        case "floor":
            return _context.floor(_real(arguments[0]))
        case "ceil":
            return _context.ceil(_real(arguments[0]))
        case "sgn":
            return _context.sign(arguments[0])
        case "min":
            return min(_real(one) for one in arguments)
        case "max":
            return max(_real(one) for one in arguments)
        case "cis":
            return _context.expj(arguments[0])
        case "based":
            return _context.mpf(int(_in_base(int(arguments[0]), int(arguments[1]))))
    if tree.name in ("exp", "sinh", "cosh"):
        _bounded(arguments[0], _LARGEST_LOG2)
    if tree.name not in _FUNCTIONS or len(arguments) != 1:
        raise UndefinedError(f"no function {tree.name}")
    return _FUNCTIONS[tree.name](arguments[0])


def _real(number: Any) -> Any:
    if isinstance(number, _context.mpc):
        if abs(number.imag) > 1e-30 * abs(number):
            raise UndefinedError("not real")
        number = number.real
    nearest = _context.nint(number)
    return nearest if close(number, nearest) else number


def _bounded(number: Any, limit: int) -> Any:
    if abs(number) > limit:
        raise TooBigError(f"beyond {limit:.0e}")
    return number


def _power(base: Any, power: Any) -> Any:
    if base == 0 or base == 1 or _context.isinf(base) or _context.isinf(power):
        return base**power
    size = abs(power) * abs(_context.log(abs(base), 2))
    if size > _LARGEST_LOG2:
        raise TooBigError("a power of too many digits")
    real = not isinstance(base, _context.mpc) and not isinstance(power, _context.mpc)
    if real and base < 0 and not _context.isint(power):
        third = power * 3
        if close(third, _context.nint(third)):  # the real cube root, as in (-8)^{1/3}
            return _root(base, _context.mpf(3)) ** int(_context.nint(third))
    return base**power


def _root(base: Any, index: Any) -> Any:
    index = _real(index)
    if _context.isint(index) and int(index) % 2 and not isinstance(base, _context.mpc) and base < 0:
        return -((-base) ** (1 / index))
    return base ** (1 / index)


def _factorial(number: Any) -> Any:
    number = _real(number)
    if number < 0 and _context.isint(number):
        raise UndefinedError("the factorial of a negative integer")
    if number > 10**13:
        raise TooBigError("a factorial of too many digits")
    return _context.gamma(number + 1)


def _unknown(name: str, arguments: list[Any]) -> Any:
    """A value that depends on the name and the arguments alone: f(2) is f(2), and neither f(3) nor g(2)."""
    described = name + ",".join(_context.nstr(_context.mpc(one), 25) for one in arguments)
    digest = hashlib.sha256(described.encode()).digest()
    return 1 + _context.mpf(int.from_bytes(digest[:16])) / _context.mpf(2) ** 127
