"""A cleaned answer -> what it is: a value, a list, a tuple, an interval, an equation, words, …"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from leash.verify.math import evaluate, units
from leash.verify.math import text as spelling
from leash.verify.math.nodes import (
    ELLIPSIS,
    NONE,
    Chain,
    Group,
    Letter,
    Matrix,
    Node,
    Quantity,
    Ratio,
    Raw,
    Relation,
    Scalar,
    SetOp,
)
from leash.verify.math.scalar import parse
from leash.verify.math.tree import Call, Op, Sym, Tree, UnreadableError
from leash.verify.math.words import Choice, in_words


class Prepared(NamedTuple):
    """An answer's text without spaces, and what it can mean: a second reading where "58,500" may be a list."""

    text: str
    readings: tuple[Node, ...]


@lru_cache(maxsize=128)
def prepare(answer: str) -> Prepared:
    """An answer cleaned and read; kept, since a gold comes with every answer to its question."""
    cleaned = spelling.clean(answer)
    if not spelling.COMMA_GROUPS.search(answer):
        return Prepared(spelling.textual(cleaned), (read(cleaned),))
    split = spelling.clean(answer, join=False)
    if re.search(
        r"[(\[{]\s{0,3}(?:[^()\[\]{}]{0,200},)?\d{1,3},\d{3}\s{0,3}(?:,[^()\[\]{}]{0,200})?\\?[)\]}]", answer
    ):
        # in brackets a comma separates; (1,000) alone is one number
        alone = re.fullmatch(r"\W*\d{1,3}(?:,000)+\W*", answer)
        return Prepared(spelling.textual(cleaned if alone else split), (read(cleaned if alone else split),))
    ordered = (cleaned, split)
    return Prepared(spelling.textual(cleaned), tuple(map(read, ordered)))


_QUALIFIER: Final = re.compile(r"[,\s]*(?:\\text\s*\{)?\s*\b(?:for|where)\s+(?:all|every|any|each)\b.*$")
_PROSE: Final = re.compile(
    r"^(?:\\text\s*\{[^{}]*\b(?:is|are|equals)\s*:?\s*\}|(?:[A-Za-z']+\s+){1,8}(?:is|are|equals)\b\s*:?)\s*(?=\S)"
)
_EITHER: Final = re.compile(r"^(?:\\text\s*\{\s*)?(?:either|both)\b\s*\}?\s*")
_NO_SOLUTION_IN: Final = re.compile(r"(?i)(?:\\text\s*\{)?\s*no (?:real )?solutions?\s+(?:in|over)\b")
_IMPLIES: Final = re.compile(
    r"\\(?:implies|Rightarrow|Longrightarrow|therefore|iff|Leftrightarrow)(?![A-Za-z])"
)


def read(text: str, depth: int = 0) -> Node:
    """The node of a cleaned text. Never raises: what cannot be read is Raw."""
    if len(text) > spelling.LONGEST or depth > _DEEPEST:
        return Raw(text)
    text = _IMPLIES.split(text)[-1].strip()
    if _NO_SOLUTION_IN.match(text):
        return NONE
    words = _in_words(text, depth)
    if words is not None:
        return words
    text = _EITHER.sub("", _PROSE.sub("", _QUALIFIER.sub("", text))).strip()
    rows = list(_split(text, re.compile(";")))
    if len(rows) > 1 and any(len(list(_split(row, _SEPARATOR))) > 1 for row in rows):
        return Group("list", tuple(_as_tuple(read(row, depth + 1)) for row in rows))
    parts = list(_split(text, _SEPARATOR))
    if len(parts) == 1:
        return _item(text, depth)
    items = [_item(part, depth) for part in parts]
    if all(isinstance(item, Relation) for item in items):
        return SetOp("cup" if _OR.search(text) else "cap" if _AND.search(text) else "both", tuple(items))
    flat: list[Node] = []
    for item in items:
        flat += item.items if isinstance(item, Group) and item.kind == "list" else [item]
    return Group("list", tuple(flat))


def _in_words(text: str, depth: int) -> Node | None:
    found = in_words(text)
    if not isinstance(found, Choice):
        return found
    return Letter(found.letter, read(found.rest, depth + 1) if found.rest else None)


def _as_tuple(node: Node) -> Node:
    """x = 1, y = 2; x = 3, y = 4: each row is one solution."""
    return Group("tuple", node.items) if isinstance(node, Group) and node.kind == "list" else node


_AND: Final = re.compile(r"\band\b|和|且")
_OR: Final = re.compile(r"\bor\b|或")
_SEPARATOR: Final = re.compile(
    r"\s*[,;]\s*(?:\\text\s*\{\s*,?\s*(?:and|or)\s*\}|(?:and|or)\b)?|\\text\s*\{\s*,?\s*(?:and|or)\s*\}|(?<=[\s)])(?:and|or)(?=[\s(\\])|和|或|\uf8fe"
)
_BRACKET: Final = re.compile(r"\\[{}]|\\begin\b|\\end\b|\\(?:text)\s*\{[^{}]*\}|\\[A-Za-z]+|[()\[\]{}]")
_OPENING: Final = frozenset(("(", "[", "{", "\\{", "\\begin", "\\langle"))
_CLOSING: Final = frozenset((")", "]", "}", "\\}", "\\end", "\\rangle"))


def _split(text: str, separator: re.Pattern[str]) -> Iterator[str]:
    """Parts of a text between separators outside all brackets; empty parts left out."""
    depth, at, start = 0, 0, 0
    found_any = False
    while at < len(text):
        split = separator.match(text, at) if depth == 0 else None
        if split and split.end() > at:
            if text[start:at].strip():
                found_any = True
                yield text[start:at].strip()
            at = start = split.end()
            continue
        bracket = _BRACKET.match(text, at)
        if bracket:
            depth += (bracket.group() in _OPENING) - (bracket.group() in _CLOSING)
            depth = max(depth, 0)
            at = bracket.end()
        else:
            at += 1
    if text[start:].strip() or not found_any:
        yield text[start:].strip()


# one item

_SIGN: Final = re.compile(
    r"\\le(?![A-Za-z])|\\ge(?![A-Za-z])|\\ne(?![A-Za-z])|\\in(?![A-Za-z])|\\approx(?![A-Za-z])|\\equiv(?![A-Za-z])|<=|>=|!=|==|[<>=≡]"
)
_SIGNS: Final = {
    "\\le": "<=",
    "\\ge": ">=",
    "\\ne": "!=",
    "\\in": "in",
    "\\approx": "~",
    "==": "=",
    "\\equiv": "=",
}
_SETS: Final = re.compile(r"\\(cup|cap|setminus)(?![A-Za-z])")
_ENVIRONMENT: Final = re.compile(
    r"[(\[]?\s*\\begin\s*\{([pbvBV]?matrix|smallmatrix|array)\}(?:\s*\{[lcr| ]*\})?(.*?)\\end\s*\{\1\}\s*[)\]]?",
    re.S,
)
_DEEPEST: Final = 50
_ELLIPSES: Final = frozenset((r"\ldots", "...", r"\ldots."))


def _item(text: str, depth: int) -> Node:
    text = text.strip()
    if depth > _DEEPEST:
        return Raw(text)
    if text in _ELLIPSES:
        return ELLIPSIS
    words = _in_words(text, depth)
    if words is not None:
        return words
    text = _PROSE.sub("", text)
    matrix = _ENVIRONMENT.search(text) if "begin" in text else None
    if matrix and matrix.end() == len(text):
        return _matrix(text[: matrix.start()].strip(" *"), matrix[2], depth)
    related = _related(text, depth)
    if related is not None:
        return related
    parts = list(_split(text, _SETS))
    if len(parts) > 1:
        names = [name[1] for name in _SETS.finditer(text)]
        if len(set(names)) == 1:
            return SetOp(names[0], tuple(_item(part, depth + 1) for part in parts))
        return Raw(text)
    group = _group(text, depth)
    if group is not None:
        return group
    if re.search(r"\\(?:pm|mp)(?![A-Za-z])|\+-|\+/-", text):
        return _both_signs(text, depth)
    ratio = [part for part in _split(_HALF_DAY.sub("", text), re.compile(":")) if part]
    if len(ratio) > 1:
        half = _HALF_DAY.search(text)
        text = _HALF_DAY.sub(f" {half[1].lower()}m" if half else "", text)
        return Ratio(tuple(_item(part, depth + 1) for part in ratio), text)
    return _value(text)


_HALF_DAY: Final = re.compile(r"\s*(?:\\text\s*\{\s*)?\b([aApP])\.?\s?[mM]\.?\s*\}?$")


_OF_ANGLES: Final = frozenset("sin cos tan cot sec csc cis".split())


def _value(text: str) -> Node:
    split = units.split(text)
    whole = _parsed(text)
    if split:
        value = _parsed(split.value)
        inside = split.unit.text == "°" and whole is not None and evaluate.operators(whole) & _OF_ANGLES
        if value is not None and not inside:  # the degrees of sin 30° are the sine's
            return Quantity(value, split.unit, split.marked, whole, text)
    if whole is not None:
        return Scalar(whole, text)
    return Raw(text)


def _parsed(text: str) -> Tree | None:
    try:
        return parse(text)
    except (UnreadableError, ValueError, RecursionError, ZeroDivisionError):
        return None


def _matrix(factor: str, body: str, depth: int) -> Node:
    """Rows of a matrix, times what stands before it."""
    rows = [row for row in body.split(spelling.NEW_ROW) if row.strip()]
    cells = [[_item(cell, depth + 1) for cell in row.split("&")] for row in rows]
    if not factor:
        return Matrix(tuple(map(tuple, cells)))
    times = _parsed(factor.removesuffix("\\cdot").removesuffix("\\times").strip() if factor != "-" else "-1")
    if times is None or not all(isinstance(cell, Scalar) for row in cells for cell in row):
        return Raw(factor + body)
    return Matrix(
        tuple(
            tuple(Scalar(Op("mul", (times, cell.tree)), "") for cell in row if isinstance(cell, Scalar))
            for row in cells
        )
    )


def _both_signs(text: str, depth: int) -> Node:
    return Group("list", _signs_of(text, depth))


def _signs_of(text: str, depth: int) -> tuple[Node, ...]:
    """The upper signs, then the lower ones."""
    text = re.sub(r"\+/?-", r"\\pm ", text)
    choices = []
    for plus, minus in (("+", "-"), ("-", "+")):
        one = re.sub(r"\\pm(?![A-Za-z])", plus, text)
        choices.append(_item(re.sub(r"\\mp(?![A-Za-z])", minus, one), depth + 1))
    return tuple(choices)


_PAIRS: Final = {"(": ")", "[": "]", "\\{": "\\}", "{": "}", "\\langle": "\\rangle"}


def _group(text: str, depth: int) -> Node | None:
    """A tuple, interval or set: one bracket around the whole, with commas in it."""
    opened = re.match(r"\\\{|\\langle|[(\[{]", text)
    closed = re.search(r"(?:\\\}|\\rangle|[)\]}])$", text)
    if not opened or not closed or closed.start() < opened.end() or not _encloses(text):
        return None
    opening, closing = opened.group(), closed.group()
    inside = text[opened.end() : closed.start()].strip()
    if opening == "\\{" and closing in ("\\}", "}"):
        return _set(inside, depth)
    items = list(_split(inside, re.compile(r"\s*[,;]\s*")))
    if opening == "{":
        return _set(inside, depth) if len(items) > 1 else _item(inside, depth + 1)
    if len(items) == 1:
        if closing == _PAIRS[opening] and opening == "(":
            return _unwrapped(inside, depth)
        return Group("list", (_item(inside, depth + 1),)) if opening == "[" and closing == "]" else None
    nodes: list[Node] = []
    for item in items:
        node = _item(item, depth + 1)
        if isinstance(node, Group) and node.kind == "list":
            return _spread(items, opening + closing, depth)
        nodes.append(node)
    brackets = opening + closing
    if brackets in ("()", "\\langle\\rangle"):
        return Group("tuple", tuple(nodes))
    if brackets == "[]" and len(nodes) != 2:
        return Group("list", tuple(nodes))
    return Group(brackets, tuple(nodes)) if brackets in ("(]", "[)", "[]") else None


_MOST_SPREAD: Final = 4


def _spread(items: list[str], brackets: str, depth: int) -> Node | None:
    """(1, \\pm 2): one tuple for each choice of signs."""
    if brackets != "()" or len(items) > _MOST_SPREAD:
        return None
    if any("\\mp" in item for item in items):  # the signs belong together
        pairs = [_signs_of(item, depth) for item in items]
        return Group("list", tuple(Group("tuple", row) for row in zip(*pairs, strict=True)))
    choices = []
    for item in items:
        node = _item(item, depth + 1)
        choices.append(node.items if isinstance(node, Group) and node.kind == "list" else (node,))
    return Group("list", tuple(Group("tuple", combination) for combination in product(*choices)))


def _set(inside: str, depth: int) -> Node:
    if not inside:
        return NONE
    builder = re.split(r"\|(?!.*\|)|(?<!\d):(?!\d)", inside)
    if len(builder) == 2 and _SIGN.search(builder[1]):
        return read(builder[1].strip(), depth + 1)
    node = read(inside, depth + 1)
    if isinstance(node, Group) and node.kind == "list":
        return Group("set", node.items)
    return Group("set", (node,))


def _unwrapped(inside: str, depth: int) -> Node | None:
    """(5) is 5; (C) is the choice C; (x+1) an expression, and so read with its brackets."""
    if re.fullmatch(r"\\text\s*\{\s*[A-Z]\s*\}|[A-Z]", inside):
        return Letter(re.sub(r"[^A-Z]", "", inside.replace("\\text", "")), None)
    node = _item(inside, depth + 1)
    return None if isinstance(node, Scalar | Raw) else node


def _encloses(text: str) -> bool:
    """Whether the first bracket closes at the end of the text, whatever its kind: (3,4] counts."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += (bracket.group() in _OPENING) - (bracket.group() in _CLOSING)
        if depth <= 0 and bracket.group() in _CLOSING:
            return bracket.end() == len(text)
    return False


# relations

_ANGLE: Final = re.compile(
    r"m?\\(?:angle|measuredangle|triangle|overline|vec)\s*\{?\s*[A-Z ]+(?:_\{?\d\}?[A-Z ]*)*\}?|\|[A-Z]{2}\||[A-Z]{2,4}"
    r"|[A-Za-z][A-Za-z_{}\d]*\s*:\s*[A-Za-z][A-Za-z_{}\d]*"
    r"|\\frac\s*\{\s*[A-Z]{1,3}\s*\}\s*\{\s*[A-Z]{1,3}\s*\}|[A-Z]{2}\s*/\s*[A-Z]{2}"
)
_DERIVATIVE: Final = re.compile(r"\\frac\s*\{\s*(?:d|\\partial)\s*[^{}]*\}\s*\{\s*(?:d|\\partial)\s*[^{}]*\}")


def _related(text: str, depth: int) -> Node | None:
    parts = list(_split(text, _SIGN))
    signs = [_SIGNS.get(sign, sign) for sign in _signs(text)]
    if not signs:
        return None
    if len(parts) == len(signs):  # an empty side: "= 5"
        return _item(parts[-1], depth + 1) if len(parts) == 1 and signs in (["="], ["~"]) else Raw(text)
    if set(signs) <= {"=", "~"}:
        return _chain(parts, "~" in signs, depth)
    if signs == ["in"]:
        return _chain([parts[0], parts[1]], False, depth)
    if "=" in signs or "in" in signs or "~" in signs:
        return Raw(text)
    return Relation(tuple(signs), tuple(_item(part, depth + 1) for part in parts))


def _signs(text: str) -> list[str]:
    depth, at, found = 0, 0, []
    while at < len(text):
        sign = _SIGN.match(text, at) if depth == 0 else None
        if sign:
            found.append(sign.group())
            at = sign.end()
            continue
        bracket = _BRACKET.match(text, at)
        if bracket:
            depth = max(0, depth + (bracket.group() in _OPENING) - (bracket.group() in _CLOSING))
            at = bracket.end()
        else:
            at += 1
    return found


def _chain(parts: list[str], approximate: bool, depth: int) -> Node:
    name, arguments = _name(parts[0])
    members = parts[1:] if name else parts
    if not members:
        return Raw(" = ".join(parts))
    left = _parsed(parts[0])
    nodes = tuple(_item(part, depth + 1) for part in members)
    last = nodes[-1]
    if len(nodes) == 1 and isinstance(last, Group) and last.kind == "list":  # x = 1 \\pm 2
        return Group("list", tuple(Chain(name, arguments, left, (one,), approximate) for one in last.items))
    return Chain(name, arguments, left, nodes, approximate)


def _name(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The name a left side is, and its arguments where it is a function's; (None, ()) for an expression."""
    text = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", text).strip()
    plain = re.sub(r"[\s{}]", "", text)
    if _ANGLE.fullmatch(text) or _DERIVATIVE.fullmatch(text):
        return plain, ()
    if re.fullmatch(r"\([^()]*,[^()]*\)", text):
        inside = [_parsed(part) for part in text[1:-1].split(",")]
        return (plain, ()) if all(isinstance(part, Sym) for part in inside) else (None, ())
    called = re.fullmatch(
        r"([A-Za-z]|\\[A-Za-z]+)(\^\{-1\}|_\{?\w+\}?|')?\s*\(\s*([a-z](?:\s*,\s*[a-z])*)\s*\)", text
    )
    if called:
        return called[1] + (called[2] or ""), tuple(re.split(r"\s*,\s*", called[3]))
    tree = _parsed(text)
    if isinstance(tree, Sym):
        return tree.name, ()
    if isinstance(tree, Call):
        return plain, ()
    if re.fullmatch(r"[A-Za-z]{4,}(?: [A-Za-z]+){0,5}", text):  # "Area of ABC = 5"
        return plain, ()
    return None, ()
