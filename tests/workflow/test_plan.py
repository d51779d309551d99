"""`snakemake plan`: what a study costs, before anything of it is there."""

import re
import shutil
from pathlib import Path

from checkout import ROOT, Checkout


def test_the_plan_is_printed_each_time_and_needs_no_result(tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path / "study")
    shutil.copytree(ROOT / "results/published", checkout.folder / "results/published")
    for _ in range(2):
        ended = checkout.run("--", "plan")
        assert ended.returncode == 0, ended.stdout
        assert re.findall(r"^(?:local)?rule (\w+):", ended.stdout, re.MULTILINE) == ["plan"]
        assert ended.stdout.count("**The bill.**") == 1
        # 4 states, 2 benchmarks of 12 questions and 16 samples
        assert re.search(r"^\| total .* 96 \|[ |]+ 1536/1536 \|", ended.stdout, re.MULTILINE)
    made = {path.relative_to(checkout.results) for path in checkout.results.rglob("*") if path.is_file()}
    assert {str(path) for path in made} == {f"tables/plan.{end}" for end in ("json", "csv", "md")}


def test_the_papers_study_in_gpu_hours_and_money(tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path / "study")
    shutil.copytree(ROOT / "results/published", checkout.folder / "results/published")
    (checkout.folder / "mine.yaml").write_text("cost: {tokens_per_second: 10000, per_gpu_hour: 2}\n")
    ended = checkout.run("--configfile", "config/paper.yaml", "mine.yaml", "--", "plan")
    assert ended.returncode == 0, ended.stdout
    # 30 questions, 8192 samples, 16363 tokens of Table 5, at 10000 a second
    row = re.search(r"DeepSeek-R1-Distill-Qwen-1.5B \| AIME 2024 .*", ended.stdout)
    assert row
    assert "245760/" in row[0]
    assert "4021/" in row[0]
    assert " 112/" in row[0]
    assert " 223/" in row[0]
    assert "stated (speed), prior (rates, length, disk)" in row[0]
