"""Extraction: what each rule takes and leaves, on friendly and hostile text."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.extract import RULES, Extracted, extract

TAG, OPEN, BOXED, STATED, CONCLUDING = RULES

TAGS = [
    ("<answer>5</answer>", "5"),
    ("<think>a</think><answer> 5\n</answer>", "5"),
    ("a</think><answer>5</answer>", "5"),  # the prompt opened the thinking
    ("<answer>4</answer> no, <answer>5</answer> sure", "5"),
    ("<answer>5</answer> or <answer>6", "5"),
    ("<answer>5</answer> stray </answer>", "5"),
    ("<answer><answer>5</answer></answer>", "5"),
    ("<think><answer>4</answer></think><answer>5</answer>", "5"),
    ("<think>a</think><think>b</think><answer>5</answer>", "5"),
    ("<answer>a < b\x00\ud800</answer>", "a < b\x00\ud800"),
    ("<think><answer>5</answer>", "5"),
    ("<think>a</think><think><answer>5</answer>", "5"),
    ("<think><answer>5</answer></think>", "5"),
    ("<answer>the box is \\boxed{5}</answer>", "5"),
    ("\\boxed{4} <answer>5</answer> \\boxed{6} The answer is 7.", "5"),
    ("<answer>5", None),
    ("5</answer>", None),
    ("</answer>5<answer>", None),
    ("<answer> \n </answer>", None),
    ("the answer is 5", None),
    ("", None),
]


@pytest.mark.parametrize(("completion", "expected"), TAGS)
def test_the_answer_tag(completion: str, expected: str | None) -> None:
    assert extract(completion, [TAG, BOXED]) == (None if expected is None else Extracted(expected, TAG))


def test_where_boxes_do_not_count_a_tag_is_taken_as_it_stands() -> None:
    text = "the box is \\boxed{5}"
    assert extract(f"<answer>{text}</answer> \\boxed{{6}}", [TAG]) == Extracted(text, TAG)


def bare(answer: str) -> str:
    """Without the sentence's end, which the mathematics does not read."""
    return answer.rstrip(".。") if answer.startswith("$") else answer.rstrip(".。$")


FOUND = [
    # an open tag: the stop string is no part of the completion
    ("<answer> 5", "5", OPEN),
    ("<think>a</think><answer>\\boxed{3.5}", "3.5", OPEN),
    ("<answer>4</answer> <answer>5", "4", TAG),
    # where boxes count, a box in a tag is its answer
    ("<answer>the box is \\boxed{5}</answer>", "5", TAG),
    # the last complete box, whatever its braces and spelling
    ("\\boxed{4} then \\boxed{5}.\n\nSo \\boxed{6}", "6", BOXED),
    ("$\\boxed{\\frac{1}{2}}$", "\\frac{1}{2}", BOXED),
    ("\\fbox{ 5 }", "5", BOXED),
    ("\\boxed {5}", "5", BOXED),
    ("\\boxed 12.5.", "12.5", BOXED),
    ("\\boxed{\\{1, 2\\}}", "\\{1, 2\\}", BOXED),
    ("\\boxed{\\left\\{ x \\mid x > 1 \\right\\}}", "\\left\\{ x \\mid x > 1 \\right\\}", BOXED),
    ("\\boxed{5} and the length is 30", "5", BOXED),
    ("<think>\\boxed{4}</think>The box: \\boxed{5}", "5", BOXED),
    ("<think>\\boxed{4}</think>", "4", BOXED),
    ("{{{ \\boxed{5}", "5", BOXED),
    # plain words
    ("The answer is 5.", "5", STATED),
    ("The answer is 5. It is not 6.", "5", STATED),
    ("**Answer: D**", "D", STATED),
    ("Final Answer: $\\frac{3}{4}$", "$\\frac{3}{4}$", STATED),
    ("The final answer is: $x = 3$.", "$x = 3$", STATED),
    ("答案是 $\\frac34$。", "$\\frac34$", STATED),
    ("答案：7", "7", STATED),
    ("The correct option is (B).", "(B)", STATED),
    ("Answer:\n\n 3.14 m", "3.14 m", STATED),
    ("The answer is 4. Wait.\nThe answer is 5.", "5", STATED),
    ("\\boxed{4}. No: the answer is 5.", "5", STATED),
    ("The answer is 4, so \\boxed{5}", "5", BOXED),
    ("The answer is \\boxed{5}.", "5", BOXED),
    ("\\boxed{5}. This answer is what the question asks for.", "5", BOXED),
    # a last sentence that concludes
    ("We add them.\nIn total that makes $18.90.", "$18.90", CONCLUDING),
    ("So the number of ways is 12.", "12", CONCLUDING),
    ("Adding up, the area equals **35**.", "35", CONCLUDING),
    ("Therefore $x = 7$.", "$x = 7$", CONCLUDING),
    ("12", "12", CONCLUDING),
    ("We add them.\n**35**", "35", CONCLUDING),
    ("因此，面积是 12。", "12", CONCLUDING),
]


@pytest.mark.parametrize(("completion", "answer", "rule"), FOUND)
def test_what_each_rule_finds(completion: str, answer: str, rule: str) -> None:
    found = extract(completion)
    assert found is not None
    assert (bare(found.answer) if rule == CONCLUDING else found.answer, *found[1:]) == (answer, rule, None)
    others = [one for one in RULES if one != rule]
    alone = extract(completion, others)
    assert alone is None or alone.rule in others


@pytest.mark.parametrize(
    "completion",
    [
        "",
        " \n",
        "We get 3 apples and 4 pears, 7 in all that counts",
        "There are 12 ways to do it.",
        "<think>The answer is \\boxed{5}.",
        "<think>\\boxed{4}</think>done",
        "a</think><think>\\boxed{5}",
        "\\boxed{4} hence \\boxed{5",
        "\\boxed{}",
        "\\boxed",
        "\\boxes{5}",
        "</think>",
    ],
)
def test_no_answer(completion: str) -> None:
    assert extract(completion) is None


# Cut off at the length limit, only what is surely whole counts.
@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("<answer>5", None),
        ("<answer>5</answer>", Extracted("5", TAG)),
        ("<answer>5</answer> and <answer>6", Extracted("5", TAG)),
        ("\\boxed{5} and so", Extracted("5", BOXED)),
        ("\\boxed{4} and \\boxed{5", None),
        ("The answer is 5", None),
        ("The answer is 5. And", None),  # it may go on with "but"
        ("Answer: 5\nAnd", Extracted("5", STATED)),
        ("Answer: 4.\nAnswer: 5", Extracted("4", STATED)),
        ("So the number of ways is 12.", None),
    ],
)
def test_a_completion_that_was_cut_off(completion: str, expected: Extracted | None) -> None:
    assert extract(completion, complete=False) == expected


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("\\boxed{1} and \\boxed{2}", Extracted("1, 2", BOXED)),
        ("$x=\\boxed{1}$, $y=\\boxed{2}$", Extracted("x = 1, y = 2", BOXED)),
        ("\\boxed{1}, \\boxed{2}, and \\boxed{3}.", Extracted("1, 2, 3", BOXED)),
        ("\\boxed{1}. Check: \\boxed{2}", Extracted("2", BOXED)),
        ("\\boxed{1}\n\n\\boxed{2}", Extracted("2", BOXED)),
        ("For k it is \\boxed{45} apples, for n \\boxed{2}.", Extracted("2", BOXED, "45, 2")),
        ("k = \\boxed{45}, n = \\boxed{2}", Extracted("k = 45, n = 2", BOXED)),
        ("\\boxed{1}" + "a" * 200 + "\\boxed{2}", Extracted("2", BOXED)),
        ("\\boxed{\\boxed{2}}", Extracted("2", BOXED)),
    ],
)
def test_several_boxes(completion: str, expected: Extracted) -> None:
    assert extract(completion) == expected


TURNS = [
    "\nProblem:",
    "\n## Problem 2:",
    "\nHuman:",
    "\n**Question:**",
    "\nUser:",
    "\nQ:",
    "\n### Instruction:",
]
ENDS = ["<|im_end|>", "<|eot_id|>", "<|endoftext|>"]
OWN = ["<answer>5</answer>", "\\boxed{5}", "The answer is 5.", "<answer>5"]


@pytest.mark.parametrize(("own", "turn"), [*product(OWN, TURNS), *product([*OWN, "So the sum is 5."], ENDS)])
def test_what_follows_the_models_turn_is_not_its_answer(own: str, turn: str) -> None:
    found = extract(f"{own}\n{turn} What is 3+3?\n<answer>6</answer> \\boxed{{6}} The answer is 6.")
    assert found is not None
    assert bare(found.answer) == "5"


def test_a_model_may_ask_itself_a_question_after_what_sounds_like_a_conclusion() -> None:
    found = extract("So x + y = 5.\nQuestion: what is x?\nThe answer is 3.")
    assert found == Extracted("3", STATED)


def test_a_turn_before_any_answer_leaves_the_rest() -> None:
    assert extract("Let me restate.\nProblem: 2 + 3\nThe answer is 5.") == Extracted("5", STATED)


@pytest.mark.parametrize("rule", RULES)
def test_only_the_rules_asked_for_are_used(rule: str) -> None:
    text = "\\boxed{3}\nThe answer is 4.\n<answer>1</answer> <answer>2.\nSo it is 5."
    found = extract(text, [rule])
    assert found is not None
    assert found.rule == rule
    expected = {
        TAG: "1",
        OPEN: "2.\nSo it is 5",
        BOXED: "3",
        STATED: "4",
        CONCLUDING: "5",
    }
    assert bare(found.answer) == expected[rule]


FRAGMENTS = [
    *("<answer>", "</answer>", "<think>", "</think>", "\\boxed{", "\\fbox{", "\\boxed", "{", "}", "\\{"),
    *("The answer is ", "Answer:", "答案是", "**", "$", "\\(", ".", "\n", " ", "5", "x = ", "So it is "),
    *("\nProblem:", "<|im_end|>", "and", "is", "\x00", "\ud800"),
]
hostile = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join))


@given(hostile, st.sets(st.sampled_from(RULES), min_size=1), st.booleans())
def test_an_answer_is_a_part_of_the_completion(text: str, rules: set[str], complete: bool) -> None:
    found = extract(text, [rule for rule in RULES if rule in rules], complete)
    if found is None:
        return
    assert found.rule in rules
    assert found.answer == found.answer.strip() != ""
    assert found.answer in text or text.count("box") > 1
    assert found.together is None or found.together.endswith(found.answer)


@given(hostile)
def test_a_complete_completion_answers_whatever_its_cut_off_twin_does(text: str) -> None:
    if extract(text, complete=False) is not None:
        assert extract(text) is not None


@given(st.lists(st.sampled_from(["<answer>", "</answer>", "<think>", "</think>", "5", " "]), max_size=12))
def test_a_tagged_answer_is_stripped_text_between_its_tags(parts: list[str]) -> None:
    text = "".join(parts)
    found = extract(text, [TAG])
    if found is not None:
        assert "answer>" not in found.answer
        end = text.rindex("</answer>")
        assert end > text.rindex("<answer>", 0, end)


N = 10**5
MEGABYTE = [
    ("<answer>" * N, [TAG], None),
    ("</answer>" * N, [TAG], None),
    ("<answer>" * N + "</answer>", [TAG], None),
    ("<answer>" * N + "5</answer>", RULES, "5"),
    ("<think>" * N + "</think><answer>5</answer>", RULES, "5"),
    ("</think>" * N + "<answer>5</answer>", RULES, "5"),
    ("<answer>5</answer>" + "</answer>" * N, RULES, "5"),
    ("<answer>5</answer>" + "<answer>" * N, RULES, "5"),
    ("<answer>a" * N + "</answer>" * N, RULES, "a"),
    ("<answer>" + " " * 10 * N + "</answer>", RULES, None),
    ("<" * 10 * N + "<answer>5</answer>", RULES, "5"),
    ("\\boxed{" * N, RULES, None),
    ("\\boxed{" * N + "}" * N, [BOXED], ...),
    ("\\boxed{" * N + "\\boxed{5}", RULES, "5"),
    ("\\boxed{5}. " * N, RULES, "5"),
    ("\\boxed " * N, RULES, None),
    ("\\boxedx" * N, RULES, None),
    ("{" * 10 * N + "\\boxed{5}", RULES, "5"),
    ("\\boxed{5}" + "{" * 10 * N, RULES, "5"),
    ("the answer is 5 " * N, RULES, ...),
    ("\\boxed{5} " + "the answer is one of many things " * N, RULES, ...),
    ("Answer:\n(((\n" * N, RULES, ...),
    ("\\boxed{5}" + "Answer:\n(((\n" * N, RULES, "5"),
    ("answer " + " " * 10 * N, RULES, None),
    ("answer" + " *" * N, RULES, None),
    ("correct " * N + "answer: 5.", RULES, "5"),
    ("answer: " + "$ is " * N, RULES, ...),
    ("答案是" * N, RULES, ...),
    ("So " + "is " * N + "5.", RULES, ...),
    ("\nProblem: \\boxed{" * N, RULES, None),
    ("\n" + " " * 10 * N + "Problem", RULES, None),
    ("\n \t" * N, RULES, None),
]


@contextmanager
def in_linear_time() -> Iterator[None]:
    """Ends what would run for hours: what is linear takes a fifth of a second."""

    def ring(*_: object) -> None:
        raise TimeoutError("not linear")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(20)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("case", range(len(MEGABYTE)))
def test_a_megabyte_of_pieces(case: int, complete: bool) -> None:
    completion, rules, expected = MEGABYTE[case]
    with in_linear_time():
        found = extract(completion, rules, complete)
    if expected is not ... and (complete or expected is None):
        assert (found.answer[:100] if found else None) == expected
