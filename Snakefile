# Does RLVR widen or narrow what a model can solve? One study, from questions to tables and figures.
# Bare `snakemake` runs config/config.yaml; `--configfile FILE` is merged over it. Keys: config/README.md.
configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/questions.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/sample.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/recorded.smk"
include: "workflow/rules/match.smk"
include: "workflow/rules/solutions.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/evidence.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/published.smk"
include: "workflow/rules/plan.smk"


rule all:
    default_target: True
    input:
        expand(
            f"{RESULTS}/tables/{{table}}.{{format}}",
            table=TABLES + SCORE_TABLES,
            format=["csv", "md", "tex"],
        ),
        expand(
            f"{RESULTS}/tables/{{table}}.{{format}}",
            table=EVIDENCE_TABLES,
            format=["csv", "md"],
        ),
        rules.make_tail_table.output if TAILS else [],
        rules.make_solutions_table.output if OPEN_ENDED else [],
        rules.make_agreement_table.output if AGREEMENTS else [],
        expand(
            f"{RESULTS}/figures/{{figure}}.{{format}}",
            figure=FIGURES + BUDGET_FIGURES + SCORE_FIGURES,
            format=["pdf", "png"],
        ),


onsuccess:
    # A run of some targets only may have made no table.
    if any(Path(RESULTS, "tables").glob("*.md")):
        shell(f"python -m leash.tables.show --results {RESULTS}")
