"""Log-likelihood and entropy of next-token distributions, from hidden states, a few tokens' logits at a time.

The logits of a long completion are by far the largest tensor of scoring: 32,768 tokens by 152,000 entries are
20 GB in float32. No more of them exist here than those of `chunk_tokens` tokens.
"""

from typing import Any, Final, NamedTuple

import torch

CHUNK_TOKENS: Final = 1024
"""Enough rows for an efficient matrix product; 623 MB of float32 logits with a vocabulary of 152,000."""

_CACHED: Final = 2**17
"""Entries of logits to work on at once, per CPU thread: 512 KiB, and as much again, stay in its level-2 cache."""


class Head(NamedTuple):
    """The output embedding of a model, and what the model does to the logits after it.

    `weight` is [V, H], `bias` [V]. Logits are multiplied by `scale`, then capped: cap * tanh(logits / cap).
    """

    weight: torch.Tensor
    bias: torch.Tensor | None = None
    scale: float = 1.0
    softcap: float | None = None

    def project(self, hidden: torch.Tensor, out: torch.Tensor) -> None:
        """Write hidden [n, H] times the embedding into out [n, V], in the model's dtype; no scale, no cap yet."""
        if self.bias is None:
            torch.mm(hidden, self.weight.t(), out=out)
        else:
            torch.addmm(self.bias, hidden, self.weight.t(), out=out)

    def finish_(self, logits: torch.Tensor) -> torch.Tensor:
        """Scale and cap projected rows, in place."""
        if self.scale != 1.0:
            logits.mul_(self.scale)
        if self.softcap is not None:
            logits.div_(self.softcap).tanh_().mul_(self.softcap)
        return logits


def score_hidden(
    hidden: torch.Tensor, head: Head, targets: torch.Tensor, chunk_tokens: int = CHUNK_TOKENS
) -> tuple[torch.Tensor, torch.Tensor]:
    """(log-likelihood [T], entropy [T]) in nats, float32: of the targets, and of the whole distributions.

    hidden [T, H]: the last hidden states that predict targets [T], ids within the vocabulary. Each chunk of
    hidden states is projected once, in the dtype of the weights: those are the logits a sampler draws from.
    Everything after that is float32. The results lie on the head's device.

    Memory: `chunk_tokens` rows of logits, and work space for some rows (on CUDA, for as many) in float32.
    Raises FloatingPointError where logits are NaN or +inf; entries of -inf have probability 0 and add nothing.
    """
    weight = head.weight
    device, vocabulary, tokens = weight.device, weight.shape[0], hidden.shape[0]
    loglik, entropy = (torch.empty(tokens, dtype=torch.float32, device=device) for _ in range(2))
    step = min(chunk_tokens, tokens)
    rows = _rows_at_once(device, vocabulary, step)
    with torch.no_grad():
        targets = targets.to(device)
        # One buffer for all chunks: memory fresh from the system costs as much time as the product itself.
        logits = torch.empty(step, vocabulary, dtype=weight.dtype, device=device)
        space = torch.empty(rows, vocabulary, dtype=torch.float32, device=device)
        wide = None if weight.dtype == torch.float32 else torch.empty_like(space)
        for start in range(0, tokens, max(step, 1)):
            chunk = hidden[start : start + step].to(device, weight.dtype)
            head.project(chunk, logits[: len(chunk)])
            for row in range(0, len(chunk), rows):
                block = logits[row : min(row + rows, len(chunk))]
                z = block if wide is None else wide[: len(block)].copy_(block)
                here = slice(start + row, start + row + len(block))
                _reduce_(head.finish_(z), targets[here], space, loglik[here], entropy[here])
    _check(entropy)
    return loglik, entropy


def reduce_logits_(logits: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(log-likelihood [T], entropy [T]) of float32 logits [T, V], which are overwritten; else as `score_hidden`."""
    tokens, vocabulary = logits.shape
    rows = _rows_at_once(logits.device, vocabulary, min(tokens, CHUNK_TOKENS))
    loglik, entropy = (torch.empty(tokens, dtype=torch.float32, device=logits.device) for _ in range(2))
    space = torch.empty(rows, vocabulary, dtype=torch.float32, device=logits.device)
    for row in range(0, tokens, rows):
        here = slice(row, row + rows)
        _reduce_(logits[here], targets[here], space, loglik[here], entropy[here])
    _check(entropy)
    return loglik, entropy


def _reduce_(z: torch.Tensor, targets: torch.Tensor, space: torch.Tensor, loglik: Any, entropy: Any) -> None:
    """Reduce rows z [n, V] of float32 logits into loglik [n] and entropy [n]; z and space are overwritten.

    With z less its largest entry, and s the sum of exp(z): log p = z - log s, and the entropy is
    log s - (sum of exp(z) z) / s. Both terms of it are >= 0, so nothing cancels.
    """
    weights = space[: len(z)]
    z.sub_(z.amax(-1, keepdim=True))
    chosen = z.gather(1, targets.unsqueeze(1)).squeeze(1)
    torch.exp(z, out=weights)
    total = weights.sum(-1)
    # exp(z) z is NaN where z is -inf; it has to be 0. A NaN of the model's is in `total`, and not lost.
    mean = weights.mul_(z).nansum(-1).div_(total)
    log_total = total.log_()
    torch.sub(chosen, log_total, out=loglik)
    torch.sub(log_total, mean, out=entropy)


def _rows_at_once(device: torch.device, vocabulary: int, most: int) -> int:
    """Rows that the passes of a reduction find in the cache of a CPU; on CUDA, all rows: each call costs more."""
    cached = round(torch.get_num_threads() * _CACHED / vocabulary) if device.type == "cpu" else most
    return max(1, min(cached, most))


def _check(entropy: torch.Tensor) -> None:
    bad = torch.isnan(entropy).nonzero()
    if len(bad):
        raise FloatingPointError(
            f"the logits of {len(bad)} of {len(entropy)} tokens are NaN or infinite, first at token {int(bad[0])}"
        )
