"""A fresh Qwen2 model, small enough to train on two CPU cores in minutes."""

from typing import Any

import torch
from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM

from leash.errors import InputError
from leash.training.spec import Architecture

MAX_POSITIONS = 1024


def fresh_model(architecture: Architecture, tokenizer: Any, seed: int) -> Qwen2ForCausalLM:
    """A randomly initialised Qwen2: tied embeddings, float32, the tokenizer's vocabulary, eos and pad.

    Raises InputError for head counts that do not divide one another.
    """
    if architecture.hidden_size % architecture.heads or architecture.heads % architecture.kv_heads:
        raise InputError(
            f"architecture: heads {architecture.heads} must divide hidden_size {architecture.hidden_size}, "
            f"and kv_heads {architecture.kv_heads} must divide heads"
        )
    ids = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=architecture.hidden_size,
        intermediate_size=architecture.intermediate_size,
        num_hidden_layers=architecture.layers,
        num_attention_heads=architecture.heads,
        num_key_value_heads=architecture.kv_heads,
        max_position_embeddings=MAX_POSITIONS,
        tie_word_embeddings=True,
        use_sliding_window=False,
        bos_token_id=None,
        dtype="float32",
        **ids,
    )
    torch.manual_seed(seed)
    model = Qwen2ForCausalLM(config)
    model.generation_config = GenerationConfig(**ids)
    return model
