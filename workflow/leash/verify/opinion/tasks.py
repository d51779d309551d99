"""Opinions on answers to Reasoning Gym tasks: exact arithmetic on what the question gave."""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from leash.verify.opinion.reading import UnreadableError

Opinion = tuple[bool | None, str]

_NUMBER: Final = r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|[+-]?\.\d+"
_STRONGER: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "negative": 3}


def judge(task: str, extracted: str, gold: str, metadata: str) -> Opinion:
    """Whether the answer solves the question. Raises UnreadableError, and KeyError where metadata lacks a key."""
    opine = _TASKS.get(task)
    if opine:
        return opine(extracted.strip(), gold.strip(), json.loads(metadata))
    if extracted.split() == gold.split():
        return True, "same text"
    return None, f"none for the task {task}"


def _number(answer: str, gold: str, metadata: dict[str, Any]) -> Opinion:
    del metadata
    ours, theirs = (_parsed(text) for text in (answer, gold))
    return ours == theirs, "integers" if ours.denominator == theirs.denominator == 1 else "numbers"


def _factors(answer: str, gold: str, metadata: dict[str, Any]) -> Opinion:
    # Imported here: sympy takes half a second, and the workflow imports this package for its version.
    from sympy import isprime

    del gold
    factors = [_parsed(part.strip()) for part in re.split(r"[×*·]", answer)]
    product = Fraction(1)
    for factor in factors:
        product *= factor
    right = product == metadata["number"] and all(isprime(int(factor)) for factor in factors)
    return right, "factors"


def _countdown(answer: str, gold: str, metadata: dict[str, Any]) -> Opinion:
    del gold
    return _reaches(answer, metadata["numbers"], metadata["target"])


def _puzzle24(answer: str, gold: str, metadata: dict[str, Any]) -> Opinion:
    del gold
    return _reaches(answer, metadata["numbers"], 24)


def _reaches(answer: str, numbers: list[int], target: int) -> Opinion:
    used, value = expression(answer)
    return sorted(used) == sorted(numbers) and value == target, "expression over the numbers"


def expression(text: str) -> tuple[list[int], Fraction | None]:
    """The integers in an expression of + - * / and brackets, and its exact value (None: divides by zero).

    Shunting-yard. Raises UnreadableError for any other text.
    """
    tokens = re.findall(r"\d+|\S", text)
    used: list[int] = []
    values: list[Fraction | None] = []
    waiting: list[str] = []
    operand_next = True
    for token in tokens:
        if operand_next:
            if token.isdecimal():
                used.append(int(token))
                values.append(Fraction(token))
                operand_next = False
            elif token in ("(", "-", "+"):
                waiting += {"(": ["("], "-": ["negative"], "+": []}[token]
            else:
                raise UnreadableError(f"no expression: {token[:20]!r} out of place")
        elif token == ")":
            while waiting and waiting[-1] != "(":
                _reduce(values, waiting.pop())
            if not waiting:
                raise UnreadableError("no expression: a bracket closes that was not opened")
            waiting.pop()
        elif token in ("+", "-", "*", "/"):
            while waiting and waiting[-1] != "(" and _STRONGER[waiting[-1]] >= _STRONGER[token]:
                _reduce(values, waiting.pop())
            waiting.append(token)
            operand_next = True
        else:
            raise UnreadableError(f"no expression: {token[:20]!r} out of place")
    if operand_next or "(" in waiting:
        raise UnreadableError("no expression: it ends too soon")
    while waiting:
        _reduce(values, waiting.pop())
    return used, values[0]


def _reduce(values: list[Fraction | None], sign: str) -> None:
    other = values.pop()
    one = Fraction(0) if sign == "negative" else values.pop()
    if one is None or other is None or (sign == "/" and other == 0):
        values.append(None)
    elif sign in ("-", "negative"):
        values.append(one - other)
    elif sign == "+":
        values.append(one + other)
    else:
        values.append(one * other if sign == "*" else one / other)


def _parsed(text: str) -> Fraction:
    if not re.fullmatch(_NUMBER, text):
        raise UnreadableError(f"no number: {text[:20]!r}")
    return Fraction(text.replace(",", ""))


_TASKS: Final[dict[str, Callable[[str, str, dict[str, Any]], Opinion]]] = {
    **dict.fromkeys(("gcd", "lcm", "chain_sum", "products"), _number),
    "prime_factorization": _factors,
    "countdown": _countdown,
    "puzzle24": _puzzle24,
}
