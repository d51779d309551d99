# A verdict for every completion, then counts per question.
# Needs questions and samples. Makes .../<benchmark>/verdicts/<shard>.parquet, .../<benchmark>/counts.parquet and, with
# the protocol adaptive, .../<benchmark>/round0/counts.parquet: what has the same number of samples of each question.
# Keeps judgements on answers in cache/verdicts/<benchmark>.sqlite, which is no
# output: what it holds is keyed by all that it depends on, so that it may be deleted at any time.


def drawn_options(wildcards):
    """What the samples must have been drawn by; nothing where they are recorded."""
    if recorded(STUDY, state_of(wildcards), wildcards.benchmark):
        return ""
    (provenance,) = files_in(wildcards, "samples", [wildcards.shard], "json")
    return f"--provenance {provenance} --drawn {shlex.quote(sample_spec(wildcards))}"


rule verify_samples:
    input:
        code=module_files("leash.verify"),
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        samples=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.parquet",
        provenance=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.json",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/verdicts/{{shard}}.parquet",
    log:
        f"{LOGS}/verify_samples/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.log",
    benchmark:
        f"{TIMES}/verify_samples/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.tsv"
    params:
        spec=lambda wildcards: specs.verification(STUDY, wildcards.benchmark),
        drawn=drawn_options,
        cache=f"{RESULTS}/cache/verdicts/{{benchmark}}.sqlite",
    shell:
        "exec python -m leash.verify --spec {params.spec:q} --questions {input.questions}"
        " --samples {input.samples} {params.drawn} --cache {params.cache} --out {output} 2> {log}"


def verdicts_of(state, benchmark):
    """Verdict files of a state on a benchmark."""
    return [f"{RESULTS}/{state}/{benchmark}/verdicts/{name}.parquet" for name in shards_of(state, benchmark)]


def counting_options(wildcards):
    """What counting needs to be told of recorded completions, and of rounds."""
    source = recorded(STUDY, state_of(wildcards), wildcards.benchmark)
    if source is None:
        return rounds_options(wildcards.benchmark)
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
        options=counting_options,
    shell:
        "exec python -m leash.counts --questions {input.questions} --verdicts {input.verdicts}"
        " --budget {params.budget} {params.options} --out {output} 2> {log}"


rule count_first_round:
    input:
        code=module_files("leash.counts"),
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        verdicts=lambda wildcards: files_in(
            wildcards, "verdicts", first_shards_of(state_of(wildcards), wildcards.benchmark)
        ),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/round0/counts.parquet",
    log:
        f"{LOGS}/count_first_round/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/count_first_round/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        budget=lambda wildcards: rounds_of(STUDY, wildcards.benchmark)[0],
    shell:
        "exec python -m leash.counts --questions {input.questions} --verdicts {input.verdicts}"
        " --budget {params.budget} --out {output} 2> {log}"
