# Completions, by vLLM or from a server: one job and one immutable file per shard of sample indices.
# Needs the questions and the model. Makes .../<benchmark>/samples/r<round>-s<shard>.parquet (+ .json provenance) and,
# with the protocol adaptive, .../<benchmark>/rounds/r<round>.json.
# A GPU rule: no code among its inputs, and one spec that holds all that changes what is drawn.
from leash.bill.last import last_plan, minutes

known_plan = cache(last_plan)


def shards_before_round(wildcards):
    """Names of all shards of the rounds before a job's."""
    return shards_before(state_of(wildcards), wildcards.benchmark, int(wildcards.round))


checkpoint plan_round:
    input:
        code=module_files("leash.rounds"),
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        verdicts=lambda wildcards: files_in(wildcards, "verdicts", shards_before_round(wildcards)),
        provenance=lambda wildcards: files_in(wildcards, "samples", shards_before_round(wildcards), "json"),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/rounds/r{{round}}.json",
    log:
        f"{LOGS}/plan_round/{{model}}@{{checkpoint}}@{{benchmark}}@r{{round}}.log",
    benchmark:
        f"{TIMES}/plan_round/{{model}}@{{checkpoint}}@{{benchmark}}@r{{round}}.tsv"
    params:
        spec=lambda wildcards: specs.next_round(
            STUDY, state_of(wildcards), wildcards.benchmark, int(wildcards.round)
        ),
        samples=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/samples",
    shell:
        "exec python -m leash.rounds --spec {params.spec:q} --questions {input.questions}"
        " --verdicts {input.verdicts} --provenance {input.provenance} --samples {params.samples}"
        " --out {output} 2> {log}"


def round_of(wildcards):
    """The plan of a shard's round; none of round 0. Ancient: only what it asks of the shard itself draws anew."""
    number = int(wildcards.shard[1:].partition("-")[0])
    return ancient(file_of_round(state_of(wildcards), wildcards.benchmark, number)) if number else []


def asked_of(wildcards):
    """A shard and, of a later round, the questions it is asked for; None is all."""
    state, benchmark, name = state_of(wildcards), wildcards.benchmark, wildcards.shard
    number, _, place = name[1:].partition("-s")
    if number == "0":
        return first_shards_of(state, benchmark)[name], None
    asked = shards_of_round(state, benchmark, int(number))[name]
    return Shard(int(number), int(place), asked["start"], asked["stop"]), asked["questions"]


def sample_spec(wildcards):
    """Spec of a shard."""
    return specs.sample(STUDY, state_of(wildcards), wildcards.benchmark, *asked_of(wildcards))


def sampling_minutes(wildcards):
    """How long a shard may be drawn, for a cluster: by the plan, where `snakemake plan` has made one."""
    shard, questions = asked_of(wildcards)
    many = STUDY.benchmarks[wildcards.benchmark].size if questions is None else len(questions)
    state = f"{wildcards.model}/{wildcards.checkpoint}"
    plan = known_plan(Path(RESULTS, "tables/plan.json"))
    return minutes(plan, state, wildcards.benchmark, (shard.stop - shard.start) * many, GPUS)


rule draw_samples:
    input:
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        round=round_of,
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
        gpu=lambda wildcards: 0 if STUDY.models[wildcards.model].endpoint else GPUS,
        runtime=sampling_minutes,
    params:
        spec=sample_spec,
        round=lambda wildcards, input: f"--round {input.round}" if input.round else "",
        weights=lambda wildcards, input: (
            f"--weights {Path(input.weights[0]).parent}" if input.weights else ""
        ),
    shell:
        # exec: the sampler must be Snakemake's own child, to end when Snakemake is killed.
        # The engine's settings come through the environment: they change speed and redraw nothing.
        'exec python -m leash.sampling --spec {params.spec:q} --engine "$LEASH_ENGINE" --endpoints "$LEASH_ENDPOINTS"'
        " --questions {input.questions} {params.round} {params.weights}"
        " --out {output.samples} --provenance {output.provenance} 2> {log}"


os.environ["LEASH_ENGINE"] = specs.engine(STUDY)
os.environ["LEASH_ENDPOINTS"] = specs.endpoints(STUDY)
