# Results that lie on disk: counts enter at counts.parquet, completions at samples, to be verified like any others.
# Needs the files that models.<slug>.recorded names and, for completions, the questions.
# Makes .../<benchmark>/counts.parquet, or .../<benchmark>/samples/r0-s0.{parquet,json} and, where a score is
# recorded, .../<benchmark>/agreement.parquet and tables/recorded-agreement.{csv,md}.


ruleorder: read_counts > count_outcomes
ruleorder: read_completions > draw_samples


RECORDED = {
    (state, benchmark): source
    for state in STATES
    for benchmark in benchmarks_of(STUDY, state.model)
    if (source := recorded(STUDY, state, benchmark))
}
AGREEMENTS = [
    f"{RESULTS}/{state}/{benchmark}/agreement.parquet"
    for (state, benchmark), source in RECORDED.items()
    if source.columns.score
]


def models_with(kind):
    """A pattern of {model}, followed by {checkpoint} and {benchmark}, for the recorded results of a kind."""
    places = [
        f"{re.escape(state.model)}(?=/{re.escape(state.checkpoint)}/{re.escape(benchmark)}/)"
        for (state, benchmark), source in RECORDED.items()
        if getattr(source, kind)
    ]
    return "|".join(places) or "(?!)"


def recorded_file(wildcards):
    """The file of a job's recorded results."""
    return str(RECORDED[state_of(wildcards), wildcards.benchmark].file)


rule read_counts:
    input:
        code=module_files("leash.recorded.counts"),
        file=recorded_file,
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/counts.parquet",
    log:
        f"{LOGS}/read_counts/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/read_counts/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    wildcard_constraints:
        model=models_with("counts"),
    params:
        spec=lambda wildcards: specs.recorded_results(STUDY, state_of(wildcards), wildcards.benchmark),
    shell:
        "exec python -m leash.recorded.counts --spec {params.spec:q} --file {input.file:q} --out {output} 2> {log}"


rule read_completions:
    input:
        code=module_files("leash.recorded.samples"),
        file=recorded_file,
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
    output:
        samples=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.parquet",
        provenance=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.json",
    log:
        f"{LOGS}/read_completions/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.log",
    benchmark:
        f"{TIMES}/read_completions/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.tsv"
    wildcard_constraints:
        model=models_with("completions"),
    params:
        spec=lambda wildcards: specs.recorded_results(STUDY, state_of(wildcards), wildcards.benchmark),
    shell:
        "exec python -m leash.recorded.samples --spec {params.spec:q} --file {input.file:q}"
        " --questions {input.questions} --out {output.samples} --provenance {output.provenance} 2> {log}"


rule compare_scores:
    input:
        code=module_files("leash.recorded.agreement"),
        samples=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/r0-s0.parquet",
        verdicts=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/verdicts/r0-s0.parquet",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/agreement.parquet",
    log:
        f"{LOGS}/compare_scores/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/compare_scores/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    shell:
        "exec python -m leash.recorded.agreement --samples {input.samples} --verdicts {input.verdicts}"
        " --out {output} 2> {log}"


rule make_agreement_table:
    input:
        code=module_files("leash.tables.agreement"),
        agreements=AGREEMENTS,
    output:
        csv=report(
            f"{RESULTS}/tables/recorded-agreement.csv",
            category="Tables",
            caption="../report/agreement.rst",
        ),
        md=f"{RESULTS}/tables/recorded-agreement.md",
    log:
        f"{LOGS}/make_agreement_table/recorded-agreement.log",
    benchmark:
        f"{TIMES}/make_agreement_table/recorded-agreement.tsv"
    params:
        spec=specs.presentation(STUDY, COMPARISONS),
    shell:
        "exec python -m leash.tables.agreement --spec {params.spec:q} --agreements {input.agreements}"
        " --out-csv {output.csv} --out-md {output.md} 2> {log}"
