# Each trained state against the state it was trained from: regions per question, then numbers, and a second look at
# the answers of the questions whose region rests on few. Needs questions, and verdicts and counts of both states.
# Makes .../<benchmark>/{regions.parquet,tail.parquet,metrics.json}, .../<checkpoint>/metrics.json and, with the protocol
# adaptive, .../<benchmark>/round0/regions.parquet.


def first_round_of(wildcards, benchmark):
    """Regions of round 0, which has the same number of samples of each question; none where drawing is exhaustive."""
    place = f"{RESULTS}/{wildcards.model}/{wildcards.checkpoint}/{benchmark}/round0"
    return [f"{place}/regions.parquet"] if rounds_of(STUDY, benchmark) else []


rule match_states:
    input:
        code=module_files("leash.match"),
        base=of_base("counts.parquet"),
        target=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/counts.parquet",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/regions.parquet",
    log:
        f"{LOGS}/match_states/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/match_states/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        on_missing=lambda wildcards: STUDY.benchmarks[wildcards.benchmark].on_missing,
        rounds=lambda wildcards: rounds_options(wildcards.benchmark),
    shell:
        "exec python -m leash.match --base {input.base} --target {input.target} --on-missing {params.on_missing}"
        " {params.rounds} --out {output} 2> {log}"


rule match_first_round:
    input:
        code=module_files("leash.match"),
        base=of_base("round0/counts.parquet"),
        target=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/round0/counts.parquet",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/round0/regions.parquet",
    log:
        f"{LOGS}/match_first_round/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/match_first_round/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    shell:
        "exec python -m leash.match --base {input.base} --target {input.target} --out {output} 2> {log}"


rule audit_tail:
    input:
        code=module_files("leash.tail"),
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        regions=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/regions.parquet",
        base=lambda wildcards: verdicts_of(comparison_of(wildcards).base, wildcards.benchmark),
        target=lambda wildcards: verdicts_of(state_of(wildcards), wildcards.benchmark),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/tail.parquet",
    log:
        f"{LOGS}/audit_tail/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/audit_tail/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.tail(STUDY, wildcards.benchmark),
    shell:
        "exec python -m leash.tail --spec {params.spec:q} --questions {input.questions} --regions {input.regions}"
        " --base-verdicts {input.base} --target-verdicts {input.target} --out {output} 2> {log}"


rule measure_regions:
    input:
        code=module_files("leash.metrics"),
        regions=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/regions.parquet",
        round0=lambda wildcards: first_round_of(wildcards, wildcards.benchmark),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/metrics.json",
    log:
        f"{LOGS}/measure_regions/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/measure_regions/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.metrics(STUDY, comparison_of(wildcards), wildcards.benchmark),
        round0=lambda wildcards, input: f"--round0 {input.round0}" if input.round0 else "",
    shell:
        "exec python -m leash.metrics --spec {params.spec:q} --regions {input.regions} {params.round0}"
        " --out {output} 2> {log}"


rule pool_benchmarks:
    input:
        code=module_files("leash.pooling"),
        metrics=lambda wildcards: [
            f"{RESULTS}/{wildcards.model}/{wildcards.checkpoint}/{benchmark}/metrics.json"
            for benchmark in benchmarks_of(STUDY, wildcards.model)
        ],
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/metrics.json",
    log:
        f"{LOGS}/pool_benchmarks/{{model}}@{{checkpoint}}.log",
    benchmark:
        f"{TIMES}/pool_benchmarks/{{model}}@{{checkpoint}}.tsv"
    shell:
        "exec python -m leash.pooling --metrics {input.metrics} --out {output} 2> {log}"
