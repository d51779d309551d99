# Whether the paper's own tables fit themselves, and its theorem on entropy put to numbers. `snakemake audit` makes both
# and prints the audit: in seconds, without a model. No other target asks for them.
# Needs results/published. Makes results/<study>/tables/audit.{csv,md} and figures/figure-entropy-tilt.{pdf,png}.
from leash.published.record import FILES


rule audit_published:
    input:
        code=module_files("leash.tables.audit"),
        published=expand("results/published/{file}", file=FILES),
    output:
        csv=f"{RESULTS}/tables/audit.csv",
        md=f"{RESULTS}/tables/audit.md",
    log:
        f"{LOGS}/audit_published/audit.log",
    benchmark:
        f"{TIMES}/audit_published/audit.tsv"
    shell:
        "exec python -m leash.tables.audit --published results/published"
        " --out-csv {output.csv} --out-md {output.md} 2> {log}"


rule draw_entropy_tilt:
    input:
        code=module_files("leash.figures.theory"),
    output:
        pdf=f"{RESULTS}/figures/figure-entropy-tilt.pdf",
        png=f"{RESULTS}/figures/figure-entropy-tilt.png",
    log:
        f"{LOGS}/draw_entropy_tilt/entropy-tilt.log",
    benchmark:
        f"{TIMES}/draw_entropy_tilt/entropy-tilt.tsv"
    shell:
        "exec python -m leash.figures.theory --out-pdf {output.pdf} --out-png {output.png} 2> {log}"


# Makes no file, so that it prints each time it is asked for.
rule audit:
    input:
        rules.draw_entropy_tilt.output,
        md=rules.audit_published.output.md,
    shell:
        "cat {input.md}"
