"""How much memory does scoring take beyond the model's, and does it grow with the length of a text?

    python tests/bench/score_memory.py [--tokens 8192 32768] [--vocabulary 152000] [--hidden 64]

A random Llama of two layers, one text. Each way in a process of its own, which prints the most memory that it
held while it scored, less what it held before (the model, the libraries, one short text scored):
  full     model(input_ids).logits, log-softmax, entropy, one after the other with each tensor dropped as soon
           as it can be: the least that full logits take; of the shortest text only
  model    the model's hidden states alone: its activations grow with the text, whatever is done with them
  reduce   leash.scoring.reduce.score_hidden: from hidden states to scores
  scorer   leash.scoring.forward.Scorer: both, one after the other
Two minutes; 10 GiB for `full`.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from random_models import save, texts
from transformers import AutoModelForCausalLM

from leash.sampling.engine import Source
from leash.scoring.batches import Item
from leash.scoring.forward import Scorer
from leash.scoring.reduce import Head, score_hidden

WAYS = ("full", "model", "reduce", "scorer")


def held(field: str) -> float:
    """MiB of this process: VmRSS now, VmHWM at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def by_full_logits(folder: Path, item: Item) -> None:
    """The frugal naive way, for the text's tokens."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = torch.tensor([[*item.prompt_ids, *item.scored_ids]])
    with torch.inference_mode():
        model(ids[:, :16])
        begin()
        log_p = model(ids).logits[0].log_softmax(-1)
        log_p[:-1].gather(1, ids[0, 1:, None])
        log_p.mul_(log_p.exp()).sum(-1)


def by_scorer(folder: Path, item: Item) -> None:
    """As a scoring job does it."""
    scorer = Scorer(Source(str(folder), None), "float32", threads=1)
    scorer.score([item._replace(scored_ids=item.scored_ids[:16])])
    begin()
    scorer.score([item])


def by_hidden_states(folder: Path, item: Item) -> None:
    """The model, and nothing done with what it gives."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = torch.tensor([[*item.prompt_ids, *item.scored_ids]])
    with torch.inference_mode():
        model.base_model(ids[:, :16], use_cache=False)
        begin()
        model.base_model(ids, use_cache=False)


def by_reduction(vocabulary: int, hidden: int, tokens: int) -> None:
    """The reduction alone."""
    torch.manual_seed(0)
    head, states = Head(torch.randn(vocabulary, hidden)), torch.randn(tokens, hidden)
    targets = torch.randint(vocabulary, (tokens,))
    score_hidden(states[:16], head, targets[:16])
    begin()
    score_hidden(states, head, targets)


def begin() -> None:
    """Forget the high-water mark of this process, and print what it holds now."""
    Path("/proc/self/clear_refs").write_text("5")
    print(held("VmRSS"))


def measured(way: str, folder: str, tokens: int, args: argparse.Namespace) -> float:
    """MiB that one way takes, from a fresh process."""
    sizes = ["--vocabulary", str(args.vocabulary), "--hidden", str(args.hidden), "--tokens", str(tokens)]
    command = [sys.executable, __file__, "--way", way, "--folder", folder, *sizes]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    print(f"{way:8}{tokens:>8,} tokens{float(told[1]) - float(told[0]):>10,.0f} MiB", flush=True)
    return float(told[1]) - float(told[0])


def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tokens", type=int, nargs="+", default=[8192, 32768])
    parser.add_argument("--vocabulary", type=int, default=152_000)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        torch.set_num_threads(1)
        item = texts(1, args.tokens[0], args.vocabulary)[0]
        if args.way == "reduce":
            by_reduction(args.vocabulary, args.hidden, args.tokens[0])
        else:
            ways = {"full": by_full_logits, "model": by_hidden_states, "scorer": by_scorer}
            ways[args.way](args.folder, item)
        print(held("VmHWM"))
        return
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), args.vocabulary, args.hidden, 2, max(args.tokens))
        full = measured("full", folder, args.tokens[0], args)
        for way in WAYS[1:]:
            taken = [measured(way, folder, tokens, args) for tokens in args.tokens]
            less = "" if way == "model" else f"full logits over {way}: {full / taken[0]:.1f}; "
            print(f"  {less}{way}, longest text over shortest: {taken[-1] / taken[0]:.3f}")


if __name__ == "__main__":
    main()
