"""Table 2: perplexity of others' traces under base and target, by region and source; then style against ability.

python -m leash.tables.perplexity --spec JSON --shifts MODEL/CHECKPOINT/BENCHMARK/shift.json ...
                                  --out-csv F.csv --out-md F.md --out-tex F.tex     (spec: see leash.comparisons)
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from leash import records
from leash.errors import exits_cleanly
from leash.shift import FEW, TOKENIZERS_DIFFER
from leash.shifts import REGION_LABELS, Block, Shift, by_comparison, load, overall
from leash.tables.cells import UNDEFINED, interval, number
from leash.tables.floats import Part, latex, markdown
from leash.tables.text import csv_text

SLUG: Final = "table02-perplexity"
TITLE: Final = "Perplexity of others' reasoning traces under base and target."
_ENDS: Final = ("value", "low", "high")
_TEXT: Final = ("Benchmark", "Region", "Source")


def with_overall(shifts: Iterable[Shift]) -> list[list[Shift]]:
    """The shifts of each comparison; where it has several benchmarks, the last one is of all of them."""
    return [
        [*members, overall(members)] if len(members) > 1 else members for members in by_comparison(shifts)
    ]


def columns(windows: Sequence[int]) -> tuple[str, ...]:
    """Columns of the CSV, for tails after these windows."""
    return (
        *("base", "base_checkpoint", "target", "target_checkpoint", "scope", "benchmark", "region", "source"),
        *("questions", "traces", "few"),
        *(
            f"{side}_{kind}{end}"
            for side in ("base", "target")
            for kind in ("perplexity", "geometric")
            for end in ("", "_low", "_high")
        ),
        *_mean_columns("difference"),
        *(
            name
            for window in windows
            for kind in ("after", "whole_of")
            for name in _mean_columns(f"{kind}_{window}")
        ),
        *_mean_columns("beyond_question"),
    )


def _mean_columns(name: str) -> tuple[str, ...]:
    return (name, f"{name}_low", f"{name}_high", f"{name}_questions")


def csv_rows(groups: Iterable[Sequence[Shift]]) -> list[dict[str, Any]]:
    """One row per comparison, benchmark (or all of them), region and source, numbers in full."""
    return [
        {
            "base": shift.base,
            "base_checkpoint": shift.base_checkpoint,
            "target": shift.target,
            "target_checkpoint": shift.checkpoint,
            "scope": "benchmark" if shift.slug else "overall",
            "benchmark": shift.slug or None,
            **{name: cell[name] for name in ("region", "source", "questions", "traces", "few")},
        }
        | {
            f"{side}_{kind}{suffix}": cell[side][kind][end]
            for side in ("base", "target")
            for kind in ("perplexity", "geometric")
            for end, suffix in zip(_ENDS, ("", "_low", "_high"), strict=True)
        }
        | _mean_cells("difference", cell["difference"])
        | {
            name: value
            for tail in cell["tails"]
            for kind, part in (("after", "difference"), ("whole_of", "whole"))
            for name, value in _mean_cells(f"{kind}_{tail['window']}", tail[part]).items()
        }
        | _mean_cells("beyond_question", cell["beyond_question"])
        for members in groups
        for shift in members
        for cell in shift.cells
    ]


def _mean_cells(name: str, block: Block | None) -> dict[str, Any]:
    values = [None] * 4 if block is None else [*(block[end] for end in _ENDS), block["questions"]]
    return dict(zip(_mean_columns(name), values, strict=True))


def parts(groups: Iterable[Sequence[Shift]]) -> list[Part]:
    """A part per comparison with the perplexities; then one per comparison with style against ability."""
    held = [members for members in groups if any(shift.cells for shift in members)]
    return [
        *(
            _part(members, members[0].title, ("base", "target", "log ratio"), _perplexities)
            for members in held
        ),
        *(
            _part(
                [shift for shift in members if shift.comparable],
                f"Style against ability: {members[0].title}",
                (
                    "log ratio",
                    *(
                        heading
                        for window in members[0].windows
                        for heading in (f"n, over {window}", "whole", f"after {window}")
                    ),
                    "n, question",
                    "beyond the question",
                ),
                _style,
            )
            for members in held
            if any(shift.comparable for shift in members)
        ),
    ]


def _part(
    members: Sequence[Shift], title: str, headings: Sequence[str], cells: Callable[[Block], list[str]]
) -> Part:
    groups: list[list[list[str]]] = []
    for shift in members:
        group: list[list[str]] = []
        for region, of_region in groupby(shift.cells, key=lambda cell: cell["region"]):
            for index, cell in enumerate(of_region):
                named = [shift.name if not group else "", REGION_LABELS[region] if not index else ""]
                group.append([*named, cell["source"], _count(cell["questions"]), *cells(cell)])
        groups.append(group)
    return Part(title, (*_TEXT, "n", *headings), _TEXT, [group for group in groups if group])


def _count(questions: int) -> str:
    return f"{questions}†" if questions < FEW else str(questions)


def _perplexities(cell: Block) -> list[str]:
    return [_mean(cell[side]["perplexity"], 2) for side in ("base", "target")] + [
        _mean(cell["difference"], 3)
    ]


def _style(cell: Block) -> list[str]:
    cells = [number(cell["difference"]["value"], 3)]
    for tail in cell["tails"]:
        whole = tail["whole"]
        cells += [_count(whole["questions"]), number(whole["value"], 3), _mean(tail["difference"], 3)]
    beyond = cell["beyond_question"]
    return [*cells, _count(beyond["questions"]), _mean(beyond, 3)]


def _mean(block: Block | None, digits: int) -> str:
    if block is None or block["value"] is None:
        return UNDEFINED
    found = number(block["value"], digits)
    bounds = interval(block["low"], block["high"], digits)
    return found if bounds == UNDEFINED else f"{found} {bounds}"


def caption(groups: Sequence[Sequence[Shift]]) -> str:
    """How the numbers were made and how the columns are to be read."""
    windows = " or ".join(str(window) for window in groups[0][0].windows) if groups else ""
    return (
        "Perplexity: exp of the mean negative log-likelihood over a trace's tokens given the rendered prompt; mean "
        "over the n questions that have a trace of the source, several traces of a question averaged first. log ratio: "
        "mean of log ppl(target) - log ppl(base), above 0 where the target finds the traces less likely. In brackets "
        "95 % bootstrap intervals over questions (2,000 draws; over all benchmarks, normal ones). Regions: solved by "
        "the base only (shrinkage), the target only (expansion), neither (out of support), both (preservation). "
        f"†: fewer than {FEW} questions, too few for their interval to mean much. "
        "Style against ability: the log ratio again; of the traces longer than "
        f"{windows} tokens, as a whole and after their first {windows} tokens were given as context; and beyond the "
        "question: less the log ratio of the two models on the question's text alone. "
        f"{UNDEFINED}: not defined or not comparable."
    )


def notes(groups: Iterable[Sequence[Shift]]) -> list[str]:
    """One line each on models whose tokens cannot be compared, and on traces that were left out."""
    differ, left_out = [], []
    for members in groups:
        benchmarks = [shift for shift in members if shift.slug]
        strange = [shift.name for shift in benchmarks if not shift.comparable]
        if strange:
            differ.append(f"{members[0].title} on {' and '.join(strange)}")
        counts: dict[str, int] = {}
        for shift in benchmarks:
            for why, traces in shift.left_out.items():
                counts[why] = counts.get(why, 0) + traces
        if counts:
            told = ", ".join(f"{traces} ({why})" for why, traces in counts.items())
            left_out.append(f"{members[0].title}: {told}")
    lines = []
    if differ:
        lines.append(f"{TOKENIZERS_DIFFER[0].upper()}{TOKENIZERS_DIFFER[1:]}: {'; '.join(differ)}.")
    if left_out:
        lines.append(f"Traces that are left out, since one side could not score them: {'; '.join(left_out)}.")
    return lines


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="leash.tables.perplexity", description="Write Table 2.")
    parser.add_argument("--spec", required=True, help="JSON: labels, order and comparisons")
    parser.add_argument("--shifts", type=Path, nargs="+", required=True)
    parser.add_argument("--out-csv", type=Path, required=True)
    parser.add_argument("--out-md", type=Path, required=True)
    parser.add_argument("--out-tex", type=Path, required=True)
    args = parser.parse_args()
    groups = with_overall(load(args.spec, args.shifts))
    above, below, made = caption(groups), notes(groups), parts(groups)
    windows = groups[0][0].windows if groups else ()
    records.write_text(args.out_csv, csv_text(columns(windows), csv_rows(groups)))
    records.write_text(args.out_md, markdown(f"Table 2. {TITLE}", above, made, below))
    records.write_text(args.out_tex, latex(SLUG, f"{TITLE} {above}", made, below))


if __name__ == "__main__":
    main()
