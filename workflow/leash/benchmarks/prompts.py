"""How a question becomes the prompt a model is given."""

from typing import Final

from leash.errors import InputError

SLOT: Final = "{question}"


def check_template(template: str) -> None:
    """Raise InputError for a template that would drop the question."""
    if SLOT not in template:
        raise InputError(f"prompt: has no {SLOT}, so the question would be lost; template is {template!r}")


def render(template: str, question: str) -> str:
    """The template with the question in its slot.

    Only the slot is replaced: templates and questions are full of other braces, which `str.format` reads.
    """
    return template.replace(SLOT, question)
