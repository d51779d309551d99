# The paper's tables, as CSV, Markdown and LaTeX. Every number comes from a metrics file. Beside them, the tail audit.
# Needs metrics and tail audit of every comparison, and results/published where the study repeats something of it. Makes
# results/<study>/tables/<table>.{csv,md,tex} and tables/tail-audit.{csv,md}.
from leash.published.record import FILES

METRICS = [
    f"{RESULTS}/{pair.target}/{benchmark}/metrics.json"
    for pair in COMPARISONS
    for benchmark in benchmarks_of(STUDY, pair.target.model)
]
# of recorded counts there are no answers to look at
TAILS = [f"{RESULTS}/{pair.target}/{benchmark}/tail.parquet" for pair, benchmark in audited(STUDY)]
POOLED = [f"{RESULTS}/{pair.target}/metrics.json" for pair in COMPARISONS]
SEVERAL_CHECKPOINTS = len({pair.target.model for pair in COMPARISONS}) < len(COMPARISONS)


def both_methods():
    """Whether some base has both an SFT and an RLVR successor, as Table 3 needs."""
    methods = {}
    for pair in COMPARISONS:
        methods.setdefault(pair.base, set()).add(STUDY.models[pair.target.model].trained_by)
    return any({"sft", "rlvr"} <= found for found in methods.values())


TABLES = [
    "table01-support",
    *(["table03-sft-vs-rlvr"] if both_methods() else []),
    *(["table04-checkpoints"] if SEVERAL_CHECKPOINTS else []),
    "table06-benchmarks",
]


rule make_table:
    input:
        code=module_files("leash.tables"),
        metrics=METRICS,
        pooled=POOLED,
        published=expand("results/published/{file}", file=FILES) if specs.of_paper(STUDY, COMPARISONS) else [],
    output:
        csv=report(
            f"{RESULTS}/tables/{{table}}.csv",
            category="Tables",
            caption="../report/table.rst",
        ),
        md=f"{RESULTS}/tables/{{table}}.md",
        tex=f"{RESULTS}/tables/{{table}}.tex",
    log:
        f"{LOGS}/make_table/{{table}}.log",
    benchmark:
        f"{TIMES}/make_table/{{table}}.tsv"
    wildcard_constraints:
        table="|".join(TABLES),
    params:
        spec=specs.tables(STUDY, COMPARISONS),
    shell:
        "exec python -m leash.tables --table {wildcards.table} --spec {params.spec:q}"
        " --metrics {input.metrics} --pooled {input.pooled} --published results/published"
        " --out-csv {output.csv} --out-md {output.md} --out-tex {output.tex} 2> {log}"


rule make_tail_table:
    input:
        code=module_files("leash.tables.tail"),
        tails=TAILS,
    output:
        csv=report(
            f"{RESULTS}/tables/tail-audit.csv",
            category="Tables",
            caption="../report/tail.rst",
        ),
        md=f"{RESULTS}/tables/tail-audit.md",
    log:
        f"{LOGS}/make_tail_table/tail-audit.log",
    benchmark:
        f"{TIMES}/make_tail_table/tail-audit.tsv"
    params:
        spec=specs.audits(STUDY),
    shell:
        "exec python -m leash.tables.tail --spec {params.spec:q} --tails {input.tails}"
        " --out-csv {output.csv} --out-md {output.md} 2> {log}"
