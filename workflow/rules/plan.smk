# What the study will cost, and what of it was spent: `snakemake plan` prints it, in seconds and without a GPU. No other
# target asks for it.
# Needs nothing: it looks at what lies on disk, and its input names none of it, for it must not make a sample to tell
# what samples cost. Makes results/<study>/tables/plan.{json,csv,md}; they are no output (nor is there a benchmark file),
# so that it prints each time it is asked for, and since the last plan.json is read: it holds the plans that spending is
# held against.


rule plan:
    localrule: True
    params:
        spec=specs.bill(STUDY),
        plan=f"{RESULTS}/tables/plan",
    shell:
        "python -m leash.bill --spec {params.spec:q} --results {RESULTS} --published results/published"
        " --out-json {params.plan}.json &&"
        " python -m leash.tables.plan --plan {params.plan}.json --out-csv {params.plan}.csv"
        " --out-md {params.plan}.md && cat {params.plan}.md"
