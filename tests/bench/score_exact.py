"""How far are scores from those of the full logits?

    python tests/bench/score_exact.py [--tokens 4096] [--vocabulary 32000] [--hidden 256] [--spread 0.02 0.1]

A random Llama of four layers, one text. Prints the largest absolute difference of a token's log-likelihood and
of its entropy, in nats, to two references from the logits that the model returns: reduced in float32, as is
usual, and in float64; and theirs to each other, since most of a difference may be the reference's own rounding.
`--spread`: standard deviations of the weights; the larger, the surer the model. Half a minute.
"""

import argparse
import tempfile
from pathlib import Path

import torch
from random_models import save, texts
from transformers import AutoModelForCausalLM

from leash.scoring.batches import Item
from leash.scoring.forward import Scorer


def naive(folder: Path, item: Item, dtype: torch.dtype) -> list[torch.Tensor]:
    """[log-likelihoods, entropies] by the definitions, from full logits reduced in a dtype."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = torch.tensor([[*item.prompt_ids, *item.scored_ids]])
    with torch.inference_mode():
        log_p = model(ids).logits[0, :-1].to(dtype).log_softmax(-1)
        return [log_p.gather(1, ids[0, 1:, None])[:, 0], -(log_p.exp() * log_p).sum(-1)]


def show(title: str, one: list[torch.Tensor], other: list[torch.Tensor]) -> None:
    """Print the largest absolute differences of log-likelihoods and entropies."""
    loglik, entropy = (float((a - b).abs().max()) for a, b in zip(one, other, strict=True))
    print(f"  {title:42}log-likelihood {loglik:.1e}, entropy {entropy:.1e}")


def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--vocabulary", type=int, default=32_000)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--spread", type=float, nargs="+", default=[0.02, 0.1])
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    for spread in args.spread:
        with tempfile.TemporaryDirectory() as folder:
            source = save(Path(folder), args.vocabulary, args.hidden, 4, args.tokens, spread)
            scorer = Scorer(source, "float32", threads=args.threads)
            item = texts(1, args.tokens, args.vocabulary)[0]
            found = scorer.score([item])[0]
            print(
                f"{len(found.loglik):,} tokens, vocabulary {args.vocabulary:,}, weights {spread}: "
                f"mean entropy {found.entropy.mean():.2f}, mean log-likelihood {found.loglik.mean():.2f}"
            )
            ours = list(map(torch.from_numpy, found[:2]))
            single, double = (naive(Path(folder), item, dtype) for dtype in (torch.float32, torch.float64))
            show("ours, to full logits reduced in float32", ours, single)
            show("ours, to full logits reduced in float64", ours, double)
            show("full logits, float32 to float64", single, double)


if __name__ == "__main__":
    main()
