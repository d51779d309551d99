"""Which rows and columns each table has."""

from collections.abc import Callable, Hashable, Iterable
from typing import Final, NamedTuple

from leash.comparisons import Comparison, Result, Side, by_model
from leash.dynamics.regions import FEW
from leash.errors import InputError
from leash.tables.cells import UNDEFINED, count, per_side, percent, ratio


class Line(NamedTuple):
    """One row: a result of a comparison. `is_base` marks the row that shows its base alone."""

    comparison: Comparison
    result: Result
    is_base: bool = False

    @property
    def shown(self) -> Side:
        """The state this row is about."""
        return self.result.base if self.is_base else self.result.target


class Column(NamedTuple):
    """A heading and how a row's cell under it is written."""

    heading: str
    cell: Callable[[Line], str]
    is_text: bool = False


class Section(NamedTuple):
    """Rows under a heading of their own ("" for none)."""

    title: str
    lines: list[Line]


class Layout(NamedTuple):
    """A table, numbered as in the paper. LaTeX spaces out each `group`; `when_empty` stands for rows.

    `note` is what the caption says of columns that only this table has.
    """

    number: str
    title: str
    columns: tuple[Column, ...]
    sections: Callable[[list[Comparison]], list[Section]]
    group: Callable[[Line], Hashable]
    when_empty: str = ""
    note: str = ""


def pooled(comparison: Comparison) -> Result:
    """The overall result. Raises InputError where the table was given no pooled file of the comparison."""
    if comparison.overall is None:
        raise InputError(
            f"--pooled: no file of {comparison.target}/{comparison.checkpoint}; pool its metrics"
        )
    return comparison.overall


def _support(comparisons: list[Comparison]) -> list[Section]:
    return [Section("", [Line(c, result) for c in comparisons for result in (*c.domains, pooled(c))])]


def _methods(comparisons: list[Comparison]) -> list[Section]:
    finals: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        if comparison.is_final and comparison.method in ("sft", "rlvr"):
            finals.setdefault((comparison.base, comparison.base_checkpoint), []).append(comparison)
    both = [group for group in finals.values() if {c.method for c in group} == {"sft", "rlvr"}]
    return [
        Section(
            f"Base: {group[0].base_label}", _side_by_side(sorted(group, key=lambda c: c.method == "rlvr"))
        )
        for group in both
    ]


def _side_by_side(group: list[Comparison]) -> list[Line]:
    slugs = dict.fromkeys(result.slug for c in group for result in (*c.benchmarks, pooled(c)))
    ordered = sorted(slugs, key=lambda slug: slug == "overall")
    return [
        Line(c, r) for slug in ordered for c in group for r in (*c.benchmarks, pooled(c)) if r.slug == slug
    ]


def _checkpoints(comparisons: list[Comparison]) -> list[Section]:
    return [
        Section(f"{group[0].target_label}, from {group[0].base_label}", _over_steps(group))
        for group in by_model(comparisons).values()
        if len(group) > 1
    ]


def _over_steps(group: list[Comparison]) -> list[Line]:
    lines = _side_by_side(group)
    firsts = {line.result.slug: line for line in reversed(lines)}
    return [
        step
        for line in lines
        for step in ((line._replace(is_base=True), line) if line is firsts[line.result.slug] else (line,))
    ]


def _benchmarks(comparisons: list[Comparison]) -> list[Section]:
    return [
        Section(
            f"{c.label} against {c.base_label}",
            [Line(c, result) for result in (*c.benchmarks, *c.domains, pooled(c))],
        )
        for c in comparisons
    ]


def _unless_base(cell: Callable[[Line], str]) -> Callable[[Line], str]:
    return lambda line: "" if line.is_base else cell(line)


def _measure(name: str) -> Column:
    return Column(name.upper(), _unless_base(lambda line: ratio(line.result.metrics[name])))


def _region(index: int, letter: str) -> Column:
    return Column(letter, _unless_base(lambda line: count(line.result.regions[index])))


def _sides(line: Line) -> Iterable[Side]:
    return (line.result.base,) if line.is_base else (line.result.base, line.result.target)


_NAME: Final = Column("Benchmark", lambda line: line.result.label, is_text=True)
_K: Final = Column("k", lambda line: "/".join(map(str, line.result.budgets)))
_N: Final = Column("N", lambda line: count(line.result.questions))
_BASE_AT_1: Final = Column("base pass@1 %", lambda line: percent(line.result.base.pass_at.get(1)))
_BASE_AT_K: Final = Column("base pass@k %", lambda line: percent(line.result.base.pass_at_budget))
_TARGET_AT_1: Final = Column("target pass@1 %", lambda line: percent(line.result.target.pass_at.get(1)))
_TARGET_AT_K: Final = Column("target pass@k %", lambda line: percent(line.result.target.pass_at_budget))
_SUPPORT: Final = (
    *(_measure(name) for name in ("srr", "ndr", "sds", "nscr")),
    *(_region(index, letter) for index, letter in enumerate("PESO")),
    Column(
        "truncated % b/t",
        lambda line: per_side(_truncated(s) for s in _sides(line)),
    ),
    Column("unverified b/t", lambda line: per_side(_unverified(s) for s in _sides(line))),
)


def truncated(side: Side) -> float | None:
    """Share of samples that were truncated; None where that was not recorded."""
    cut = side.outcomes["truncated"]
    return None if cut is None else cut / side.samples


def unverified(side: Side) -> int | None:
    """Samples the verifier gave no verdict on; None where that was not recorded."""
    late, failed = side.outcomes["verifier_timeout"], side.outcomes["verifier_error"]
    return None if late is None or failed is None else late + failed


def _truncated(side: Side) -> str:
    share = truncated(side)
    return UNDEFINED if share is None else f"{100 * share:.1f}"


def _unverified(side: Side) -> str:
    lost = unverified(side)
    return UNDEFINED if lost is None else count(lost)


LAYOUTS: Final[dict[str, Layout]] = {
    "table01-support": Layout(
        "Table 1",
        "Support of each trained state against its base, by domain.",
        (
            Column("Target", lambda line: line.comparison.label, is_text=True),
            Column("Base", lambda line: line.comparison.base_label, is_text=True),
            Column("Domain", lambda line: line.result.label, is_text=True),
            *_SUPPORT,
            Column(f"≤{FEW}", lambda line: count(line.result.tail)),
        ),
        _support,
        lambda line: line.comparison.label,
        note=f" ≤{FEW}: questions whose region rests on {FEW} or fewer verified successes of base or target; "
        "the tail audit lists them, where their completions are known.",
    ),
    "table03-sft-vs-rlvr": Layout(
        "Table 3",
        "Supervised fine-tuning and RLVR from the same base, final checkpoints.",
        (
            _NAME,
            Column("Target", lambda line: line.comparison.label, is_text=True),
            Column("Method", lambda line: (line.comparison.method or "").upper(), is_text=True),
            _K,
            _BASE_AT_K,
            _TARGET_AT_K,
            *_SUPPORT,
        ),
        _methods,
        lambda line: line.result.slug,
        "No base of this study has both an SFT and an RLVR model.",
    ),
    "table04-checkpoints": Layout(
        "Table 4",
        "Support over training, checkpoint by checkpoint.",
        (
            _NAME,
            _K,
            Column(
                "Step",
                lambda line: "base" if line.is_base else line.comparison.checkpoint_label,
                is_text=True,
            ),
            Column("pass@1 %", lambda line: percent(line.shown.pass_at.get(1))),
            Column("pass@k %", lambda line: percent(line.shown.pass_at_budget)),
            *_SUPPORT,
        ),
        _checkpoints,
        lambda line: line.result.slug,
        "No model of this study has more than one checkpoint.",
    ),
    "table06-benchmarks": Layout(
        "Table 6",
        "Support of each trained state against its base, benchmark by benchmark.",
        (_NAME, _K, _N, _BASE_AT_1, _BASE_AT_K, _TARGET_AT_1, _TARGET_AT_K, *_SUPPORT),
        _benchmarks,
        lambda line: line.result.scope == "benchmark",
    ),
}
