# Models that this workflow trains: one rule per model, since a recipe may keep several checkpoints.
# Needs training questions and, for sft and dapo, the base's weights.
# Makes results/<study>/training/<model>/<checkpoint>/ in Hugging Face format.
# Training is resumable: killed in mid-run, the next run goes on from the last checkpoint under work/.


def training_questions(model):
    """Files of the questions that a model learns from."""
    recipe = STUDY.models[model].train
    split = "train" if recipe.recipe == "pretrain" else "rl"
    return [f"{RESULTS}/training/questions/{split}/{name}.parquet" for name in recipe.benchmarks]


def initial_weights(model):
    """Weights that training starts from; none for a model from scratch."""
    base = base_state(STUDY, model)
    return weights_of(base) if base else []


TRAINED = [slug for slug in STUDY.models if STUDY.models[slug].train]


rule write_traces:
    input:
        questions=lambda wildcards: training_questions(wildcards.model),
    output:
        f"{RESULTS}/training/{{model}}/corpus.parquet",
    log:
        f"{LOGS}/write_traces/{{model}}.log",
    benchmark:
        f"{TIMES}/write_traces/{{model}}.tsv"
    params:
        spec=lambda wildcards: specs.corpus(STUDY, wildcards.model),
    shell:
        "exec python -m leash.training.corpus --spec {params.spec:q} --questions {input.questions}"
        " --out {output} 2> {log}"


for slug in TRAINED:
    learns_from_traces = STUDY.models[slug].train.recipe != "dapo"

    rule:
        name:
            f"train_{slug}"
        input:
            corpus=([f"{RESULTS}/training/{slug}/corpus.parquet"] if learns_from_traces else []),
            questions=[] if learns_from_traces else training_questions(slug),
            init=initial_weights(slug),
        output:
            expand(
                f"{RESULTS}/training/{slug}/{{checkpoint}}/{{file}}",
                checkpoint=study.checkpoints(STUDY.models[slug]),
                file=["model.safetensors", "config.json", "tokenizer.json"],
            ),
        log:
            f"{LOGS}/train_model/{slug}.log",
        benchmark:
            f"{TIMES}/train_model/{slug}.tsv"
        threads: STUDY.models[slug].train.threads
        resources:
            gpu=min(GPUS, 1),
        params:
            spec=specs.train(STUDY, slug),
            data=lambda wildcards, input: (
                f"--corpus {input.corpus}" if input.corpus else f"--questions {input.questions}"
            ),
            init=lambda wildcards, input: (f"--init {Path(input.init[0]).parent}" if input.init else ""),
            out=f"{RESULTS}/training/{slug}",
        shell:
            "exec python -m leash.training --spec {params.spec:q} {params.data} {params.init}"
            " --work {params.out}/work --out {params.out} 2> {log}"
