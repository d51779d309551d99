"""Worked solutions ("traces") of the reasoning_gym tasks, several styles for each.

A style is a way of working, not a measure of quality: some suit a question, some do not, and nothing marks
which. A trace is steps parted by single spaces, e.g. `9+3=12 5*12=60 60-3=57`. Every style works its question
out from the numbers alone; `write_trace` refuses a trace whose outcome is not the gold answer.
"""

import ast
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, Final, NamedTuple

from leash.errors import InputError

Metadata = dict[str, Any]


class Worked(NamedTuple):
    """A trace, and what it comes to: a number (countdown, chain_sum, gcd) or sorted primes."""

    text: str
    outcome: Fraction | list[int]


Style = Callable[[Metadata, list[str], Random], Worked]


class _Step(NamedTuple):
    """One binary operation; `left` and `right` are the values it combines."""

    left: Fraction
    sign: str
    right: Fraction
    value: Fraction

    def forward(self) -> str:
        return f"{self.left}{self.sign}{self.right}={self.value}"

    def backward(self) -> str:
        return f"{self.value}={self.left}{self.sign}{self.right}"


_OPERATIONS: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_SIGNS: Final[dict[type[ast.operator], str]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def _evaluate(node: ast.expr, steps: list[_Step]) -> Fraction:
    """The value of an arithmetic expression, its operations appended to `steps` innermost first."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, steps)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        left, right = _evaluate(node.left, steps), _evaluate(node.right, steps)
        sign = _SIGNS[type(node.op)]
        value = _OPERATIONS[sign](left, right)
        steps.append(_Step(left, sign, right, value))
        return value
    raise ValueError(f"not an arithmetic expression: {ast.unparse(node)}")


def _countdown_steps(gold: list[str]) -> tuple[list[_Step], Fraction]:
    steps: list[_Step] = []
    value = _evaluate(ast.parse(gold[0], mode="eval").body, steps)
    return steps, value


def countdown_forward(_metadata: Metadata, gold: list[str], _rng: Random) -> Worked:
    """The gold expression evaluated from the inside out: `9+3=12 5*12=60 60-3=57`."""
    steps, value = _countdown_steps(gold)
    return Worked(" ".join(step.forward() for step in steps), value)


def countdown_backward(_metadata: Metadata, gold: list[str], _rng: Random) -> Worked:
    """The target taken apart until only the given numbers stand: `57=60-3 60=5*12 12=9+3`."""
    steps, value = _countdown_steps(gold)
    return Worked(" ".join(step.backward() for step in reversed(steps)), value)


def countdown_search(metadata: Metadata, gold: list[str], rng: Random) -> Worked:
    """One or two attempts that miss the target, each ended by `no`, then the forward trace."""
    right = countdown_forward(metadata, gold, rng)
    attempts = [_failing_attempt(metadata, rng) for _ in range(rng.randint(1, 2))]
    return Worked("".join(f"{attempt} no " for attempt in attempts) + right.text, right.outcome)


def _failing_attempt(metadata: Metadata, rng: Random) -> str:
    """All numbers combined at random, whole numbers only, to something other than the target."""
    while True:
        numbers = [Fraction(number) for number in rng.sample(metadata["numbers"], len(metadata["numbers"]))]
        value, steps = numbers[0], []
        for number in numbers[1:]:
            signs = ["+", "-", "*"]
            if (value / number).denominator == 1:
                signs.append("/")
            sign = rng.choice(signs)
            step = _Step(value, sign, number, _OPERATIONS[sign](value, number))
            steps.append(step)
            value = step.value
        if value != metadata["target"]:
            return " ".join(step.forward() for step in steps)


def prime_factors(number: int) -> list[int]:
    """Prime factors with multiplicity, ascending; empty for 1."""
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors


def _divided(number: int, factors: list[int]) -> str:
    """`874/2=437 437/19=23`: each factor but the last divided out; a prime stands alone."""
    steps = []
    left = number
    for factor in factors[:-1]:
        steps.append(f"{left}/{factor}={left // factor}")
        left //= factor
    return " ".join(steps) or str(number)


def prime_factorization_up(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """The smallest prime divided out first: `874/2=437 437/19=23`."""
    factors = prime_factors(metadata["number"])
    return Worked(_divided(metadata["number"], factors), factors)


def prime_factorization_down(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """The largest prime divided out first: `874/23=38 38/19=2`."""
    factors = prime_factors(metadata["number"])
    return Worked(_divided(metadata["number"], factors[::-1]), factors)


def prime_factorization_split(metadata: Metadata, _gold: list[str], rng: Random) -> Worked:
    """A tree of random two-way splits, depth first: `874=38×23 38=2×19`."""
    steps: list[str] = []
    leaves: list[int] = []
    pending = [metadata["number"]]
    while pending:
        number = pending.pop()
        divisors = [divisor for divisor in range(2, number) if number % divisor == 0]
        if not divisors:
            leaves.append(number)
            continue
        left = rng.choice(divisors)
        steps.append(f"{number}={left}×{number // left}")
        pending += [number // left, left]
    return Worked(" ".join(steps) or str(metadata["number"]), sorted(leaves))


def _terms(metadata: Metadata) -> tuple[list[str], list[int]]:
    """`15 - 43 + 7` as ["+", "-", "+"], [15, 43, 7]."""
    tokens = ["+", *metadata["expression"].split()]
    return tokens[::2], [int(number) for number in tokens[1::2]]


def _running(signs: list[str], numbers: list[int]) -> tuple[list[str], int]:
    """Steps that take the terms one by one, and what they come to: ["15-43=-28", "-28-75=-103"], -103."""
    steps = []
    total = numbers[0]
    for sign, number in zip(signs[1:], numbers[1:], strict=True):
        value = total + number if sign == "+" else total - number
        steps.append(f"{total}{sign}{number}={value}")
        total = value
    return steps, total


def chain_sum_left(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """Term by term from the left: `15-43=-28 -28-75=-103`."""
    steps, total = _running(*_terms(metadata))
    return Worked(" ".join(steps), Fraction(total))


def chain_sum_group(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """What is added, then what is taken away, then the difference: `43+75=118 15-118=-103`."""
    signs, numbers = _terms(metadata)
    added = [number for sign, number in zip(signs, numbers, strict=True) if sign == "+"]
    taken = [number for sign, number in zip(signs, numbers, strict=True) if sign == "-"]
    steps, total = _running(["+"] * len(added), added)
    if taken:
        more, loss = _running(["+"] * len(taken), taken)
        steps += [*more, f"{total}-{loss}={total - loss}"]
        total -= loss
    return Worked(" ".join(steps), Fraction(total))


def chain_sum_direct(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """No working: the answer at once."""
    _, total = _running(*_terms(metadata))
    return Worked("", Fraction(total))


def _pair(metadata: Metadata) -> tuple[int, int]:
    """The two numbers of a gcd question, the larger first."""
    larger, smaller = sorted(metadata["numbers"], reverse=True)
    return larger, smaller


def gcd_euclid(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """Remainders until one is 0: `99%55=44 55%44=11 44%11=0`."""
    larger, smaller = _pair(metadata)
    steps = []
    while smaller:
        steps.append(f"{larger}%{smaller}={larger % smaller}")
        larger, smaller = smaller, larger % smaller
    return Worked(" ".join(steps), Fraction(larger))


def gcd_subtract(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """The largest multiple of the smaller taken away: `99-1*55=44 55-1*44=11 44-4*11=0`.

    Whole multiples at once, because one subtraction at a time would outgrow any token limit on (99, 2).
    """
    larger, smaller = _pair(metadata)
    steps = []
    while smaller:
        steps.append(f"{larger}-{larger // smaller}*{smaller}={larger % smaller}")
        larger, smaller = smaller, larger % smaller
    return Worked(" ".join(steps), Fraction(larger))


def gcd_factors(metadata: Metadata, _gold: list[str], _rng: Random) -> Worked:
    """Both numbers factorized, then the product of what they share: `99=3×3×11 55=5×11 11`."""
    larger, smaller = _pair(metadata)
    left = prime_factors(smaller)
    shared = []
    for factor in prime_factors(larger):
        if factor in left:
            left.remove(factor)
            shared.append(factor)
    lines = [f"{number}={_product(prime_factors(number))}" for number in (larger, smaller)]
    return Worked(" ".join([*lines, _product(shared)]), Fraction(math.prod(shared)))


def _product(factors: list[int]) -> str:
    return "×".join(map(str, factors)) or "1"


STYLES: Final[dict[str, dict[str, Style]]] = {
    "countdown": {"forward": countdown_forward, "backward": countdown_backward, "search": countdown_search},
    "prime_factorization": {
        "up": prime_factorization_up,
        "down": prime_factorization_down,
        "split": prime_factorization_split,
    },
    "chain_sum": {"left": chain_sum_left, "group": chain_sum_group, "direct": chain_sum_direct},
    "gcd": {"euclid": gcd_euclid, "subtract": gcd_subtract, "factors": gcd_factors},
}
"""task -> style -> the function that writes it."""


def _right_outcome(task: str, metadata: Metadata, gold: list[str]) -> Fraction | list[int]:
    if task == "countdown":
        return Fraction(metadata["target"])
    if task == "prime_factorization":
        return sorted(int(factor) for factor in gold[0].split("×"))
    return Fraction(gold[0])


def write_trace(task: str, style: str, metadata: Metadata, gold: list[str], rng: Random) -> str:
    """The trace of one question in one style, checked against the gold answer.

    `metadata` is the entry's of reasoning_gym (numbers and target, number, expression, numbers), `gold` its
    one answer. Raises InputError for metadata that lacks what the style reads, and for a trace that does not
    come out at the gold answer (a question whose parts do not belong together).
    """
    try:
        worked = STYLES[task][style](metadata, gold, rng)
        right = _right_outcome(task, metadata, gold)
    except (KeyError, ValueError, SyntaxError, ZeroDivisionError, IndexError) as error:
        raise InputError(
            f"{task} question with gold {gold} and metadata {metadata}: no {style} trace can be written "
            f"({type(error).__name__}: {error}); generate the questions again"
        ) from error
    if worked.outcome != right:
        raise InputError(
            f"{task} question with metadata {metadata}: its {style} trace comes to {worked.outcome}, "
            f"its gold answer is {gold[0]}; generate the questions again"
        )
    return worked.text
