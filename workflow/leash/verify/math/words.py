"""Answers in words: no solution, infinitely many, a choice letter, a name."""

import re
from typing import Final, NamedTuple

from leash.verify.math.nodes import INFINITE, NONE, REALS, UNDEFINED, Words

_NO_SOLUTION: Final = re.compile(
    r"(?:there (?:is|are) )?(?:no|zero) (?:\w+ ){0,3}?"
    r"(?:solutions?|values?|roots?|answers?|numbers?|integers?|pairs?|functions?|triples?)"
    r"(?: (?:exists?|exist|found|possible))?"
    r"|none|no solution|(?:the )?empty set|no such \w+(?: exists?)?|impossible|无解|空集"
)
_UNDEFINED: Final = re.compile(
    r"(?:it )?(?:does not exist|dne|undefined|not defined|doesn't exist|is undefined)"
)
_INFINITE: Final = re.compile(
    r"(?:there are )?infinitely many(?: \w+){0,3}|(?:positive )?infinity|infinite"
    r"|an infinite number(?: of \w+)?|无穷多?个?"
)
_REALS: Final = re.compile(
    r"(?:all|any|every) (?:the )?(?:real numbers?|reals?)(?: [a-z])?"
    r"|all real values(?: of [a-z])?|the (?:set of )?(?:all )?real numbers|(?:\\mathbb ?\{?r\}?)"
)
_KNOWN_WORDS: Final = frozenset(
    "yes no true false even odd red blue up down east west left both never".split()
)
_CHOICE: Final = re.compile(
    r"(?:(?i:option|choice|answer))?\s*\(?\s*([A-J])\s*(?:\)\s*[.:]?|[.:)](?=\s|$)|$)\s*(.*)", re.S
)
_FUNCTION_WORDS: Final = frozenset(
    "pi sin cos tan log ln sqrt exp sec csc cot arcsin arccos arctan max min gcd lcm inf mod".split()
)


class Choice(NamedTuple):
    """A choice letter, and the text beside it."""

    letter: str
    rest: str


def in_words(text: str) -> Words | Choice | None:
    """Words and choices: None for anything with mathematics in it."""
    if text in (r"\emptyset", r"\{ \}", r"\{\}", "{}"):
        return NONE
    plain = " ".join(re.sub(r"\\text\s*\{([^{}]*)\}", r" \1 ", text).split()).strip(" .{}")
    lower = plain.lower()
    for pattern, node in (
        (_NO_SOLUTION, NONE),
        (_INFINITE, INFINITE),
        (_REALS, REALS),
        (_UNDEFINED, UNDEFINED),
    ):
        if pattern.fullmatch(lower):
            return node
    choice = _CHOICE.fullmatch(plain)
    if choice and re.search(r"^\s*(?:and|or|,|&)|\(?\b[A-J]\)", choice[2]):
        return Words(lower)  # more than one choice
    if choice and re.search(r"\b(?:wrong|incorrect|not|false)\b", choice[2]):
        return Words(lower)
    if choice and plain != choice[1]:
        if not choice[2] or re.match(r"\(?[A-J]\s*[).:]", plain) or "text" in text:
            return Choice(choice[1], choice[2])
    elif choice and "text" in text:
        return Choice(choice[1], "")
    if not re.fullmatch(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*[!?]?", plain):
        return None
    words = lower.split()
    marked = "\\text" in text
    if all(word in _FUNCTION_WORDS for word in words):
        return None
    if words[0] in ("and", "or") or (len(words) > 1 and {"and", "or"} & set(words)):
        return None
    if not marked and len(words) == 1 and _product_like(plain):
        return None
    parts = re.split(r"[ '’-]", plain)
    if not marked and len(parts) > 1 and all(map(_product_like, parts)):
        return None
    return Words(lower)


def _product_like(word: str) -> bool:
    """Whether a short run of letters is more likely a product of variables than a word."""
    if len(word) > 4 or word.lower() in _KNOWN_WORDS:
        return False
    return len(word) < 3 or word.isupper() or not re.search("[aeiou]", word) or len(word) == 3
