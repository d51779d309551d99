"""Opinions on mathematical answers: two readings, compared value by value, at random points where there are symbols."""

import random
import re
from collections.abc import Sequence
from typing import Final

import mpmath

from leash.verify.opinion.arithmetic import DIGITS, Value, as_mpmath, close, is_whole
from leash.verify.opinion.formulas import evaluate
from leash.verify.opinion.reading import Reading, UnreadableError, name_and_value, split, undress

POINTS: Final = 5
_NEARLY: Final = 1e-6  # relative: what looks like the same number, rounded
_SIGNS: Final = {"%": r"(%s)/100", "°": r"(%s)\pi/180"}

Opinion = tuple[bool | None, str]


def judge(extracted: str, gold: Sequence[str], tolerance: float) -> Opinion:
    """Whether the answer is one of the accepted alternatives; False only where it is none of them."""
    opinions = [_against(extracted, alternative, tolerance) for alternative in gold]
    for wanted in (True, None, False):
        for found, how in opinions:
            if found is wanted:
                return found, how
    return None, "no gold answer"


def _against(extracted: str, gold: str, tolerance: float) -> Opinion:
    answer, wanted = undress(extracted), undress(gold)
    answer, wanted = _without(answer, wanted.unit), _without(wanted, answer.unit)
    if answer.unit and wanted.unit and answer.unit != wanted.unit:
        return None, f"units differ: {answer.unit} and {wanted.unit}"
    found, how = _guarded(answer.text, wanted.text, tolerance)
    if found is False and answer.unit != wanted.unit:
        # 60% may stand for 0.6, and 90° for pi/2
        ours, theirs = (_SIGNS.get(one.unit, "%s").replace("%s", one.text) for one in (answer, wanted))
        if _guarded(ours, theirs, tolerance)[0]:
            return True, f"numbers, converted from {answer.unit or wanted.unit}"
    if found is None and _plain(answer.text) == _plain(wanted.text) != "":
        return True, "same text"
    return found, how


def _without(reading: Reading, unit: str) -> Reading:
    """5N and "5 N" without the unit that the other side has; a letter alone could be a symbol."""
    if unit and not reading.unit and reading.text != unit and reading.text.endswith(unit):
        return Reading(reading.text.removesuffix(unit).strip(), unit)
    return reading


def _guarded(answer: str, gold: str, tolerance: float) -> Opinion:
    try:
        return _lists(answer, gold, tolerance)
    except ZeroDivisionError:
        return None, "divides by zero"
    except (UnreadableError, ArithmeticError, ValueError) as error:
        return None, str(error) or type(error).__name__


def _plain(text: str) -> str:
    joined = re.sub(r"\\text\{([^{}]*)\}|\s+", r"\1", text).replace(" ", "")
    return joined.lower() if re.fullmatch(r"[A-Za-z]{2,}", joined) else joined


def _lists(answer: str, gold: str, tolerance: float) -> Opinion:
    (name, ours_text), (other, theirs_text) = name_and_value(answer), name_and_value(gold)
    if answer.count("=") == gold.count("=") == 1 and not name == other != "":
        return _equations(answer, gold)
    # "(p, q) = (3, 2)" and "x = {0, 1}" are named as a whole, "k = 45, n = 2" item by item.
    ours, theirs = split(ours_text), split(theirs_text)
    if len(ours.items) != len(theirs.items):
        for item in (*ours.items, *theirs.items):
            _Formula(name_and_value(item)[1])  # else they may be the same in another notation
        return False, f"{len(ours.items)} against {len(theirs.items)} values"
    if len(ours.items) == 1:
        return _one(ours.items[0], theirs.items[0], tolerance)
    if ours.kind != theirs.kind:
        return None, f"{ours.kind} against {theirs.kind}"
    if ours.kind not in ("set", "union"):
        pairs = [_one(*pair, tolerance) for pair in zip(ours.items, theirs.items, strict=True)]
    elif (named := _by_name(ours.items, theirs.items)) is not None:
        pairs = [_one(*pair, tolerance) for pair in named]
    else:
        pairs = _best_pairs(ours.items, theirs.items, tolerance)
    found, how = next(
        (pair for wanted in (False, None) for pair in pairs if pair[0] is wanted), (True, pairs[0][1])
    )
    return found, f"{len(pairs)} values: {how}"


def _by_name(ours: list[str], theirs: list[str]) -> list[tuple[str, str]] | None:
    """Pairs of values under the same name; None where not every value has a name of its own on both sides."""
    left, right = (dict(name_and_value(item) for item in items) for items in (ours, theirs))
    if "" in left or left.keys() != right.keys() or len(left) < len(ours):
        return None
    return [(left[name], right[name]) for name in left]


def _best_pairs(ours: list[str], theirs: list[str], tolerance: float) -> list[Opinion]:
    """One opinion for each of ours: True with an equal one of theirs that is not yet taken."""
    waiting = list(theirs)
    opinions = []
    for item in ours:
        tried = [_one(item, other, tolerance) for other in waiting]
        best = next(
            (index for wanted in (True, None) for index, pair in enumerate(tried) if pair[0] is wanted), 0
        )
        opinions.append(tried[best])
        if tried[best][0]:
            waiting.pop(best)
    return opinions


def _one(answer: str, gold: str, tolerance: float) -> Opinion:
    (_, answer), (_, gold) = name_and_value(answer), name_and_value(gold)
    if any(len(split(text).items) > 1 for text in (answer, gold)):
        return _lists(answer, gold, tolerance)
    # An approximation stands beside the exact value; the steps of a chain must all be equal.
    exact = [_chain(part, gold, tolerance) for part in re.split(r"\\approx(?![A-Za-z])", answer)]
    found = next((pair for wanted in (True, None) for pair in exact if pair[0] is wanted), exact[0])
    if found[0] is False and re.search(r"\\log(?![A-Za-z]|\s*_)", answer + gold):
        return None, "a logarithm without its base"
    return found


def _chain(answer: str, gold: str, tolerance: float) -> Opinion:
    steps = [_equal(step, gold, tolerance) for step in answer.split("=")]
    if len({found for found, _ in steps}) > 1:
        return None, "an equation whose sides are not equal"
    return steps[-1]


def _equal(answer: str, gold: str, tolerance: float) -> Opinion:
    ours, theirs = _Formula(answer), _Formula(gold)
    lone = ours.symbols ^ theirs.symbols
    if lone:
        return False, f"symbols of one side only: {', '.join(sorted(lone))}"
    if not ours.symbols:
        one, other = ours.at(0), theirs.at(0)
        if is_whole(one) and is_whole(other):
            return close(one, other, tolerance), "integers"
        if not tolerance and not close(one, other) and close(one, other, _NEARLY):
            return None, "numbers that are equal to 6 digits only"
        return close(one, other, tolerance), "numbers"
    for positive in (True, False):
        same = [
            close(ours.at(point, positive), theirs.at(point, positive), tolerance) for point in range(POINTS)
        ]
        if not all(same):
            return (
                (False, f"values at {POINTS} points") if positive else (None, "equal at positive values only")
            )
    return True, f"values at {POINTS} points"


def _equations(answer: str, gold: str) -> Opinion:
    """Whether two equations say the same: the differences of their sides have a constant ratio."""
    (a, b), (c, d) = (text.split("=") for text in (answer, gold))
    ours, theirs = _Formula(f"({a})-({b})"), _Formula(f"({c})-({d})")
    if ours.symbols != theirs.symbols:
        return None, "equations in other symbols"
    with mpmath.workdps(DIGITS):
        ratios = [as_mpmath(ours.at(point)) / as_mpmath(theirs.at(point)) for point in range(POINTS)]
    return all(close(ratio, ratios[0], 0.0) for ratio in ratios), f"equations at {POINTS} points"


class _Formula:
    """A text as a function of its symbols. Raises UnreadableError where it is none."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.symbols: set[str] = set()
        self.at(0)

    def at(self, point: int, positive: bool = True) -> Value:
        """The value at a point that is fixed by its number; the same for every formula."""

        def lookup(name: str) -> Value:
            self.symbols.add(name)
            low = 0.5 if positive else -2.5
            # As text, since that seeds alike in every process.
            return mpmath.mpf(random.Random(f"{name} {point} {positive}").uniform(low, 2.5))

        return evaluate(self._text, lookup)
