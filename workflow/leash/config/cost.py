"""What a run costs, told by the user."""

from pydantic import Field

from leash.config.block import Block


class Cost(Block):
    """What `snakemake plan` takes for granted where no pilot tells it. Changing it recomputes nothing."""

    per_gpu_hour: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Price of one GPU for one hour, in a currency of your own. If absent, the plan has no prices."""
    tokens_per_second: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Tokens that one GPU draws in a second, all completions at once: for models of which no sample was drawn on a
    GPU. If absent, the plan has no hours for these."""
    response_tokens: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Mean length of a completion, in tokens, where no sample was drawn. If absent, the paper's Table 5."""
