"""Prompt templates: by name or as text, filled by replacing the slot only, told by their hash."""

import hashlib

import pytest

from leash.benchmarks import prompts
from leash.errors import InputError


def test_a_name_and_a_text_both_resolve() -> None:
    assert prompts.resolve("plain") == "{question}"
    assert prompts.resolve("Solve {question}!") == "Solve {question}!"


@pytest.mark.parametrize("prompt", ["boxd", "What is it?", ""])
def test_anything_else_lists_the_names(prompt: str) -> None:
    with pytest.raises(InputError, match=r"\(answer-tag, boxed, plain\) nor a text with \{question\} in it"):
        prompts.resolve(prompt)


def test_every_named_template_keeps_the_question_and_its_own_name() -> None:
    for name, template in prompts.TEMPLATES.items():
        prompts.check_template(template)
        assert "1 + {1}" in prompts.render(template, "1 + {1}")
        assert prompts.name_of(template) == name
    assert prompts.name_of("my own {question}") is None


def test_boxed_keeps_its_braces() -> None:
    assert prompts.render(prompts.TEMPLATES["boxed"], "What is $x^{2}$?") == (
        "What is $x^{2}$?\nPlease reason step by step, and put your final answer within \\boxed{}."
    )


def test_answer_tag_asks_for_both_tags() -> None:
    for tag in ("<think>", "</think>", "<answer>", "</answer>"):
        assert tag in prompts.TEMPLATES["answer-tag"]


def test_the_digest_is_the_sha256_of_the_text() -> None:
    assert prompts.digest("{question} é") == hashlib.sha256("{question} é".encode()).hexdigest()
