"""The rerun promises: what a change makes run again, and what it leaves alone. All dry runs.

The smoke study has four states (base, two DAPO checkpoints, SFT), three comparisons and two benchmarks.
"""

import shutil
from pathlib import Path

import pytest

from checkout import ROOT, Checkout

FIGURES = {"draw_pass_at_k": 2, "draw_regions": 1}
TABLES = {"make_table": 4}
FROM_METRICS = {"measure_regions": 6, "pool_benchmarks": 3} | TABLES | FIGURES
EVIDENCE_TABLES = {"make_evidence_table": 3}
BUDGETS = {"draw_budgets": 2}
FROM_EVIDENCE = EVIDENCE_TABLES | BUDGETS
EVIDENCE = {"weigh_evidence": 3} | FROM_EVIDENCE
ENTROPY_PAGES = {"make_precision_table": 1, "draw_decoupling": 1}
STYLE_PAGES = {"make_perplexity_table": 1, "draw_style_shift": 1}
SCORE_PAGES = ENTROPY_PAGES | STYLE_PAGES
FROM_ENTROPY = {"measure_entropy": 8} | ENTROPY_PAGES
FROM_SHIFTS = {"compare_perplexity": 6} | STYLE_PAGES
AUDIT_TABLE = {"make_tail_table": 1}
AUDIT = {"audit_tail": 6} | AUDIT_TABLE
SOLUTIONS_TABLE = {"make_solutions_table": 1}
SOLUTIONS = {"list_solutions": 4} | SOLUTIONS_TABLE  # of gcd alone, which is open-ended
FROM_REGIONS = AUDIT | FROM_METRICS | EVIDENCE | FROM_SHIFTS | SOLUTIONS_TABLE
FROM_COUNTS = {"count_outcomes": 8, "match_states": 6} | FROM_REGIONS
FROM_VERDICTS = {"verify_samples": 8} | FROM_COUNTS | FROM_ENTROPY | SOLUTIONS


def from_samples(states: int, targets: int) -> dict[str, int]:
    """Jobs from sampling to metrics and audit, for so many states and, among them, targets (each on one benchmark)."""
    sides = dict.fromkeys(("draw_samples", "verify_samples", "count_outcomes"), states)
    compared = ("match_states", "audit_tail", "measure_regions", "compare_perplexity")
    return sides | dict.fromkeys(compared, targets) | AUDIT_TABLE | STYLE_PAGES


def scored(states: int) -> dict[str, int]:
    """Jobs that score the completions of so many states, each on one benchmark, and what follows."""
    return dict.fromkeys(("score_completions", "measure_entropy"), states) | ENTROPY_PAGES


def traced(states: int) -> dict[str, int]:
    """Jobs that score others' traces by so many states, each on one benchmark."""
    return dict.fromkeys(("score_traces", "measure_perplexity"), states)


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
        ("figures/pass_at_k.py", FIGURES | BUDGETS),
        ("tables/layouts.py", TABLES),
        ("tables/tail.py", AUDIT_TABLE),
        ("tables/solutions.py", SOLUTIONS_TABLE),
        ("dynamics/solutions.py", SOLUTIONS_TABLE),
        ("solutions.py", SOLUTIONS),
        ("tables/evidence/summary.py", EVIDENCE_TABLES),
        ("evidence.py", EVIDENCE),
        ("dynamics/intervals.py", EVIDENCE),
        ("entropy.py", FROM_ENTROPY),
        ("dynamics/entropy.py", FROM_ENTROPY),
        ("shift.py", FROM_SHIFTS),
        ("perplexity.py", {"measure_perplexity": 8} | FROM_SHIFTS),
        ("tables/precision.py", {"make_precision_table": 1}),
        ("figures/style_shift.py", {"draw_style_shift": 1}),
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
        ("scoring/__main__.py", {}),
        ("scoring/reduce.py", {}),
        ("traces.py", {}),
        ("benchmarks/__main__.py", {}),
        ("config/models.py", {}),
        ("specs/jobs.py", {}),
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
    own |= scored(2) | traced(2) | {"list_solutions": 1} | SOLUTIONS_TABLE
    assert jobs == own | {"pool_benchmarks": 1, "weigh_evidence": 1} | TABLES | FIGURES | FROM_EVIDENCE


def test_a_benchmarks_temperature_redraws_that_benchmark(study: Checkout) -> None:
    jobs = study.planned(*study.with_config("benchmarks: {gcd: {temperature: 0.9}}\n"))
    own = from_samples(states=4, targets=3) | scored(4) | SOLUTIONS
    assert jobs == own | {"pool_benchmarks": 3, "draw_pass_at_k": 1, "draw_regions": 1} | TABLES | EVIDENCE


def test_a_larger_budget_draws_only_the_additional_samples(study: Checkout) -> None:
    arguments = study.with_config("benchmarks: {gcd: {budget: 32}}\n")
    jobs = study.planned(*arguments)
    own = from_samples(states=4, targets=3) | SOLUTIONS
    assert jobs == own | {"pool_benchmarks": 3, "draw_pass_at_k": 1, "draw_regions": 1} | TABLES | EVIDENCE
    listed = study.run("-n", *arguments).stdout
    assert "gcd/samples/r0-s1.parquet" in listed
    assert "output: results/smoke/base/final/gcd/samples/r0-s0.parquet" not in listed


def test_a_smaller_number_of_benchmarks_only_gathers_again(study: Checkout) -> None:
    jobs = study.planned(*study.with_config("run: {benchmarks: [gcd]}\n"))
    gathered = {"pool_benchmarks": 3, "draw_pass_at_k": 1, "draw_regions": 1} | TABLES | AUDIT_TABLE
    assert jobs == gathered | EVIDENCE | {"draw_budgets": 1} | SCORE_PAGES | SOLUTIONS_TABLE


@pytest.mark.parametrize(
    "change",
    ["models: {dapo: {label: Another}}", "benchmarks: {gcd: {label: Another}}"],
)
def test_a_label_recomputes_nothing_and_is_drawn_anew(study: Checkout, change: str) -> None:
    assert study.planned(*study.with_config(change + "\n")) == (
        TABLES | AUDIT_TABLE | SOLUTIONS_TABLE | FIGURES | FROM_EVIDENCE | SCORE_PAGES
    )


def test_what_is_repeated_of_the_paper_prints_the_tables_alone(study: Checkout) -> None:
    shutil.copytree(ROOT / "results/published", study.folder / "results/published")
    model, benchmark = "models: {sft: {published: ovr-7b}}\n", "benchmarks: {gcd: {published: MathVista}}\n"
    assert study.planned(*study.with_config(model)) == {}  # a benchmark's name is needed too
    arguments = study.with_config(model + benchmark)
    assert study.planned(*arguments) == TABLES
    assert study.run(*arguments).returncode == 0
    assert study.planned(*arguments) == {}
    study.edit("results/published/support_counts.csv", lambda text: text.replace(",25,0,3,2", ",25,1,3,1", 1))
    assert study.planned(*arguments) == TABLES


@pytest.mark.parametrize("setting", ["max_num_seqs: 64", "enforce_eager: false", "pin_cores: false"])
def test_an_engine_setting_redraws_nothing(study: Checkout, setting: str) -> None:
    assert study.planned(*study.with_config(f"sampling: {{engine: {{{setting}}}}}\n")) == {}


@pytest.mark.parametrize("setting", ["max_batch_tokens: 512", "chunk_tokens: 64", "threads: 2"])
def test_the_speed_of_scoring_scores_nothing_anew(study: Checkout, setting: str) -> None:
    assert study.planned(*study.with_config(f"scoring: {{{setting}}}\n")) == {}


def test_fewer_scored_samples_are_scored_anew_and_traces_are_not(study: Checkout) -> None:
    assert study.planned(*study.with_config("scoring: {samples: 2}\n")) == scored(8)


def test_other_traces_score_that_benchmarks_traces_and_no_completions(study: Checkout) -> None:
    traces = "benchmarks: {gcd: {traces: {third: {style: factors}}}}\n"
    jobs = study.planned(*study.with_config(traces))
    assert jobs == {"write_external_traces": 1, "compare_perplexity": 3} | traced(4) | STYLE_PAGES


def test_a_training_field_retrains_that_model_and_what_comes_of_it(study: Checkout) -> None:
    jobs = study.planned(*study.with_config("models: {sft: {train: {learning_rate: 1.0e-4}}}\n"))
    own = from_samples(states=2, targets=2) | scored(2) | traced(2)
    own |= {"list_solutions": 1} | SOLUTIONS_TABLE
    gathered = {"pool_benchmarks": 1, "weigh_evidence": 1} | TABLES | FIGURES | FROM_EVIDENCE
    assert jobs == {"train_sft": 1} | own | gathered


def test_a_lost_file_is_made_again_by_name_and_without_what_is_not_needed(study: Checkout) -> None:
    verdicts = study.results / "base/final/gcd/verdicts/r0-s0.parquet"
    verdicts.unlink()
    assert study.planned() == {}  # samples moved elsewhere to save space must not be drawn again
    ended = study.remake(verdicts, "-n")
    assert "verify_samples" in ended.stdout
    assert "draw_samples" not in ended.stdout
