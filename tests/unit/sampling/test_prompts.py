"""A prompt's token ids: plain, or through a chat template, with one BOS either way."""

from pathlib import Path

import pytest
from tokenizers import processors
from transformers import AutoTokenizer

from leash.errors import InputError
from leash.sampling.prompts import render


def test_a_plain_prompt_has_the_tokenizers_own_bos_and_a_templated_one_the_templates(
    micro_model: Path,
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(micro_model)
    bos = tokenizer.eos_token_id
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<eos> $A", special_tokens=[("<eos>", bos)]
    )
    tokenizer.chat_template = "<eos>{{ messages[0].content }}={% if add_generation_prompt %}?{% endif %}"
    plain = render(tokenizer, "1+1", chat_template=False)
    assert tokenizer.decode(plain) == "<eos>1+1"
    templated = render(tokenizer, "1+1", chat_template=True)
    assert tokenizer.decode(templated) == "<eos>1+1=?"
    assert plain.count(bos) == templated.count(bos) == 1


def test_a_tokenizer_without_a_template_is_refused(micro_model: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(micro_model)
    with pytest.raises(InputError, match="no chat template: set chat_template: false"):
        render(tokenizer, "1+1", chat_template=True)
