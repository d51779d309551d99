"""The scorer: the numbers of a plain computation, whatever the model's family, the batch, or the chunk."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from leash.errors import InputError
from leash.sampling.engine import Source
from leash.sampling.prompts import render
from leash.scoring import loading
from leash.scoring.batches import Item, plan
from leash.scoring.forward import Scored, Scorer

VOCABULARY = 77
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "initializer_range": 0.3,
    "bos_token_id": None,
    "eos_token_id": 0,
    "pad_token_id": 0,
}
GPT2 = {
    "vocab_size": VOCABULARY,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
    "initializer_range": 0.3,
}
GEMMA = SIZES | {"head_dim": 8}
FAMILIES: dict[str, dict[str, Any]] = {
    "Llama": SIZES | {"tie_word_embeddings": False},
    "Llama, tied": SIZES | {"tie_word_embeddings": True},
    "Qwen2": SIZES | {"tie_word_embeddings": False},
    "Qwen2, tied": SIZES | {"tie_word_embeddings": True},
    "GPT2": GPT2,
    "GPT2, untied": GPT2 | {"tie_word_embeddings": False},
    "Phi": SIZES | {"num_key_value_heads": 4},  # a bias after the output embedding
    "Gemma2": GEMMA | {"final_logit_softcapping": 3.0, "attn_logit_softcapping": 2.0, "sliding_window": 16},
    "Cohere": SIZES | {"logit_scale": 0.25},
    "Granite": SIZES | {"logits_scaling": 4.0},
    "Mixtral": SIZES | {"num_local_experts": 4, "num_experts_per_tok": 2},
}
Save = Callable[..., Path]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory, micro_model: Path) -> Save:
    """Save a random model of a family, with a tokenizer."""

    def saved(family: str, **sizes: Any) -> Path:
        name = family.split(",")[0]
        folder = tmp_path_factory.mktemp(name)
        torch.manual_seed(1)
        config = getattr(transformers, f"{name}Config")(**(FAMILIES.get(family, SIZES) | sizes))
        model = AutoModelForCausalLM.from_config(config)
        with torch.no_grad():
            for kind, parameter in model.named_parameters():
                if kind.endswith("bias"):
                    parameter.normal_()
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(micro_model).save_pretrained(folder)
        return folder

    return saved


def scorer_of(folder: Path, dtype: str = "float32", **options: Any) -> Scorer:
    return Scorer(Source(str(folder), None), dtype, **options)


def some_items(lengths: list[tuple[int, int]], below: int = VOCABULARY) -> list[Item]:
    random = np.random.default_rng(3)
    return [
        Item(key, *(random.integers(0, below, length).astype(np.int32) for length in pair))
        for key, pair in enumerate(lengths)
    ]


LENGTHS = [(1, 1), (5, 1), (1, 40), (20, 44), (7, 13), (7, 13), (30, 2), (2, 9)]


def naive(folder: Path, item: Item) -> Scored:
    """From the full logits of one text, in float64; eager attention, which knows every cap."""
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    ids = torch.tensor([[*item.prompt_ids, *item.scored_ids]])
    with torch.no_grad():
        logits = model(ids).logits[0, len(item.prompt_ids) - 1 : -1].double()
    log_p = logits.log_softmax(-1)
    loglik = log_p[torch.arange(len(log_p)), ids[0, len(item.prompt_ids) :]]
    return Scored(loglik.numpy(), -(log_p.exp() * log_p).sum(-1).numpy())


def assert_close(found: Scored, expected: Scored, tolerance: float = 1e-5) -> None:
    assert found.problem is None
    for one, other in zip(found[:2], expected[:2], strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, atol=tolerance, rtol=0)


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_those_of_the_full_logits(save: Save, family: str) -> None:
    folder = save(family)
    items = some_items(LENGTHS)
    scorer = scorer_of(folder, chunk_tokens=10)
    for item, one in zip(items, scorer.score(items), strict=True):
        assert_close(one, naive(folder, item))


def test_whichever_texts_are_scored_together(save: Save) -> None:
    items = some_items(LENGTHS)
    scorer = scorer_of(save("Qwen2"))
    alone = [scorer.score([item])[0] for item in items]
    for bound in (1, 50, 100, 1000):
        for batch in plan(items, bound):
            for item, one in zip(batch, scorer.score(batch), strict=True):
                assert_close(one, alone[item.key])


def test_the_same_batch_has_the_same_scores_to_the_last_bit(save: Save) -> None:
    items = some_items(LENGTHS)
    folder = save("Llama")
    first, second = (scorer_of(folder).score(items) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert one.loglik.tobytes() == other.loglik.tobytes()
        assert one.entropy.tobytes() == other.entropy.tobytes()


@pytest.mark.parametrize("family", ["Llama", "Gemma2"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_near_to_full(save: Save, family: str, dtype: str) -> None:
    folder = save(family, initializer_range=0.1)
    items = some_items(LENGTHS)
    full, half = (scorer_of(folder, one).score(items) for one in ("float32", dtype))
    for one, other in zip(half, full, strict=True):
        assert_close(one, other, 0.1)


def test_auto_is_the_dtype_of_the_weights(save: Save) -> None:
    folder = save("Llama", dtype="bfloat16")
    AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).save_pretrained(folder)
    items = some_items(LENGTHS)
    for one, other in zip(
        scorer_of(folder, "auto").score(items), scorer_of(folder, "bfloat16").score(items), strict=True
    ):
        assert one.loglik.tobytes() == other.loglik.tobytes()


def test_what_cannot_be_scored_says_why_and_the_others_are_scored(save: Save) -> None:
    scorer = scorer_of(save("GPT2"))
    assert (scorer.vocabulary, scorer.context) == (VOCABULARY, 64)
    good = some_items([(3, 4)])[0]
    batch = [
        Item(1, [1, 2], [3, VOCABULARY]),
        good,
        Item(2, [-1], [3]),
        Item(3, [1], []),
        Item(4, [], [1]),
        Item(5, [1] * 60, [1] * 5),
    ]
    scored = scorer.score(batch)
    assert [one.problem for one in scored] == [
        f"token id {VOCABULARY} is outside the vocabulary of {VOCABULARY}",
        None,
        f"token id -1 is outside the vocabulary of {VOCABULARY}",
        "nothing to score",
        "nothing before the first token",
        "65 tokens with its prompt, and the context is 64",
    ]
    assert [len(one.loglik) for one in scored] == [len(one.entropy) for one in scored] == [0, 4, 0, 0, 0, 0]
    assert_close(scored[1], scorer.score([good])[0])
    assert scorer.score([Item(0, [1], [])])[0].problem
    assert scorer.score([]) == []


def test_the_tokenizer_renders_prompts_or_says_that_it_has_no_template(micro_model: Path) -> None:
    scorer = scorer_of(micro_model)
    ids = render(scorer.tokenizer, "1+1", chat_template=False)
    one = scorer.score([Item(0, ids, [2, 3])])[0]
    assert len(one.loglik) == 2
    with pytest.raises(InputError, match="no chat template: set chat_template: false"):
        render(scorer.tokenizer, "1+1", chat_template=True)


def test_a_cap_that_the_config_does_not_tell_is_found_out(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save("Gemma2")
    head = loading._head
    monkeypatch.setattr(loading, "_head", lambda *given: head(*given)._replace(softcap=None))
    for dtype in ("float32", "bfloat16"):
        with pytest.raises(InputError, match=r"Gemma2.*scales, caps or masks"):
            scorer_of(folder, dtype)


def test_a_model_with_layers_after_its_hidden_states_is_refused(save: Save) -> None:
    with pytest.raises(InputError, match=r"Bert.*scales, caps or masks"):
        scorer_of(save("Bert"))


def test_a_model_that_looks_ahead_is_refused(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.llama import modeling_llama

    folder = save("Llama")
    scorer_of(folder)
    monkeypatch.setattr(
        modeling_llama, "create_causal_mask", lambda **_: torch.ones(1, 1, 16, 16, dtype=torch.bool)
    )
    with pytest.raises(InputError, match=r"Llama.*depends on later tokens"):
        scorer_of(folder)


def test_positions_by_the_length_of_the_text_are_refused(save: Save) -> None:
    factors = {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 32, **factors}
    with pytest.raises(InputError, match=r"Phi3.*longrope"):
        scorer_of(save("Phi3", rope_parameters=rope))


def test_logits_that_are_no_numbers_are_refused(save: Save) -> None:
    folder = save("Llama")
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"] += float("nan")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"Llama.*NaN in torch.float32"):
        scorer_of(folder)


def test_a_text_whose_logits_overflow_names_the_model(save: Save) -> None:
    scorer = scorer_of(save("Llama"))
    scorer._backbone.embed_tokens.weight.data[5] = torch.inf
    with pytest.raises(InputError, match=r"Llama.*NaN or infinite.*scoring.dtype"):
        scorer.score([Item(0, [1, 5], [3, 4])])


def test_a_model_that_lacks_weights_is_refused(save: Save) -> None:
    folder = save("Llama")
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.0.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"weights are missing.*up_proj"):
        scorer_of(folder)


def test_a_model_that_cannot_be_loaded_is_named(save: Save, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.*cannot load this model"):
        scorer_of(tmp_path / "nowhere")
    folder = save("Llama")
    (folder / "model.safetensors").write_bytes(b"not weights, and long enough for a header")
    with pytest.raises(InputError, match="cannot load this model for scoring"):
        scorer_of(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": "known-to-vllm-only"}))
    with pytest.raises(InputError, match="known-to-vllm-only"):
        scorer_of(folder)
