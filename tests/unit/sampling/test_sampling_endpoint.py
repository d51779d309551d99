"""Drawing from servers that misbehave: every sample comes once, with its own seed, or an error says why not."""

import json
import math
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.errors import InputError
from leash.sampling.answers import retry_after
from leash.sampling.endpoint import Endpoint
from leash.sampling.fleet import Backoff, Fleet
from leash.sampling.request import Completion, Request

QUICK = Backoff(first=0.005, most=0.02, trial=0.02)
MAX_TOKENS = 7
CARD = {"id": "micro", "object": "model", "root": "/models/micro", "max_model_len": 128}

Act = Callable[["Handler", dict[str, Any]], None]
"""What a server does with a request for a completion."""


class Handler(BaseHTTPRequestHandler):
    """One exchange; what is done is the server's to say."""

    server: "Hostile"
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        told = {"/v1/models": self.server.models, "/version": self.server.version}.get(self.path)
        self.reply(200 if told is not None else 404, json.dumps(told).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.counting:
            self.server.asked.append((self.path, body, dict(self.headers)))
        self.server.act(self, body)

    def setup(self) -> None:
        super().setup()
        self.server.connections.append(self.connection)

    def reply(self, status: int, body: bytes, promised: int = 0, **headers: str) -> None:
        """Send an answer; `promised` bytes more are announced than sent, and the connection is closed."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + promised))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection |= bool(promised)

    def reset(self) -> None:
        """Close the connection so that the peer sees a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


def text_of(seed: int) -> str:
    return f"é{seed}\u2028?"


def answer(body: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A whole completion, which only the seed decides."""
    tokens = 1 + body["seed"] % MAX_TOKENS
    reason = "length" if tokens == MAX_TOKENS else "stop"
    choice = {"index": 0, "text": text_of(body["seed"]), "finish_reason": reason}
    if "messages" in body:
        choice["message"] = {"role": "assistant", "content": choice.pop("text")}
    return {"choices": [choice | changes], "usage": {"prompt_tokens": 1, "completion_tokens": tokens}}


def serve(handler: Handler, body: dict[str, Any]) -> None:
    handler.reply(200, json.dumps(answer(body)).encode())


class Hostile(ThreadingHTTPServer):
    """A server on a free port of loopback that does what `act` says, and keeps what it was asked."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, act: Act = serve, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.act, self.asked = act, []
        self.models: Any = {"data": [CARD]}
        self.version: Any = None
        self.connections: list[socket.socket] = []
        self.counting = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)

    def handle_error(self, *_: object) -> None:
        pass  # a client that has gone

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def seeds(self) -> Counter[int]:
        """How often each seed was asked for."""
        return Counter(body["seed"] for _, body, _ in self.asked)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.die()

    def die(self) -> None:
        """As a killed process does: close the port, and every connection."""
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def endpoint(*urls: str, chat: bool = False, backoff: Backoff = QUICK, **settings: Any) -> Endpoint:
    given = {"urls": list(urls), "key_env": None, "concurrency": 8, "timeout": 60.0, "patience": 60.0}
    return Endpoint({"endpoint": "micro", "revision": "r1"}, given | settings, chat, backoff)


def wanted(many: int) -> list[Request]:
    return [
        Request(f"q{i % 5}", i // 5, 1000 * (i % 5) + i // 5 + 2**62, f"{i % 5} + 1 =") for i in range(many)
    ]


def expected(requests: list[Request]) -> dict[Request, Completion]:
    def made(seed: int) -> Completion:
        said = answer({"seed": seed})
        (choice,) = said["choices"]
        return Completion(choice["text"], choice["finish_reason"], None, said["usage"]["completion_tokens"])

    return {one: made(one.seed) for one in requests}


def drawn(sampler: Endpoint, requests: list[Request]) -> dict[Request, Completion]:
    """What is drawn; no request comes twice."""
    found = list(sampler.draw(iter(requests), 0.6, 0.95, MAX_TOKENS))
    assert len({request for request, _ in found}) == len(found)
    return dict(found)


# What a server may do instead of serving a completion, where a later try may bring it.
def status(code: int, body: bytes = b"<h1>not now</h1>", **headers: str) -> Act:
    return lambda handler, _: handler.reply(code, body, **headers)


def ok(make: Callable[[dict[str, Any]], Any]) -> Act:
    return lambda handler, body: handler.reply(200, json.dumps(make(body)).encode())


def half(handler: Handler, body: dict[str, Any]) -> None:
    handler.reply(200, json.dumps(answer(body)).encode()[:40], promised=500)


def half_unannounced(handler: Handler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(json.dumps(answer(body)).encode()[:40])
    handler.close_connection = True


PASSING: list[Act] = [
    *(status(code) for code in (408, 409, 425, 429, 500, 502, 503, 504)),
    status(200),
    status(200, b""),
    status(200, b"[" * 100_000),
    status(200, b"\xff\xfe{}"),
    status(200, b"not gzip", Content_Encoding="gzip"),
    lambda handler, _: handler.reset(),
    half,
    half_unannounced,
    ok(lambda _: {}),
    ok(lambda _: []),
    ok(lambda _: {"choices": [], "usage": {"completion_tokens": 1}}),
    ok(lambda body: {"choices": answer(body)["choices"]}),
    ok(lambda body: answer(body) | {"choices": answer(body)["choices"] * 2}),
    ok(lambda body: answer(body) | {"choices": [1]}),
    ok(lambda body: answer(body) | {"usage": {"completion_tokens": "3"}}),
    ok(lambda body: answer(body) | {"usage": {"completion_tokens": True}}),
    ok(lambda body: answer(body, text=None)),
    ok(lambda body: answer(body, text=3)),
    ok(lambda body: answer(body, finish_reason=None)),
    ok(lambda body: answer(body, finish_reason="abort")),
]


def test_every_sample_comes_once_whatever_the_server_does_first() -> None:
    requests = wanted(2 * len(PASSING))
    plans = {one.seed: [PASSING[at % len(PASSING)], PASSING[at // 2]] for at, one in enumerate(requests)}

    def act(handler: Handler, body: dict[str, Any]) -> None:
        plan = plans[body["seed"]]
        (plan.pop() if plan else serve)(handler, body)

    with Hostile(act) as server:
        assert drawn(endpoint(server.url), requests) == expected(requests)
        assert all(server.seeds[one.seed] == 3 for one in requests)


def test_a_request_says_what_is_drawn_and_no_more() -> None:
    requests = wanted(10)
    with Hostile() as server:
        drawn(endpoint(server.url), requests)
        assert server.seeds == Counter(one.seed for one in requests)
        sent = {body["seed"]: (path, body) for path, body, _ in server.asked}
        for one in requests:
            assert sent[one.seed] == (
                "/v1/completions",
                {
                    **{"model": "micro", "prompt": one.prompt, "n": 1, "seed": one.seed},
                    **{"temperature": 0.6, "top_p": 0.95, "max_tokens": MAX_TOKENS},
                },
            )
        assert not any("Authorization" in headers for _, _, headers in server.asked)


def test_a_chat_is_one_message_of_the_user() -> None:
    requests = wanted(10)
    with Hostile() as server:
        assert drawn(endpoint(server.url, chat=True), requests) == expected(requests)
        for path, body, _ in server.asked:
            assert path == "/v1/chat/completions"
            assert set(body) == {"model", "messages", "n", "seed", "temperature", "top_p", "max_tokens"}
        told = {body["seed"]: body["messages"] for _, body, _ in server.asked}
        assert told == {one.seed: [{"role": "user", "content": one.prompt}] for one in requests}


def test_the_defaults_that_vllm_would_fill_in_are_sent() -> None:
    with Hostile() as server:
        server.models = {"data": [{"id": "another"}, CARD | {"owned_by": "vllm"}]}
        sampler = endpoint(server.url)
        drawn(sampler, wanted(1))
        neutral = {
            "top_k": 0,
            "min_p": 0,
            "repetition_penalty": 1,
            "presence_penalty": 0,
            "frequency_penalty": 0,
        }
        assert server.asked[0][1].items() >= neutral.items()
        assert sampler.describe()["sent_beside"] == neutral


def test_as_many_are_in_flight_as_asked_for_spread_over_the_servers_and_no_more_are_taken() -> None:
    together, counting = threading.Barrier(8, timeout=120), threading.Lock()
    running, most, taken = 0, 0, 0

    def act(handler: Handler, body: dict[str, Any]) -> None:
        nonlocal running, most
        with counting:
            running += 1
            most = max(most, running)
        together.wait()
        with counting:
            running -= 1
        serve(handler, body)

    def endless() -> Iterator[Request]:
        nonlocal taken
        while True:
            taken += 1
            yield Request("q", taken, taken, "1 + 1 =")

    with Hostile(act) as one, Hostile(act) as two:
        drawing = endpoint(one.url, two.url).draw(endless(), 0.6, 0.95, MAX_TOKENS)
        for yielded in range(1, 81):
            next(drawing)
            assert taken <= yielded + 3 * 8  # in flight, finished, and just taken
        drawing.close()
        together.abort()
        assert most == 8
        assert min(len(one.asked), len(two.asked)) >= 30


def test_a_server_that_fails_leaves_the_work_to_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    requests = wanted(60)
    with Hostile(status(500)) as broken, Hostile() as sound, socket.create_server(("127.0.0.1", 0)) as closed:
        absent = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        closed.close()
        sampler = endpoint(absent, broken.url, sound.url)
        assert drawn(sampler, requests) == expected(requests)
        assert len(broken.asked) >= 1
    log = capsys.readouterr().err
    assert f"{absent}: ConnectError" in log
    assert "drawing begins without" in log
    assert f"{broken.url}: HTTP 500: <h1>not now</h1>; it is tried again, and others meanwhile" in log
    assert [server["url"] for server in sampler.describe()["servers"]] == [broken.url, sound.url]


def after_some_waits(many: int, do: Callable[[], object]) -> Backoff:
    """Quick waits, at the last of `many` of which something happens."""
    calls = 0

    class Counting(Backoff):
        def after(self, failures: int) -> float:
            nonlocal calls
            calls += 1
            if calls == many:
                do()
            return super().after(failures)

    return Counting(*QUICK)


def test_a_server_may_die_in_the_middle_and_come_back() -> None:
    requests, died = wanted(60), threading.Event()
    second: list[Hostile] = []

    def act(handler: Handler, body: dict[str, Any]) -> None:
        if len(first.asked) <= 20:
            serve(handler, body)
        elif not died.is_set():
            died.set()
            first.die()

    def revive() -> None:
        assert died.is_set()
        second.append(Hostile(port=first.server_address[1]).__enter__())

    with Hostile(act) as first:
        try:
            assert drawn(endpoint(first.url, backoff=after_some_waits(20, revive)), requests) == expected(
                requests
            )
            assert len(second[0].asked) >= 40
        finally:
            for one in second:
                one.die()


def test_the_first_server_to_come_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    made: list[Hostile] = []
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    backoff = after_some_waits(3, lambda: made.append(Hostile(port=port).__enter__()))
    try:
        sampler = endpoint(f"http://127.0.0.1:{port}/v1", backoff=backoff)
        assert sampler.context == 128
        assert drawn(sampler, wanted(3)) == expected(wanted(3))
    finally:
        for one in made:
            one.die()
    assert "ConnectError" in (log := capsys.readouterr().err)
    assert "waiting for up to 60 s" in log


def test_a_server_that_asks_to_be_left_alone_is() -> None:
    told: list[float] = []
    asked: list[float] = []

    def act(handler: Handler, body: dict[str, Any]) -> None:
        asked.append(time.monotonic())
        if told:
            serve(handler, body)
        else:
            told.append(time.monotonic())
            handler.reply(429, b"slow down", Retry_After="1")

    with Hostile(act) as server:
        assert drawn(endpoint(server.url, concurrency=1), wanted(2)) == expected(wanted(2))
    assert asked[1] - told[0] >= 1


def test_a_request_that_takes_too_long_is_asked_again() -> None:
    over = threading.Event()

    def act(handler: Handler, body: dict[str, Any]) -> None:
        if len(server.asked) == 1:
            over.wait()
        else:
            serve(handler, body)

    with Hostile(act) as server:
        assert drawn(endpoint(server.url, concurrency=1, timeout=1.0), wanted(2)) == expected(wanted(2))
        over.set()


def until_refused(sampler: Endpoint) -> tuple[dict[Request, Completion], str]:
    """What is drawn of 60 requests before drawing is given up, and the error's text."""
    found = []
    with pytest.raises(InputError) as error:
        found.extend(one for one in sampler.draw(iter(wanted(60)), 0.6, 0.95, MAX_TOKENS))
    return dict(found), str(error.value)


def served_until(many: int, then: Act) -> Act:
    """Serves so many requests."""
    served: set[int] = set()
    counting = threading.Lock()

    def act(handler: Handler, body: dict[str, Any]) -> None:
        with counting:
            good = len(served) < many
            if good:
                served.add(body["seed"])
        (serve if good else then)(handler, body)

    return act


def test_after_patience_the_error_says_all_and_what_had_finished_was_yielded() -> None:
    with Hostile(served_until(33, status(500, b"it\nburns " + b"x" * 300))) as server:
        found, told = until_refused(endpoint(server.url, concurrency=1, patience=0.5))
        assert found == expected(wanted(33))
        assert server.seeds.most_common(1)[0][1] > 1
    assert re.fullmatch(
        rf"{server.url}: HTTP 500: it burns x{{191}}\n  That was the last of \d+ tries to draw sample 6 of "
        r"question q3, within the 0\.5 s of endpoint\.patience\. 33 completions of this run had finished and are "
        r"kept\. See to the server, raise endpoint\.patience, or lower endpoint\.concurrency if it has too much to do; "
        "then run again, which draws the others",
        told,
    )


def test_no_longer_than_patience_is_waited_even_if_the_server_asks_for_it() -> None:
    with Hostile(status(503, b"later", Retry_After="7200")) as server:
        found, told = until_refused(endpoint(server.url))
        assert not found
        assert len(server.asked) <= 8
    assert f"{server.url}: HTTP 503: later" in told


def refused(message: object, code: int = 400) -> Act:
    return status(code, json.dumps(message).encode())


TOO_LONG = "This model's maximum context length is 128 tokens. Please reduce the length of the input."


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            refused({"error": {"message": TOO_LONG}}),
            f"HTTP 400: {TOO_LONG}. Lower max_tokens, or raise the server's",
        ),
        (
            refused({"message": "no default chat template"}),
            "no default chat template. Set chat_template: false",
        ),
        (refused({"error": "seed: bad"}), "HTTP 400: seed: bad. Change what it names in the config"),
        (
            refused({"error": {"message": "no key k3y-abc"}}, 401),
            "401: no key ***. Name the environment variable",
        ),
        (refused({}, 403), "HTTP 403: {}. Name the environment variable that holds a valid key"),
        (
            refused({"detail": "Not Found"}, 404),
            "HTTP 404: Not Found. Correct endpoint.model, and endpoint.urls",
        ),
        (refused({"detail": [{"msg": "n?"}]}, 422), 'HTTP 422: [{"msg": "n?"}]. Change what it names'),
        (status(400, b""), "HTTP 400: no message. Change"),
        (status(307, b"", Location="/v2"), "HTTP 307: no message. Give the address that it points to"),
        (
            ok(lambda body: answer(body, finish_reason="content_filter")),
            'the server ended a completion with finish_reason "content_filter", and not with stop or length',
        ),
        (
            ok(lambda body: answer(body, finish_reason="length") | {"usage": {"completion_tokens": 5}}),
            "ended a completion after 5 tokens with finish_reason length, where max_tokens is 7: it has a limit of its",
        ),
        (
            ok(lambda body: answer(body, finish_reason="stop") | {"usage": {"completion_tokens": 8}}),
            "ended a completion after 8 tokens with finish_reason stop, where max_tokens is 7",
        ),
        (
            ok(lambda body: answer(body, message={"content": None, "reasoning_content": "hm"})),
            "parts the reasoning from the completion",
        ),
    ],
    ids=str,
)
def test_what_no_other_try_would_bring_is_told_at_once(
    act: Act, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "k3y-abc")
    with Hostile(served_until(5, act)) as server:
        found, told = until_refused(endpoint(server.url, concurrency=1, key_env="MY_KEY"))
        assert len(server.asked) == 6
    assert found == expected(wanted(5))
    assert re.match(rf"{server.url}: sample 1 of question q0: the server ", told)
    assert message in told
    assert told.endswith(". 5 completions of this run had finished and are kept")


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (
            {"data": [{"id": "mikro"}, {"id": "b"}]},
            "the server does not serve 'micro' (it serves: b, mikro): correct",
        ),
        ({"data": []}, "(it serves: nothing)"),
        (
            None,
            "the server refuses with HTTP 404: null. Correct endpoint.model, and endpoint.urls: base URLs such",
        ),
        (
            [1],
            "an answer that lists no models: [1]: no server has answered within the 0.1 s of endpoint.patience",
        ),
        ({"data": [{}]}, 'an answer that lists no models: {"data": [{}]}: no server has answered'),
    ],
)
def test_a_server_without_the_model_is_told_before_anything_is_drawn(models: Any, message: str) -> None:
    with Hostile() as server:
        server.models = models
        with pytest.raises(InputError) as error:
            endpoint(server.url, patience=0.1)
    assert str(error.value).startswith(server.url)
    assert message in str(error.value)


def test_a_server_that_never_comes_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"
    with pytest.raises(InputError, match=rf"{url}: ConnectError.*: no server has answered within the 0\.1 s"):
        endpoint(url, patience=0.1)


def test_the_key_is_sent_and_told_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k3y-abc\n")
    with Hostile() as server:
        sampler = endpoint(server.url, key_env="MY_KEY")
        drawn(sampler, wanted(1))
        assert server.asked[0][2]["Authorization"] == "Bearer k3y-abc"
        assert "k3y" not in json.dumps(sampler.describe())
        for value, message in (
            ("", "MY_KEY is not set: put the key into it"),
            ("a b", "MY_KEY holds is not a key"),
        ):
            monkeypatch.setenv("MY_KEY", value)
            with pytest.raises(InputError, match=message):
                endpoint(server.url, key_env="MY_KEY")


def test_provenance_says_which_servers_drew() -> None:
    with Hostile() as one, Hostile() as two:
        one.version = {"version": "0.99"}
        two.models = {"data": [{"id": "micro", "max_model_len": 64, "root": None}]}
        sampler = endpoint(one.url, two.url)
        told = json.loads(json.dumps(sampler.describe()))
    assert sampler.context == 64
    assert told.pop("versions")["httpx"] == httpx.__version__
    common = {"id": "micro", "owned_by": None}
    assert told == {
        "model": {"endpoint": "micro", "revision": "r1"},
        "urls": [one.url, two.url],
        "servers": [
            common | {"url": one.url, "root": "/models/micro", "max_model_len": 128, "version": "0.99"},
            common | {"url": two.url, "root": None, "max_model_len": 64, "version": None},
        ],
        "sent_beside": {},
        "device": "server",
    }


def test_what_fails_in_the_requests_is_not_swallowed() -> None:
    def requests() -> Iterator[Request]:
        yield from wanted(3)
        raise ZeroDivisionError

    with Hostile() as server:
        drawing = endpoint(server.url, concurrency=1).draw(requests(), 0.6, 0.95, MAX_TOKENS)
        assert [next(drawing)[0] for _ in range(3)] == wanted(3)
        with pytest.raises(ZeroDivisionError):
            next(drawing)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("3", 3),
        (" 0.5 ", 0.5),
        ("-3", 0),
        ("soon", 0),
        ("", 0),
        ("inf", 0),
        ("nan", 0),
        (formatdate(time.time() - 100, usegmt=True), 0),
        ("Mon, 32 Foo 2020", 0),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(given: str, seconds: float) -> None:
    assert retry_after(httpx.Response(429, headers={"Retry-After": given})) == seconds


def test_a_server_may_name_the_time() -> None:
    given = formatdate(time.time() + 1000, usegmt=True)
    assert 0 < retry_after(httpx.Response(429, headers={"Retry-After": given})) <= 1000


class Clock:
    """Seconds that a test lets pass."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.sampled_from(("take", "answer", "fail", "wait")), st.integers(0, 50), st.floats(0, 40)),
        max_size=60,
    ),
)
def test_a_server_that_rests_is_not_asked_and_the_others_evenly(
    servers: int, events: list[tuple[str, int, float]]
) -> None:
    clock, backoff = Clock(), Backoff()
    fleet = Fleet([str(i) for i in range(servers)], backoff, clock)
    flying: list[tuple[Any, float]] = []
    running: Counter[str] = Counter()
    rests = dict.fromkeys((str(i) for i in range(servers)), -math.inf)
    for event, which, seconds in events:
        if event == "wait":
            clock.now += seconds
        elif event == "take":
            awake = {url for url, until in rests.items() if until <= clock.now}
            server = fleet.take()
            if server is None:
                assert fleet.rest() > 0
                continue
            assert server.url in awake
            flying.append((server, clock.now))
            running[server.url] += 1
        elif flying:
            server, began = flying.pop(which % len(flying))
            if event == "fail":
                fleet.failed(server, began, "no", seconds)
                rests[server.url] = max(rests[server.url], clock.now + max(seconds, backoff.first / 2))
            else:
                fleet.succeeded(server, began)
                if server.failures == 0:
                    rests[server.url] = -math.inf
            fleet.release(server)
            running[server.url] -= 1
    clock.now += 2 * max(backoff.most, 40.0)
    assert fleet.rest() == 0  # whatever has happened, all are asked again
    server = fleet.take()
    assert server is not None
    assert running[server.url] == min(running[str(i)] for i in range(servers))


def test_all_that_are_in_flight_at_a_death_are_one_failure_and_the_next_request_goes_alone() -> None:
    clock = Clock()
    fleet = Fleet(["a"], Backoff(first=1, most=30, trial=10), clock)
    began = [fleet.take() for _ in range(64)]
    for server in began:
        assert server is not None
        fleet.failed(server, 0.0, "reset")
        fleet.release(server)
    assert 0.5 <= fleet.rest() <= 1
    clock.now = 1.0
    trial = fleet.take()
    assert trial is not None
    assert fleet.take() is None
    assert fleet.rest() == 10
    fleet.failed(trial, 1.0, "refused")
    fleet.release(trial)
    assert trial.failures == 2
    clock.now = 12.0
    trial = fleet.take()
    assert fleet.take() is None
    clock.now = 22.0  # it is answered slowly: the others follow
    assert [fleet.take() for _ in range(3)] == [trial] * 3
    assert trial is not None
    fleet.succeeded(trial, 0.5)  # it began before the failure: no news
    assert trial.failures == 2
    fleet.succeeded(trial, 12.0)
    assert (trial.failures, fleet.rest()) == (0, 0)


@given(st.integers(1, 10_000), st.floats(0, 1e4))
def test_waits_double_up_to_the_most_and_fit_into_patience(failures: int, patience: float) -> None:
    assert Backoff(1, 30).after(1) <= 1
    assert 15 <= Backoff(1, 30).after(max(6, failures)) <= 30
    within = Backoff().within(patience)
    assert within.after(failures) <= patience / 4
    assert within.trial == min(10, patience / 4)
