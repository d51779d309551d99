"""Made-up scores: tokens, verdicts and regions of a study, and what the real stages make of them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leash import records, shift
from leash.entropy import measure as measure_entropy
from leash.perplexity import measure as measure_perplexity
from leash.records import ENTROPY, PERPLEXITY, TOKENS

WINDOWS = [64, 256]
REGIONS = ("preservation", "expansion", "shrinkage", "out_of_support")
Row = dict[str, Any]


class Scored(NamedTuple):
    """A presentation spec and the files that belong to it."""

    spec: dict[str, Any]
    paths: list[Path]

    @property
    def spec_text(self) -> str:
        return json.dumps(self.spec)


def scored(
    question: str,
    kind: str,
    logliks: Sequence[float] | np.ndarray,
    source: str = "",
    index: int = 0,
    entropies: Sequence[float] | np.ndarray = (),
    cut: bool = False,
) -> Row:
    """A row of a tokens file, from the log-likelihood of every token."""
    values = np.asarray(logliks, dtype=np.float64)
    row = dict.fromkeys(TOKENS.names) | {
        "question_id": question,
        "kind": kind,
        "source": source,
        "index": index,
    }
    row |= {"n_tokens": values.size, "loglik": float(values.sum()), "cut": cut}
    row |= {"entropy": float(np.sum(entropies))}
    if kind == "trace":
        row["tail_loglik"] = [float(values[w:].sum()) if w < values.size else None for w in WINDOWS]
        row["token_loglik"] = values.astype(np.float16)
    return row


def unscored(question: str, kind: str, problem: str, source: str = "", index: int = 0) -> Row:
    """A row of a tokens file that could not be scored."""
    row = dict.fromkeys(TOKENS.names) | {
        "question_id": question,
        "kind": kind,
        "source": source,
        "index": index,
    }
    return row | {"problem": problem, "cut": False}


def write_tokens(path: Path, rows: Iterable[Row], windows: object = WINDOWS) -> Path:
    """A tokens file with its note."""
    records.write(path, TOKENS.with_metadata({"windows": json.dumps(windows)}), rows)
    return path


def write_perplexity(tokens: Path) -> Path:
    """perplexity.parquet beside a tokens file, by the real stage."""
    path = tokens.with_name("perplexity.parquet")
    note = {"windows": json.dumps(records.note(tokens, "windows"))}
    records.write(path, PERPLEXITY.with_metadata(note), measure_perplexity(tokens))
    return path


def write_regions(path: Path, regions: dict[str, str]) -> Path:
    """A regions file that holds no counts."""
    blank = dict.fromkeys(records.REGIONS.names)
    records.write(
        path,
        records.REGIONS,
        [blank | {"question_id": name, "region": region} for name, region in regions.items()],
    )
    return path


def write_verdicts(path: Path, verdicts: Iterable[tuple[str, int, str, str | None]]) -> Path:
    """A verdicts file: question, sample index, outcome, answer."""
    names = ("question_id", "sample_index", "outcome", "answer")
    records.write(path, records.VERDICTS, [dict(zip(names, one, strict=True)) for one in verdicts])
    return path


def write_shifts(
    folder: Path,
    targets: Sequence[str],
    benchmarks: dict[str, int],
    sources: Sequence[str] = ("r1", "claude"),
) -> Scored:
    """Shifts of targets against the base "qwen" on benchmarks of so many questions, by the real stages.

    The target dislikes the first tokens of every trace (style), and those of shrinkage throughout (ability).
    """
    paths = []
    for number, target in enumerate(targets):
        for slug, questions in benchmarks.items():
            random = np.random.default_rng([number, *slug.encode()])
            regions = {
                f"q{i}": REGIONS[int(random.choice(4, p=[0.6, 0.05, 0.1, 0.25]))] for i in range(questions)
            }
            rows: dict[str, list[Row]] = {"base": [], "target": []}
            for name, region in regions.items():
                for source in sources:
                    base, lost = _trace_pair(random, region)
                    rows["base"].append(scored(name, "trace", -base, source))
                    rows["target"].append(scored(name, "trace", -np.maximum(base + lost, 1e-4), source))
                text = random.gamma(2.0, 0.9, 60)
                rows["base"].append(scored(name, "question", -text))
                rows["target"].append(scored(name, "question", -(text + 0.03)))
            place = folder / target / "final" / slug
            files = [
                write_tokens(place / side / "trace-tokens.parquet", side_rows)
                for side, side_rows in rows.items()
            ]
            sides = shift.read(write_perplexity(files[0]), write_perplexity(files[1]))
            profiles = shift.read_profile(files[0], sides.base), shift.read_profile(files[1], sides.target)
            spec = {
                "base": {"model": "qwen", "checkpoint": "main"},
                "target": {"model": target, "checkpoint": "final"},
                "benchmark": slug,
            }
            regions_file = write_regions(place / "regions.parquet", regions)
            paths.append(place / "shift.json")
            records.write_json(paths[-1], shift.shift(spec, regions_file, sides, profiles, 0))
    spec = {
        "models": {
            "qwen": {"label": "Qwen base"},
            **{target: {"label": target.upper()} for target in targets},
        },
        "checkpoints": {f"{target}/final": "" for target in targets},
        "benchmarks": {slug: slug.upper() for slug in benchmarks},
        "comparisons": [[target, "final"] for target in targets],
    }
    return Scored(spec, paths)


def _trace_pair(random: np.random.Generator, region: str) -> tuple[np.ndarray, np.ndarray]:
    """What each token costs the base, and what it costs the target beyond that, shape (tokens,) each."""
    length = int(random.integers(80, 900))
    hard = {"preservation": 0.28, "expansion": 0.36, "shrinkage": 0.4, "out_of_support": 0.55}[region]
    base = random.gamma(0.35, hard * random.lognormal(0, 0.2) / 0.35, length)
    ability = {"preservation": -0.01, "expansion": -0.06, "shrinkage": 0.07, "out_of_support": 0.03}[region]
    style = 0.6 * np.exp(-np.arange(length) / 25)
    return base, style + ability + random.normal(0, 0.03) + random.normal(0, 0.1, length)


def write_entropies(
    folder: Path,
    families: dict[str, Sequence[tuple[str, Sequence[str]]]],
    benchmarks: dict[str, int],
    samples: int,
) -> Scored:
    """Entropy files by the real stage. families: {base: [(target, checkpoints), ...]}; benchmarks: {slug: questions}.

    Targets give fewer different answers, and their tokens are less certain in the first family and more in others.
    """
    states = {base: [("main", 0.0)] for base in families}
    bases, comparisons = {}, []
    for number, (base, targets) in enumerate(families.items()):
        for target, checkpoints in targets:
            states[target] = [
                (name, (step + 1) / len(checkpoints) * (1 if number == 0 else -1))
                for step, name in enumerate(checkpoints)
            ]
            bases |= {f"{target}/{name}": f"{base}/main" for name in checkpoints}
            comparisons += [[target, name] for name in checkpoints]
    paths = []
    for model, checkpoints_ in states.items():
        for checkpoint, moved in checkpoints_:
            for slug, questions in benchmarks.items():
                random = np.random.default_rng([*f"{model}{checkpoint}{slug}".encode()])
                place = folder / model / checkpoint / slug
                rows = _entropy_rows(place, random, questions, samples, moved)
                paths.append(place / "entropy.parquet")
                records.write(paths[-1], ENTROPY, rows)
    spec = {
        "models": {model: {"label": model.title()} for model in states},
        "checkpoints": {state: state.split("/")[1] for state in bases},
        "benchmarks": {slug: slug.upper() for slug in benchmarks},
        "comparisons": comparisons,
        "bases": bases,
        "verifiers": dict.fromkeys(benchmarks, "math"),
    }
    return Scored(spec, paths)


def _entropy_rows(
    place: Path, random: np.random.Generator, questions: int, samples: int, moved: float
) -> list[dict[str, Any]]:
    verdicts, rows = [], []
    scatter = random.uniform(1.5, 5.0)
    for question in range(questions):
        easy = random.beta(0.8 + abs(moved), 0.8)
        for sample in range(samples):
            right = random.random() < easy
            answer = "1" if right else str(int(random.exponential(scatter)) + 2)
            outcome = "correct" if right else "wrong"
            if random.random() < 0.06:
                outcome, answer = "truncated", None
            verdicts.append((f"q{question}", sample, outcome, answer))
            length = int(random.integers(20, 60))
            each = np.full(length, 0.4 + 0.1 * moved + 0.01 * scatter)
            rows.append(scored(f"q{question}", "completion", -each, index=sample, entropies=each))
    return measure_entropy(
        write_tokens(place / "tokens.parquet", rows), [write_verdicts(place / "v.parquet", verdicts)], samples
    )
