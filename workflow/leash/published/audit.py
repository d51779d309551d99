"""The paper's derived numbers, made again from the counts printed beside them.

Per row of Tables 1, 3, 4 and 6 to 12: SRR, NDR, SDS, NSCR and the passes, from P, E, S, O. Over rows: Table 1's
counts as sums of its domains' benchmarks and of its domains; the number of questions of a benchmark; a base's
pass in Table 4, which every step repeats. Table 14's pass@k where Table 3 has the counts of the same k. Table 5's
averages over benchmarks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from leash.dynamics.regions import RegionCounts
from leash.published.record import AVERAGE, COUNTS, MEASURES, OVERALL, Record, Row
from leash.published.rounding import HALF, decimals, explanation, rounded

BY_BENCHMARK: Final = (3, *range(6, 13))
"""The tables that give a pair benchmark by benchmark."""

_FURTHEST: Final = 2  # how far a count is moved in search of one that its row's measures fit
_MORE_DIGITS: Final = 3


class Check(NamedTuple):
    """One printed number and what its sources give; `rounding` is "" where the usual rounding gives it.

    `note` says what else the numbers of the row fit.
    """

    table: int
    row: str
    column: str
    printed: str
    exact: Fraction | None
    recomputed: str
    rounding: str
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the printed number is the recomputed one, rounded as usual."""
        return not self.rounding


def checks(record: Record) -> list[Check]:
    """Every derived number of the paper, table by table; within a table in the order of its rows."""
    found = [
        *_support(record.support_counts),
        *_training(record.training_dynamics),
        *_aggregate(record.aggregate_support, record.support_counts),
        *_averages(record.precision_entropy),
        *_repeated(record),
        *_questions([*record.support_counts, *_with_counts(record.training_dynamics)]),
    ]
    return sorted(found, key=lambda check: check.table)


def exact_measures(counts: RegionCounts) -> dict[str, Fraction | None]:
    """SRR, NDR, SDS, NSCR as fractions: dynamics.regions in exact arithmetic. None: an empty denominator."""
    p, e, s, _ = counts
    srr, ndr, nscr = _ratio(p, p + s), _ratio(e, p + e), _ratio(e - s, p + e + s)
    sds = None
    if srr is not None and ndr is not None:
        sds = 2 * srr * ndr / (srr + ndr) if srr + ndr else Fraction(0)
    return {"SRR": srr, "NDR": ndr, "SDS": sds, "NSCR": nscr}


def fitting(row: Row) -> str:
    """The one count whose change makes all measures of a row the printed ones: "P 19 (not 18)", "" for none."""
    counts = _counts(row)
    for distance in range(1, _FURTHEST + 1):
        fits = [
            f"{letter} {moved} (not {was})"
            for letter, was in zip(COUNTS, counts, strict=True)
            for moved in (was - distance, was + distance)
            if moved >= 0 and _all_agree(row, counts._replace(**{_FIELDS[letter]: moved}))
        ]
        if fits:
            return " or ".join(fits)
    return ""


def _support(rows: list[Row]) -> Iterator[Check]:
    for row in rows:
        where = _name(row)
        counts = _counts(row)
        yield _check(row, where, "base_pass", _percent(counts.preservation + counts.shrinkage, counts))
        yield _check(row, where, "target_pass", _percent(counts.preservation + counts.expansion, counts))
        yield from _measures(row, where)


def _training(rows: list[Row]) -> Iterator[Check]:
    bases = {(row["pair"], row["benchmark"]): row for row in rows if row["step"] == "0"}
    for row in _with_counts(rows):
        where = _name(row)
        counts = _counts(row)
        yield _check(row, where, "target_pass", _percent(counts.preservation + counts.expansion, counts))
        base = bases.get((row["pair"], row["benchmark"]))
        if base is not None:
            solved = _percent(counts.preservation + counts.shrinkage, counts)
            yield _compare(row, where, "target_pass of step 0", base["target_pass"], solved)
        yield from _measures(row, where)


def _aggregate(rows: list[Row], benchmarks: list[Row]) -> Iterator[Check]:
    for row in rows:
        where = f"{row['pair']}, {row['domain']}"
        yield from _measures(row, where)
        if row["domain"] == OVERALL:
            parts = [other for other in rows if other["pair"] == row["pair"] and other is not row]
        else:
            parts = [one for one in benchmarks if _scope(one) == (row["pair"], row["domain"])]
        if parts:
            for letter in COUNTS:
                yield _check(row, where, letter, Fraction(sum(int(part[letter]) for part in parts)))


def _averages(rows: list[Row]) -> Iterator[Check]:
    for row in rows:
        if row["benchmark"] != AVERAGE:
            continue
        parts = [
            Decimal(one["value"])
            for one in rows
            if (one["metric"], one["model"]) == (row["metric"], row["model"]) and one is not row
        ]
        if parts:
            mean = sum(map(Fraction, parts), Fraction(0)) / len(parts)
            # Each part is printed to the nearest, so it and the mean can be off by half a last digit.
            slack = sum((HALF / 10 ** decimals(part) for part in parts), Fraction(0)) / len(parts)
            where = f"{row['model']}, {row['metric']}"
            yield _compare(row, where, AVERAGE, row["value"], mean, slack)


def _repeated(record: Record) -> Iterator[Check]:
    for row in record.pass_at_k:
        for one in record.support_counts:
            if (one["target"], one["benchmark"], one["k"]) == (row["model"], row["benchmark"], row["k"]):
                counts = _counts(one)
                exact = _percent(counts.preservation + counts.expansion, counts)
                where = f"{row['model']}, {row['benchmark']}, k = {row['k']}"
                yield _check(row, where, "pass_at_k", exact)


def _questions(rows: list[Row]) -> Iterator[Check]:
    sizes: dict[str, list[int]] = {}
    for row in rows:
        sizes.setdefault(row["benchmark"], []).append(sum(_counts(row)))
    for row in rows:
        usual = Counter(sizes[row["benchmark"]]).most_common(1)[0][0]
        yield _compare(row, _name(row), "P + E + S + O", str(sum(_counts(row))), Fraction(usual))


def _measures(row: Row, where: str) -> Iterator[Check]:
    exact = exact_measures(_counts(row))
    found = [_check(row, where, name, exact[name]) for name in MEASURES]
    fit = fitting(row) if any(check.rounding == "no" for check in found) else ""
    for check in found:
        yield check._replace(note=f"the row's measures fit {fit}") if fit and not check.agrees else check


def _all_agree(row: Row, counts: RegionCounts) -> bool:
    exact = exact_measures(counts)
    return all(_check(row, "", name, exact[name]).agrees for name in MEASURES)


def _check(row: Row, where: str, column: str, exact: Fraction | None) -> Check:
    return _compare(row, where, column, row[column], exact)


def _compare(
    row: Row, where: str, column: str, printed: str, exact: Fraction | None, slack: Fraction = Fraction(0)
) -> Check:
    if exact is None:
        return Check(int(row["table"]), where, column, printed, None, "undefined", "no")
    rounding = explanation(exact, Decimal(printed), slack)
    # With more digits than are printed, so that a reader sees how far from a tie it is.
    digits = decimals(Decimal(printed)) + (_MORE_DIGITS if exact.denominator > 1 else 0)
    return Check(int(row["table"]), where, column, printed, exact, f"{rounded(exact, digits):z}", rounding)


_FIELDS: Final = dict(zip(COUNTS, RegionCounts._fields, strict=True))


def _counts(row: Row) -> RegionCounts:
    return RegionCounts(*(int(row[letter]) for letter in COUNTS))


def _with_counts(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if all(row[letter] for letter in COUNTS)]


def _name(row: Row) -> str:
    step = f", step {row['step']}" if "step" in row else ""
    return f"{row['pair']}, {row['benchmark']}{step}"


def _scope(row: Row) -> tuple[str, str]:
    return row["pair"], row["domain"]


def _percent(solved: int, counts: RegionCounts) -> Fraction | None:
    return _ratio(100 * solved, sum(counts))


def _ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
