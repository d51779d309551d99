"""The second opinion: right where it speaks, silent where it cannot read, and nothing of the verifiers in it."""

import ast
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.opinion import LONGEST, opinion, tasks
from leash.verify.opinion.formulas import evaluate
from leash.verify.pool import Worker

FOLDER = Path(__file__).parents[3] / "workflow/leash/verify/opinion"

TRUE = [
    ("42", "42", "integers"),
    ("$1{,}234$", "1234", "integers"),
    ("1,234", "1234", "integers"),
    (r"\boxed{12\,345}.", "12345", "integers"),
    ("x = 7", "7", "integers"),
    ("2^{10}", "1024", "integers"),
    ("−13", "-13", "integers"),
    ("1/2", "0.5", "numbers"),
    (r"\dfrac12", r"\frac{1}{2}", "numbers"),
    (r"3\frac{1}{2}", "3.5", "numbers"),
    ("3 1/2", r"\frac{7}{2}", "numbers"),
    (r"3.9 \times 10^{-5}", "3.9e-5", "numbers"),
    ("sqrt(3)/3", r"\frac{1}{\sqrt{3}}", "numbers"),
    (r"\frac{8\sqrt[3]{49}}{7}", r"\frac{8}{\sqrt[3]{7}}", "numbers"),
    (r"e^{i\pi}", "-1", "numbers"),
    (r"\log_2 8", "3", "numbers"),
    (r"\frac{\sqrt{3}}{2} \approx 0.866", r"\sqrt{3}/2", "numbers"),
    ("3^2+2^2 = 13", "13", "integers"),
    (r"60\%", "0.6", "numbers, converted from %"),
    (r"90^\circ", r"\frac{\pi}{2}", "numbers, converted from °"),
    (r"16/25 \text{N}", "0.64N", "numbers"),
    (r"\$18.90", "18.9", "numbers"),
    ("(x+1)^2", "x^2+2x+1", "values at 5 points"),
    (r"1-\sin^2 2x", r"\cos^2(2x)", "values at 5 points"),
    (r"\frac{v_0}{r_{0}}", r"v_{0} / r_0", "values at 5 points"),
    ("2y = 4x", "y = 2x", "equations at 5 points"),
    (r"\{1,2\}", "2,1", "2 values: integers"),
    (r"1 \pm \sqrt{2}", r"1-\sqrt{2}, 1+\sqrt{2}", "2 values: numbers"),
    (r"x=2 \text{ or } x=-2", "-2, 2", "2 values: integers"),
    ("CD=5, AB=4", "AB=4,CD=5", "2 values: integers"),
    ("(p,q)=(3, 2)", "(3,2)", "2 values: integers"),
    (r"(-\infty, 2]", r"(-\infty,2]", "2 values: numbers"),
    (r"(0,1)\cup(2,3)", r"(2,3) \cup (0,1)", "2 values: 2 values: integers"),
    (
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
        "4 values: integers",
    ),
    (r"\text{east}", "East", "same text"),
    ("x < 1", "x<1", "same text"),
]
FALSE = [
    ("42", "43"),
    ("2^{2020}", "2^{2020}+1"),
    ("3.14", r"\pi"),
    ("1,2", "1,2,3"),
    ("1,1,2", "1,2,2"),
    ("(1,2)", "(2,1)"),
    ("AB=5, CD=4", "AB=4,CD=5"),
    ("x^2+1", "x^2"),
    ("x+1", "y+1"),
    ("5", "x"),
    (r"\sqrt{2}", r"-\sqrt{2}"),
    ("20 N", "16 N"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}2\\1\end{pmatrix}"),
]
NONE = [
    (r"35 \text{ m}", "35 cm", "units differ"),
    ("52_8", "528", "no formula"),
    ("1/2x", "x/2", "two ways"),
    (r"\sin x(y+1)", r"\sin(x(y+1))", "two ways"),
    ("|x|", "x", "equal at positive values only"),
    ("west", "east", "words"),
    (r"\text{no}", "on", "no formula"),
    ("[1,2]", "(1,2)", "[] against ()"),
    ("4.123106", r"\sqrt{17}", "equal to 6 digits only"),
    (r"\log 100", "2", "logarithm without its base"),
    ("x = 9 = 10", "10", "an equation whose sides are not equal"),
    (r"k \ge 2", r"[2,\infty)", "no formula"),
    ("1/0", "5", "divides by zero"),
    ("y = 3", "x = 3", "other symbols"),
]
HOSTILE = [
    *("10^10^10", r"2^{4^{8^{16}}}", "9**9**9**9", "(10^{10})!", "5!!!!!", r"\sin(10^{4000})", "e^{e^{20}}"),
    *("((((1/3)^99)^99)^99)^99", r"\binom{10^9}{5*10^8}", "{" * 499 + "1" + "}" * 499, "(" * 500, "|" * 500),
    *(
        "",
        "  ",
        "\0",
        "5\0",
        "!",
        ",",
        "=",
        "x=",
        "[",
        r"\frac" * 99,
        r"\boxed{" * 99,
        r"\sqrt[0]{2}",
        "0^{-1}",
    ),
    *("__import__('os').getpid()", "5" * LONGEST),
]


def math(extracted: str, gold: str) -> tuple[bool | None, str]:
    return opinion("math", extracted, [gold], None, "{}", 0.0)


@pytest.mark.parametrize(("extracted", "gold", "how"), TRUE)
def test_agrees_with_what_is_equal_whichever_side_it_is_on(extracted: str, gold: str, how: str) -> None:
    assert math(extracted, gold) == (True, how)
    assert math(gold, extracted)[0] in (True, None)


@pytest.mark.parametrize(("extracted", "gold"), FALSE)
def test_disagrees_with_what_differs(extracted: str, gold: str) -> None:
    assert math(extracted, gold)[0] is False
    assert math(gold, extracted)[0] is False


@pytest.mark.parametrize(("extracted", "gold", "why"), NONE)
def test_says_nothing_on_what_it_cannot_read_in_one_way(extracted: str, gold: str, why: str) -> None:
    found, how = math(extracted, gold)
    assert (found, why in how) == (None, True), how


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:20]))
def test_survives_what_models_write(text: str) -> None:
    assert math(text, "5")[0] is None
    assert math("5", text)[0] in (None, False)
    for task in ("gcd", "chain_sum", "prime_factorization", "countdown", "puzzle24", "zebra"):
        metadata = json.dumps({"number": 5, "numbers": [5], "target": 5})
        assert opinion("gym", text, ["5"], task, metadata, 0.0)[0] in (None, False)


@given(st.text(max_size=60), st.text(alphabet="0123456789xe.,()[]{}|^_+-*/=!\\ fracsqtpmn&", max_size=60))
def test_never_raises(words: str, symbols: str) -> None:
    for text in (words, symbols):
        for verifier in ("math", "numeric", "gym", "choice"):
            assert opinion(verifier, text, [symbols, "1"], "countdown", "[", 0.1)[0] in (True, False, None)


def test_one_accepted_alternative_is_enough_and_none_must_be_unreadable_for_a_no() -> None:
    assert opinion("math", "12", [r"\text{(B)}", "12"], None, "{}", 0.0) == (True, "integers")
    assert opinion("math", "13", ["11", "12"], None, "{}", 0.0) == (False, "integers")
    assert opinion("math", "13", ["11", "east"], None, "{}", 0.0) == (None, "words")
    assert opinion("math", "13", [], None, "{}", 0.0)[0] is None


@pytest.mark.parametrize(
    ("extracted", "gold", "found"),
    [
        ("102", "100", True),
        ("105", "100", True),
        ("105.1", "100", False),
        ("-100", "100", False),
        ("0", "0", True),
    ],
)
def test_the_tolerance_is_relative_to_the_gold_and_of_numeric_only(
    extracted: str, gold: str, found: bool
) -> None:
    assert opinion("numeric", extracted, [gold], None, "{}", 0.05)[0] is found
    assert opinion("math", extracted, [gold], None, "{}", 0.05)[0] is (extracted == gold)
    assert opinion("numeric", rf"{extracted} \mathrm{{~kg}}", [f"{gold} kg"], None, "{}", 0.05)[0] is found


@pytest.mark.parametrize(
    ("task", "answer", "gold", "metadata", "expected"),
    [
        ("gcd", "6", "6", {}, (True, "integers")),
        ("gcd", "12", "6", {}, (False, "integers")),
        ("chain_sum", "+06.0", "6", {}, (True, "integers")),
        ("chain_sum", "1,234.5", "1234.5", {}, (True, "numbers")),
        ("chain_sum", "1,2", "12", {}, (None, "no number: '1,2'")),
        ("chain_sum", "six", "6", {}, (None, "no number: 'six'")),
        ("prime_factorization", "2 × 3 × 2", "2 × 2 × 3", {"number": 12}, (True, "factors")),
        ("prime_factorization", "4 × 3", "2 × 2 × 3", {"number": 12}, (False, "factors")),
        ("prime_factorization", "1 × 5", "5", {"number": 5}, (False, "factors")),
        ("prime_factorization", "2 ×", "2", {"number": 2}, (None, "no number: ''")),
        (
            "countdown",
            "8*3 - 2",
            "",
            {"numbers": [2, 3, 8], "target": 22},
            (True, "expression over the numbers"),
        ),
        (
            "countdown",
            "8*3 - 3",
            "",
            {"numbers": [2, 3, 8], "target": 21},
            (False, "expression over the numbers"),
        ),
        (
            "countdown",
            "8*3 - 2",
            "",
            {"numbers": [2, 3, 8], "target": 23},
            (False, "expression over the numbers"),
        ),
        (
            "countdown",
            "8/(3-3)",
            "",
            {"numbers": [3, 3, 8], "target": 0},
            (False, "expression over the numbers"),
        ),
        (
            "countdown",
            "8*3 = 24",
            "",
            {"numbers": [3, 8], "target": 24},
            (None, "no expression: '=' out of place"),
        ),
        (
            "countdown",
            "8*3)",
            "",
            {"numbers": [3, 8], "target": 24},
            (None, "no expression: a bracket closes that was not opened"),
        ),
        (
            "countdown",
            "(8*3",
            "",
            {"numbers": [3, 8], "target": 24},
            (None, "no expression: it ends too soon"),
        ),
        ("puzzle24", "9*3*8/9", "", {"numbers": [9, 9, 3, 8]}, (True, "expression over the numbers")),
        ("countdown", "5", "5", {}, (None, "KeyError: 'numbers'")),
        ("zebra_puzzles", " Ann  Lee", "Ann Lee", {}, (True, "same text")),
        ("zebra_puzzles", "Ann", "Ann Lee", {}, (None, "none for the task zebra_puzzles")),
    ],
)
def test_tasks_are_judged_by_exact_arithmetic(
    task: str, answer: str, gold: str, metadata: dict[str, object], expected: tuple[bool | None, str]
) -> None:
    assert opinion("gym", answer, [gold], task, json.dumps(metadata), 0.0) == expected


EXPRESSIONS = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
        st.tuples(inner, st.sampled_from([" + ", " - ", " * "]), inner).map("".join),
        inner.map(lambda text: f"-({text})"),
    ),
    max_leaves=8,
)


def by_python(text: str) -> Fraction | None:
    """The value that Python's own parser gives, over fractions."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = Fraction(node.value)
    names = {}

    class Named(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Name:
            names[f"n{len(names)}"] = node.value
            return ast.copy_location(ast.Name(f"n{len(names) - 1}", ast.Load()), node)

    code = compile(ast.fix_missing_locations(Named().visit(tree)), "expression", "eval")
    try:
        return eval(code, names)
    except ZeroDivisionError:
        return None


@given(EXPRESSIONS)
def test_expressions_have_the_value_that_python_gives(text: str) -> None:
    used, value = tasks.expression(text)
    assert value == by_python(text)
    assert sorted(used) == sorted(int(n) for n in "".join(c if c.isdigit() else " " for c in text).split())


@given(EXPRESSIONS)
def test_formulas_have_the_value_that_python_gives(text: str) -> None:
    wanted = by_python(text)
    for written in (text, text.replace("*", r" \cdot "), text.replace("(", r"{").replace(")", "}")):
        try:
            assert evaluate(written, lambda _: None) == wanted
        except ZeroDivisionError:
            assert wanted is None


def test_a_worker_passes_it_on_as_json() -> None:
    with Worker(opinion, timeout=30.0, preload=["leash.verify.opinion"]) as worker:
        reply = worker.call("math", r"\frac{1}{2}", ["0.5"], None, "{}", 0.0)
        assert (reply.value, reply.failure) == ([True, "numbers"], None)


def test_it_is_written_apart_from_the_verifiers() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert all(name.startswith("leash.verify.opinion") for name in names if "leash" in name), path
