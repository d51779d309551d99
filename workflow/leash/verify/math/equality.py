"""Whether an answer is the gold: what kind of thing each is decides what has to agree."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Final

from leash.verify.math import evaluate, measures, numbers, sets
from leash.verify.math import text as spelling
from leash.verify.math.nodes import (
    ELLIPSIS,
    INFINITE,
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
    Words,
)
from leash.verify.math.reading import prepare
from leash.verify.math.tree import Call, Num, Op, Sym, Tree

Same = str | None


def same_answer(gold: str, answer: str) -> Same:
    """How an answer agrees with one accepted gold ("text", "numbers", "values at 8 points", …), or None."""
    golds, answers = prepare(gold), prepare(answer)
    if golds.text and golds.text == answers.text:
        return "text"
    for golden in golds.readings:
        for given in answers.readings:
            how = same(golden, given)
            if how:
                return how
    return None


def same(gold: Node, answer: Node) -> Same:
    """How two nodes agree, or None."""
    if gold == answer and not isinstance(gold, Raw):
        return "form"
    if isinstance(gold, Chain) or isinstance(answer, Chain):
        return _same_chains(gold, answer)
    if isinstance(gold, Raw) or isinstance(answer, Raw):
        return _same_raw(gold, answer)
    if isinstance(gold, Letter) or isinstance(answer, Letter):
        return _same_letters(gold, answer)
    if sets.is_set(gold) or sets.is_set(answer):
        return _same_sets(gold, answer)
    if isinstance(gold, Group) or isinstance(answer, Group):
        return _same_groups(gold, answer)
    if isinstance(gold, Matrix) and isinstance(answer, Matrix):
        return _same_matrices(gold, answer)
    if isinstance(gold, Ratio) or isinstance(answer, Ratio):
        return _same_ratios(gold, answer)
    if isinstance(gold, Words) or isinstance(answer, Words):
        return _same_words(gold, answer)
    if isinstance(gold, Scalar | Quantity) and isinstance(answer, Scalar | Quantity):
        return measures.same(gold, answer)
    return None


def _same_raw(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Raw) and isinstance(answer, Raw):
        return "text" if spelling.textual(gold.text) == spelling.textual(answer.text) else None
    return None


# names, equations, chains of equal members


def _same_chains(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Chain) and isinstance(answer, Chain):
        return _named_alike(gold, answer) or _same_equations(gold, answer)
    if isinstance(gold, Chain):
        if gold.name and len(gold.members) == 1:
            return same(gold.members[0], answer)
        return None
    assert isinstance(answer, Chain)
    return _same_value(gold, answer)


def _named_alike(gold: Chain, answer: Chain) -> Same:
    if not gold.name:
        return None
    if not answer.name:
        return _same_value(gold.members[-1], answer) if len(gold.members) == 1 else None
    if _base_name(gold.name) != _base_name(answer.name):
        return None
    if len(gold.arguments) == len(answer.arguments) and gold.arguments != answer.arguments:
        answer = _renamed(answer, dict(zip(answer.arguments, gold.arguments, strict=True)))
    return _same_value(gold.members[-1], answer)


def _base_name(name: str) -> str:
    """A name without subscripts and brackets: m for m_max, f for f^{-1}? no: only what tells names apart."""
    return re.sub(r"_.*$|\\text|[\s{}|]", "", name).lstrip("\\") or name


def _renamed(chain: Chain, names: dict[str, str]) -> Chain:
    members = tuple(
        Scalar(_rename(one.tree, names), one.text) if isinstance(one, Scalar) else one
        for one in chain.members
    )
    return Chain(chain.name, chain.arguments, chain.left, members, chain.approximate)


def _rename(tree: Tree, names: dict[str, str]) -> Tree:
    if isinstance(tree, Sym):
        return Sym(names.get(tree.name, tree.name))
    if isinstance(tree, Num):
        return tree
    arguments = tuple(_rename(one, names) for one in tree.args)
    return Op(tree.name, arguments) if isinstance(tree, Op) else Call(tree.name, arguments)


def _same_value(gold: Node, answer: Chain) -> Same:
    """The value of a chain is its last member, where all its constant members agree.

    In "a ≈ b" the exact side counts too. A single equation counts only if it names its left side, or says what
    an expression of several variables comes to: m + n = 7 is 7; 7 = 11a + c is not 11a + c; x + 1 = 2 is not 2.
    """
    members = answer.members
    constants = [one for one in members if _is_constant(one)]
    for one, other in pairwise(constants):
        if same(one, other) is None and same(other, one) is None and not _nearly(one, other, answer):
            return None
    if not answer.name and not (_is_constant(members[-1]) and _says_value(members)):
        return None
    how = same(gold, members[-1])
    if how is None and len(members) > 1 and (answer.approximate or answer.name):
        how = same(gold, members[-2])
    return how


def _says_value(members: tuple[Node, ...]) -> bool:
    first = members[0]
    return len(members) > 2 or not isinstance(first, Scalar) or len(evaluate.symbols(first.tree)) != 1


def _nearly(one: Node, other: Node, chain: Chain) -> bool:
    if not chain.approximate or not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return False
    try:
        values = evaluate.value(one.tree, {}), evaluate.value(other.tree, {})
    except ValueError:
        return False
    return evaluate.close(*values, relative=0.01)


def _is_constant(node: Node) -> bool:
    if isinstance(node, Scalar | Quantity):
        return not evaluate.symbols(node.tree)
    return isinstance(node, Group | Ratio | Matrix | Words)


def _same_equations(gold: Chain, answer: Chain) -> Same:
    one, other = _difference(gold), _difference(answer)
    if one is None or other is None:
        return None
    return "the same equation" if numbers.proportional(one, other) else None


def _difference(chain: Chain) -> Tree | None:
    """left - right of an equation of two sides."""
    right = chain.members[-1]
    if chain.left is None or len(chain.members) != (1 if chain.name else 2) or not isinstance(right, Scalar):
        return None
    return Op("add", (chain.left, Op("neg", (right.tree,))))


# words, letters


def _same_words(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Words) and isinstance(answer, Words):
        return "words" if _bare(gold.text) == _bare(answer.text) else None
    for words, other in ((gold, answer), (answer, gold)):
        if words == INFINITE and isinstance(other, Scalar):
            return "infinity" if numbers.same(Op("inf", ()), other.tree) else None
    return None


def _bare(words: str) -> str:
    return re.sub(r"^(?:the|a|an) |[!?.]$", "", words).strip()


def _same_letters(gold: Node, answer: Node) -> Same:
    golden, given = _letter(gold), _letter(answer)
    if golden and given:
        return "choice" if golden == given else None
    if isinstance(answer, Letter) and answer.rest is not None and not isinstance(gold, Letter):
        return same(gold, answer.rest)
    return None


def _letter(node: Node) -> str | None:
    if isinstance(node, Letter):
        return node.letter
    if isinstance(node, Scalar) and isinstance(node.tree, Sym) and re.fullmatch("[A-J]", node.tree.name):
        return node.tree.name
    return None


# several values


def _same_sets(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Relation) and isinstance(answer, Relation):
        how = _same_relations(gold, answer)
        if how:
            return how
    one, other = sets.real_set(gold), sets.real_set(answer)
    if one is not None and other is not None:
        return "sets" if sets.equal(one, other) else None
    if isinstance(gold, SetOp) and isinstance(answer, SetOp) and gold.name == answer.name != "setminus":
        return _matched(gold.parts, answer.parts)
    if isinstance(gold, Group) and isinstance(answer, Group):
        return _same_groups(gold, answer)
    return None


def _same_relations(gold: Relation, answer: Relation) -> Same:
    one, other = _risen(gold), _risen(answer)
    if one.signs != other.signs:
        return None
    if len(one.members) == len(other.members) and all(map(same, one.members, other.members)):
        return "the same inequality"
    if len(one.members) == 2 and all(isinstance(side, Scalar) for side in (*one.members, *other.members)):
        gaps = [
            Op("add", (relation.members[1].tree, Op("neg", (relation.members[0].tree,))))  # type: ignore[union-attr]
            for relation in (one, other)
        ]
        positive = one.signs[0] != "!="
        return "the same inequality" if numbers.proportional(gaps[0], gaps[1], positive) else None
    return None


def _risen(relation: Relation) -> Relation:
    """With < and <= only, where it is all > and >=."""
    if all(sign in (">", ">=") for sign in relation.signs):
        signs = tuple(sign.replace(">", "<") for sign in reversed(relation.signs))
        return Relation(signs, tuple(reversed(relation.members)))
    return relation


def _same_groups(gold: Node, answer: Node) -> Same:
    one, other = _as_group(gold), _as_group(answer)
    ordered = {"tuple", "(]", "[)", "[]"}
    if one.kind in ordered and other.kind in ordered:
        return _in_order(one, other) if one.kind == other.kind else None
    if one.kind in ordered or other.kind in ordered:
        loose = other if one.kind in ordered else one
        return _in_order(one, other) if loose.kind == "list" and len(loose.items) > 1 else None
    golden, given = _distinct(one), _distinct(other)
    if ELLIPSIS in golden or ELLIPSIS in given:
        golden, given = _expanded(golden), _expanded(given)
        if ELLIPSIS in golden or ELLIPSIS in given:
            return _in_order(Group("list", golden), Group("list", given))
    return _matched(golden, given)


def _as_group(node: Node) -> Group:
    return node if isinstance(node, Group) else Group("list", (node,))


def _distinct(group: Group) -> tuple[Node, ...]:
    if group.kind != "set":
        return group.items
    found: list[Node] = []
    for item in group.items:
        if not any(same(item, kept) for kept in found):
            found.append(item)
    return tuple(found)


def _in_order(gold: Group, answer: Group) -> Same:
    if len(gold.items) != len(answer.items):
        return None
    hows = [same(one, other) for one, other in zip(gold.items, answer.items, strict=True)]
    return "item by item" if all(hows) else None


def _matched(gold: tuple[Node, ...], answer: tuple[Node, ...]) -> Same:
    """As multisets. Names decide which belongs to which where both sides have them."""
    if len(gold) != len(answer):
        return None
    left = list(answer)
    for one in gold:
        found = next((index for index, other in enumerate(left) if _same_item(one, other)), None)
        if found is None:
            return None
        del left[found]
    return "item by item"


def _same_item(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Chain) and isinstance(answer, Chain) and not gold.arguments:
        named = gold.name is not None and answer.name is not None
        if named and gold.name != answer.name:
            return None
    return same(gold, answer)


_MOST_EXPANDED: Final = 1000


def _expanded(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """1, 2, …, 5 written out, where the numbers before the dots say the step."""
    if items.count(ELLIPSIS) != 1:
        return items
    at = items.index(ELLIPSIS)
    values = [evaluate.exact(one.tree) if isinstance(one, Scalar) else None for one in items]
    if not 2 <= at == len(items) - 2 or any(value is None for value in values[:at] + values[at + 1 :]):
        return items
    first, second, last = values[0], values[at - 1], values[-1]
    assert first is not None
    assert second is not None
    assert last is not None
    step = (second - first) / (at - 1)
    even = all(values[index] == first + index * step for index in range(at))
    count = (last - first) / step + 1 if step else Fraction(0)
    if not even or count.denominator != 1 or not at < count <= _MOST_EXPANDED:
        return items
    return tuple(Scalar(Num(first + index * step), "") for index in range(int(count)))


def _same_matrices(gold: Matrix, answer: Matrix) -> Same:
    if [len(row) for row in gold.rows] != [len(row) for row in answer.rows]:
        return None
    cells = [
        (one, other)
        for mine, theirs in zip(gold.rows, answer.rows, strict=True)
        for one, other in zip(mine, theirs, strict=True)
    ]
    return "item by item" if all(same(one, other) for one, other in cells) else None


def _same_ratios(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Ratio) and isinstance(answer, Ratio):
        if len(gold.items) != len(answer.items):
            return None
        if re.search(r":\s*0\d", gold.text + answer.text):  # a time
            return _in_order(Group("list", gold.items), Group("list", answer.items))
        return _proportional(gold.items, answer.items)
    ratio, other = (gold, answer) if isinstance(gold, Ratio) else (answer, gold)
    assert isinstance(ratio, Ratio)
    if len(ratio.items) != 2 or not all(isinstance(one, Scalar) for one in ratio.items):
        return None
    if not isinstance(other, Scalar) or re.search(r":\s*0\d", ratio.text):
        return None
    quotient = Scalar(
        Op("div", tuple(one.tree for one in ratio.items if isinstance(one, Scalar))), ratio.text
    )
    return same(quotient, other) and "ratio"


def _proportional(gold: tuple[Node, ...], answer: tuple[Node, ...]) -> Same:
    trees = [[one.tree for one in side if isinstance(one, Scalar)] for side in (gold, answer)]
    if any(len(side) != len(gold) for side in trees):
        return None
    for one, other in zip(trees[0][1:], trees[1][1:], strict=True):
        if numbers.same(Op("mul", (trees[0][0], other)), Op("mul", (trees[1][0], one))) is None:
            return None
    return "ratio"
