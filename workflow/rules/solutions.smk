# Support of solutions beside that of questions, on open-ended benchmarks: which verified answers each state reaches.
# Needs verdicts of every state, and regions of every comparison. Makes .../<benchmark>/solutions.parquet and
# tables/solutions.{csv,md}.
from leash.study import open_ended, with_answers

OPEN_ENDED = open_ended(STUDY)
SOLUTIONS = [
    f"{RESULTS}/{state}/{benchmark}/solutions.parquet"
    for benchmark in dict.fromkeys(benchmark for _, benchmark in OPEN_ENDED)
    for state in with_answers(STUDY, benchmark)
]


rule list_solutions:
    input:
        code=module_files("leash.solutions"),
        verdicts=lambda wildcards: verdicts_of(state_of(wildcards), wildcards.benchmark),
    output:
        f"{RESULTS}/{{model}}/{{checkpoint}}/{{benchmark}}/solutions.parquet",
    log:
        f"{LOGS}/list_solutions/{{model}}@{{checkpoint}}@{{benchmark}}.log",
    benchmark:
        f"{TIMES}/list_solutions/{{model}}@{{checkpoint}}@{{benchmark}}.tsv"
    shell:
        "exec python -m leash.solutions --verdicts {input.verdicts} --out {output} 2> {log}"


rule make_solutions_table:
    input:
        code=module_files("leash.tables.solutions"),
        solutions=SOLUTIONS,
        regions=[f"{RESULTS}/{pair.target}/{benchmark}/regions.parquet" for pair, benchmark in OPEN_ENDED],
    output:
        csv=report(
            f"{RESULTS}/tables/solutions.csv",
            category="Tables",
            caption="../report/solutions.rst",
        ),
        md=f"{RESULTS}/tables/solutions.md",
    log:
        f"{LOGS}/make_solutions_table/solutions.log",
    benchmark:
        f"{TIMES}/make_solutions_table/solutions.tsv"
    params:
        spec=specs.solutions(STUDY),
    shell:
        "exec python -m leash.tables.solutions --spec {params.spec:q} --solutions {input.solutions}"
        " --regions {input.regions} --out-csv {output.csv} --out-md {output.md} 2> {log}"
