# A verdict for every completion, then counts per question.
# Needs questions and samples. Makes .../<benchmark>/verdicts/<shard>.parquet and .../<benchmark>/counts.parquet.
# Keeps judgements on answers in cache/verdicts/<benchmark>.sqlite, which is no
# output: what it holds is keyed by all that it depends on, so that it may be deleted at any time.


rule verify_samples:
    input:
        code=module_files("leash.verify"),
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        samples=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.parquet",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/verdicts/{{shard}}.parquet",
    log:
        f"{LOGS}/verify_samples/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.log",
    benchmark:
        f"{TIMES}/verify_samples/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.tsv"
    params:
        spec=lambda wildcards: specs.verification(STUDY, wildcards.benchmark),
        cache=f"{RESULTS}/cache/verdicts/{{benchmark}}.sqlite",
    shell:
        "exec python -m leash.verify --spec {params.spec:q} --questions {input.questions}"
        " --samples {input.samples} --cache {params.cache} --out {output} 2> {log}"


def verdicts_of(state, benchmark):
    """Verdict files of a state on a benchmark."""
    return [f"{RESULTS}/{state}/{benchmark}/verdicts/{name}.parquet" for name in shards_of(state, benchmark)]


def recorded_options(wildcards):
    """What counting recorded completions needs to be told; nothing for completions that are drawn here."""
    source = recorded(STUDY, state_of(wildcards), wildcards.benchmark)
    if source is None:
        return ""
    unknown = "" if source.columns.finish_reason else "--unknown truncated"
    return f"--on-missing {STUDY.benchmarks[wildcards.benchmark].on_missing} {unknown}"


rule count_outcomes:
    input:
        code=module_files("leash.counts"),
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        verdicts=lambda wildcards: verdicts_of(state_of(wildcards), wildcards.benchmark),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/counts.parquet",
    log:
        f"{LOGS}/count_outcomes/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/count_outcomes/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        budget=lambda wildcards: STUDY.benchmarks[wildcards.benchmark].budget,
        recorded=recorded_options,
    shell:
        "exec python -m leash.counts --questions {input.questions} --verdicts {input.verdicts}"
        " --budget {params.budget} {params.recorded} --out {output} 2> {log}"
