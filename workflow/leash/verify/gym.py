"""The verifier of Reasoning Gym tasks: the environment's own score_answer, with guards before it.

Correct means a score of 1. Less is partial credit, which is not a solution: 0.01 and 0.05 for a well-formed
wrong answer (countdown), 0.5 for factors that multiply to the number but are not prime (prime_factorization),
the ratio of lengths for an answer that contains the gold (chain_sum, gcd, every task without own scoring).

What is relied on, as read in version 0.1.25:
  gcd                  the text equals the gold.
  chain_sum            Decimal(answer) == Decimal(gold), commas dropped: "+06.0" is 6.
                       Guarded: "1,2" would be 12.
  prime_factorization  int() of each part between × signs, sorted, equals the gold's.
                       Guarded: any other text ("2 * 3") raises instead of scoring low.
  countdown            sympy's parse_expr, which evaluates Python; np.isclose at a relative 1e-5; the multiset
                       of the digit runs. Guarded: code would run; `5!`, `~5`, `7//2`, `2**3`, `floor(pi)` and
                       `1e1` pass; `# 3` uses up a 3, and `2.5` a 2 and a 5; near the target passes.
  puzzle24             the same parser, truncated to int, over any four numbers. Guarded in the same way.
  number_sorting       each number within 1 of the gold's. Guarded: equal to it.
A guard refuses only what is no solution; what it lets through, the environment still scores.
"""

import ast
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from leash.benchmarks import reasoning_gym
from leash.records import Row

_INTEGRALS: Final = ("simple_integration", "intermediate_integration", "polynomial_multiplication")
_DECIMALS: Final = ("chain_sum", "products")
_EVALUATED: Final = ("string_insertion", "spiral_matrix", "binary_matrix", "n_queens")

_ARITHMETIC: Final = {
    *("countdown", "puzzle24", "prime_factorization", "gcd", "lcm", "basic_arithmetic", "complex_arithmetic"),
    *("decimal_arithmetic", "decimal_chain_sum", "fraction_simplification", "power_function", "count_primes"),
    *("simple_equations", "polynomial_equations", *_DECIMALS, *_INTEGRALS),
}


def score(task: str, answer: str, gold: str, metadata: str) -> tuple[bool, str]:
    """Whether the answer is correct, and why. `metadata` is the JSON string of a questions file.

    Raises InputError for an unknown task, and whatever the environment's scoring raises.
    """
    points = _scorer(task)
    entry = reasoning_gym.entry("", gold, metadata)
    guard = _GUARDS.get(task)
    refusal = guard(answer, entry) if guard else ""
    if refusal:
        return False, f"guard: {refusal}"
    value = float(points(answer, entry))
    return value >= 1, f"score {value:g}"


def canonical(task: str, answer: str) -> str:
    """The normal form: whitespace runs become a space, kept in arithmetic tasks only within "1 2"."""
    spaced = " ".join(answer.split())
    return re.sub(r" (?!\w)|(?<!\w) ", "", spaced) if task in _ARITHMETIC else spaced


_SCORERS: dict[str, Callable[[str, Row], float]] = {}


def _scorer(task: str) -> Callable[[str, Row], float]:
    if task not in _SCORERS:
        _SCORERS[task] = reasoning_gym.scorer(task)
    return _SCORERS[task]


# A guard returns why the answer cannot be a solution, or "" to let the environment score it.


def _guard_countdown(answer: str, entry: Row) -> str:
    return _guard_expression(answer, entry["metadata"]["numbers"], entry["metadata"]["target"])


def _guard_puzzle24(answer: str, entry: Row) -> str:
    return _guard_expression(answer, entry["metadata"]["numbers"], 24)


_LONGEST_EXPRESSION: Final = 1000  # characters; beyond it Python's parser only has nesting to refuse


def _guard_expression(answer: str, numbers: list[int], target: int) -> str:
    """Refuse all but + - * / and brackets over exactly these integers, with exactly this value."""
    if not re.fullmatch(r"[0-9+\-*/()\s]+", answer):
        return "characters other than digits, + - * / ( )"
    if len(answer) > _LONGEST_EXPRESSION:
        return f"an expression of more than {_LONGEST_EXPRESSION} characters"
    used: list[int] = []
    try:
        value = _exact(ast.parse(answer.strip(), mode="eval").body, used)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError) as error:
        return f"not an arithmetic expression ({type(error).__name__}: {error})"
    if sorted(used) != sorted(numbers):
        return f"uses {sorted(used)}, not {sorted(numbers)}"
    return "" if value == target else f"equals {value}, not {target}"


def _exact(node: ast.expr, used: list[int]) -> Fraction:
    match node:
        case ast.Constant(value=int(value)):
            used.append(value)
            return Fraction(value)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _exact(operand, used)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_exact(operand, used)
        case ast.BinOp(left=left, op=operator, right=right):
            first, second = _exact(left, used), _exact(right, used)
            match operator:
                case ast.Add():
                    return first + second
                case ast.Sub():
                    return first - second
                case ast.Mult():
                    return first * second
                case ast.Div():
                    return first / second
    raise ValueError("an operator other than + - * /")


def _guard_product(answer: str, entry: Row) -> str:
    del entry
    try:
        for part in answer.split("×"):
            if part.strip():
                int(part.strip())
    except ValueError as error:
        return f"not integers separated by × ({str(error)[:200]})"
    return ""


def _guard_commas(answer: str, entry: Row) -> str:
    """Commas may only group digits: the last group has three, others two or three (1,00,000 is a lakh)."""
    del entry
    if "," in answer and not re.fullmatch(r"[+-]?\d{1,3}(,\d{2,3})*,\d{3}(\.\d*)?", answer.strip()):
        return "commas that do not group digits"
    return ""


_FUNCTIONS: Final = {
    *(
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "sinh",
        "cosh",
        "tanh",
        "asin",
        "acos",
        "atan",
        "exp",
        "log",
        "ln",
    ),
    *("sqrt", "pi", "E", "I", "C", "Abs", "abs"),
}


def _guard_formula(answer: str, entry: Row) -> str:
    """Refuse what sympy's parser would run: attributes, strings, unknown names (`Integral` solves any)."""
    del entry
    if not re.fullmatch(r"[A-Za-z0-9+\-*/^()., \t\n]+", answer) or re.search(r"\.\s*[A-Za-z]", answer):
        return "characters that no formula has"
    names = re.findall(r"(?<![A-Za-z0-9.])[A-Za-z][A-Za-z0-9]*", answer)
    strange = [name for name in names if name not in _FUNCTIONS and not re.fullmatch(r"[a-zX]", name)]
    return f"the name {strange[0][:50]!r}" if strange else ""


def _guard_sorting(answer: str, entry: Row) -> str:
    try:
        numbers, gold = (
            [float(number) for number in json.loads(text.replace("'", '"'))]
            for text in (answer, entry["answer"])
        )
    except (ValueError, TypeError, RecursionError) as error:
        return f"not a list of numbers ({type(error).__name__})"
    return "" if numbers == gold else "other numbers"


def _guard_exact(answer: str, entry: Row) -> str:
    """The environment evaluates any other text as Python, only to give it partial credit."""
    accepted = entry["metadata"].get("valid_answers", [entry["answer"]])
    return "" if answer.strip() in {text.strip() for text in accepted} else "not an accepted answer"


_GUARDS: Final[dict[str, Callable[[str, Row], str]]] = {
    "countdown": _guard_countdown,
    "puzzle24": _guard_puzzle24,
    "prime_factorization": _guard_product,
    "number_sorting": _guard_sorting,
    **dict.fromkeys(_DECIMALS, _guard_commas),
    **dict.fromkeys(_INTEGRALS, _guard_formula),
    **dict.fromkeys(_EVALUATED, _guard_exact),
}
