"""Extraction: the last complete answer after the thinking, on friendly and hostile text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.verify.extract import answer

CASES = [
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
    ("<think><answer>5</answer>", None),
    ("<think>a</think><think><answer>5</answer>", None),
    ("<think><answer>5</answer></think>", None),
    ("<answer>5", None),
    ("5</answer>", None),
    ("</answer>5<answer>", None),
    ("<answer> \n </answer>", None),
    ("the answer is 5", None),
    ("", None),
]
N = 10**6


@pytest.mark.parametrize(("completion", "expected"), CASES)
def test_cases(completion: str, expected: str | None) -> None:
    assert answer(completion) == expected


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("<answer>" * N, None),
        ("</answer>" * N, None),
        ("<answer>" * N + "</answer>", None),
        ("<answer>" * N + "5</answer>", "5"),
        ("<think>" * N + "</think><answer>5</answer>", "5"),
        ("</think>" * N + "<answer>5</answer>", "5"),
        ("<answer>5</answer>" + "</answer>" * N, "5"),
        ("<answer>5</answer>" + "<answer>" * N, "5"),
        ("<answer>" + " " * 10 * N + "</answer>", None),
        ("<" * 10 * N + "<answer>5</answer>", "5"),
    ],
)
def test_ten_megabytes_of_tags(completion: str, expected: str | None) -> None:
    assert answer(completion) == expected


@given(st.lists(st.sampled_from(["<answer>", "</answer>", "<think>", "</think>", "5", " "]), max_size=12))
def test_an_answer_is_stripped_text_between_its_tags_and_after_thinking(parts: list[str]) -> None:
    text = "".join(parts)
    found = answer(text)
    if found is not None:
        assert found == found.strip() != ""
        assert "<answer>" not in found
        assert "answer>" not in found
        tail = text.rpartition("</think>")[2]
        assert "<think>" not in tail
        assert (
            tail.rindex("</answer>")
            > tail.rindex(found, 0, tail.rindex("</answer>"))
            > tail.index("<answer>")
        )
