"""How fast are log-likelihoods and entropies, beside TRL's and beside the bare model?

    python tests/bench/score_speed.py [--threads 2] [--repeats 3] [--only logits hidden model]

Tokens a second, the best of the repeats, in which the ways take turns. Float32, CPU.
  logits  from logits that are there: ours gives both numbers; TRL's entropy_from_logits the entropy only, its
          selective_log_softmax_and_entropy both
  hidden  from hidden states: ours, and TRL's ways after one product with the whole output embedding; and its
          tiled kernel ChunkedLogProbFunction, which keeps no full logits
  model   from token ids: the scorer, and a bare model(input_ids) with its logits, which nothing is done with
A minute or two on two cores, 4 GiB. Where other work shares the cores, --threads 1 is the fairer comparison.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from random_models import save, texts
from transformers import AutoModelForCausalLM
from trl.kernels import ChunkedLogProbFunction
from trl.trainer.utils import entropy_from_logits, selective_log_softmax_and_entropy

from leash.scoring.batches import rectangle
from leash.scoring.forward import Scorer
from leash.scoring.reduce import Head, reduce_logits_, score_hidden

Ways = dict[str, Callable[[], object]]
TILE = 8192  # vocabulary entries of a tile of TRL's


def race(
    title: str, tokens: int, ways: Ways, repeats: int, before: Callable[[], object] | None = None
) -> None:
    """Time the ways, `before` each one untimed; print each one's rate and what the first one's is to it."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(repeats):
        for name, way in ways.items():
            if before:
                before()
            began = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - began)
    print(title)
    ours = next(iter(best.values()))
    for name, seconds in best.items():
        ratio = "" if seconds is ours else f"   ours {seconds / ours:.2f}x"
        print(f"  {name:42}{tokens / seconds:>10,.0f} tokens/s{ratio}", flush=True)


def logits(vocabulary: int, tokens: int, repeats: int) -> None:
    """Reduction of logits that are there."""
    kept, targets = torch.randn(tokens, vocabulary), torch.randint(vocabulary, (tokens,))
    given = torch.empty_like(kept)
    ways: Ways = {
        "ours": lambda: reduce_logits_(given, targets),
        "TRL entropy_from_logits": lambda: entropy_from_logits(given),
        "TRL selective_log_softmax_and_entropy": lambda: selective_log_softmax_and_entropy(given, targets),
    }
    race(f"logits, vocabulary {vocabulary:,}", tokens, ways, repeats, before=lambda: given.copy_(kept))


def hidden(vocabulary: int, width: int, tokens: int, repeats: int) -> None:
    """Projection and reduction of hidden states."""
    states, weight = torch.randn(tokens, width), torch.randn(vocabulary, width) / width**0.5
    targets = torch.randint(vocabulary, (tokens,))
    ways: Ways = {
        "ours": lambda: score_hidden(states, Head(weight), targets),
        "product, TRL entropy_from_logits": lambda: entropy_from_logits(states @ weight.t()),
        "product, TRL selective_log_softmax_...": lambda: selective_log_softmax_and_entropy(
            states @ weight.t(), targets
        ),
        "TRL ChunkedLogProbFunction": lambda: ChunkedLogProbFunction.apply(
            states, weight, None, targets, 1.0, TILE, None, 1.0, ("entropy",)
        ),
    }
    race(f"hidden states of {width}, vocabulary {vocabulary:,}", tokens, ways, repeats)


def model(vocabulary: int, width: int, layers: int, repeats: int, threads: int) -> None:
    """The whole way from token ids: 4 texts of 512 tokens."""
    with tempfile.TemporaryDirectory() as folder:
        scorer = Scorer(save(Path(folder), vocabulary, width, layers, 1024), "float32", threads=threads)
        bare = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    items = texts(4, 512, vocabulary)
    ids = torch.from_numpy(rectangle(items))
    ways: Ways = {
        "ours": lambda: scorer.score(items),
        "model(input_ids).logits": lambda: bare(ids, use_cache=False).logits,
        "the same, a KV cache filled": lambda: bare(ids).logits,
    }
    race(f"model of {layers} layers of {width}, vocabulary {vocabulary:,}", ids.numel(), ways, repeats)


def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parts = ("logits", "hidden", "model")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    with torch.inference_mode():
        for vocabulary, tokens in ((32_000, 1024), (152_000, 512)):
            if "logits" in args.only:
                logits(vocabulary, tokens, args.repeats)
            for width in (64, 1024):
                if "hidden" in args.only:
                    hidden(vocabulary, width, tokens, args.repeats)
        if "model" in args.only:
            model(152_000, 64, 2, args.repeats, args.threads)
            model(32_000, 512, 8, args.repeats, args.threads)


if __name__ == "__main__":
    main()
