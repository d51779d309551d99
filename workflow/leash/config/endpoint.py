"""A model behind an OpenAI-compatible server."""

import re
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from leash.config.block import Block, Commit


class Endpoint(Block):
    """A model behind OpenAI-compatible servers, such as a fleet of `vllm serve`.

    It has the one checkpoint `final`, and is not scored: a server does not give away its probabilities.
    """

    urls: list[str] = Field(min_length=1)
    """Base URLs, such as http://host:8000/v1; completions are spread evenly over them."""
    model: str = Field(min_length=1)
    """Name that the model is served under."""
    revision: Commit
    """Commit of the weights that are served, or another text that stands for them. Part of what is drawn: change it
    whenever other weights, another chat template or other arithmetic is served."""
    key_env: str | None = None
    """Name of the environment variable that holds the API key; never the key itself. If absent, no key is sent."""
    concurrency: int = Field(64, ge=1)
    """Requests in flight, over all URLs together, of one sampling job."""
    timeout: float = Field(600, gt=0, allow_inf_nan=False)
    """Seconds that one request may take."""
    patience: float = Field(600, ge=0, allow_inf_nan=False)
    """Seconds that one request is tried again after it first failed, before its job fails. What is finished is kept."""

    @field_validator("urls")
    @classmethod
    def _without_last_slash(cls, given: list[str]) -> list[str]:
        return [url.rstrip("/") for url in given]

    # A validator of the block: a message about a field alone would show its value, which may hold a secret.
    @model_validator(mode="after")
    def _addresses(self) -> "Endpoint":
        for place, url in enumerate(self.urls):
            problem = _problem_of(url)
            if problem:
                raise ValueError(f"urls.{place}: {problem}")
        if len(set(self.urls)) < len(self.urls):
            raise ValueError("urls: one of them stands there twice: remove it")
        if self.key_env is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key_env):
            raise ValueError(
                "key_env: not the name of an environment variable: put the key into one, and give its name here"
            )
        return self


def _problem_of(url: str) -> str | None:
    """What is wrong with a base URL; None if nothing."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (raises for a port that is none)
    except ValueError:
        return "not a URL: give one such as http://host:8000/v1"
    if "@" in parts.netloc:
        return "holds a user or a password: remove it, and name the environment variable of a key in key_env"
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
        return f"'{url}' is not an http or https address: give one such as http://host:8000/v1"
    if parts.query or parts.fragment:
        return f"'{url}' is not a base URL: leave out what follows its path"
    return None
