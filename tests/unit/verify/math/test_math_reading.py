"""What an answer is read as."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.math import nodes
from leash.verify.math.reading import prepare


def kind(answer: str) -> str:
    node = prepare(answer).readings[0]
    return node.kind if isinstance(node, nodes.Group) else type(node).__name__.lower()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("5", "scalar"),
        (r"$\frac{1}{2}$", "scalar"),
        ("(x+1)", "scalar"),
        (r"5 \text{ km}", "quantity"),
        (r"45^\circ", "quantity"),
        (r"\$5", "quantity"),
        (r"5 \text{ apples}", "quantity"),
        ("1, 2", "list"),
        ("1 and 2", "list"),
        (r"1 \text{ or } 2", "list"),
        (r"1 \pm \sqrt{2}", "list"),
        ("(1, 2)", "tuple"),
        (r"\left( 3, \frac{\pi}{2} \right)", "tuple"),
        (r"\{1, 2\}", "set"),
        ("[1, 2)", "[)"),
        ("(1, 2]", "(]"),
        ("[1, 2]", "[]"),
        (r"[0,1] \cup [2,3]", "setop"),
        ("x = 5", "chain"),
        ("f(x) = x + 1", "chain"),
        ("x < 5", "relation"),
        (r"1 \le x < 2", "relation"),
        ("3:4", "ratio"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "matrix"),
        (r"\text{(C)}", "letter"),
        ("(C) 12", "letter"),
        (r"\text{no solution}", "words"),
        ("Monday", "words"),
        (r"\emptyset", "words"),
        (r"\mathbb{R}", "words"),
        ("", "raw"),
        ("((", "raw"),
        ("5 @ 3", "raw"),
        ("x" * 3000, "raw"),
    ],
)
def test_kinds(answer: str, expected: str) -> None:
    assert kind(answer) == expected


def test_thousands_may_also_be_a_list() -> None:
    assert len(prepare("58,500").readings) == 2
    assert [kind("58,500"), kind("(58,500)")] == ["scalar", "tuple"]


def test_names_and_arguments() -> None:
    (node,) = prepare("f(x, y) = x + y").readings
    assert isinstance(node, nodes.Chain)
    assert (node.name, node.arguments) == ("f", ("x", "y"))


PIECES = [
    *(
        "\\frac",
        "\\sqrt",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "^",
        "_",
        "!",
        "|",
        "\\text{",
        "\\pm",
        "\\cup",
        ",",
        ";",
    ),
    *(
        ":",
        "=",
        "<",
        "\\le",
        "x",
        "n",
        "1",
        "2",
        "1.5",
        "e",
        "\\pi",
        "\\infty",
        "°",
        "%",
        " km",
        "and",
        "\\in",
    ),
    *("+", "-", "*", "/", "\\begin{pmatrix}", "\\end{pmatrix}", "&", "\\\\", "\\ldots", "\\overline", "'"),
    *(
        "\\log",
        "f(",
        "\\{",
        "\\}",
        "\\binom",
        "_{10}",
        "\\lfloor",
        "base 5",
        "1,000",
        "½",
        "\x00",
        "$",
        "\\boxed{",
    ),
    *("\\approx", "\\equiv", "\\mid", "\\setminus", "e9", ".", " ", "\ud800", "答案", "和"),
]
anything = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=15).map("".join))


@given(anything)
def test_reading_never_raises_and_depends_on_the_text_alone(answer: str) -> None:
    assert prepare(answer) == prepare(answer)
    assert prepare(answer).readings
