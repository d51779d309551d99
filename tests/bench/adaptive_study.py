"""What does drawing in rounds cost of exhaustive drawing, on models that were trained, and are the regions the same?

    python tests/bench/adaptive_study.py results/tiny [--benchmarks chain-sum gcd] [--rounds 32 128 512 1024]
                                         [--folder FOLDER]

The three states base, DAPO (last checkpoint) and SFT of a finished default study are drawn by the workflow under
either protocol, into a checkout of its own (FOLDER, which is kept; a temporary one is not). Prints tokens by state
and benchmark, the ratio of all, and whether each question's region is the same.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))
from checkout import Checkout

STATES = {"base": "base/final", "dapo": "dapo/step80", "sft": "sft/final"}


def config(training: Path, benchmarks: list[str], rounds: list[int], adaptive: bool) -> str:
    """A study of the trained states, merged over the default one."""
    models = {
        slug: {
            "label": slug,
            "base": None if slug == "base" else "base-here",
            "path": str(training / place),
            "method": {"base": None, "dapo": "rlvr", "sft": "sft"}[slug],
        }
        for slug, place in STATES.items()
    }
    drawing = {"protocol": "adaptive", "rounds": rounds} if adaptive else {"protocol": "exhaustive"}
    return yaml.safe_dump(
        {
            "study": "adaptive" if adaptive else "exhaustive",
            "models": {f"{slug}-here": block for slug, block in models.items()},
            "run": {"models": ["dapo-here", "sft-here"], "benchmarks": benchmarks},
            "benchmarks": {slug: {"budget": rounds[-1], "open_ended": False} for slug in benchmarks},
            "sampling": drawing | {"shard_samples": 256},
            "scoring": None,
        }
    )


def tokens(results: Path) -> dict[str, tuple[int, int]]:
    """Samples and tokens drawn, by state and benchmark."""
    found: dict[str, tuple[int, int]] = {}
    for path in sorted(results.glob("*/*/*/samples/r*.json")):
        told = json.loads(path.read_text())
        place = f"{path.parts[-5].removesuffix('-here')}, {path.parts[-3]}"
        samples, drawn = found.get(place, (0, 0))
        found[place] = samples + told["samples"], drawn + told["tokens"]
    return found


def regions(results: Path) -> dict[tuple[str, str, str], str]:
    """Region by model, benchmark and question."""
    return {
        (path.parts[-4], path.parts[-2], row["question_id"]): row["region"]
        for path in results.glob("*/*/*/regions.parquet")
        for row in pq.read_table(path, columns=["question_id", "region"]).to_pylist()
        if path.parts[-2] != "round0"
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Tokens of an adaptive study beside an exhaustive one's.")
    parser.add_argument("study", type=Path, help="results of a finished default study")
    parser.add_argument("--benchmarks", nargs="+", default=["chain-sum", "gcd"])
    parser.add_argument("--rounds", type=int, nargs="+", default=[32, 128, 512, 1024])
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    training = args.study.absolute() / "training"
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        checkout = Checkout.make(folder / "checkout")
        for adaptive in (True, False):
            mine = f"{'adaptive' if adaptive else 'exhaustive'}.yaml"
            (checkout.folder / mine).write_text(config(training, args.benchmarks, args.rounds, adaptive))
            ended = checkout.run("--cores", "all", "--configfile", mine)
            if ended.returncode:
                sys.exit(ended.stdout)
        found = [checkout.folder / "results" / name for name in ("adaptive", "exhaustive")]
        drawn, whole = map(tokens, found)
        print(f"{'state, benchmark':<28}{'samples':>12}{'tokens':>12}{'exhaustive':>14}{'share':>8}")
        for place, (samples, some) in drawn.items():
            print(f"{place:<28}{samples:>12,}{some:>12,}{whole[place][1]:>14,}{some / whole[place][1]:>8.3f}")
        some, every = (sum(one for _, one in side.values()) for side in (drawn, whole))
        print(f"all: {some:,} of {every:,} tokens, ratio {some / every:.3f}")
        first, second = map(regions, found)
        same = sum(second.get(place) == region for place, region in first.items())
        print(
            f"regions: {same} of {len(second)} questions and targets have the same ({len(first)} drawn in rounds)"
        )


if __name__ == "__main__":
    main()
