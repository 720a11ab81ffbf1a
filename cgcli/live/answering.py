"""What a provider sent back: the answer, whole, with its usage; or what its error says, fit to be shown."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from cgcli.model import Usage, value
from cgcli.readers import answers, usage
from cgcli.wire.spans import without_lone_surrogates

MOST_CHARS = 200
"""Of an error's message."""


@value
class Answered:
    """A request that was answered."""

    status: int
    body: bytes
    """The answer as one JSON object; a stream is put together."""
    usage: Usage | None
    """What it billed; None where it does not say."""
    elapsed_s: float
    """From the last sending to the answer's last byte."""
    n_sent: int
    """How often it was sent."""


@value
class Received:
    """An HTTP answer, read to its end."""

    status: int
    kind: str
    """Its content type."""
    body: bytes
    retry_after: str | None
    elapsed_s: float


def answer_of(received: Received) -> tuple[bytes | None, Usage | None]:
    """The answer and its usage, each None where it cannot be read; a stream that ends early may still have a usage."""
    if received.kind.partition(";")[0].strip().lower() == "text/event-stream":
        stream = received.body.decode("utf-8", "replace")
        try:
            return answers.of_stream(stream), usage.of_stream(stream)
        except RecursionError:
            return None, None
    tree = _parsed(received.body)
    if not isinstance(tree, dict):
        return None, None
    return answers.of_body(received.body), usage.of_answer(tree)


def error_text(received: Received, key: str | None) -> str:
    """What an error says, in one line of at most 200 characters: control characters shown, the *key* never."""
    tree = _parsed(received.body)
    error = tree.get("error") if isinstance(tree, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    if said is None and isinstance(tree, dict):
        said = tree.get("message") or tree.get("detail")
    if not isinstance(said, str) or not said.strip():
        return _phrase(received.status)
    if key:
        said = said.replace(key, "[key]")
    return shown(said)


def shown(text: str) -> str:
    r"""*text* in a line and not too long, what does not print escaped.

    >>> shown("a\nb\x1b[31m")
    'a b\\x1b[31m'
    """
    line = " ".join(text[: 4 * MOST_CHARS].split())
    safe = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    return safe if len(safe) <= MOST_CHARS else f"{safe[: MOST_CHARS - 1]}…"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no message"


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(without_lone_surrogates(body))
    except (ValueError, RecursionError):
        return None
