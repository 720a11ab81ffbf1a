"""The calls that are built, and what follows them, sent to a provider that answers 400 where the real ones do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.build import build, modes_for
from cgcli.calls.call import NATIVE, Asking, Call, CallMode, CallOptions, Parent, PrefixSource
from cgcli.calls.following import Followed, follow
from cgcli.live.answering import Answered
from cgcli.model import Source, changed
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from cgcli.summarisers.answers import read_answer
from tests.live.asking import MARK, Json, assistant, message, text, user
from tests.live.sending import client, free, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.live.client import Client
    from cgcli.model import Request
    from tests.live.provider import Provider

TOOLS = [{"name": "ls", "description": "Lists.", "input_schema": {"type": "object", "properties": {}}}]
SUMMARY = b'{"role":"user","content":"What was done so far."}'


def call(name: str) -> Json:
    """A tool call of Claude's."""
    return {"type": "tool_use", "id": name, "name": "ls", "input": {"path": "."}}


def result(name: str, **more: Any) -> Json:
    """Its result."""
    return {"type": "tool_result", "tool_use_id": name, "content": "a file " * 100, **more}


CLAUDE = (
    user(text(1500, "t")),
    assistant(text(20), call("a"), call("b")),
    user(result("a"), result("b")),
    assistant(call("c")),
    user(result("c", cache_control=MARK)),
    assistant("All is listed."),
    user(text(300, "u", cache_control=MARK)),
)
MARKED: Json = {
    "model": "claude-opus-4-8",
    "system": [text(40, "s", cache_control=MARK)],
    "tools": [{**TOOLS[0], "cache_control": MARK}],
}
CHAT = (
    user("x" * 6000),
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a file"},
    assistant("All is listed."),
    user("Go on."),
)
RESPONSES = (
    user("x" * 6000),
    {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "a file"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "All is listed."}]},
    user("Go on."),
)
FUNCTION: Json = {"type": "function", "name": "ls", "parameters": {"type": "object"}}
# Each parent, and where its span ends.
PARENTS: dict[str, tuple[Json, int]] = {
    "four marks, parallel calls": (message(*CLAUDE, **MARKED), 5),
    "a cut behind a turn of calls alone": (message(*CLAUDE, model="claude-opus-4-8", tools=TOOLS), 3),
    "ends on results": (message(*CLAUDE[:5], model="claude-opus-4-8", tools=TOOLS), 3),
    "strings": (
        message(user("a" * 6000), assistant("b"), user("c"), assistant("d"), user("e"), system="s", tools=TOOLS),
        3,
    ),
    "automatic mark": (message(*CLAUDE[:4], user(result("c")), cache_control=MARK, tools=TOOLS), 3),
    "chat": (
        {"model": "gpt-5.6-sol", "tools": [{"type": "function", "function": TOOLS[0]}], "messages": list(CHAT)},
        3,
    ),
    "responses": ({"model": "gpt-5.6-sol", "instructions": "i", "tools": [FUNCTION], "input": list(RESPONSES)}, 3),
}
CASES = [
    pytest.param(parent, stop, mode, id=f"{name}, {mode}")
    for name, (parent, stop) in PARENTS.items()
    for mode in modes_for("anthropic" if "max_tokens" in parent else f"openai-{name}")
]


def asking(parent: Json, stop: int) -> Asking:
    """Asking for all but the first message, up to *stop*."""
    return Asking(
        parent=Parent(
            request=parse_body(written(parent)),
            source=Source(file="t.jsonl", line=1, wrap="object"),
            tools_recorded=True,
            prefix_source=PrefixSource.WIRE_RECORD,
        ),
        selection=Selection(start=1, stop=stop, tokens=500, n_pinned=1),
        options=CallOptions(),
    )


@pytest.fixture
def sending(provider: Provider) -> Iterator[Client]:
    """A client of the local provider."""
    with client(provider.url) as found:
        yield found


def sent(sending: Client, request: Request, body: bytes, **more: Any) -> Answered:
    """The answer to *body*, which a 400 is not."""
    found = sending.send(body, dialect=request.dialect, spending=free(), **more)
    assert isinstance(found, Answered)
    return found


@pytest.mark.parametrize(("parent", "stop", "mode"), CASES)
def test_no_call_is_refused(sending: Client, parent: Json, stop: int, mode: CallMode) -> None:
    """The call is answered, its answer is read, and the request that follows is answered too."""
    wanted = asking(parent, stop)
    made = build(mode, wanted)
    assert isinstance(made, Call), made
    request = wanted.parent.request
    before = sent(sending, request, bytes(request.raw)).usage
    answered = sent(sending, request, made.body, path=made.path, headers=made.headers)
    found = read_answer(answered.body, mode)
    assert before is not None
    assert answered.usage is not None
    wrote = sum((before.write_by_ttl_s or {}).values())
    assert (wrote > 1500) is (request.dialect != "anthropic" or b"cache_control" in bytes(request.raw))
    if mode is CallMode.FORK:
        assert answered.usage.read == wrote
    if mode is CallMode.STANDALONE:
        assert answered.usage.read == 0
    if mode is CallMode.NATIVE_THRESHOLD:
        return  # the parent is below the least trigger: no block came
    assert found.fault is None
    new = SUMMARY if mode not in NATIVE else found.block
    assert new is not None
    grown = parse_body(written(_grown(parent)))
    after = follow(mode, grown, wanted.selection, new, CallOptions(), n_parent=len(request.messages))
    assert isinstance(after, Followed), after
    sent(sending, grown, after.body, headers=after.headers)


def _grown(parent: Json) -> Json:
    """The parent as it goes on: an answer, and the next question."""
    name = "input" if "input" in parent else "messages"
    return {**parent, name: [*parent[name], assistant("Done."), user("Next.")]}


def test_every_shape_is_among_them() -> None:
    """Five parents of Claude's with four modes, one with two, one with five."""
    assert len(CASES) == 5 * 4 + 2 + 5


def test_compaction_at_a_threshold_and_what_follows(sending: Client) -> None:
    """Over 50,000 tokens the block comes with the answer; both go back, and the provider drops what stands before."""
    parent = message(user(text(50_000, "t")), assistant("a"), user("b"), model="claude-opus-4-8", tools=TOOLS)
    wanted = asking(parent, 2)
    options = CallOptions(trigger_tokens=50_000)
    made = build(CallMode.NATIVE_THRESHOLD, changed(wanted, options=options))
    assert isinstance(made, Call), made
    request = wanted.parent.request
    answered = sent(sending, request, made.body, headers=made.headers)
    found = read_answer(answered.body, CallMode.NATIVE_THRESHOLD)
    assert found.block is not None
    content = json.dumps(json.loads(answered.body)["content"]).encode()
    grown = parse_body(written(_grown(parent)))
    after = follow(CallMode.NATIVE_THRESHOLD, grown, wanted.selection, content, options, n_parent=3)
    assert isinstance(after, Followed), after
    usage = sent(sending, grown, after.body, headers=after.headers).usage
    assert usage is not None
    assert usage.input is not None
    assert usage.input < 500
