"""How a prompt becomes token ids: one way for whoever draws from a model and whoever scores with it."""

from typing import Any

from leash.errors import InputError


def render(tokenizer: Any, prompt: str, chat_template: bool) -> list[int]:
    """Token ids of a prompt: through the chat template, or as plain text with the tokenizer's own BOS.

    A template writes its BOS itself, so none is added to its text. Raises InputError where the tokenizer has
    no chat template.
    """
    if not chat_template:
        return list(tokenizer(prompt)["input_ids"])
    if not tokenizer.chat_template:
        raise InputError("the tokenizer has no chat template: set chat_template: false for this model")
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
    )
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
