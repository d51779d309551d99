"""Table 5: precision, response length and entropies of every base and its targets, by benchmark.

python -m leash.tables.precision --spec JSON --entropies MODEL/CHECKPOINT/BENCHMARK/entropy.parquet ... --samples N
                                 --out-csv F.csv --out-md F.md --out-tex F.tex      (spec: see leash.precision)
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from leash import records
from leash.errors import exits_cleanly
from leash.precision import Family, Precision, load, parse_spec
from leash.tables.cells import UNDEFINED, number
from leash.tables.floats import Part, latex, markdown
from leash.tables.text import csv_text

SLUG: Final = "table05-precision-entropy"
TITLE: Final = "Precision and entropy of each base and its targets."
AVERAGE: Final = "average"


class Measure(NamedTuple):
    """Rows of the table: the field of Precision, what it is called, its decimals, and what it is multiplied by.

    `compared`: with an arrow that says how a target's number stands to its base's.
    """

    field: str
    label: str
    digits: int
    times: float = 1.0
    compared: bool = True


MEASURES: Final = (
    Measure("avg", "avg@{n} (%)", 2, 100.0),
    Measure("avg_error", "standard error of avg@{n}", 2, 100.0, compared=False),
    Measure("n_tokens", "response length (tokens)", 0),
    Measure("token_entropy", "token entropy (nats)", 2),
    Measure("answer_entropy", "answer entropy (nats)", 2),
    Measure("answer_entropy_mm", "answer entropy, Miller-Madow", 2),
    Measure("distinct_answers", "distinct answers", 2),
    Measure("na", "NA (%)", 1, 100.0),
)
COLUMNS: Final = (
    *("base", "base_checkpoint", "model", "checkpoint", "is_base", "scope", "benchmark"),
    *Precision._fields,
)


def csv_rows(families: Iterable[Family]) -> list[dict[str, Any]]:
    """One row per family, state and benchmark, then the average; shares as fractions, numbers in full."""
    return [
        {
            "base": family.base.model,
            "base_checkpoint": family.base.checkpoint,
            "model": state.model,
            "checkpoint": state.checkpoint,
            "is_base": state is family.base,
            "scope": AVERAGE if slug is None else "benchmark",
            "benchmark": slug,
        }
        | found._asdict()
        for family in families
        for state in family.states
        for slug, found in (*state.on.items(), (None, state.average))
    ]


def parts(families: Iterable[Family], samples: int) -> list[Part]:
    """A part per base: a group of rows per measure, a row per state, a column per benchmark and one for the average."""
    return [
        Part(
            f"Base: {family.base.label}",
            ("Measure", "Model", *family.benchmarks.values(), AVERAGE),
            ("Measure", "Model"),
            [_group(family, measure, samples) for measure in MEASURES],
        )
        for family in families
    ]


def _group(family: Family, measure: Measure, samples: int) -> list[list[str]]:
    return [
        [
            measure.label.format(n=samples) if state is family.base else "",
            state.label,
            *(
                _cell(measure, state.on.get(slug), family.base.on.get(slug), state is family.base)
                for slug in family.benchmarks
            ),
            _cell(measure, state.average, family.base.average, state is family.base),
        ]
        for state in family.states
    ]


def _cell(measure: Measure, found: Precision | None, base: Precision | None, is_base: bool) -> str:
    text = _shown(measure, found)
    if is_base or not measure.compared:
        return text
    of_base = _shown(measure, base)
    if UNDEFINED in (text, of_base):
        return text
    # as printed: what cannot be seen is no change
    change = float(text) - float(of_base)
    return f"{text} {'↑' if change > 0 else '↓' if change < 0 else '='}"


def _shown(measure: Measure, found: Precision | None) -> str:
    value = None if found is None else getattr(found, measure.field)
    return number(None if value is None else measure.times * value, measure.digits)


def caption(spec: dict[str, Any], families: Iterable[Family], samples: int) -> str:
    """How the numbers were made: N, and which clustering made the classes."""
    shown = {slug: label for family in families for slug, label in family.benchmarks.items()}
    made_by = _verifiers(spec.get("verifiers", {}), shown)
    return (
        f"Over the first {samples} samples of each question. avg@{samples}: share of correct samples, with its "
        "standard error over questions. Token entropy: over the full vocabulary at temperature 1, teacher-forced on "
        "the model's own completions, mean over tokens, then over completions. Answer entropy: over classes of "
        f"answers, mean over questions; the classes are the canonical answers of this study's verifier{made_by}. NA, a "
        "completion that gives no answer or was truncated, is one class, and no distinct answer. Miller-Madow: plus "
        "(m - 1)/(2n) for n samples in m classes. ↑, ↓, =: above, below or, as printed, the same as the base. "
        "average: mean over benchmarks."
    )


def _verifiers(names: dict[str, str], shown: dict[str, str]) -> str:
    of: dict[str, list[str]] = {}
    for slug, label in shown.items():
        if slug in names:
            of.setdefault(names[slug], []).append(label)
    if len(of) < 2:
        return "".join(f" ({name})" for name in of)
    told = [f"{name}: {', '.join(labels)}" for name, labels in of.items()]
    return f" ({'; '.join(told)})"


def warnings(families: Iterable[Family]) -> list[str]:
    """One line each on samples that are in no class, and on completions that were not scored."""
    states = {
        (state.model, state.checkpoint): (state, family) for family in families for state in family.states
    }
    unclassified, unscored = [], []
    for state, family in states.values():
        for slug, found in state.on.items():
            where = f"{state.label} on {family.benchmarks[slug]}"
            if found.unclassified:
                unclassified.append(f"{where}: {found.unclassified} of {found.samples}")
            if found.scored < found.samples:
                unscored.append(f"{where}: {found.samples - found.scored} of {found.samples}")
    lines = []
    if unclassified:
        lines.append(
            "Warning: samples whose verification timed out or failed count as not correct and are in no class: "
            f"{_joined(unclassified)}."
        )
    if unscored:
        lines.append(
            "Response length and token entropy are without the completions that were not scored: "
            f"{_joined(unscored)}."
        )
    return lines


def _joined(places: list[str]) -> str:
    return records.listed((place.replace(", ", " ") for place in places), 8).replace(", ", "; ")


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.precision", description="Write Table 5.")
    parser.add_argument("--spec", required=True, help="JSON: labels, order, comparisons, bases, verifiers")
    parser.add_argument("--entropies", type=Path, nargs="+", required=True)
    parser.add_argument("--samples", type=int, required=True, help="samples of each question")
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    parser.add_argument("--out-tex", type=Path, required=True)
    args = parser.parse_args()
    spec = parse_spec(args.spec)
    families = load(spec, args.entropies, args.samples)
    above, below = caption(spec, families, args.samples), warnings(families)
    made = parts(families, args.samples)
    records.write_text(args.out_csv, csv_text(COLUMNS, csv_rows(families)))
    records.write_text(args.out_md, markdown(f"Table 5. {TITLE}", above, made, below))
    records.write_text(args.out_tex, latex(SLUG, f"{TITLE} {above}", made, below))


if __name__ == "__main__":
    main()
