# Questions of every benchmark, and the training questions beside them.
# Needs the reasoning-gym package.
# Makes results/<study>/questions/<benchmark>.parquet and training/questions/<split>/<benchmark>.parquet.
# No code among the inputs: everything downstream costs GPU time. leash.benchmarks.QUESTIONS_VERSION says when
# the questions have changed.


rule generate_questions:
    output:
        f"{RESULTS}/questions/{{benchmark}}.parquet",
    log:
        f"{LOGS}/generate_questions/{{benchmark}}.log",
    benchmark:
        f"{TIMES}/generate_questions/{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.questions(STUDY, wildcards.benchmark),
    shell:
        "exec python -m leash.benchmarks --spec {params.spec:q} --out {output} 2> {log}"


def excluded(wildcards):
    """Questions that a training split must not hold: the evaluation ones and, for train, those of rl."""
    held_out = [f"{RESULTS}/questions/{wildcards.benchmark}.parquet"]
    if wildcards.split == "train" and STUDY.benchmarks[wildcards.benchmark].training.rl:
        held_out.append(f"{RESULTS}/training/questions/rl/{wildcards.benchmark}.parquet")
    return held_out


rule generate_training_questions:
    input:
        exclude=excluded,
    output:
        f"{RESULTS}/training/questions/{{split}}/{{benchmark}}.parquet",
    log:
        f"{LOGS}/generate_training_questions/{{split}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/generate_training_questions/{{split}}@{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.questions(STUDY, wildcards.benchmark, wildcards.split),
    shell:
        "exec python -m leash.benchmarks --spec {params.spec:q} --exclude {input.exclude} --out {output} 2> {log}"
