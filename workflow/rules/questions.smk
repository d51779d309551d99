# Questions of every benchmark, and the training questions beside them.
# Needs the reasoning-gym package; the file of a `file` benchmark; the network, once, for a `hub` one.
# Makes results/<study>/questions/<benchmark>.parquet (+ .json provenance) and
# training/questions/<split>/<benchmark>.parquet.
# No code among the inputs: everything downstream costs GPU time. leash.benchmarks.QUESTIONS_VERSION says when
# the questions have changed.


def source_file(wildcards):
    """The file that a benchmark's questions are in: its own, or of recorded completions; none for other sources."""
    block = STUDY.benchmarks[wildcards.benchmark]
    file = recorded_questions(STUDY, wildcards.benchmark).file if block.recorded else block.file
    return [str(file)] if file else []


rule generate_questions:
    input:
        source_file,
    output:
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        provenance=f"{RESULTS}/questions/{{benchmark}}.json",
    log:
        f"{LOGS}/generate_questions/{{benchmark}}.log",
    benchmark:
        f"{TIMES}/generate_questions/{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.questions(STUDY, wildcards.benchmark),
    shell:
        # --out takes both outputs. A changed command would make every benchmark's questions, and so its
        # samples, again. So would a parameter: how golds are verified comes through the environment.
        "python -m leash.benchmarks --spec {params.spec:q} --out {output} 2> {log}"
        " && python -m leash.verify.golds --benchmark {wildcards.benchmark}"
        ' --specs "$LEASH_VERIFICATION" --questions {output.questions} 2>> {log}'


# No sample is drawn for golds that cannot be verified; a verifier edited later proves them again when it runs.
os.environ["LEASH_VERIFICATION"] = specs.verifications(STUDY)


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
