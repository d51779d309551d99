# Teacher-forced scoring: a state's own completions (Table 5) and others' traces (Table 2), then CPU rules that only
# aggregate. Needs the first samples of every question, external traces, and the model.
# Makes .../<benchmark>/{tokens,trace-tokens}.parquet (+ .json provenance), entropy.parquet, perplexity.parquet,
# shift.json, traces/<benchmark>.parquet, tables/table0{2,5}-*, figures/{entropy-decoupling,perplexity-style}.
# The score rules are GPU rules: no code among their inputs, and one spec that holds all that changes a number.


def scored_benchmarks(model):
    """Benchmarks on which a model's completions are scored: there must be weights."""
    block = STUDY.models[model]
    return [] if STUDY.scoring is None or block.recorded or block.endpoint else benchmarks_of(STUDY, model)


def traced_benchmarks(model):
    """Benchmarks on which a model is asked how likely it finds others' traces."""
    return [name for name in scored_benchmarks(model) if STUDY.benchmarks[name].traces]


SCORED = [
    pair
    for pair in COMPARISONS
    if scored_benchmarks(pair.target.model) and scored_benchmarks(pair.base.model)
]
TRACED = [
    pair
    for pair in COMPARISONS
    if traced_benchmarks(pair.target.model) and traced_benchmarks(pair.base.model)
]
ENTROPIES = [
    f"{RESULTS}/{state}/{name}/entropy.parquet"
    for state in dict.fromkeys(state for pair in SCORED for state in pair)
    for name in scored_benchmarks(state.model)
]
SHIFTS = [
    f"{RESULTS}/{pair.target}/{name}/shift.json"
    for pair in TRACED
    for name in traced_benchmarks(pair.target.model)
    if name in traced_benchmarks(pair.base.model)
]
SCORE_TABLES = [
    *(["table05-precision-entropy"] if ENTROPIES else []),
    *(["table02-perplexity"] if SHIFTS else []),
]
SCORE_FIGURES = [
    *(["entropy-decoupling"] if ENTROPIES else []),
    *(["perplexity-style"] if SHIFTS else []),
]
os.environ["LEASH_SCORER"] = specs.scorer(STUDY)


def first_shards(wildcards):
    """The shards that hold the samples that are scored, in order."""
    found = first_shards_of(state_of(wildcards), wildcards.benchmark)
    return [name for name, shard in found.items() if shard.start < STUDY.scoring.samples]


def weights_option(wildcards, input):
    """How a trained model's folder is told; a hub model or a local folder is in the spec."""
    return f"--weights {Path(input.weights[0]).parent}" if input.weights else ""


def trace_files(wildcards):
    """Files that a benchmark's external traces are in."""
    sources = STUDY.benchmarks[wildcards.benchmark].traces.values()
    return [str(source.file) for source in sources if source.file]


# No code among the inputs: new traces are new forward passes. leash.traces.TRACES_VERSION says when they have changed.
rule write_external_traces:
    input:
        trace_files,
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
    output:
        traces=f"{RESULTS}/traces/{{benchmark}}.parquet",
        report=f"{RESULTS}/traces/{{benchmark}}.json",
    log:
        f"{LOGS}/write_external_traces/{{benchmark}}.log",
    benchmark:
        f"{TIMES}/write_external_traces/{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.traces(STUDY, wildcards.benchmark),
    shell:
        "exec python -m leash.traces --spec {params.spec:q} --questions {input.questions}"
        " --out {output.traces} --report {output.report} 2> {log}"


rule score_completions:
    input:
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        samples=lambda wildcards: files_in(wildcards, "samples", first_shards(wildcards)),
        sampled=lambda wildcards: files_in(wildcards, "samples", first_shards(wildcards)[:1], "json"),
        weights=lambda wildcards: weights_of(state_of(wildcards)),
    output:
        tokens=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/tokens.parquet",
        provenance=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/tokens.json",
    log:
        f"{LOGS}/score_completions/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/score_completions/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    threads: STUDY.scoring.threads if STUDY.scoring else 1
    resources:
        gpu=GPUS,
    params:
        spec=lambda wildcards: specs.score(STUDY, state_of(wildcards), wildcards.benchmark, "completions"),
        weights=weights_option,
    shell:
        'exec python -m leash.scoring --spec {params.spec:q} --settings "$LEASH_SCORER"'
        " --questions {input.questions} {params.weights} --samples {input.samples} --sampled {input.sampled}"
        " --out {output.tokens} --provenance {output.provenance} 2> {log}"


rule score_traces:
    input:
        questions=f"{RESULTS}/questions/{{benchmark}}.parquet",
        traces=f"{RESULTS}/traces/{{benchmark}}.parquet",
        weights=lambda wildcards: weights_of(state_of(wildcards)),
    output:
        tokens=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/trace-tokens.parquet",
        provenance=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/trace-tokens.json",
    log:
        f"{LOGS}/score_traces/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/score_traces/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    threads: STUDY.scoring.threads if STUDY.scoring else 1
    resources:
        gpu=GPUS,
    params:
        spec=lambda wildcards: specs.score(STUDY, state_of(wildcards), wildcards.benchmark, "traces"),
        weights=weights_option,
    shell:
        'exec python -m leash.scoring --spec {params.spec:q} --settings "$LEASH_SCORER"'
        " --questions {input.questions} {params.weights} --traces {input.traces}"
        " --out {output.tokens} --provenance {output.provenance} 2> {log}"


rule measure_entropy:
    input:
        code=module_files("leash.entropy"),
        tokens=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/tokens.parquet",
        verdicts=lambda wildcards: files_in(wildcards, "verdicts", first_shards(wildcards)),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/entropy.parquet",
    log:
        f"{LOGS}/measure_entropy/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/measure_entropy/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        samples=STUDY.scoring.samples if STUDY.scoring else 0,
    shell:
        "exec python -m leash.entropy --tokens {input.tokens} --verdicts {input.verdicts}"
        " --samples {params.samples} --out {output} 2> {log}"


rule measure_perplexity:
    input:
        code=module_files("leash.perplexity"),
        tokens=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/trace-tokens.parquet",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/perplexity.parquet",
    log:
        f"{LOGS}/measure_perplexity/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/measure_perplexity/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    shell:
        "exec python -m leash.perplexity --tokens {input.tokens} --out {output} 2> {log}"


rule compare_perplexity:
    input:
        code=module_files("leash.shift"),
        regions=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/regions.parquet",
        base=of_base("perplexity.parquet"),
        target=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/perplexity.parquet",
        base_tokens=of_base("trace-tokens.parquet"),
        target_tokens=f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/trace-tokens.parquet",
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/shift.json",
    log:
        f"{LOGS}/compare_perplexity/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/compare_perplexity/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    params:
        spec=lambda wildcards: specs.shift(comparison_of(wildcards), wildcards.benchmark),
        seed=STUDY.seed,
    shell:
        "exec python -m leash.shift --spec {params.spec:q} --seed {params.seed} --regions {input.regions}"
        " --base {input.base} --target {input.target}"
        " --base-tokens {input.base_tokens} --target-tokens {input.target_tokens} --out {output} 2> {log}"


rule make_precision_table:
    input:
        code=module_files("leash.tables.precision"),
        entropies=ENTROPIES,
    output:
        csv=report(
            f"{RESULTS}/tables/table05-precision-entropy.csv",
            category="Tables",
            caption="../report/precision.rst",
        ),
        md=f"{RESULTS}/tables/table05-precision-entropy.md",
        tex=f"{RESULTS}/tables/table05-precision-entropy.tex",
    log:
        f"{LOGS}/make_precision_table/table05-precision-entropy.log",
    benchmark:
        f"{TIMES}/make_precision_table/table05-precision-entropy.tsv"
    params:
        spec=specs.precision(STUDY, SCORED),
        samples=STUDY.scoring.samples if STUDY.scoring else 0,
    shell:
        "exec python -m leash.tables.precision --spec {params.spec:q} --samples {params.samples}"
        " --entropies {input.entropies}"
        " --out-csv {output.csv} --out-md {output.md} --out-tex {output.tex} 2> {log}"


rule make_perplexity_table:
    input:
        code=module_files("leash.tables.perplexity"),
        shifts=SHIFTS,
    output:
        csv=report(
            f"{RESULTS}/tables/table02-perplexity.csv",
            category="Tables",
            caption="../report/perplexity.rst",
        ),
        md=f"{RESULTS}/tables/table02-perplexity.md",
        tex=f"{RESULTS}/tables/table02-perplexity.tex",
    log:
        f"{LOGS}/make_perplexity_table/table02-perplexity.log",
    benchmark:
        f"{TIMES}/make_perplexity_table/table02-perplexity.tsv"
    params:
        spec=specs.presentation(STUDY, TRACED),
    shell:
        "exec python -m leash.tables.perplexity --spec {params.spec:q} --shifts {input.shifts}"
        " --out-csv {output.csv} --out-md {output.md} --out-tex {output.tex} 2> {log}"


rule draw_decoupling:
    input:
        code=module_files("leash.figures.decoupling"),
        entropies=ENTROPIES,
    output:
        pdf=f"{RESULTS}/figures/entropy-decoupling.pdf",
        png=report(
            f"{RESULTS}/figures/entropy-decoupling.png",
            category="Figures",
            caption="../report/decoupling.rst",
        ),
    log:
        f"{LOGS}/draw_decoupling/entropy-decoupling.log",
    benchmark:
        f"{TIMES}/draw_decoupling/entropy-decoupling.tsv"
    params:
        spec=specs.precision(STUDY, SCORED),
        samples=STUDY.scoring.samples if STUDY.scoring else 0,
    shell:
        "exec python -m leash.figures.decoupling --spec {params.spec:q} --samples {params.samples}"
        " --entropies {input.entropies} --out-pdf {output.pdf} --out-png {output.png} 2> {log}"


rule draw_style_shift:
    input:
        code=module_files("leash.figures.style_shift"),
        shifts=SHIFTS,
    output:
        pdf=f"{RESULTS}/figures/perplexity-style.pdf",
        png=report(
            f"{RESULTS}/figures/perplexity-style.png",
            category="Figures",
            caption="../report/style-shift.rst",
        ),
    log:
        f"{LOGS}/draw_style_shift/perplexity-style.log",
    benchmark:
        f"{TIMES}/draw_style_shift/perplexity-style.tsv"
    params:
        spec=specs.presentation(STUDY, TRACED),
    shell:
        "exec python -m leash.figures.style_shift --spec {params.spec:q} --shifts {input.shifts}"
        " --out-pdf {output.pdf} --out-png {output.png} 2> {log}"
