"""Random Llama models of given sizes, saved with a tokenizer of one word, for the benchmarks of scoring."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from leash.sampling.engine import Source
from leash.scoring.batches import Item


def save(
    folder: Path, vocabulary: int, hidden: int, layers: int, context: int, spread: float = 0.02
) -> Source:
    """A model with an untied output embedding, float32. `spread`: standard deviation of its weights."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=3 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=max(1, hidden // 64),
        num_key_value_heads=max(1, hidden // 128),
        max_position_embeddings=context,
        initializer_range=spread,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    word = Tokenizer(models.WordLevel({"word": 0}, unk_token="word"))
    PreTrainedTokenizerFast(tokenizer_object=word, unk_token="word").save_pretrained(folder)
    return Source(str(folder), None)


def texts(count: int, tokens: int, vocabulary: int) -> list[Item]:
    """Random texts of so many tokens, all but the first one scored."""
    random: Any = np.random.default_rng(0)
    ids = random.integers(0, vocabulary, (count, tokens), dtype=np.int32)
    return [Item(key, row[:1], row[1:]) for key, row in enumerate(ids)]
