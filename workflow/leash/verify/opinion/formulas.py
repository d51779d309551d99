"""The value of a formula in LaTeX or plain text: exact where it is rational, else 60 digits. No code is run.

A recursive descent that evaluates as it reads. What can be read in two ways (1/2x, sin x(y+1)) is refused, and
so is what would be too large to be worth its time (10^10^10).
"""

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import mpmath

from leash.verify.opinion.arithmetic import DIGITS, Value, apply, as_mpmath, bounded, divide, factorial, power
from leash.verify.opinion.reading import UnreadableError

Lookup = Callable[[str], Value]

_DEEPEST: Final = 60  # brackets within brackets
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4}(?![\d.]))?)"
    r"|(?P<name>(?:[A-Za-z]|\\[A-Za-z]+)(?:\s*_\s*(?:\{[^{}]*\}|[A-Za-z0-9]))?)|(?P<sign>[-+*/^!|()\[\]{}]))"
)
_GREEK: Final = re.compile(
    r"alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|upsilon|phi|chi|psi"
    r"|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega|hbar|ell"
)
_FUNCTIONS: Final[dict[str, Callable[[Value], Value]]] = {
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "sec", "csc", "cot")},
    **{name: getattr(mpmath, name) for name in ("sinh", "cosh", "tanh", "exp")},
    **{f"arc{name}": getattr(mpmath, f"a{name}") for name in ("sin", "cos", "tan")},
    **{"ln": mpmath.log, "log": mpmath.log, "lg": mpmath.log10},
}
_CONSTANTS: Final[dict[str, Callable[[], Value]]] = {
    **{"e": lambda: +mpmath.e, r"\pi": lambda: +mpmath.pi, r"\infty": lambda: mpmath.inf},
    "i": lambda: mpmath.mpc(0, 1),
}
_PLUS: Final = {"+": operator.add, "-": operator.sub}
_TIMES: Final = {
    **{"*": operator.mul, r"\cdot": operator.mul, r"\times": operator.mul},
    **{"/": operator.truediv, r"\div": operator.truediv},
}


def evaluate(text: str, lookup: Lookup) -> Value:
    """The value of `text`, with the symbols' values from `lookup`. Raises UnreadableError, and ArithmeticError."""
    with mpmath.workdps(DIGITS):
        return _Reader(text, lookup).whole()


class _Reader:
    def __init__(self, text: str, lookup: Lookup) -> None:
        self._tokens = _tokens(text)
        self._lookup = lookup
        self._depth = 0
        self._bars = 0

    def whole(self) -> Value:
        value = self._sum()
        if self._tokens:
            raise UnreadableError(f"no formula: {self._tokens[-1]!r} out of place")
        return value

    # The tokens lie reversed, so that the next one is the last.

    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def _take(self, wanted: str = "") -> str:
        if not self._tokens or (wanted and self._tokens[-1] != wanted):
            raise UnreadableError(f"no formula: {wanted or 'something'} is missing")
        return self._tokens.pop()

    def _sum(self) -> Value:
        value = self._signed_product()
        while self._next() in _PLUS:
            sign = self._take()
            value = apply(_PLUS[sign], value, self._signed_product())
        return value

    def _signed_product(self) -> Value:
        if self._next() in _PLUS:
            return self._product() if self._take() == "+" else -self._product()
        return self._product()

    def _product(self) -> Value:
        value = self._power()
        divided = False
        while True:
            if self._next() in _TIMES:
                sign = self._take()
                negative = self._next() in _PLUS and self._take() == "-"
                divided = _TIMES[sign] is operator.truediv
                factor = self._power()
                value = apply(_TIMES[sign], value, -factor if negative else factor)
            elif self._starts_factor():
                if divided or self._next()[:1].isdigit():
                    raise UnreadableError("no formula: a product that can be read in two ways")
                value = apply(operator.mul, value, self._power())
            else:
                return value

    def _starts_factor(self) -> bool:
        token = self._next()
        if token == "|":
            return not self._bars
        return token not in _TIMES and (token[:1].isalnum() or token[:1] in tuple(r"\([{."))

    def _power(self) -> Value:
        base = self._atom()
        while self._next() == "!":
            self._take()
            base = factorial(base)
        if self._next() != "^":
            return base
        self._take()
        return power(base, self._exponent())

    def _exponent(self) -> Value:
        negative = self._next() in _PLUS and self._take() == "-"
        exponent = self._power()
        return -exponent if negative else exponent

    def _atom(self) -> Value:
        token = self._take()
        if token in ("(", "[", "{", "|"):
            return self._bracketed(token)
        if token[:1].isdigit() or token[:1] == ".":
            return self._mixed(token)
        if token in _CONSTANTS:
            return _CONSTANTS[token]()
        name = token.lstrip("\\")
        if token[0].isalpha() or _GREEK.fullmatch(name.partition("_")[0]):
            return self._lookup(name)
        if name == "frac":
            return divide(self._argument(), self._argument())
        if name == "binom":
            above, below = (as_mpmath(self._argument()) for _ in range(2))
            return bounded(mpmath.binomial(above, below))
        if name == "sqrt":
            return self._root()
        if name.partition("_")[0] in _FUNCTIONS:
            return self._function(*name.partition("_")[::2])
        raise UnreadableError(f"no formula: {token}")

    def _bracketed(self, opening: str) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError(f"more than {_DEEPEST} brackets within brackets")
        bars, self._bars = self._bars, opening == "|"
        value = self._sum()
        self._take({"(": ")", "[": "]", "{": "}", "|": "|"}[opening])
        self._bars = bars
        self._depth -= 1
        return abs(value) if opening == "|" else value

    def _mixed(self, token: str) -> Value:
        """A number; 3\\frac{1}{2} is three and a half."""
        value = Fraction(token)
        digits = self._tokens[-7:][::-1]
        if token.isdigit() and digits[:2] == [r"\frac", "{"] and digits[3:5] == ["}", "{"]:
            above, below = digits[2], digits[5]
            if above.isdigit() and below.isdigit() and digits[6] == "}" and int(above) < int(below):
                self._take()
                return value + self._argument() / self._argument()
        return value

    def _argument(self) -> Value:
        """What \\frac, \\sqrt and the like apply to: a bracket, or the one character after them."""
        token = self._next()
        if len(token) > 1 and token[0].isdigit():
            self._tokens[-1] = token[1:]
            return Fraction(token[0])
        return self._atom()

    def _root(self) -> Value:
        degree: Value = Fraction(2)
        if self._next() == "[":
            self._take()
            degree = self._bracketed("[")
        return power(self._argument(), divide(Fraction(1), degree))

    def _function(self, name: str, base: str) -> Value:
        raised: Value = Fraction(1)
        if self._next() == "^":
            self._take()
            raised = self._exponent()
        inverse = raised == -1 and f"arc{name}" in _FUNCTIONS
        argument = as_mpmath(self._bracketed(self._take()) if self._next() in ("(", "{") else self._bare())
        if abs(argument) > mpmath.mpf(10) ** 12 and name not in ("ln", "log", "lg"):
            raise UnreadableError("too large to evaluate")
        value = bounded(_FUNCTIONS[f"arc{name}" if inverse else name](argument))
        if base:
            value /= mpmath.log(as_mpmath(evaluate(base, self._lookup)))
        return value if inverse else power(value, raised)

    def _bare(self) -> Value:
        """sin 2x: numbers and symbols up to a sign, a bracket or another function."""
        value = self._power()
        while self._starts_factor() and self._next().lstrip("\\").partition("_")[0] not in _FUNCTIONS:
            if self._next() in ("(", "[", "{", "|"):
                raise UnreadableError("no formula: a function whose argument can be read in two ways")
            value = apply(operator.mul, value, self._power())
        return value


def _tokens(text: str) -> list[str]:
    if re.search(r"(?<![\\A-Za-z])[A-Za-z]{4,}", re.sub(r"_\s*\{[^{}]*\}", "_", text)):
        raise UnreadableError("words")
    text = re.sub(r"^([-+]?)(\d+)\s+(\d+\s*/\s*\d+)$", r"\1(\2+\3)", text.strip())
    tokens, index = [], 0
    while index < len(text.rstrip()):
        found = _TOKEN.match(text, index)
        if not found:
            raise UnreadableError(f"no formula: {text[index:].strip()[:20]!r}")
        tokens.append(re.sub(r"[\s{}]", "", found["name"]) if found["name"] else found[0].strip())
        index = found.end()
    return [re.sub(r"^\\var(?=[a-z]{2})", r"\\", token) for token in reversed(tokens)]
