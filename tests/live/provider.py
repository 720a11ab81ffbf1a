"""A provider on this machine: the documented rules of Anthropic's and OpenAI's APIs behind HTTP, for the tests.

It knows nothing of the package. Its tokenizer takes a token for every 4 bytes of canonical JSON; its clock stands still
until a test moves it; the same requests give the same answers.

    with Provider() as provider:
        provider.url  # http://127.0.0.1:PORT
        provider.faults.append(Fault("status", status=529))  # the next request meets it
        provider.now_s += 301  # five minutes later
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Event, Lock, Thread
from typing import TYPE_CHECKING, Literal, Self

from tests.live import messages_api, openai_api
from tests.live.messages_api import MessagesApi
from tests.live.openai_api import OpenaiApi
from tests.live.wire import Answer, Entries, Json, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

KEY = "sk-local-0123456789abcdef"
"""The one key that is taken."""


@dataclass(frozen=True)
class Fault:
    """What the next request meets in place of its answer."""

    kind: Literal["status", "slow", "drop", "broken", "empty", "redirect", "echo"]
    """An error of that status; no answer until the client goes; a connection cut; half of the answer; an answer without
    text; another address; an error that repeats the request's key, with control characters."""
    status: int = 500
    retry_after: str | None = None
    message: str = "simulated"


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    path: str
    headers: Mapping[str, str]
    """By their names in small letters."""
    body: bytes


_KINDS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
_KINDS |= {500: "api_error", 504: "timeout_error", 529: "overloaded_error"}


class Provider:
    """The server; a context in which it runs."""

    def __init__(self) -> None:
        """Nothing is cached, and nothing was asked."""
        self.anthropic = MessagesApi()
        self.openai = OpenaiApi()
        self.now_s = 0.0
        self.faults: deque[Fault] = deque()
        self.seen: list[Seen] = []
        self.meeting: Barrier | None = None
        """Where set, requests look up the cache, wait for each other there, and only then write: sent in parallel."""
        self.wrong: list[Exception] = []
        self.closing = Event()
        self.lock = Lock()

    def __enter__(self) -> Self:
        """Listen on a free port of the loopback address."""
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every thread; raise what went wrong in one."""
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if self.wrong and error is None:
            raise self.wrong[0]

    @property
    def bodies(self) -> list[Json]:
        """The bodies that came in, parsed."""
        return [json.loads(seen.body) for seen in self.seen]

    def answer(self, seen: Seen, fault: Fault | None) -> Answer:
        """The answer to a request, or `Refused`; what it writes can be read from now on."""
        is_empty = fault is not None and fault.kind == "empty"
        with self.lock:
            now_s = self.now_s
            found, held = self._looked_up(seen, now_s, is_empty=is_empty)
        if self.meeting is not None:
            self.meeting.wait(timeout=10)
        with self.lock:
            for counts in found.passes:
                for key in counts.used:
                    held.use(key, now_s)
                for write in counts.writes:
                    held.write(write, now_s)
        return found

    def _looked_up(self, seen: Seen, now_s: float, *, is_empty: bool) -> tuple[Answer, Entries]:
        is_anthropic = seen.path == "/v1/messages"
        _check_key(seen.headers, is_anthropic=is_anthropic)
        body = _parsed(seen.body)
        if is_anthropic:
            return self.anthropic.answer(body, seen.headers, now_s, is_empty=is_empty), self.anthropic.held
        if seen.path == "/v1/chat/completions":
            return self.openai.chat(body, now_s, is_empty=is_empty), self.openai.held
        if seen.path == "/v1/responses":
            return self.openai.responses(body, now_s, is_empty=is_empty), self.openai.held
        if seen.path == "/v1/responses/compact":
            return self.openai.compact(body, now_s), self.openai.held
        raise Refused(404, "not_found_error", f"Unknown request URL: POST {seen.path}")


def _check_key(headers: Mapping[str, str], *, is_anthropic: bool) -> None:
    given = headers.get("authorization", "").removeprefix("Bearer ")
    if is_anthropic and not given:
        given = headers.get("x-api-key", "")
        if not given:
            raise Refused(401, "authentication_error", "x-api-key header is required")
    if not given:
        raise Refused(401, "invalid_request_error", "You didn't provide an API key.", code="invalid_api_key")
    if given != KEY:
        kind = "authentication_error" if is_anthropic else "invalid_request_error"
        message = "invalid x-api-key" if is_anthropic else "Incorrect API key provided."
        raise Refused(401, kind, message, code="invalid_api_key")


def _parsed(body: bytes) -> Json:
    try:
        tree = json.loads(body)
    except ValueError as error:
        raise Refused(400, "invalid_request_error", f"The request body is not valid JSON: {error}") from error
    if not isinstance(tree, dict):
        raise Refused(400, "invalid_request_error", "The request body is not an object")
    return tree


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing is printed: what goes wrong is kept where it is met."""


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def setup(self) -> None:
        assert isinstance(self.server, _Server)
        self.provider = self.server.provider
        super().setup()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Nothing is printed."""

    def do_POST(self) -> None:
        """Answer one request, or do what the next fault says."""
        provider = self.provider
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        seen = Seen(self.path, {name.lower(): text for name, text in self.headers.items()}, body)
        with provider.lock:
            provider.seen.append(seen)
            fault = provider.faults.popleft() if provider.faults else None
        try:
            if fault is not None and fault.kind != "empty":
                self._meet(fault, seen)
            else:
                self._answer(seen, fault)
        except ConnectionError:
            return  # the client has gone
        except Exception as error:  # noqa: BLE001 - the test that runs the provider raises it
            provider.wrong.append(error)

    def _answer(self, seen: Seen, fault: Fault | None, *, cut: bool = False) -> None:
        try:
            answer = self.provider.answer(seen, fault)
        except Refused as refused:
            self._send(refused.status, _error(seen, refused))
            return
        if answer.streamed:
            self._send(200, _streamed(seen, answer), kind="text/event-stream")
            return
        written = json.dumps(answer.body).encode()
        self._send(200, written[: len(written) // 2] if cut else written)

    def _meet(self, fault: Fault, seen: Seen) -> None:
        if fault.kind == "slow":
            self.provider.closing.wait(timeout=30)
        elif fault.kind == "broken":
            self._answer(seen, fault, cut=True)
        elif fault.kind == "redirect":
            self._send(307, b"", more={"location": f"{self.provider.url}/elsewhere"})
        elif fault.kind == "echo":
            said = f"x-api-key {seen.headers.get('x-api-key')}\x1b[31m\u202e\n" + "x" * 1000
            self._send(400, _error(seen, Refused(400, "invalid_request_error", said)))
        elif fault.kind == "status":
            error = Refused(fault.status, _KINDS.get(fault.status, "api_error"), fault.message)
            more = {"retry-after": fault.retry_after} if fault.retry_after is not None else {}
            self._send(fault.status, _error(seen, error), more=more)

    def _send(
        self, status: int, body: bytes, *, kind: str = "application/json", more: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, text in {"content-type": kind, "content-length": str(len(body)), **(more or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)


def _error(seen: Seen, error: Refused) -> bytes:
    if seen.path == "/v1/messages":
        said: Json = {"type": "error", "error": {"type": error.kind, "message": error.message}, "request_id": "req_1"}
    else:
        said = {"error": {"message": error.message, "type": error.kind, "param": None, "code": error.code}}
    return json.dumps(said).encode()


def _streamed(seen: Seen, answer: Answer) -> bytes:
    """The answer as the events of its API."""
    if seen.path == "/v1/messages":
        return _events(messages_api.events(answer.body), named=True)
    if seen.path == "/v1/responses":
        return _events(openai_api.response_events(answer.body), named=True)
    asked = json.loads(seen.body).get("stream_options") or {}
    chunks = openai_api.chat_events(answer.body, with_usage=asked.get("include_usage") is True)
    return _events(chunks, named=False) + b"data: [DONE]\n\n"


def _events(events: Iterable[Json], *, named: bool) -> bytes:
    said = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        said.append(f"{name}data: {json.dumps(event)}\n\n")
    return "".join(said).encode()
