"""The rerun promises: what a change makes run again, and what it leaves alone. All dry runs.

The smoke study has four states (base, two DAPO checkpoints, SFT), three comparisons and two benchmarks.
"""

from pathlib import Path

import pytest

from checkout import Checkout

FIGURES = {"draw_pass_at_k": 2, "draw_regions": 1}
TABLES = {"make_table": 4}
FROM_METRICS = {"measure_regions": 6, "pool_benchmarks": 3} | TABLES | FIGURES
AUDIT_TABLE = {"make_tail_table": 1}
AUDIT = {"audit_tail": 6} | AUDIT_TABLE
FROM_REGIONS = AUDIT | FROM_METRICS
FROM_COUNTS = {"count_outcomes": 8, "match_states": 6} | FROM_REGIONS
FROM_VERDICTS = {"verify_samples": 8} | FROM_COUNTS


def from_samples(states: int, targets: int) -> dict[str, int]:
    """Jobs from sampling to metrics and audit, for so many states and, among them, targets (each on one benchmark)."""
    sides = dict.fromkeys(("draw_samples", "verify_samples", "count_outcomes"), states)
    return sides | dict.fromkeys(("match_states", "audit_tail", "measure_regions"), targets) | AUDIT_TABLE


def comment(text: str) -> str:
    return text + "\n# a comment\n"


def test_nothing_is_left_to_do(study: Checkout) -> None:
    assert study.planned() == {}


def test_a_touched_module_reruns_nothing(study: Checkout) -> None:
    (study.folder / "workflow/leash/metrics.py").touch()
    assert study.planned() == {}


@pytest.mark.parametrize(
    ("module", "jobs"),
    [
        ("figures/pass_at_k.py", FIGURES),
        ("tables/layouts.py", TABLES),
        ("tables/tail.py", AUDIT_TABLE),
        ("tail.py", AUDIT),
        ("verify/opinion/answers.py", AUDIT),
        ("metrics.py", FROM_METRICS),
        ("match.py", {"match_states": 6} | FROM_REGIONS),
        ("counts.py", FROM_COUNTS),
        ("verify/gym.py", FROM_VERDICTS),
        ("verify/extract.py", FROM_VERDICTS),
        (
            "benchmarks/reasoning_gym.py",
            FROM_VERDICTS,
        ),  # the verifier asks the environment that made the question
        # GPU work: a comment costs nothing; SAMPLER_VERSION and its like say when something has changed
        ("sampling/engine.py", {}),
        ("sampling/plan.py", {}),
        ("training/dapo.py", {}),
        ("benchmarks/__main__.py", {}),
        ("config.py", {}),
        ("specs.py", {}),
    ],
)
def test_an_edited_module_reruns_its_stage_and_those_after_it(
    study: Checkout, module: str, jobs: dict[str, int]
) -> None:
    study.edit(f"workflow/leash/{module}", comment)
    assert study.planned() == jobs


def test_a_new_model_runs_its_own_jobs_and_the_gathering_ones(study: Checkout, micro_model: Path) -> None:
    jobs = study.planned(
        *study.with_config(
            f"run: {{models: [base, dapo, sft, mine]}}\nmodels: {{mine: {{base: base, path: {micro_model}}}}}\n"
        )
    )
    own = from_samples(states=2, targets=2)
    assert jobs == own | {"pool_benchmarks": 1} | TABLES | FIGURES


def test_a_benchmarks_temperature_redraws_that_benchmark(study: Checkout) -> None:
    jobs = study.planned(*study.with_config("benchmarks: {gcd: {temperature: 0.9}}\n"))
    own = from_samples(states=4, targets=3)
    assert jobs == own | {"pool_benchmarks": 3, "draw_pass_at_k": 1, "draw_regions": 1} | TABLES


def test_a_larger_budget_draws_only_the_additional_samples(study: Checkout) -> None:
    arguments = study.with_config("benchmarks: {gcd: {budget: 32}}\n")
    jobs = study.planned(*arguments)
    own = from_samples(states=4, targets=3)
    assert jobs == own | {"pool_benchmarks": 3, "draw_pass_at_k": 1, "draw_regions": 1} | TABLES
    listed = study.run("-n", *arguments).stdout
    assert "gcd/samples/r0-s1.parquet" in listed
    assert "output: results/smoke/base/final/gcd/samples/r0-s0.parquet" not in listed


def test_a_smaller_number_of_benchmarks_only_gathers_again(study: Checkout) -> None:
    jobs = study.planned(*study.with_config("run: {benchmarks: [gcd]}\n"))
    assert jobs == {"pool_benchmarks": 3, "draw_pass_at_k": 1, "draw_regions": 1} | TABLES | AUDIT_TABLE


@pytest.mark.parametrize(
    "change",
    ["models: {dapo: {label: Another}}", "benchmarks: {gcd: {label: Another}}"],
)
def test_a_label_recomputes_nothing_and_is_drawn_anew(study: Checkout, change: str) -> None:
    assert study.planned(*study.with_config(change + "\n")) == TABLES | AUDIT_TABLE | FIGURES


@pytest.mark.parametrize("setting", ["max_num_seqs: 64", "enforce_eager: false", "pin_cores: false"])
def test_an_engine_setting_redraws_nothing(study: Checkout, setting: str) -> None:
    assert study.planned(*study.with_config(f"sampling: {{engine: {{{setting}}}}}\n")) == {}


def test_a_training_field_retrains_that_model_and_what_comes_of_it(study: Checkout) -> None:
    jobs = study.planned(*study.with_config("models: {sft: {train: {learning_rate: 1.0e-4}}}\n"))
    own = from_samples(states=2, targets=2)
    assert jobs == {"train_sft": 1} | own | {"pool_benchmarks": 1} | TABLES | FIGURES


def test_a_lost_file_is_made_again_by_name_and_without_what_is_not_needed(study: Checkout) -> None:
    verdicts = study.results / "base/final/gcd/verdicts/r0-s0.parquet"
    verdicts.unlink()
    assert study.planned() == {}  # samples moved elsewhere to save space must not be drawn again
    ended = study.remake(verdicts, "-n")
    assert "verify_samples" in ended.stdout
    assert "draw_samples" not in ended.stdout
