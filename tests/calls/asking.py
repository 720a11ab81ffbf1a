"""Parents and spans for calls, from bodies that a test writes down; and where bytes belong, by the standard library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict

from cgcli.calls.build import build
from cgcli.calls.call import Asking, Call, CallMode, CallOptions, Parent, PrefixSource
from cgcli.model import Refusal, Source
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from tests import oracle

if TYPE_CHECKING:
    from typing import Unpack

    from cgcli.model import Request

Json = dict[str, Any]
SOURCE = Source(file="t.jsonl", line=1, wrap="object")
TOOLS = [{"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object", "properties": {}}}]
MODEL = "claude-opus-4-8"


class Facts(TypedDict, total=False):
    """What the seam says of a parent, where it is not the best case."""

    source: Source
    tools_recorded: bool
    prefix_source: PrefixSource | None
    views_since_send: int
    window_tokens: int | None
    tokens: int | None


def text(said: str, **more: Any) -> Json:
    """A text block."""
    return {"type": "text", "text": said, **more}


def user(*content: Json | str) -> Json:
    """A user's message: a string where it is one, else blocks."""
    return _message("user", content)


def assistant(*content: Json | str) -> Json:
    """The assistant's message."""
    return _message("assistant", content)


def _message(role: str, content: tuple[Json | str, ...]) -> Json:
    only = content[0] if len(content) == 1 else None
    return {"role": role, "content": only if isinstance(only, str) else list(content)}


def call(name: str) -> Json:
    """A tool call."""
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "make"}}


def result(name: str, output: str = "ok") -> Json:
    """Its result."""
    return {"type": "tool_result", "tool_use_id": name, "content": output}


def claude(*messages: Json, **more: Any) -> Json:
    """A Claude body."""
    head = {"model": MODEL, "max_tokens": 4096, "system": "You are a coding agent.", "tools": TOOLS}
    return {**head, "messages": list(messages), **more}


def chat(*messages: Json, **more: Any) -> Json:
    """A Chat Completions body."""
    tool = {"type": "function", "function": {"name": "Bash", "parameters": {}}}
    return {"model": "gpt-4.1", "tools": [tool], "messages": list(messages), **more}


def responses(history: Any, **more: Any) -> Json:
    """A Responses body."""
    tool = {"type": "function", "name": "Bash", "parameters": {}}
    return {"model": "gpt-5.6-sol", "instructions": "Be brief.", "tools": [tool], "input": history, **more}


SESSION = (
    user(text("Build every part.")),
    assistant(text("I build part 1."), call("a")),
    user(result("a", "part 1 compiled " * 40)),
    assistant(text("I build part 2."), call("b")),
    user(result("b", "part 2 compiled " * 40)),
    assistant("Both are built."),
    user("Now test them."),
)
"""Seven messages: a task, two groups of call and result, an answer, a question."""


def compact(body: Json) -> bytes:
    """As most clients write it."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def asking(
    data: bytes | Json,
    start: int = 1,
    stop: int = 3,
    *,
    options: CallOptions | None = None,
    span_request: Request | None = None,
    span_tokens: int = 100,
    **facts: Unpack[Facts],
) -> Asking:
    """Asking for messages *start* to *stop* of the parent *data*, which was sent just now unless *facts* say else."""
    request = parse_body(data if isinstance(data, bytes) else compact(data))
    known: Json = {"source": SOURCE, "tools_recorded": True, "prefix_source": PrefixSource.WIRE_RECORD, **facts}
    return Asking(
        parent=Parent(request=request, **known),
        selection=Selection(start=start, stop=stop, tokens=span_tokens, n_pinned=start),
        options=options if options is not None else CallOptions(prompt="Sum up."),
        span_request=span_request,
    )


def built(mode: CallMode, wanted: Asking) -> Call:
    """The call, which must be possible."""
    found = build(mode, wanted)
    assert isinstance(found, Call), found
    return found


def refused(mode: CallMode, wanted: Asking) -> str:
    """The reason why there is no call."""
    found = build(mode, wanted)
    assert isinstance(found, Refusal), found
    assert not found.is_decline
    return found.reason


def behind_last(data: bytes, history: str = "messages") -> int:
    """The byte behind the last message of a body, by the oracle's own tokens."""
    tokens = oracle.json_tokens(data)
    ends = (i for i, one in enumerate(tokens) if one.path == history and data[one.start : one.stop] == b"]")
    i = max(ends) - 1
    return tokens[i].stop if tokens[i].kind != "space" else tokens[i - 1].stop


def behind_members(data: bytes) -> int:
    """The byte behind the last member of a body."""
    return len(data.rstrip()[:-1].rstrip())
