"""The evidence of a study, in the order and under the labels that a table or figure is asked for.

The spec is that of leash.comparisons. A file is what leash.evidence writes: one per comparison.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from leash import records
from leash.comparisons import Scope, parse_spec, state_label
from leash.dynamics.regions import RegionCounts
from leash.errors import InputError

_BLOCK = {"questions", "budgets", "regions", "metrics", "intervals", "nulls", "sensitivity", "verdict"}


class Finding(NamedTuple):
    """What speaks for a comparison on one benchmark, or pooled; slugs, labels, and the block of evidence.json.

    `repeats`: a pool of a single benchmark, which says what that benchmark's own finding says.
    """

    base: str
    base_checkpoint: str
    base_label: str
    target: str
    checkpoint: str
    label: str
    is_final: bool
    scope: Scope
    slug: str
    name: str
    domain: str
    repeats: bool
    block: dict[str, Any]

    @property
    def title(self) -> str:
        """Who is compared with whom, as a heading says it."""
        return f"{self.label} against {self.base_label}"

    @property
    def budgets(self) -> str:
        """The budget k, or those of the benchmarks that are pooled: "64/128"."""
        return "/".join(str(k) for k in self.block["budgets"])

    @property
    def regions(self) -> RegionCounts:
        """Questions in each region."""
        return RegionCounts(**self.block["regions"])


def load(spec_text: str, paths: Iterable[Path]) -> list[Finding]:
    """Every finding: comparisons as in the spec, in each its benchmarks, then domains, then overall.

    Raises InputError for a broken spec or file, a state or benchmark the spec does not name, and a comparison
    without a file.
    """
    spec = parse_spec(spec_text)
    files: dict[tuple[str, str], dict[str, Any]] = {}
    for path in paths:
        contents = _read(path, spec)
        files[contents["target"]["model"], contents["target"]["checkpoint"]] = contents
    states = [(str(model), str(checkpoint)) for model, checkpoint in spec["comparisons"]]
    lacking = [f"{model}/{checkpoint}" for model, checkpoint in states if (model, checkpoint) not in files]
    if lacking:
        raise InputError(
            f"--evidence: no file of {records.listed(lacking)}; give one, or drop it from --spec"
        )
    final = dict(states)
    return [
        finding
        for state in states
        for finding in _findings(spec, files[state], is_final=final[state[0]] == state[1])
    ]


def by_comparison(findings: Iterable[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """The findings of each comparison, under its title, in order."""
    for _, group in groupby(findings, key=lambda finding: (finding.target, finding.checkpoint)):
        members = list(group)
        yield members[0].title, members


def _findings(spec: dict[str, Any], file: dict[str, Any], is_final: bool) -> Iterator[Finding]:
    base, target = file["base"], file["target"]
    slugs = [slug for slug in spec["benchmarks"] if slug in file["benchmarks"]]
    domains: dict[str, list[str]] = {}
    for slug in slugs:
        domains.setdefault(file["benchmarks"][slug]["domain"], []).append(slug)

    def finding(
        scope: Scope, slug: str, name: str, domain: str, repeats: bool, block: dict[str, Any]
    ) -> Finding:
        models, checkpoints = spec["models"], spec["checkpoints"]
        shown = checkpoints.get(f"{target['model']}/{target['checkpoint']}", target["checkpoint"])
        return Finding(
            base["model"],
            base["checkpoint"],
            models[base["model"]]["label"],
            target["model"],
            target["checkpoint"],
            state_label(models[target["model"]]["label"], shown),
            is_final,
            scope,
            slug,
            name,
            domain,
            repeats,
            block,
        )

    for slug in slugs:
        block = file["benchmarks"][slug]
        yield finding("benchmark", slug, spec["benchmarks"][slug], block["domain"], False, block)
    for domain, members in domains.items():
        yield finding("domain", domain, domain, domain, len(members) == 1, file["domains"][domain])
    yield finding("overall", "overall", "overall", "", len(domains) == 1, file["overall"])


def _read(path: Path, spec: dict[str, Any]) -> dict[str, Any]:
    contents = records.read_json(path)
    wanted = {"base", "target", "benchmarks", "domains", "overall"}
    if not isinstance(contents, dict) or set(contents) != wanted or not set(contents["overall"]) >= _BLOCK:
        raise InputError(f"{path}: not the evidence of a comparison; delete it and run again")
    for side in ("base", "target"):
        if contents[side]["model"] not in spec["models"]:
            raise InputError(f"{path}: --spec names no model {contents[side]['model']!r}; add its label")
    strange = [slug for slug in contents["benchmarks"] if slug not in spec["benchmarks"]]
    if strange:
        raise InputError(f"{path}: --spec names no benchmark {strange[0]!r}; add its label")
    if not all("over_budgets" in block for block in contents["benchmarks"].values()):
        raise InputError(f"{path}: not the evidence of a comparison; delete it and run again")
    return contents
