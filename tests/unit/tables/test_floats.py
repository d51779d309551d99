from leash.tables.floats import MOST_ROWS, Part, escaped, latex, markdown


def part(title: str, groups: list[int], headings: tuple[str, ...] = ("Name", "n")) -> Part:
    return Part(
        title,
        headings,
        {"Name"},
        [[[f"{title}{index}-{row}", "1"] for row in range(size)] for index, size in enumerate(groups)],
    )


def rows_of(text: str) -> list[int]:
    """Rows of each float, headings and titles apart."""
    return [page.count(" & 1 \\\\") for page in text.split(r"\begin{table*}")[1:]]


def test_a_table_is_cut_between_groups_where_a_page_is_full() -> None:
    text = latex("t", "Caption.", [part("a", [20, 15, 20])], ["note"])
    assert rows_of(text) == [35, 20]
    assert text.count(r"\caption{Caption.}") == text.count(r"\label{tab:t}") == 1
    assert text.count(r"\caption{(continued)}") == text.count(r"\addtocounter{table}{-1}") == 1
    assert r"\textit{a (continued)}" in text
    assert text.rstrip().endswith("\\par\\smallskip\\footnotesize note\n\\end{table*}")


def test_short_parts_share_a_float_where_their_headings_are_the_same() -> None:
    parts = [part("a", [5]), part("b", [5]), part("c", [5], ("Name", "k"))]
    assert rows_of(latex("t", "", parts, [])) == [10, 5]


def test_a_group_longer_than_a_page_is_cut() -> None:
    found = rows_of(latex("t", "", [part("a", [100, 3])], []))
    assert sum(found) == 103
    assert max(found) < MOST_ROWS


def test_many_floats_are_flushed_on_the_way() -> None:
    assert latex("t", "", [part("a", [40] * 17)], []).count(r"\clearpage") == 2


def test_nothing_to_show() -> None:
    assert latex("t", "Caption.", [], []).count("table*") == 0
    assert markdown("Title.", "Caption.", [], []) == "**Title.** Caption.\n"


def test_markdown_has_a_table_per_part_and_the_notes() -> None:
    text = markdown("Title.", "a_b", [part("x|y", [2]), part("z", [1])], ["note_1"])
    assert text.count("### ") == 2
    assert "### x\\|y" in text
    assert text.endswith("> note\\_1\n")


def test_symbols() -> None:
    assert escaped("1.0 ↑") == r"1.0 $\uparrow$"
    assert escaped("3†") == r"3\textdagger{}"
    assert escaped("-0.2") == "$-0.2$"
    assert escaped("50 % ± 1") == r"50 \% $\pm$ 1"
