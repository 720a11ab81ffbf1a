"""A parent that is only to fill the cache: the same prompt, and no answer.

Claude docs, prompt caching: a request with `max_tokens` of 0 writes its breakpoints and answers nothing. It is refused
while streaming, thinking, with structured output or a forced tool. `max_tokens` and `stream` are no part of the prefix.
"""

from __future__ import annotations

from cgcli.dialects.settings import settings
from cgcli.model import Refusal, Request
from cgcli.wire.spans import Document
from cgcli.wire.splice import splice

_FORCED = frozenset({"any", "tool"})


def prewarming(request: Request) -> bytes | Refusal:
    """The body of *request* with `max_tokens` 0 and `stream` false, every other byte its own; or why it cannot be."""
    fault = _fault(request)
    if fault is not None:
        return Refusal(reason="no_prewarming", detail=fault)
    raw = bytes(request.raw)
    members = Document(raw).root().members()
    edits = [(node.start, node.stop, b"0") for name, node in members.items() if name == "max_tokens"]
    edits += [
        (node.start, node.stop, b"false") for name, node in members.items() if name == "stream" and node.value() is True
    ]
    return splice(raw, sorted(edits))


def _fault(request: Request) -> str | None:
    if request.dialect != "anthropic":
        return f"{request.dialect} has no request without an answer"
    told = settings(request)
    if told.get("max_tokens") is None:
        return "the parent has no max_tokens"
    thinking, choice, config = (told.get(name) for name in ("thinking", "tool_choice", "output_config"))
    if isinstance(thinking, dict) and thinking.get("type") != "disabled":
        return "the parent thinks"
    if isinstance(choice, dict) and choice.get("type") in _FORCED:
        return "the parent forces a tool"
    if isinstance(config, dict) and config.get("format") is not None:
        return "the parent asks for structured output"
    return None
