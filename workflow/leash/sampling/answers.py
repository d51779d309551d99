"""What an OpenAI-compatible server answers: a completion, a failure that may pass, or a refusal."""

import json
import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

import httpx

from leash.errors import InputError
from leash.sampling.request import Completion

MAY_PASS: Final = frozenset({408, 409, 425, 429})
"""Statuses that are tried again, beside 500 and above."""
_CUT_OFF: Final = (None, "abort", "error")
"""Finish reasons of a server that was ended while it decoded."""
_SHOWN: Final = 200


class Failure(Exception):  # noqa: N818  (not yet an error: it may pass)
    """No completion came, and another try may bring one. `retry_after`: seconds to wait, where the server says so."""

    def __init__(self, told: str, retry_after: float = 0.0) -> None:
        super().__init__(told)
        self.retry_after = retry_after


class Card(NamedTuple):
    """What a server says of the model: its name, where it was loaded from, its context in tokens, its software."""

    url: str
    id: str
    root: str | None
    max_model_len: int | None
    owned_by: str | None
    version: str | None


def completion_of(response: httpx.Response, max_tokens: int) -> Completion:
    """The one completion of an answer to /completions or /chat/completions.

    Raises Failure where another try may bring it, InputError where none will.
    """
    body = content_of(response)
    try:
        (choice,) = body["choices"]
        message = choice.get("message") or {}
        text = message["content"] if message else choice["text"]
        reason, tokens = choice["finish_reason"], body["usage"]["completion_tokens"]
        reasoning = message.get("reasoning") or message.get("reasoning_content")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"an answer without a completion and its usage: {shown(response)}") from error
    if reasoning:
        raise InputError(
            "parts the reasoning from the completion, so that what is verified would not be what was drawn: start it "
            "without a reasoning parser"
        )
    if reason in _CUT_OFF:
        raise Failure(f"a completion that was cut off (finish_reason {json.dumps(reason)})")
    if reason not in ("stop", "length"):
        raise InputError(
            f"ended a completion with finish_reason {json.dumps(reason)[:_SHOWN]}, and not with stop or length: serve "
            "the model without filters and tools"
        )
    if not isinstance(text, str) or type(tokens) is not int or tokens < 0:
        raise Failure(f"an answer whose text or usage is none: {shown(response)}")
    if tokens > max_tokens or (reason == "length" and tokens < max_tokens):
        raise InputError(
            f"ended a completion after {tokens} tokens with finish_reason {reason}, where max_tokens is {max_tokens}: "
            "it has a limit of its own. Lower max_tokens, or raise the limit (of vllm serve: a longer --max-model-len, "
            "or --generation-config vllm)"
        )
    return Completion(text, reason, None, tokens)


def card_of(response: httpx.Response, url: str, model: str, version: str | None) -> Card:
    """What an answer to /models says of the model.

    Raises Failure where another try may bring it, InputError where the model is not among those that are served.
    """
    body = content_of(response)
    try:
        cards = {str(card["id"]): card for card in body["data"]}
    except (KeyError, TypeError) as error:
        raise Failure(f"an answer that lists no models: {shown(response)}") from error
    if model not in cards:
        names = ", ".join(sorted(cards)) or "nothing"
        raise InputError(
            f"does not serve '{model}' (it serves: {names}): correct endpoint.model or endpoint.urls"
        )
    card = cards[model]
    root, owner, context = (card.get(key) for key in ("root", "owned_by", "max_model_len"))
    return Card(
        url=url,
        id=model,
        root=root if isinstance(root, str) else None,
        max_model_len=context if type(context) is int else None,
        owned_by=owner if isinstance(owner, str) else None,
        version=version,
    )


def content_of(response: httpx.Response) -> Any:
    """The JSON of an answer. Raises Failure where another try may bring it, InputError for a refusal."""
    status = response.status_code
    if status in MAY_PASS or status >= 500:
        raise Failure(f"HTTP {status}: {shown(response)}", retry_after(response))
    if status != 200:
        told = _message(response)
        raise InputError(f"refuses with HTTP {status}: {told or 'no message'}. {_remedy(status, told)}")
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise Failure(f"an answer that is not JSON: {shown(response)}") from error


def shown(response: httpx.Response) -> str:
    """The first characters of a body, on one line."""
    return _line(response.text) or "(empty)"


def retry_after(response: httpx.Response) -> float:
    """Seconds after which the server wants to be asked again, from its Retry-After; 0 where it does not say."""
    given = response.headers.get("retry-after", "").strip()
    try:
        seconds = float(given)
    except ValueError:
        try:
            until = parsedate_to_datetime(given)
        except ValueError:
            return 0.0
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def _message(response: httpx.Response) -> str:
    """What a server says of a refusal: its error's message, or the first characters of the body."""
    try:
        body = json.loads(response.content)
    except (ValueError, RecursionError):
        return _line(response.text)
    found = body
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return _line(found if isinstance(found, str) else json.dumps(found))


def _remedy(status: int, told: str) -> str:
    if 300 <= status < 400:
        return "Give the address that it points to in endpoint.urls"
    if status in (401, 403):
        return "Name the environment variable that holds a valid key in endpoint.key_env"
    if status == 404:
        return "Correct endpoint.model, and endpoint.urls: base URLs such as http://host:8000/v1"
    if "chat template" in told:
        return "Set chat_template: false for this model, or serve it with a chat template"
    if re.search(r"context|max_tokens|max_model_len|too long", told, re.IGNORECASE):
        return "Lower max_tokens, or raise the server's context (of vllm serve: --max-model-len)"
    return "Change what it names in the config, or serve the model so that it takes such requests"


def _line(text: str) -> str:
    return " ".join(text.split())[:_SHOWN]
