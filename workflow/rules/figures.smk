# The paper's figures, as PDF and PNG.
# Needs the metrics of every comparison. Makes results/<study>/figures/<figure>.{pdf,png}.

FIGURES = [
    *(f"figure02-pass-at-k-{benchmark}" for benchmark in STUDY.run.benchmarks),
    *(["figure-regions-over-training"] if SEVERAL_CHECKPOINTS else []),
]


def compared_on(benchmark):
    """The comparisons that are run on a benchmark: recorded results may be of some benchmarks only."""
    return [pair for pair in COMPARISONS if benchmark in benchmarks_of(STUDY, pair.target.model)]


rule draw_pass_at_k:
    input:
        code=module_files("leash.figures"),
        metrics=lambda wildcards: [
            f"{RESULTS}/{pair.target}/{wildcards.benchmark}/metrics.json"
            for pair in compared_on(wildcards.benchmark)
        ],
    output:
        pdf=f"{RESULTS}/figures/figure02-pass-at-k-{{benchmark}}.pdf",
        png=report(
            f"{RESULTS}/figures/figure02-pass-at-k-{{benchmark}}.png",
            category="Figures",
            caption="../report/pass-at-k.rst",
        ),
    log:
        f"{LOGS}/draw_pass_at_k/{{benchmark}}.log",
    benchmark:
        f"{TIMES}/draw_pass_at_k/{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.presentation(STUDY, compared_on(wildcards.benchmark)),
    shell:
        "exec python -m leash.figures --figure figure02-pass-at-k-{wildcards.benchmark} --spec {params.spec:q}"
        " --metrics {input.metrics} --out-pdf {output.pdf} --out-png {output.png} 2> {log}"


rule draw_regions:
    input:
        code=module_files("leash.figures"),
        pooled=POOLED,
    output:
        pdf=f"{RESULTS}/figures/figure-regions-over-training.pdf",
        png=report(
            f"{RESULTS}/figures/figure-regions-over-training.png",
            category="Figures",
            caption="../report/regions.rst",
        ),
    log:
        f"{LOGS}/draw_regions/regions.log",
    benchmark:
        f"{TIMES}/draw_regions/regions.tsv"
    params:
        spec=specs.presentation(STUDY, COMPARISONS),
    shell:
        "exec python -m leash.figures --figure figure-regions-over-training --spec {params.spec:q}"
        " --pooled {input.pooled} --out-pdf {output.pdf} --out-png {output.png} 2> {log}"
