"""What an answer can be, beside a single expression."""

from dataclasses import dataclass
from typing import Final

from leash.verify.math import units
from leash.verify.math.tree import Tree


@dataclass(frozen=True, slots=True)
class Scalar:
    """An expression, without a unit."""

    tree: Tree
    text: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with a unit. `whole`: the same text read with the unit's letters as variables, where it can be."""

    tree: Tree
    unit: units.Unit
    marked: bool
    whole: Tree | None
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """Several values. kind: list, tuple, set, or an interval's two brackets: "(]", "[)", "[]"."""

    kind: str
    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class SetOp:
    """Sets joined by cup, cap or setminus."""

    name: str
    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Chain:
    """name = value, or equal members in a row. name: the left side where it names what is asked for.

    arguments: the variables of a named function, f(x).
    """

    name: str | None
    arguments: tuple[str, ...]
    left: Tree | None
    members: "tuple[Node, ...]"
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """An inequality: members with <, <=, != or in between."""

    signs: tuple[str, ...]
    members: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Ratio:
    """a : b : c, and a time of day."""

    items: "tuple[Node, ...]"
    text: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of values."""

    rows: "tuple[tuple[Node, ...], ...]"


@dataclass(frozen=True, slots=True)
class Letter:
    """A choice, and what the answer says beside it."""

    letter: str
    rest: "Node | None"


@dataclass(frozen=True, slots=True)
class Words:
    """Plain words, in lower case; none, infinite, reals and undefined stand for what means them."""

    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    """What this grammar does not read."""

    text: str


Node = Scalar | Quantity | Group | SetOp | Chain | Relation | Ratio | Matrix | Letter | Words | Raw

NONE, INFINITE, REALS, UNDEFINED = (
    Words("no solution"),
    Words("infinitely many"),
    Words("all real numbers"),
    Words("undefined"),
)
ELLIPSIS: Final = Words("...")
