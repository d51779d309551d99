"""A causal language model for scoring, and the refusal of every one whose scores would not be its own."""

from typing import Any, Final, NamedTuple

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils.logging import disable_progress_bar

from leash.errors import InputError
from leash.records import listed
from leash.sampling.engine import Source
from leash.scoring.reduce import Head

DTYPES: Final = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}

_LOADING: Final = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RuntimeError,
    ImportError,
    SafetensorError,
)
_PROBE: Final = 16


class Loaded(NamedTuple):
    """A model, the part of it that gives hidden states, its output embedding, and its tokenizer."""

    model: Any
    backbone: Any
    head: Head
    tokenizer: Any


def load(source: Source, dtype: str, trust_remote_code: bool) -> Loaded:
    """Load a model for scoring, on the GPUs where there are any (spread by transformers), else on the CPU.

    `dtype`: auto (as the weights are stored), float32, bfloat16 or float16. Raises InputError where the model
    cannot be loaded whole, or `check` refuses it.
    """
    disable_progress_bar()
    common = {"revision": source.revision, "trust_remote_code": trust_remote_code}
    try:
        config = AutoConfig.from_pretrained(source.model, **common)
        tokenizer = AutoTokenizer.from_pretrained(source.model, **common)
        model, found = AutoModelForCausalLM.from_pretrained(
            source.model,
            dtype=DTYPES.get(dtype, "auto"),
            device_map="auto" if torch.cuda.is_available() else None,
            output_loading_info=True,
            **common,
            **_attention(config),
        )
    except _LOADING as error:
        raise InputError(
            f"{source.model}: transformers cannot load this model for scoring ({type(error).__name__}: {error}); "
            "check the model's hub/path/revision in the config, or leave it out of scoring"
        ) from error
    lacking = sorted(map(str, {*found["missing_keys"], *found["mismatched_keys"]}))
    if lacking:
        raise InputError(
            f"{source.model}: weights are missing, and random ones would be scored: {listed(lacking)}; "
            "give a whole model of a known architecture"
        )
    model.eval()
    loaded = Loaded(model, model.base_model, _head(source.model, model), tokenizer)
    check(source.model, loaded)
    return loaded


def check(name: str, loaded: Loaded) -> None:
    """Raise InputError unless backbone and head give the model's own logits, whatever tokens come later.

    A short random input goes through the model, and through backbone and head: a model that does something
    else to its logits is found out. Then two texts with one beginning must have the same hidden states there:
    padding on the right, without a mask, rests on it.
    """
    model, backbone, head, _ = loaded
    rope = getattr(model.config.get_text_config(decoder=True), "rope_parameters", None)
    if "longrope" in str(rope):
        raise InputError(
            f"{name}: its positions are encoded by the length of the whole text (rope_type: longrope), so a "
            "score would depend on the batch; leave this model out of scoring"
        )
    random = torch.Generator().manual_seed(0)
    length = min(_PROBE, context(model) or _PROBE)
    ids = torch.randint(vocabulary(model, head), (2, length), generator=random)
    ids[1, : length // 2] = ids[0, : length // 2]
    ids = ids.to(model.device)
    try:
        with torch.inference_mode():
            own = model(input_ids=ids, use_cache=False).logits.float()
            hidden = backbone(input_ids=ids, use_cache=False).last_hidden_state
            rows = hidden.reshape(-1, hidden.shape[-1]).to(head.weight.device, head.weight.dtype)
            logits = torch.empty(len(rows), len(head.weight), dtype=rows.dtype, device=rows.device)
            head.project(rows, logits)
            ours = head.finish_(logits.float()).to(own.device)
    except _LOADING as error:
        raise InputError(
            f"{name}: cannot be scored ({type(error).__name__}: {error}); leave this model out of scoring"
        ) from error
    own = own.reshape(len(rows), -1)
    if bool(own.isnan().any()):
        raise InputError(
            f"{name}: its logits are NaN in {head.weight.dtype}; check the weights, or score in another scoring.dtype "
            "(float16 overflows where bfloat16 and float32 do not)"
        )
    epsilon = torch.finfo(head.weight.dtype).eps
    if own.shape != ours.shape or not _near(ours, own, max(2 * epsilon, 1e-5)):
        raise InputError(
            f"{name}: its logits are not its output embedding times its last hidden states (it scales, caps or "
            "masks them in a way not known here), so scores would be wrong; leave this model out of scoring"
        )
    one, other = hidden[:, : length // 2].float()
    if not _near(one, other, max(8 * epsilon, 1e-3)):
        raise InputError(
            f"{name}: what it says of a token depends on later tokens (it is no causal model); "
            "leave this model out of scoring"
        )


def vocabulary(model: Any, head: Head) -> int:
    """Ids that are both read and predicted: rows of the output embedding, and no more than of the input's."""
    return int(min(len(head.weight), model.get_input_embeddings().weight.shape[0]))


def context(model: Any) -> int | None:
    """Longest text, in tokens, for which the model has positions; None where its config does not say."""
    most = getattr(model.config.get_text_config(decoder=True), "max_position_embeddings", None)
    return int(most) if most else None


def _attention(config: Any) -> dict[str, str]:
    """Arguments that choose the attention: sdpa, as transformers does by itself for every model that has it.

    Not for a model that caps its attention scores (Gemma 2): sdpa would leave the cap out.
    """
    capped = getattr(config.get_text_config(decoder=True), "attn_logit_softcapping", None)
    return {"attn_implementation": "eager"} if capped else {}


def _head(name: str, model: Any) -> Head:
    """The output embedding, and what the config says is done to logits: Gemma's cap, three families' scales."""
    linear = model.get_output_embeddings()
    weight = getattr(linear, "weight", None)
    if not isinstance(linear, torch.nn.Linear) or weight is None or weight.dtype not in DTYPES.values():
        raise InputError(f"{name}: has no plain output embedding; leave this model out of scoring")
    if weight.device.type == "meta":
        raise InputError(
            f"{name}: does not fit into the memory of the GPUs; score it on more of them, or in a smaller scoring.dtype"
        )
    config = model.config.get_text_config(decoder=True)
    scale = float(getattr(config, "logit_scale", None) or 1.0)  # Cohere
    scale *= float(getattr(config, "lm_head_multiplier", None) or 1.0)  # Falcon-H1
    scale /= float(getattr(config, "logits_scaling", None) or 1.0)  # Granite
    softcap = getattr(config, "final_logit_softcapping", None)
    return Head(weight.detach(), linear.bias, scale, float(softcap) if softcap else None)


def _near(one: torch.Tensor, other: torch.Tensor, tolerance: float) -> bool:
    """Whether two tensors differ by at most `tolerance` of the largest finite entry; equal infinities are equal."""
    difference = torch.where(one == other, 0.0, one - other).abs().max()
    return bool(difference <= tolerance * torch.where(other.isfinite(), other, 0.0).abs().max())
