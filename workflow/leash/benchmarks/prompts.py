"""How a question becomes the prompt a model is given."""

import hashlib
from typing import Final

from leash.errors import InputError

SLOT: Final = "{question}"

TEMPLATES: Final = {
    "plain": "{question}",
    "boxed": "{question}\nPlease reason step by step, and put your final answer within \\boxed{}.",
    "answer-tag": (
        "{question}\nFirst reason step by step between <think> and </think>. Then give the final answer, and "
        "nothing else, between <answer> and </answer>."
    ),
}
"""Templates that a config can name. A spec holds the text, so a new name for it redraws nothing."""


def resolve(prompt: str) -> str:
    """The template that a config means: a named one, or the text itself. Raises InputError for neither."""
    if prompt in TEMPLATES:
        return TEMPLATES[prompt]
    if SLOT in prompt:
        return prompt
    raise InputError(
        f"prompt: {prompt!r} is neither a template's name ({', '.join(sorted(TEMPLATES))}) "
        f"nor a text with {SLOT} in it"
    )


def name_of(template: str) -> str | None:
    """The name of a template, or None for a text of the user's own."""
    return next((name for name, text in TEMPLATES.items() if text == template), None)


def digest(template: str) -> str:
    """SHA-256 of a template's UTF-8 text, in hex."""
    return hashlib.sha256(template.encode()).hexdigest()


def check_template(template: str) -> None:
    """Raise InputError for a template that would drop the question."""
    if SLOT not in template:
        raise InputError(f"prompt: has no {SLOT}, so the question would be lost; template is {template!r}")


def render(template: str, question: str) -> str:
    """The template with the question in its slot.

    Only the slot is replaced: templates and questions are full of other braces, which `str.format` reads.
    """
    return template.replace(SLOT, question)
