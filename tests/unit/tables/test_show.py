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
    (tmp_path / "tables").mkdir()
    rows = "| row |\n" * 61
    for name, text in {
        "table01-support": "**table01-support** | — |\n",
        "table06-benchmarks": f"**Table 6.** All of them\n\n{rows}",
        "evidence": f"**Evidence.** Of what\n\n- no change\n\n### One\n\n{rows}",
        "audit": "**Audit.** 9 do not\n",
        "plan": "**The bill.** 9 GPU-hours\n",
    }.items():
        (tmp_path / f"tables/{name}.md").write_text(text)
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/curve.png").touch()
    write(tmp_path / "benchmarks/sample/a.tsv", "60.5\t0:01:00\t2500.25\t9")
    monkeypatch.setattr("sys.argv", ["show", "--results", str(tmp_path)])
    show.main()
    out = capsys.readouterr().out
    assert out.startswith("**table01-support** | — |\n")
    assert out.index("**Table 6.** All of them\n") < out.index("**Evidence.** Of what\n\n- no change\n")
    assert f"({tmp_path}/tables/evidence.md: the rest of 67 lines)" in out
    assert "Audit" not in out
    assert "The bill" not in out
    assert "| row |" not in out
    tables = [f"tables/{name}.md" for name in ("table01-support", "table06-benchmarks", "evidence", "audit")]
    for path in (*tables, "figures/curve.png"):
        assert f"  {tmp_path / path}\n" in out
    assert out.splitlines()[-1].split() == ["sample", "1", "60.5", "60.5", "2500"]


def test_a_plan_alone_has_no_times(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/plan.md").touch()
    assert show.summary(tmp_path).endswith(f"  {tmp_path}/tables/plan.md\nFigures (.pdf, .png):")


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
