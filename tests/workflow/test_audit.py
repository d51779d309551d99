"""`snakemake audit`: the paper's tables, without a model."""

import re
import shutil
from pathlib import Path

from checkout import ROOT, Checkout


def test_the_audit_prints_the_mismatches_each_time_it_is_asked_for(tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path / "study")
    shutil.copytree(ROOT / "results/published", checkout.folder / "results/published")
    for rules in (["audit", "audit_published", "draw_entropy_tilt"], ["audit"]):
        ended = checkout.run("--", "audit")
        assert ended.returncode == 0, ended.stdout
        assert sorted(re.findall(r"^(?:local)?rule (\w+):", ended.stdout, re.MULTILINE)) == rules
        assert "AIME2025, step 300" in ended.stdout
        assert "the row's measures fit P 19 (not 18)" in ended.stdout
        assert "prorl-1.5b-v1, overall" in ended.stdout
        assert "81 are consistent to rounding" in ended.stdout
    for name in ("tables/audit.csv", "tables/audit.md", "figures/figure-entropy-tilt.pdf"):
        assert (checkout.results / name).stat().st_size > 0
