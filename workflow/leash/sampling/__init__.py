"""Drawing completions: what to draw (plan), and vLLM that draws it (engine)."""

SAMPLER_VERSION = 1
"""Raise it when a change here changes which completions are drawn: every shard is then drawn anew."""
