# Completions, by vLLM: one job and one immutable file per shard of sample indices.
# Needs the questions and the model. Makes .../<benchmark>/samples/r<round>-s<shard>.parquet (+ .json provenance).
# A GPU rule: no code among its inputs, and one spec that holds all that changes what is drawn.


rule draw_samples:
    input:
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        weights=lambda wildcards: weights_of(state_of(wildcards)),
    output:
        samples=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.parquet",
        provenance=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples/{{shard}}.json",
    log:
        f"{LOGS}/draw_samples/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.log",
    benchmark:
        f"{TIMES}/draw_samples/{{model}}@{{checkpoint}}@{{benchmark}}@{{shard}}.tsv"
    threads: STUDY.sampling.engine.threads
    resources:
        gpu=GPUS,
    params:
        spec=lambda wildcards: specs.sample(
            STUDY,
            state_of(wildcards),
            wildcards.benchmark,
            shards_of(state_of(wildcards), wildcards.benchmark)[wildcards.shard],
        ),
        weights=lambda wildcards, input: (
            f"--weights {Path(input.weights[0]).parent}" if input.weights else ""
        ),
    shell:
        # exec: the sampler must be Snakemake's own child, to end when Snakemake is killed.
        # The engine's settings come through the environment: they change speed and redraw nothing.
        'exec python -m leash.sampling --spec {params.spec:q} --engine "$LEASH_ENGINE"'
        " --questions {input.questions} {params.weights}"
        " --out {output.samples} --provenance {output.provenance} 2> {log}"


os.environ["LEASH_ENGINE"] = specs.engine(STUDY)
