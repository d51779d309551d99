"""One cleaned expression -> tokens."""

import re
from dataclasses import dataclass
from typing import Final

from leash.verify.math.tree import UnreadableError

FUNCTIONS: Final = {
    **{
        name: name
        for name in ("sin cos tan cot sec csc sinh cosh tanh coth exp ln min max gcd lcm sgn erf").split()
    },
    **{
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arccot": "acot",
        "arcsec": "asec",
        "arccsc": "acsc",
    },
    **{name: name for name in ("asin acos atan acot asec acsc asinh acosh atanh").split()},
    **{
        "arcsinh": "asinh",
        "arccosh": "acosh",
        "arctanh": "atanh",
        "log": "ln",
        "lg": "log10",
        "tg": "tan",
        "ctg": "cot",
    },
    **{
        "arctg": "atan",
        "sqrt": "sqrt",
        "cbrt": "cbrt",
        "cis": "cis",
        "abs": "abs",
        "Abs": "abs",
        "floor": "floor",
        "ceil": "ceil",
    },
    **{"Re": "re", "Im": "im", "binomial": "binom", "factorial": "factorial", "sign": "sgn"},
}

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<num>\d+(?:\.(?!\.)\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
    r"|\\(?P<command>[A-Za-z]+|[{}|])|(?P<np>(?:np|math|sp|sympy|numpy)\.)?(?P<word>[A-Za-z]+)"
    r"|(?P<op>\*\*|[-+*/^_!'(){}\[\]|,°%&=]))"
)


@dataclass(slots=True)
class Token:
    kind: str
    text: str


def tokens(text: str) -> list[Token]:
    found_tokens: list[Token] = []
    at = 0
    end = len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise UnreadableError(f"{text[at : at + 10]!r} is no mathematics")
        kind = found.lastgroup or ""
        value = found[kind]
        at = found.end()
        if kind == "word":
            found_tokens += _letters(value)
        elif kind == "command" and value in ("{", "}", "|"):
            found_tokens.append(Token("op", "|" if value == "|" else "\\" + value))
        elif kind == "command" and value == "text":
            inside = re.compile(r"\s*\{([^{}]*)\}").match(text, at)
            if inside is None:
                raise UnreadableError("\\text without braces")
            found_tokens += _from_text(inside[1])
            at = inside.end()
        elif kind == "command" and value in ("cdot", "times"):
            found_tokens.append(Token("op", "*"))
        elif kind == "command" and value == "div":
            found_tokens.append(Token("op", "/"))
        elif kind == "command":
            found_tokens += _split_command(value)
        else:
            found_tokens.append(Token(kind, value))
    return found_tokens


_GREEK: Final = tuple(
    "epsilon upsilon lambda alpha gamma delta theta kappa sigma omega Lambda Gamma Delta Theta Sigma Omega beta"
    " zeta iota Upsilon hbar eta rho tau phi chi psi Phi Psi mu nu xi pi Xi Pi".split()
)


def _split_command(name: str) -> list[Token]:
    """\\pic is \\pi c where some tool has dropped the space."""
    for greek in _GREEK:
        if name.startswith(greek) and 0 < len(name) - len(greek) <= 2 and name not in FUNCTIONS:
            return [Token("command", greek), *(Token("name", letter) for letter in name[len(greek) :])]
    return [Token("command", name)]


def _from_text(inside: str) -> list[Token]:
    """\\text{13} is 13, \\text{sin} a function, \\text{red} one name."""
    inside = inside.strip()
    power = re.fullmatch(r"([\d.]+)(?:\^(-?\d+))?", inside)
    if power:
        return tokens(f"{power[1]}^{{{power[2]}}}" if power[2] else power[1])
    if inside in FUNCTIONS:
        return [Token("command", inside)]
    if re.fullmatch(r"[A-Za-z]{1,12}", inside):
        return [Token("name", inside)]
    raise UnreadableError(f"{inside[:20]!r} is text")


def _letters(word: str) -> list[Token]:
    """A run of letters: a function, pi, or one variable per letter; more than three are a word."""
    if word in FUNCTIONS and word not in ("re", "im"):
        return [Token("command", word)]
    if word in ("pi", "Pi", "PI"):
        return [Token("command", "pi")]
    if word in ("inf", "oo", "infinity", "Infinity"):
        return [Token("command", "infty")]
    for name in ("arcsin", "arccos", "arctan", "sin", "cos", "tan", "sqrt", "log", "ln", "pi"):
        at = word.find(name)
        if at >= 0 and len(word) - len(name) <= 3:
            before, after = word[:at], word[at + len(name) :]
            return (
                [*_letters(before)] * bool(before)
                + [Token("command", name)]
                + [*_letters(after)] * bool(after)
            )
    if len(word) > 4:
        raise UnreadableError(f"{word[:20]!r} is a word")
    return [Token("name", letter) for letter in word]
