"""The model, forward: batches of token ids in, log-likelihood and entropy of every scored token out.

Memory: the logits of `chunk_tokens` tokens times the vocabulary (reduce), and the activations and the attention
of one batch, which `max_batch_tokens` bounds where the batches are planned (batches). Neither grows with the
number of texts, nor the logits with the length of one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from leash.errors import InputError
from leash.sampling.engine import Source
from leash.scoring import loading
from leash.scoring.batches import Item, rectangle
from leash.scoring.reduce import CHUNK_TOKENS, score_hidden

Floats = NDArray[np.float32]


class Scored(NamedTuple):
    """Of every scored token of an item, in order, in nats; or `problem`, why there is none, and empty arrays.

    `loglik`: log p of the token given all before it. `entropy`: of the whole distribution it was one outcome of.
    """

    loglik: Floats
    entropy: Floats
    problem: str | None = None


class Scorer:
    """A loaded model that scores. Raises InputError where it cannot be loaded, or its scores would be wrong.

    `dtype`: auto (as stored), float32, bfloat16 or float16; it changes the scores. `threads`: of the CPU.
    """

    def __init__(
        self,
        source: Source,
        dtype: str = "auto",
        *,
        chunk_tokens: int = CHUNK_TOKENS,
        threads: int = 1,
        trust_remote_code: bool = False,
    ) -> None:
        torch.set_num_threads(threads)
        self._name, self._chunk_tokens = source.model, chunk_tokens
        model, self._backbone, self._head, self.tokenizer = loading.load(source, dtype, trust_remote_code)
        self._device: torch.device = model.device
        self.vocabulary = loading.vocabulary(model, self._head)
        """Ids below it can be scored."""
        self.context = loading.context(model)
        """Longest prompt plus scored ids, in tokens; None where the model does not say."""

    @property
    def device_name(self) -> str:
        """What the model runs on, for the provenance."""
        return torch.cuda.get_device_name() if self._device.type == "cuda" else "CPU"

    def score(self, batch: Sequence[Item]) -> list[Scored]:
        """Score items in one forward pass; what cannot be scored has its `problem`, and the others their scores.

        Raises InputError where the model gives NaN or infinite logits.
        """
        problems = [self.problem(item) for item in batch]
        fit = [item for item, problem in zip(batch, problems, strict=True) if problem is None]
        scores = iter(self._forward(fit) if fit else [])
        nothing = np.zeros(0, dtype=np.float32)
        return [Scored(nothing, nothing, problem) if problem else next(scores) for problem in problems]

    def problem(self, item: Item) -> str | None:
        """Why an item cannot be scored, in words; None where it can."""
        if not len(item.scored_ids):
            return "nothing to score"
        if not len(item.prompt_ids):
            return "nothing before the first token"
        for ids in (item.prompt_ids, item.scored_ids):
            found = np.asarray(ids)
            outside = found[(found < 0) | (found >= self.vocabulary)]
            if outside.size:
                return f"token id {outside[0]} is outside the vocabulary of {self.vocabulary}"
        needed = len(item.prompt_ids) + len(item.scored_ids)
        if self.context is not None and needed > self.context:
            return f"{needed} tokens with its prompt, and the context is {self.context}"
        return None

    def _forward(self, batch: list[Item]) -> list[Scored]:
        ids = rectangle(batch)
        # The token at a position is predicted by the hidden state before it, so an item's scores come from the
        # last `len(scored_ids)` of the positions that were read; only these are projected.
        positions = np.concatenate(
            [
                row * ids.shape[1] + np.arange(item.width - len(item.scored_ids), item.width)
                for row, item in enumerate(batch)
            ]
        )
        targets = np.concatenate([np.asarray(item.scored_ids) for item in batch]).astype(np.int64)
        with torch.inference_mode():
            hidden = self._hidden(ids, positions)
            try:
                scores = score_hidden(hidden, self._head, torch.from_numpy(targets), self._chunk_tokens)
            except FloatingPointError as error:
                raise InputError(
                    f"{self._name}: {error}, in {self._head.weight.dtype}; check the weights, or score in another "
                    "scoring.dtype (float16 overflows where bfloat16 and float32 do not)"
                ) from error
        ends = np.cumsum([len(item.scored_ids) for item in batch])[:-1]
        loglik, entropy = (np.split(values.cpu().numpy(), ends) for values in scores)
        return [Scored(*pair) for pair in zip(loglik, entropy, strict=True)]

    def _hidden(self, ids: NDArray[np.int64], positions: NDArray[np.int64]) -> Any:
        """Last hidden states [positions, H] of the rectangle's positions, counted row by row."""
        read = torch.from_numpy(ids).to(self._device)
        states = self._backbone(input_ids=read, use_cache=False).last_hidden_state
        flat = states.reshape(-1, states.shape[-1])
        return flat[torch.from_numpy(positions).to(flat.device)]
