"""A model behind OpenAI-compatible servers: prompts out, finished completions in as they come."""

import asyncio
import math
import os
import platform
import re
import ssl
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import httpx

from leash.errors import InputError
from leash.sampling.answers import Card, Failure, card_of, completion_of, content_of
from leash.sampling.fleet import Backoff, Fleet
from leash.sampling.request import Completion, Request

_CONNECT: Final = 10.0
"""Seconds to wait for a connection, and for an answer that costs a server nothing."""
_LOOK_AGAIN: Final = 1.0
_NEUTRAL: Final = {
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
"""What vLLM's server would else take from the model's generation_config.json, which vLLM in the job does not."""

Drawn = tuple[Request, Completion]


@dataclass(frozen=True)
class _Terms:
    """How the servers are asked."""

    model: str
    chat: bool
    urls: list[str]
    concurrency: int
    timeout: float
    patience: float
    key: str | None
    backoff: Backoff

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def hide(self, text: object) -> str:
        """The text without the key, which a server may repeat."""
        return str(text).replace(self.key, "***") if self.key else str(text)


class Endpoint:
    """Servers that draw completions. `context` is the longest prompt plus completion in tokens, None if not told."""

    def __init__(
        self,
        model: dict[str, Any],
        settings: dict[str, Any],
        chat_template: bool,
        backoff: Backoff = Backoff(),  # noqa: B008  (a tuple)
    ) -> None:
        """Ask the servers for the model, and wait for the first that answers.

        model: the spec's (leash.specs.sample), its name as `endpoint`. settings: its entry of leash.specs.endpoints.
        chat_template: a prompt is the one message of a chat. Raises InputError where none answers within
        settings.patience, one does not serve the model, or the key is missing.
        """
        self._model = model
        key = _key(settings["key_env"])
        given = {name: settings[name] for name in ("urls", "concurrency", "timeout", "patience")}
        waits = backoff.within(settings["patience"])
        self._terms = _Terms(model["endpoint"], chat_template, key=key, backoff=waits, **given)
        self._cards = _meet(self._terms)
        contexts = [card.max_model_len for card in self._cards if card.max_model_len is not None]
        self.context: int | None = min(contexts, default=None)
        self._beside = _NEUTRAL if all(card.owned_by == "vllm" for card in self._cards) else {}

    def describe(self) -> dict[str, Any]:
        """The model, its URLs, what those of them that answered say of it, what is sent beside the spec, versions."""
        return {
            "model": self._model,
            "urls": self._terms.urls,
            "servers": [card._asdict() for card in self._cards],
            "sent_beside": self._beside,
            "versions": {"python": platform.python_version(), "httpx": version("httpx")},
            "device": "server",
        }

    def draw(
        self, requests: Iterable[Request], temperature: float, top_p: float, max_tokens: int
    ) -> Iterator[Drawn]:
        """Each request, its prompt as text, with its completion, in the order in which they finish.

        Only as many are taken as are in flight, so memory does not grow with their number. Raises InputError for a
        refusal, and for a request that has failed for longer than settings.patience.
        """
        sent = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens} | self._beside
        with asyncio.Runner() as runner:
            drawing = _Drawing(self._terms, sent, iter(requests))
            runner.run(drawing.start())
            try:
                while (drawn := runner.run(drawing.next())) is not None:
                    yield drawn
            finally:
                runner.run(drawing.stop())


class _Drawing:
    """Workers in one event loop, each with one request in flight. The loop runs only while `next` is waited for."""

    def __init__(self, terms: _Terms, sent: dict[str, Any], requests: Iterator[Request]) -> None:
        self._terms, self._sent, self._requests = terms, sent, requests
        self._fleet = Fleet(terms.urls, terms.backoff)
        self._finished = 0
        self._last = ""

    async def start(self) -> None:
        """Begin to ask."""
        workers, trusted = self._terms.concurrency, httpx.create_ssl_context()
        self._ended: asyncio.Queue[Drawn | Exception | None] = asyncio.Queue(workers)
        self._workers = [asyncio.create_task(self._work(trusted)) for _ in range(workers)]
        self._at_work = len(self._workers)

    async def next(self) -> Drawn | None:
        """The next one to finish; None when all have. Raises what ended a worker, after all that had finished."""
        ended = await self._ended.get()
        if isinstance(ended, Exception):
            raise ended
        return ended

    async def stop(self) -> None:
        """Leave what is in flight."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _work(self, trusted: ssl.SSLContext) -> None:
        # A client each: the pool of one for all looks through all its connections at every request.
        timeout = httpx.Timeout(None, connect=_CONNECT)
        try:
            async with httpx.AsyncClient(
                headers=self._terms.headers, timeout=timeout, verify=trusted
            ) as client:
                for request in self._requests:
                    completion = await self._complete(client, request)
                    self._finished += 1
                    await self._ended.put((request, completion))
        except Exception as error:
            await self._ended.put(error)
        self._at_work -= 1
        if not self._at_work:
            await self._ended.put(None)

    async def _complete(self, client: httpx.AsyncClient, request: Request) -> Completion:
        """Ask for a completion until it comes, of whichever server is free."""
        fleet, terms = self._fleet, self._terms
        failures, until = 0, math.inf
        while True:
            server, began = fleet.take(), fleet.clock()
            if server is None:
                wait = fleet.rest()
            else:
                try:
                    completion = await self._ask(client, server.url, request)
                    fleet.succeeded(server, began)
                    return completion
                except Failure as failure:
                    self._last = f"{server.url}: {failure}"
                    fleet.failed(server, began, str(failure), failure.retry_after)
                    failures += 1
                    wait = terms.backoff.after(failures)
                    until = min(until, fleet.clock() + terms.patience)
                finally:
                    fleet.release(server)
            if fleet.clock() + wait > until:
                raise InputError(self._given_up(request, failures))
            await asyncio.sleep(wait if server else min(wait, _LOOK_AGAIN))

    async def _ask(self, client: httpx.AsyncClient, url: str, request: Request) -> Completion:
        """One try. Raises Failure where another may bring a completion, InputError where none will."""
        terms = self._terms
        path, prompt = _asked(terms.chat, request)
        body = {"model": terms.model, "n": 1, "seed": request.seed} | prompt | self._sent
        try:
            async with asyncio.timeout(terms.timeout):
                response = await client.post(url + path, json=body)
            return completion_of(response, self._sent["max_tokens"])
        except TimeoutError as error:
            raise Failure(f"no answer within {terms.timeout:g} s (endpoint.timeout)") from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise Failure(_name(error)) from error
        except Failure as failure:
            raise Failure(terms.hide(failure), failure.retry_after) from failure
        except InputError as error:
            raise InputError(
                terms.hide(f"{url}: {_named(request)}: the server {error}. {self._kept()}")
            ) from error

    def _given_up(self, request: Request, failures: int) -> str:
        return (
            f"{self._last}\n  That was the last of {failures} tries to draw {_named(request)}, within the "
            f"{self._terms.patience:g} s of endpoint.patience. {self._kept()}. See to the server, raise "
            "endpoint.patience, or lower endpoint.concurrency if it has too much to do; then run again, which draws "
            "the others"
        )

    def _kept(self) -> str:
        return f"{self._finished:,} completions of this run had finished and are kept"


def _asked(chat: bool, request: Request) -> tuple[str, dict[str, Any]]:
    """Where a completion is asked for, below a base URL, and the prompt in the body."""
    if chat:
        return "/chat/completions", {"messages": [{"role": "user", "content": request.prompt}]}
    return "/completions", {"prompt": request.prompt}


def _named(request: Request) -> str:
    return f"sample {request.sample_index} of question {request.question_id}"


def _name(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _key(name: str | None) -> str | None:
    """The API key, from the environment variable of that name; None where no name is given."""
    if name is None:
        return None
    key = os.environ.get(name, "").strip()
    if not key:
        raise InputError(
            f"endpoint.key_env: the environment variable {name} is not set: put the key into it, on the "
            "machine that runs the job too"
        )
    if not re.fullmatch(r"[!-~]+", key):
        raise InputError(
            f"endpoint.key_env: what the environment variable {name} holds is not a key: correct it"
        )
    return key


def _meet(terms: _Terms) -> list[Card]:
    """What each server that answers says of the model; waits for the first one."""
    until = time.monotonic() + terms.patience
    tries = 0
    with httpx.Client(headers=terms.headers, timeout=_CONNECT) as client:
        while True:
            cards, failed = [], {}
            for url in terms.urls:
                try:
                    cards.append(_card(client, url, terms.model))
                except Failure as failure:
                    failed[url] = terms.hide(failure)
                except InputError as error:
                    raise InputError(terms.hide(f"{url}: the server {error}")) from error
            told = "; ".join(f"{url}: {failure}" for url, failure in failed.items())
            if cards:
                if failed:
                    print(f"{told}; drawing begins without", file=sys.stderr)
                return cards
            tries += 1
            wait = terms.backoff.after(tries)
            if time.monotonic() + wait > until:
                raise InputError(
                    f"{told}: no server has answered within the {terms.patience:g} s of endpoint.patience: start one, "
                    "or correct endpoint.urls"
                )
            if tries == 1:
                print(f"{told}; waiting for up to {terms.patience:g} s", file=sys.stderr)
            time.sleep(wait)


def _card(client: httpx.Client, url: str, model: str) -> Card:
    """What one server says of the model. Raises Failure where it does not answer, InputError where it lacks it."""
    try:
        listed = client.get(f"{url}/models")
    except httpx.InvalidURL as error:
        raise InputError(f"has an address that is none ({error}): correct endpoint.urls") from error
    except (httpx.TransportError, httpx.DecodingError) as error:
        raise Failure(_name(error)) from error
    return card_of(listed, url, model, _version(client, url))


def _version(client: httpx.Client, url: str) -> str | None:
    """The version of a server's software, which vLLM tells beside its /v1; None where it is not told."""
    try:
        found = content_of(client.get(f"{url.removesuffix('/v1')}/version"))["version"]
    except (httpx.HTTPError, Failure, InputError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None
