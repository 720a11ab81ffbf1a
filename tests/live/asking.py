"""What the tests of this folder send: to the local provider, without the package, over the standard library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.live.provider import KEY

if TYPE_CHECKING:
    from tests.live.provider import Provider

Json = dict[str, Any]
MARK: Json = {"type": "ephemeral"}
HOUR: Json = {"type": "ephemeral", "ttl": "1h"}
ON_DEMAND = {"anthropic-beta": "compact-2026-09-04"}
THRESHOLD = {"anthropic-beta": "compact-2026-01-12"}


def text(n_tokens: int, letter: str = "x", **more: Any) -> Json:
    """A text block of exactly that many tokens of the local provider: 4 bytes each, 25 of them around the text."""
    return {"type": "text", "text": letter * (4 * n_tokens - 25), **more}


def user(*content: Json | str) -> Json:
    """A user message."""
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Json | str) -> Json:
    """An answer in the history."""
    return {**user(*content), "role": "assistant"}


def message(*messages: Json, model: str = "claude-sonnet-4-6", **more: Any) -> Json:
    """A body of the Messages API."""
    return {"model": model, "max_tokens": 1000, "messages": list(messages), **more}


def marked(n_blocks: int, **more: Any) -> Json:
    """A body of one user message of blocks of 200 tokens, the last of them marked."""
    blocks = [text(200, chr(97 + i % 26)) for i in range(n_blocks)]
    return message(user(*blocks[:-1], {**blocks[-1], "cache_control": MARK}), **more)


def post(provider: Provider, path: str, body: Json | bytes, **headers: str) -> tuple[int, Any]:
    """The status and the answer, parsed where it is JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"content-type": "application/json", **headers}
    try:
        with urlopen(Request(provider.url + path, data=data, headers=given), timeout=20) as answer:  # noqa: S310 - ours
            return answer.status, _parsed(answer.read())
    except HTTPError as error:
        with error:
            return error.code, _parsed(error.read())


def _parsed(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        return answer.decode()


def ask(provider: Provider, body: Json, headers: Json | None = None) -> tuple[int, Any]:
    """POST to the Messages API."""
    more = {"x-api-key": KEY, "anthropic-version": "2023-06-01", **(headers or {})}
    return post(provider, "/v1/messages", body, **more)


def counts(provider: Provider, body: Json, headers: Json | None = None) -> tuple[int, int, int]:
    """Read, written and fresh of a request to the Messages API."""
    status, answer = ask(provider, body, headers)
    assert status == 200, answer
    return split(answer["usage"])


def split(usage: Json) -> tuple[int, int, int]:
    """Read, written and fresh of Anthropic's usage."""
    return usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"], usage["input_tokens"]


def error_of(answer: Any) -> str:
    """The message of an error."""
    said: str = answer["error"]["message"]
    return said


def ask_openai(provider: Provider, path: str, body: Json) -> tuple[int, Any]:
    """POST to one of OpenAI's APIs."""
    return post(provider, path, body, authorization=f"Bearer {KEY}")
