"""Whether an answer is the gold: what kind of thing each is decides what has to agree."""

import re
from collections.abc import Sequence
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


def alternatives(golds: Sequence[str], answer: str) -> list[str]:
    """The accepted alternatives that an answer can meet: one that names a choice must name the right one."""
    lettered = [gold for gold in golds if isinstance(prepare(gold).readings[0], Letter)]
    return lettered if lettered and isinstance(prepare(answer).readings[0], Letter) else list(golds)


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
    if isinstance(gold, Matrix) or isinstance(answer, Matrix):
        return _same_matrices(gold, answer)
    if isinstance(gold, Group) or isinstance(answer, Group):
        return _same_groups(gold, answer)
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
        if not gold.name or len(gold.members) != 1:
            return None
        each = _named_each(gold)
        if each and isinstance(answer, Group) and answer.kind == "list" and _named_apart(answer.items):
            return _matched(each.items, answer.items)
        return same(gold.members[0], answer)
    assert isinstance(answer, Chain)
    return None if _unsorted(answer.name) else _same_value(gold, answer)


def _named_each(chain: Chain) -> Group | None:
    """(p, q) = (3, 2) as p = 3, q = 2; None for any other chain."""
    value = chain.members[-1]
    if not chain.name or not chain.name.startswith("(") or not isinstance(value, Group):
        return None
    names = chain.name.strip("()").split(",")
    if len(names) != len(value.items):
        return None
    return Group(
        "list",
        tuple(Chain(name, (), Sym(name), (item,)) for name, item in zip(names, value.items, strict=True)),
    )


def _named_alike(gold: Chain, answer: Chain) -> Same:
    if not gold.name:
        return None
    if not answer.name:
        return _same_value(gold.members[-1], answer) if len(gold.members) == 1 else None
    if not _same_name(gold.name, answer.name):
        return None
    if len(gold.arguments) == len(answer.arguments) and gold.arguments != answer.arguments:
        answer = _renamed(answer, dict(zip(answer.arguments, gold.arguments, strict=True)))
    return _same_value(gold.members[-1], answer)


def _base_name(name: str) -> str:
    """A name without its subscript: m for m_max."""
    return re.sub(r"_.*$|\\text|[\s{}|]", "", name).lstrip("\\") or name


def _same_name(one: str, other: str) -> bool:
    """m_max may be called m; T_1 is not T_2."""
    if one == other:
        return True
    return _base_name(one) == _base_name(other) and not ("_" in one and "_" in other)


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


def _unsorted(name: str | None) -> bool:
    """(y, x) = (1, 2): the value alone would be taken for (x, y)."""
    names = (name or "").strip("()").split(",")
    return names != sorted(names)


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
    """Whether the first of two members is what may be asked for: a constant, m + n, xy, sin A, AB^2.

    x + 1 and x^2 + y^2 are not: x + 1 = 2 says that x is 1, and x^2 + y^2 = 1 is a circle.
    """
    first, last = members[0], members[-1]
    if len(members) > 2 or not isinstance(first, Scalar):
        return True
    tree, names = first.tree, evaluate.symbols(first.tree)
    if not names or isinstance(tree, Call):
        return True
    if not isinstance(tree, Op) or (tree.name in ("add", "mul", "pow", "neg") and len(names) < 2):
        return False
    if tree.name != "add":
        return True
    zero = isinstance(last, Scalar) and evaluate.exact(last.tree) == 0
    return not zero and all(map(_is_linear_term, tree.args))


def _is_linear_term(tree: Tree) -> bool:
    if isinstance(tree, Op) and tree.name == "neg":
        return _is_linear_term(tree.args[0])
    if isinstance(tree, Op) and tree.name == "mul":
        return all(isinstance(one, Num | Sym) for one in tree.args)
    return isinstance(tree, Sym | Num)


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
        if not sets.same_variable(gold, answer):
            return None
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
        if loose.kind != "list" or len(loose.items) < 2 or not _in_alphabet(loose.items):
            return None
        return _in_order(one, other)
    golden, given = _distinct(one), _distinct(other)
    if (
        not isinstance(gold, Group)
        and len(set(given)) == len(given)
        and all(same(one, given[0]) for one in given)
    ):
        given = given[:1]  # 1/2 or 0.5: one value, twice
    if ELLIPSIS in golden or ELLIPSIS in given:
        golden, given = _expanded(golden), _expanded(given)
        if ELLIPSIS in golden or ELLIPSIS in given:
            return _same_sequences(golden, given)
    if _named_apart(golden) and not any(isinstance(item, Chain) and item.name for item in given):
        return _in_order(Group("list", golden), Group("list", given))
    return _matched(golden, given)


def _in_alphabet(items: tuple[Node, ...]) -> bool:
    """Whether names, where there are any, stand in their usual order, so that x = 1, y = 2 is the point (1, 2)."""
    names = [item.name for item in items if isinstance(item, Chain) and item.name]
    return names == sorted(names)


def _named_apart(items: tuple[Node, ...]) -> bool:
    """AB = 4, CD = 5: each value has a name of its own, which values alone can only keep by their order."""
    names = [item.name for item in items if isinstance(item, Chain)]
    return len(names) == len(items) > 1 and len(set(names)) == len(names)


def _same_sequences(gold: tuple[Node, ...], answer: tuple[Node, ...]) -> Same:
    """1, 2, …, n and 1, 2, 3, …, n: the same ends, and beginnings that agree as far as both go."""
    if ELLIPSIS not in gold or ELLIPSIS not in answer:
        return None
    at, there = gold.index(ELLIPSIS), answer.index(ELLIPSIS)
    shared = min(at, there)
    ends = Group("list", gold[at + 1 :]), Group("list", answer[there + 1 :])
    if shared < 2 or (not _in_order(*ends) and (ends[0].items or ends[1].items)):
        return None
    return _in_order(Group("list", gold[:shared]), Group("list", answer[:shared]))


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


def _as_matrix(node: Node) -> Matrix | None:
    """A matrix, or a tuple as the column it may stand for."""
    if isinstance(node, Group) and node.kind == "tuple":
        return Matrix(tuple((item,) for item in node.items))
    return node if isinstance(node, Matrix) else None


def _same_matrices(one: Node, other: Node) -> Same:
    gold, answer = _as_matrix(one), _as_matrix(other)
    if gold is None or answer is None:
        return None
    if [len(row) for row in gold.rows] != [len(row) for row in answer.rows]:
        return None
    cells = [
        (one, other)
        for mine, theirs in zip(gold.rows, answer.rows, strict=True)
        for one, other in zip(mine, theirs, strict=True)
    ]
    return "item by item" if all(same(one, other) for one, other in cells) else None


_TIME: Final = re.compile(r"\s*\d{1,2}\s*:\s*[0-5]\d\b")


def _same_ratios(gold: Node, answer: Node) -> Same:
    if isinstance(gold, Ratio) and isinstance(answer, Ratio):
        if len(gold.items) != len(answer.items):
            return None
        halves = {text[-2] for text in (gold.text, answer.text) if text.endswith(("am", "pm"))}
        if len(halves) > 1:
            return None
        if _TIME.match(gold.text) and _TIME.match(answer.text):
            return _in_order(Group("list", gold.items), Group("list", answer.items))
        return _proportional(gold.items, answer.items)
    ratio, other = (gold, answer) if isinstance(gold, Ratio) else (answer, gold)
    assert isinstance(ratio, Ratio)
    if len(ratio.items) != 2 or not all(isinstance(one, Scalar) for one in ratio.items):
        return None
    if not isinstance(other, Scalar):
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
