from pathlib import Path

import pytest

from leash.errors import InputError
from leash.tables import show, timing

HEADER = "s\th:m:s\tmax_rss\tmax_vms\n"


def write(path: Path, *rows: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows))


def test_sums_the_jobs_of_each_rule_longest_first(tmp_path: Path) -> None:
    write(tmp_path / "match/a.tsv", "0.5\t0:00:00\t-\t-")
    write(tmp_path / "sample/a.tsv", "60.5\t0:01:00\t2500.25\t9")
    write(tmp_path / "sample/deep/b.tsv", "100\t0:01:40\t900\t9")
    (tmp_path / "empty").mkdir()
    assert timing.summarise(tmp_path) == [
        timing.RuleTime("sample", 2, 160.5, 100.0, 2500.25),
        timing.RuleTime("match", 1, 0.5, 0.5, None),
    ]


def test_prints_tables_where_they_are_and_the_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("table01-support", "table06-benchmarks"):
        (tmp_path / "tables").mkdir(exist_ok=True)
        (tmp_path / f"tables/{name}.md").write_text(f"**{name}** | — |\n")
    (tmp_path / "tables/tail-audit.md").write_text("**Tail audit.** 3 labels\n\n| row |\n")
    (tmp_path / "tables/audit.md").write_text("**Audit.** 9 do not\n\n| row |\n")
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/curve.png").touch()
    write(tmp_path / "benchmarks/sample/a.tsv", "60.5\t0:01:00\t2500.25\t9")
    monkeypatch.setattr("sys.argv", ["show", "--results", str(tmp_path)])
    show.main()
    out = capsys.readouterr().out
    assert out.startswith("**table01-support** | — |\n")
    assert "**table06" not in out
    assert "**Tail audit.** 3 labels\n" in out
    assert "**Audit.** 9 do not\n" in out
    assert "| row |" not in out
    tables = [f"tables/{name}.md" for name in ("table01-support", "table06-benchmarks", "tail-audit")]
    for path in (*tables, "figures/curve.png"):
        assert f"  {tmp_path / path}\n" in out
    assert out.splitlines()[-1].split() == ["sample", "1", "60.5", "60.5", "2500"]


def test_a_folder_without_benchmarks_prints_headings_only(tmp_path: Path) -> None:
    assert "longest job" in timing.as_text(timing.summarise(tmp_path))


def test_what_is_missing_or_foreign_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"absent: no such folder"):
        timing.summarise(tmp_path / "absent")
    (tmp_path / "rule").mkdir()
    (tmp_path / "rule/a.tsv").write_text("x\ty\n1\t2\n")
    with pytest.raises(InputError, match=r"a.tsv: not a Snakemake benchmark"):
        timing.summarise(tmp_path)
    monkeypatch.setattr("sys.argv", ["show", "--results", str(tmp_path / "absent")])
    with pytest.raises(SystemExit, match=r"error: .*absent/tables: no tables; run the workflow to make them"):
        show.main()
