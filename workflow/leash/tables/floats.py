"""A long table as Markdown, and as LaTeX floats that each fit a page."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from leash.tables.cells import as_markdown, escape
from leash.tables.text import markdown_table

MOST_ROWS: Final = 42
"""Rows of a float: with caption and notes they fit a page."""
_MOST_FLOATS: Final = 8
"""Floats before LaTeX is made to print them: it holds no more than 18."""
_SYMBOLS: Final = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "±": r"$\pm$", "†": r"\textdagger{}"}

Group = Sequence[Sequence[str]]


class Part(NamedTuple):
    """Rows under a title and headings; `left`: headings of columns of text. A group of rows stays together."""

    title: str
    headings: tuple[str, ...]
    left: Collection[str]
    groups: Sequence[Group]


class _Piece(NamedTuple):
    """What one float holds of a part."""

    part: Part
    is_rest: bool
    groups: list[Group]


def markdown(title: str, caption: str, parts: Iterable[Part], notes: Iterable[str]) -> str:
    """Title and caption, a table per part, notes."""
    blocks = [f"**{as_markdown(title)}** {as_markdown(caption)}"]
    for part in parts:
        rows = [row for group in part.groups for row in group]
        blocks += [f"### {as_markdown(part.title)}", markdown_table(part.headings, rows, part.left)]
    blocks += [f"> {as_markdown(note)}" for note in notes]
    return "\n\n".join(blocks) + "\n"


def latex(slug: str, caption: str, parts: Iterable[Part], notes: Sequence[str]) -> str:
    """booktabs tables that span both columns of a page, under one number; the notes stand below the last one."""
    pages = list(_pages(parts))
    lines = ["% needs \\usepackage{booktabs,graphicx}"]
    for index, page in enumerate(pages):
        head = (
            [rf"\caption{{{escaped(caption)}}}", rf"\label{{tab:{slug}}}"]
            if not index
            else [r"\addtocounter{table}{-1}", r"\caption{(continued)}"]
        )
        lines += [r"\begin{table*}", r"\centering", *head, *_tabular(page)]
        if index == len(pages) - 1:
            lines += [rf"\par\smallskip\footnotesize {escaped(note)}" for note in notes]
        lines += [r"\end{table*}", *([r"\clearpage"] if index % _MOST_FLOATS == _MOST_FLOATS - 1 else []), ""]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Plain text as LaTeX, with the arrows, the dagger and the sign of an error."""
    plain = escape(text)
    for symbol, command in _SYMBOLS.items():
        plain = plain.replace(symbol, command)
    return plain


def _pages(parts: Iterable[Part]) -> Iterator[list[_Piece]]:
    page: list[_Piece] = []
    rows = 0
    for part in parts:
        is_rest = False
        for group in _cut(part.groups):
            fits = rows + len(group) <= MOST_ROWS
            if page and not (fits and page[0].part.headings == part.headings):
                yield page
                page, rows = [], 0
            if not page or page[-1].part is not part:
                page.append(_Piece(part, is_rest, []))
                rows += 1
            page[-1].groups.append(group)
            rows += len(group)
            is_rest = True
    if page:
        yield page


def _cut(groups: Iterable[Group]) -> Iterator[Group]:
    """Groups, in pieces where one is longer than a page."""
    for group in groups:
        for start in range(0, len(group), MOST_ROWS - 1):
            yield group[start : start + MOST_ROWS - 1]


def _tabular(page: list[_Piece]) -> list[str]:
    part = page[0].part
    alignment = "".join("l" if heading in part.left else "r" for heading in part.headings)
    body: list[str] = []
    for piece in page:
        title = piece.part.title + (" (continued)" if piece.is_rest else "")
        body += [
            rf"\multicolumn{{{len(part.headings)}}}{{l}}{{\textit{{{escaped(title)}}}}} \\",
            r"\addlinespace[2pt]",
        ]
        for group in piece.groups:
            body += [" & ".join(escaped(cell) for cell in row) + r" \\" for row in group]
            body.append(r"\addlinespace")
        body[-1] = r"\midrule"
    return [
        r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(escaped(heading) for heading in part.headings) + r" \\",
        r"\midrule",
        *body[:-1],
        r"\bottomrule",
        r"\end{tabular}}",
    ]
