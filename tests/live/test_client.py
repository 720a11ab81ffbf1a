"""Sending to a provider: addresses, headers, retries, errors, and what is never shown."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.errors import ExitCode, LiveError, UsageError
from cgcli.live.address import parse
from cgcli.live.answering import Answered, shown
from cgcli.live.keys import key_of
from cgcli.live.spending import Budget
from cgcli.model import Refusal, Usage
from tests.live.asking import MARK, Json, message, text, user
from tests.live.provider import KEY, Fault
from tests.live.sending import CENT, RATE, Clock, client, free, written

if TYPE_CHECKING:
    from tests.live.provider import Provider

BODY = written(message(user("Hello")))
MODEL = "gpt-5.6-sol"


def send(provider: Provider, body: bytes = BODY, **more: Any) -> Answered:
    """Send to the local provider, as Anthropic's if not said otherwise."""
    clock = more.pop("clock", None)
    key = more.pop("key", KEY)
    timing = {name: more.pop(name) for name in ("retries", "timeout_s", "betas", "most_wait_s") if name in more}
    given: Json = {"dialect": "anthropic", "spending": free()} | more
    with client(provider.url, clock, key=key, **timing) as sending:
        found = sending.send(body, **given)
    assert isinstance(found, Answered)
    return found


def failed(provider: Provider, **more: Any) -> LiveError:
    """The error of sending."""
    with pytest.raises(LiveError) as caught:
        send(provider, **more)
    return caught.value


def test_the_body_goes_as_it_is_and_the_answer_comes_with_its_usage(provider: Provider) -> None:
    """White space and all; fresh tokens are those the provider counted."""
    body = written(message(user(text(1500, cache_control=MARK), text(100, "y"))))
    answered = send(provider, body)
    assert provider.seen[0].body == body
    assert json.loads(answered.body)["type"] == "message"
    # The text is `Summary 0123456789ab of 1 messages.`, 35 characters: 37 bytes of JSON, 10 tokens.
    assert answered.usage == Usage(fresh=100, read=0, write_by_ttl_s={300: 1500}, output=10)
    assert send(provider, body).usage == Usage(fresh=100, read=1500, write_by_ttl_s={}, output=10)
    assert (answered.status, answered.n_sent) == (200, 1)


def test_headers_of_anthropic(provider: Provider) -> None:
    """The key, the version, and every beta once: the client's, then the call's; nothing of ours can be replaced."""
    more = {"Anthropic-Beta": "compact-2026-09-04, b-1", "X-API-Key": "other", "x-extra": "kept"}
    send(provider, betas=("a-1", "b-1"), headers=more)
    sent = provider.seen[0].headers
    assert sent["anthropic-beta"] == "a-1,b-1,compact-2026-09-04"
    assert (sent["x-api-key"], sent["anthropic-version"], sent["x-extra"]) == (KEY, "2023-06-01", "kept")
    assert "authorization" not in sent


@pytest.mark.parametrize(
    ("dialect", "body", "path", "sent_to"),
    [
        ("openai-chat", {"messages": [user("a")]}, None, "/v1/chat/completions"),
        ("openai-responses", {"input": "a"}, None, "/v1/responses"),
        ("openai-responses", {"input": "a"}, "/v1/responses/compact", "/v1/responses/compact"),
    ],
)
def test_openai_compatible_endpoints(
    provider: Provider, dialect: str, body: dict[str, Any], path: str | None, sent_to: str
) -> None:
    """The key is a bearer's, and the input's tokens are disjoint."""
    answered = send(provider, written({"model": MODEL, **body}), dialect=dialect, path=path)
    seen = provider.seen[0]
    assert (seen.path, seen.headers["authorization"]) == (sent_to, f"Bearer {KEY}")
    assert "x-api-key" not in seen.headers
    assert answered.usage is not None
    assert (answered.usage.read, answered.usage.write_by_ttl_s) == (0, {})


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("anthropic", message(user(text(1500, cache_control=MARK)))),
        ("openai-chat", {"model": MODEL, "messages": [user(text(1500))], "stream_options": {"include_usage": True}}),
        ("openai-responses", {"model": MODEL, "input": [user(text(1500))]}),
    ],
)
def test_a_stream_is_the_answer_that_it_spells_out(provider: Provider, dialect: str, body: dict[str, Any]) -> None:
    """Its text and its usage are those of the answer in one piece, but for what the first one wrote to the cache."""
    streamed = send(provider, written({**body, "stream": True}), dialect=dialect)
    whole = send(provider, written(body), dialect=dialect)
    told = [json.loads(one.body) for one in (streamed, whole)]
    assert [_text(one) for one in told] == [_text(told[1])] * 2
    assert streamed.usage is not None
    assert whole.usage is not None
    assert whole.usage.read == sum((streamed.usage.write_by_ttl_s or {}).values()) > 1500 - 1
    assert streamed.usage.output == whole.usage.output


def _text(answer: Any) -> Any:
    if "choices" in answer:
        return answer["choices"][0]["message"]["content"]
    return answer["content"] if "content" in answer else answer["output"]


@pytest.mark.parametrize(
    ("url", "path", "sent_to"),
    [
        ("https://api.example", "/v1/messages", "https://api.example/v1/messages"),
        ("https://api.example/", "/v1/messages", "https://api.example/v1/messages"),
        ("https://api.example/v1", "/v1/responses", "https://api.example/v1/responses"),
        ("https://api.example/api/v1/", "/v1/chat/completions", "https://api.example/api/v1/chat/completions"),
        ("https://api.example/proxy", "/v1/messages", "https://api.example/proxy/v1/messages"),
        ("https://api.example/v1/messages", "/v1/messages", "https://api.example/v1/messages"),
        ("https://api.example/v1/responses", "/v1/responses/compact", "https://api.example/v1/responses/compact"),
        ("https://api.example/v1/responses/compact", "/v1/responses", "https://api.example/v1/responses"),
        ("https://api.example/v1?api-version=2", "/v1/responses", "https://api.example/v1/responses?api-version=2"),
        ("http://[::1]:8080", "/v1/messages", "http://[::1]:8080/v1/messages"),
        ("http://localhost:1/v1", "/v1/messages", "http://localhost:1/v1/messages"),
    ],
)
def test_where_a_request_goes(url: str, path: str, sent_to: str) -> None:
    """A base, with the provider's version or without, or an endpoint in full."""
    assert parse(url).of(path) == sent_to


@pytest.mark.parametrize(
    "url",
    [
        "ftp://api.example",
        "api.example",
        "file:///etc/passwd",
        "https://",
        "https://[::1",
        "https://api.example:99999",
        "https://user:secret@api.example",
        "https://api.example/a b",
        "https://api.example/\u202ev1",
        "http://api.example",
        "http://10.0.0.1",
        "http://localhost.example",
        f"https://{'a' * 70}.example\u0301",
    ],
)
def test_addresses_that_nothing_is_sent_to(url: str) -> None:
    """No http or https, a password, plain http to another machine: a usage error that repeats no secret."""
    with pytest.raises(UsageError) as caught:
        client(url)
    assert "secret" not in str(caught.value)
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_redirect_is_not_followed(provider: Provider) -> None:
    """The key would go with it: one request, to the address that was given."""
    provider.faults.append(Fault("redirect"))
    error = failed(provider)
    assert (error.status, [seen.path for seen in provider.seen]) == (307, ["/v1/messages"])
    assert error.message == "answered 307: redirects are not followed, the key would go with them"


# Again, and again no more.


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_what_may_help_is_tried_again(provider: Provider, status: int) -> None:
    """After one second, then two; the third answer is taken."""
    provider.faults.extend([Fault("status", status=status)] * 2)
    clock = Clock()
    answered = send(provider, clock=clock)
    assert (answered.n_sent, clock.slept_s) == (3, [1.0, 2.0])


@pytest.mark.parametrize("kind", ["slow", "drop"])
def test_no_answer_is_tried_again(provider: Provider, kind: Any) -> None:
    """Too late, or cut off."""
    provider.faults.append(Fault(kind))
    assert send(provider, timeout_s=0.2).n_sent == 2


def test_what_the_provider_asks_for_is_waited(provider: Provider) -> None:
    """`retry-after` in seconds; a date counts as none."""
    provider.faults.extend(
        [
            Fault("status", status=429, retry_after="7"),
            Fault("status", status=429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
        ]
    )
    clock = Clock()
    assert send(provider, clock=clock).n_sent == 3
    assert clock.slept_s == [7.0, 2.0]


def test_too_long_a_wait_is_an_error(provider: Provider) -> None:
    """More than a minute: said, and not waited for."""
    provider.faults.append(Fault("status", status=429, retry_after="61", message="slow down"))
    clock = Clock()
    error = failed(provider, clock=clock)
    assert (clock.slept_s, len(provider.seen)) == ([], 1)
    assert (error.message, error.hint) == ("answered 429: slow down", "try again in 61 s")


@pytest.mark.parametrize(
    ("fault", "message", "n_sent"),
    [
        (Fault("status", status=529, message="Overloaded"), "answered 529: Overloaded", 3),
        (Fault("status", status=413, message="too large"), "answered 413: too large", 1),
        (Fault("status", status=404, message="model: x"), "answered 404: model: x", 1),
        (Fault("slow"), "no whole answer in 0.2 s", 3),
        (Fault("broken"), "answered 200 with what is no whole answer", 1),
    ],
)
def test_when_it_stays_wrong(provider: Provider, fault: Fault, message: str, n_sent: int) -> None:
    """Three tries, of what the client did wrong one, and of an answer that was billed one; a line, and exit code 1."""
    provider.faults.extend([fault] * n_sent)
    error = failed(provider, timeout_s=0.2)
    assert (error.message, error.exit_code, len(provider.seen)) == (message, ExitCode.UNEXPECTED, n_sent)
    assert error.where == f"{provider.url}/v1/messages"


def test_nobody_listens() -> None:
    """The address is named, and what the system says."""
    from tests.live.provider import Provider  # noqa: PLC0415 - one that has ended

    with Provider() as ended:
        pass
    error = failed(ended)
    assert error.message.startswith("cannot be reached: ")
    assert "refused" in error.message


class Ticking(Clock):
    """A clock on which 31 s pass between two looks."""

    def read(self) -> float:
        """The time."""
        self.now_s += 31
        return self.now_s


def test_tls_that_is_none_is_not_talked_to(provider: Provider) -> None:
    """A server without TLS under an https address: nothing reaches it."""
    with client(provider.url.replace("http:", "https:"), retries=0) as sending, pytest.raises(LiveError) as caught:
        sending.send(BODY, dialect="anthropic", spending=free())
    assert caught.value.message.startswith("cannot be reached: ")
    assert provider.seen == []


def test_the_clock_ends_an_answer_that_comes_in_drops(provider: Provider) -> None:
    """The connection's own limit is for each piece; more than 30 s from the start are too late."""
    assert failed(provider, clock=Ticking(), retries=0).message == "no whole answer in 30 s"


# What is shown.


def test_an_error_shows_neither_the_key_nor_what_it_would_do_to_a_terminal(provider: Provider) -> None:
    """A provider that repeats the headers: the key is masked, control characters are shown, the rest is cut."""
    provider.faults.append(Fault("echo"))
    error = failed(provider)
    assert KEY not in str(error)
    assert error.message.startswith("answered 400: x-api-key [key]\\x1b[31m\\u202e ")
    assert len(error.message) <= len("answered 400: ") + 200
    assert error.message.isprintable()


@pytest.mark.parametrize(
    ("key", "said", "hint"),
    [
        (None, "answered 401: x-api-key header is required", "set ANTHROPIC_API_KEY, or CG_LIVE_KEY"),
        ("sk-wrong", "answered 401: invalid x-api-key", "set ANTHROPIC_API_KEY, or CG_LIVE_KEY"),
    ],
)
def test_a_missing_or_wrong_key(provider: Provider, key: str | None, said: str, hint: str) -> None:
    """Said as the provider says it, with what to set."""
    error = failed(provider, key=key)
    assert (error.message, error.hint, error.status) == (said, hint, 401)


def test_the_query_is_not_shown(provider: Provider) -> None:
    """It may hold a key."""
    with client(f"{provider.url}/none?token=secret") as sending, pytest.raises(LiveError) as caught:
        sending.send(BODY, dialect="anthropic", spending=free())
    assert caught.value.where == f"{provider.url}/none/v1/messages"
    assert provider.seen[0].path == "/none/v1/messages?token=secret"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a\r\n\tb", "a b"),
        ("\x1b]0;x\x07", "\\x1b]0;x\\x07"),
        ("\u202e\u200b", "\\u202e\\u200b"),
        ("\ud800", "\\ud800"),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_text_of_others_is_one_line_that_does_nothing(given: str, expected: str) -> None:
    """White space is a space, what does not print is escaped, the end is cut."""
    assert shown(given) == expected


# Keys.


@pytest.mark.parametrize(
    ("dialect", "environment", "key"),
    [
        ("anthropic", {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "a"),
        ("openai-chat", {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "o"),
        ("openai-responses", {"OPENAI_API_KEY": " o\n"}, "o"),
        ("anthropic", {"CG_LIVE_KEY": "c", "ANTHROPIC_API_KEY": "a"}, "c"),
        ("anthropic", {"CG_LIVE_KEY": "", "ANTHROPIC_API_KEY": "a"}, "a"),
        ("anthropic", {"OPENAI_API_KEY": "o"}, None),
    ],
)
def test_the_key_is_the_environments(dialect: str, environment: dict[str, str], key: str | None) -> None:
    """The variable of our own first, then the provider's; an empty one is none."""
    assert key_of(dialect, environment) == key


@pytest.mark.parametrize("key", ["sk-a\nx-evil: 1", "sk a", "schlüssel", "sk-\x00"])
def test_what_no_key_can_be_is_not_repeated(key: str) -> None:
    """A usage error that names the variable alone."""
    with pytest.raises(UsageError) as caught:
        key_of("anthropic", {"ANTHROPIC_API_KEY": key})
    assert caught.value.message.startswith("ANTHROPIC_API_KEY holds what no key can be")
    assert key not in str(caught.value)


# Money, as sending counts it.


def test_a_call_that_may_cost_too_much_is_not_sent(provider: Provider) -> None:
    """A refusal, and nothing reaches the provider."""
    budget = Budget(Decimal("0.009"))
    with client(provider.url) as sending:
        refusal = sending.send(BODY, dialect="anthropic", spending=budget.call(CENT, RATE))
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "max_usd"
    assert provider.seen == []


@pytest.mark.parametrize(("fault", "n_sent"), [(Fault("drop"), 1), (Fault("status", status=529), 2)])
def test_a_retry_needs_the_money_again_unless_nothing_was_billed(provider: Provider, fault: Fault, n_sent: int) -> None:
    """A cut connection may have been billed: the ceiling of a call and a half ends it. Overload was not."""
    provider.faults.append(fault)
    budget = Budget(Decimal("0.015"))
    with client(provider.url) as sending:
        found = sending.send(BODY, dialect="anthropic", spending=budget.call(CENT, RATE))
    assert isinstance(found, Refusal if n_sent == 1 else Answered)
    assert len(provider.seen) == n_sent
    account = budget.account()
    assert (account.n_lost, account.n_answered) == ((1, 0) if n_sent == 1 else (0, 1))


def test_an_answer_that_cannot_be_read_is_counted_at_the_most(provider: Provider) -> None:
    """It was billed, and does not say how much."""
    provider.faults.append(Fault("broken"))
    budget = Budget()
    with client(provider.url) as sending, pytest.raises(LiveError):
        sending.send(BODY, dialect="anthropic", spending=budget.call(CENT, RATE))
    assert (budget.account().usd, budget.account().usd_at_most) == (Decimal(0), Decimal("0.01"))


def test_an_error_costs_nothing(provider: Provider) -> None:
    """What was set aside for it is free again."""
    budget = Budget(Decimal("0.01"))
    with client(provider.url, key="sk-wrong") as sending, pytest.raises(LiveError):
        sending.send(BODY, dialect="anthropic", spending=budget.call(CENT, RATE))
    assert budget.account().usd_at_most == 0
    assert budget.call(CENT, RATE).refused() is None
