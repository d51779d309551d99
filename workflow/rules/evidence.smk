# What speaks for the regions: intervals, tests and nulls of every comparison, over all its benchmarks.
# Needs the regions of a target. Makes results/<study>/<model>/<checkpoint>/evidence.json,
# tables/{evidence,sensitivity,budgets}.{csv,md} and figures/figure-budgets-<benchmark>.{pdf,png}.

EVIDENCE = [f"{RESULTS}/{pair.target}/evidence.json" for pair in COMPARISONS]
EVIDENCE_TABLES = ["evidence", "sensitivity", "budgets"]
BUDGET_FIGURES = [f"figure-budgets-{benchmark}" for benchmark in STUDY.run.benchmarks]


rule weigh_evidence:
    input:
        code=module_files("leash.evidence"),
        regions=lambda wildcards: [
            f"{RESULTS}/{wildcards.model}/{wildcards.checkpoint}/{benchmark}/regions.parquet"
            for benchmark in benchmarks_of(STUDY, wildcards.model)
        ],
        round0=lambda wildcards: [
            file
            for benchmark in benchmarks_of(STUDY, wildcards.model)
            for file in first_round_of(wildcards, benchmark)
        ],
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/evidence.json",
    log:
        f"{LOGS}/weigh_evidence/{{model}}@{{checkpoint}}.log",
    benchmark:
        f"{TIMES}/weigh_evidence/{{model}}@{{checkpoint}}.tsv"
    params:
        spec=lambda wildcards: specs.evidence(STUDY, comparison_of(wildcards)),
        round0=lambda wildcards, input: f"--round0 {input.round0}" if input.round0 else "",
    shell:
        "exec python -m leash.evidence --spec {params.spec:q} --regions {input.regions} {params.round0}"
        " --out {output} 2> {log}"


rule make_evidence_table:
    input:
        code=module_files("leash.tables.evidence"),
        evidence=EVIDENCE,
    output:
        csv=report(
            f"{RESULTS}/tables/{{table}}.csv",
            category="Tables",
            caption="../report/evidence.rst",
        ),
        md=f"{RESULTS}/tables/{{table}}.md",
    log:
        f"{LOGS}/make_evidence_table/{{table}}.log",
    benchmark:
        f"{TIMES}/make_evidence_table/{{table}}.tsv"
    wildcard_constraints:
        table="|".join(EVIDENCE_TABLES),
    params:
        spec=specs.presentation(STUDY, COMPARISONS),
    shell:
        "exec python -m leash.tables.evidence --table {wildcards.table} --spec {params.spec:q}"
        " --evidence {input.evidence} --out-csv {output.csv} --out-md {output.md} 2> {log}"


rule draw_budgets:
    input:
        code=module_files("leash.figures"),
        evidence=lambda wildcards: [
            f"{RESULTS}/{pair.target}/evidence.json" for pair in compared_on(wildcards.benchmark)
        ],
    output:
        pdf=f"{RESULTS}/figures/figure-budgets-{{benchmark}}.pdf",
        png=report(
            f"{RESULTS}/figures/figure-budgets-{{benchmark}}.png",
            category="Figures",
            caption="../report/budgets.rst",
        ),
    log:
        f"{LOGS}/draw_budgets/{{benchmark}}.log",
    benchmark:
        f"{TIMES}/draw_budgets/{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.presentation(STUDY, compared_on(wildcards.benchmark)),
    shell:
        "exec python -m leash.figures --figure figure-budgets-{wildcards.benchmark} --spec {params.spec:q}"
        " --evidence {input.evidence} --out-pdf {output.pdf} --out-png {output.png} 2> {log}"
