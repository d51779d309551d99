"""What a study will cost before it is drawn, and what it has cost since: `snakemake plan`.

Everything is read from what lies on disk. A quantity comes from the pilot (the samples of round 0 that are there)
or, where there is none, from a prior that the plan names.
"""
