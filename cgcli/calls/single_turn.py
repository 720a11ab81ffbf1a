"""A request of one question: a system prompt and one user message, in the shape and on the terms of another request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.edits import message, quoted
from cgcli.dialects.settings import settings
from cgcli.model import value
from cgcli.wire.strings import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Request

_ANTHROPIC_VERSION = "anthropic_version"


@value
class Question:
    """What is asked, and of whom."""

    model: str | None
    """None: the address says which."""
    prompt: str
    """The system prompt."""
    text: str
    """The user message."""
    max_tokens: int
    """Of the answer, in the model's tokens."""
    style: Style | None = None
    """How strings are spelled; None: as `json.dumps` does."""


def single_turn(request: Request, question: Question) -> bytes:
    """The body that asks *question* where *request* was sent: one JSON object, the same bytes for the same question.

    No tools and no thinking, so it shares no prefix with *request*. Of its settings it keeps only those without which
    it would be another kind of request: `store` (a conversation that must not be kept is not kept here either), and the
    version that Bedrock and Vertex want in the body.
    """
    members = _members(request, question)
    return b"{" + b",".join(b'"%s":%s' % (name.encode(), told) for name, told in members) + b"}"


def _members(request: Request, question: Question) -> Iterator[tuple[str, bytes]]:
    outside = settings(request)
    prompt = quoted(question.prompt, question.style)
    user = message("user", quoted(question.text, question.style))
    most = b"%d" % question.max_tokens
    if question.model is not None:
        yield "model", quoted(question.model, question.style)
    if isinstance(outside.get("store"), bool):
        yield "store", b"true" if outside["store"] else b"false"
    if request.dialect == "anthropic":
        if isinstance(outside.get(_ANTHROPIC_VERSION), str):
            yield _ANTHROPIC_VERSION, quoted(outside[_ANTHROPIC_VERSION], Style.ASCII)
        yield "max_tokens", most
        yield "system", prompt
        yield "messages", b"[%s]" % user
    elif request.dialect == "openai-chat":
        # Compatible servers may know only the older name; OpenAI's reasoning models only the newer one.
        yield ("max_tokens" if "max_tokens" in outside else "max_completion_tokens"), most
        yield "messages", b"[%s,%s]" % (message("system", prompt), user)
    else:
        yield "max_output_tokens", most
        yield "instructions", prompt
        yield "input", b"[%s]" % user
