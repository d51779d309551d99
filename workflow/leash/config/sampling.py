"""How completions are drawn, and scored."""

from typing import Annotated, Literal

from pydantic import Field

from leash.config.block import Block, Slug

Rounds = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]


class Engine(Block):
    """vLLM settings that change speed and memory, not what is drawn (dtype apart)."""

    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Arithmetic of the model. Part of what is drawn."""
    tensor_parallel_size: int = Field(1, ge=1)
    """GPUs per sampling job."""
    gpu_memory_utilization: float = Field(0.9, gt=0, le=1)
    """Share of a GPU's memory for vLLM."""
    max_model_len: int | None = Field(None, ge=1)
    """Longest prompt plus completion, in tokens; the model's own limit if absent."""
    max_num_seqs: int = Field(256, ge=1)
    """Completions decoded at once."""
    max_num_batched_tokens: int | None = Field(None, ge=1)
    """Tokens per engine step; vLLM's default if absent."""
    enable_chunked_prefill: bool | None = None
    """Must be false on CPU: seeded requests crash with it."""
    enforce_eager: bool = False
    """Skip compilation and CUDA graphs."""
    in_process: bool = False
    """Run the engine in the job's own process. On CPU, with one thread, 5 times as fast."""
    threads: int = Field(1, ge=1)
    """CPU threads of a sampling job (OMP)."""
    pin_cores: bool = False
    """Give each sampling job on this machine CPU cores of its own."""
    cpu_kvcache_gib: int = Field(1, ge=1)
    """KV cache on CPU, in GiB."""
    trust_remote_code: bool = False
    """Run code that a hub repository brings."""


class Sampling(Block):
    """How completions are drawn."""

    protocol: Literal["exhaustive", "adaptive"] = "exhaustive"
    """exhaustive: every question gets the whole budget. adaptive: in rounds, and only as long as none has solved it."""
    rounds: Rounds | None = None
    """With adaptive: after how many samples of a question each round ends, the last one at the budget."""
    always: dict[Slug, list[Annotated[str, Field(min_length=1)]]] = Field(default_factory=dict)
    """With adaptive: questions, by benchmark, that every round draws, solved or not."""
    temperature: float = Field(0.6, ge=0)
    """Softmax temperature."""
    top_p: float = Field(0.95, gt=0, le=1)
    """Nucleus sampling mass."""
    max_tokens: int = Field(ge=1)
    """Longest completion, in tokens."""
    shard_samples: int = Field(256, ge=1)
    """Samples of each question in one sampling job. The budget grows in whole shards, so none is redrawn. With
    adaptive it holds for the first round."""
    shard_tokens: int | None = Field(None, ge=1)
    """With adaptive: expected tokens of one sampling job of a later round; if absent, those that the device drew in 30
    minutes of the first."""
    token_ids: int = Field(0, ge=0)
    """Keep the token ids of the first so many samples of each question (for scoring)."""
    engine: Engine = Engine()
    """vLLM settings."""


class Scoring(Block):
    """Teacher-forced forward passes over what was drawn, and over traces of others: entropy and perplexity."""

    samples: int = Field(32, ge=1)
    """The first so many samples of each question are scored; sampling.token_ids must keep their tokens."""
    windows: list[Annotated[int, Field(ge=1)]] = Field(default_factory=lambda: [64, 256])
    """Traces are also scored without their first so many tokens, which are then given as context."""
    too_long: Literal["refuse", "cut"] = "refuse"
    """A text that exceeds the model's context with its prompt: not scored, or scored to the end of the context."""
    per_token: bool = False
    """Keep the values of each token of a completion too, in half precision. Those of traces are always kept."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Arithmetic of the model; auto: that of its stored weights. The reduction over the vocabulary is in float32
    whatever it is."""
    max_batch_tokens: int = Field(16_384, ge=1)
    """Tokens of a batch, padding included: bounds the memory of a forward pass. A longer text is a batch alone."""
    chunk_tokens: int = Field(1024, ge=1)
    """Tokens whose logits are held at once."""
    threads: int = Field(1, ge=1)
    """CPU threads of a scoring job."""
