"""The request that follows each call, in exact bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode, CallOptions
from cgcli.calls.following import Followed, covers, follow, follow_native, follow_summary
from cgcli.model import Refusal
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from cgcli.wire.splice import splice
from tests.calls.asking import (
    SESSION,
    Json,
    assistant,
    behind_members,
    call,
    chat,
    claude,
    compact,
    responses,
    result,
    text,
    user,
)
from tests.calls.test_open_calls import CHAT_A, CHAT_B, CHAT_CALLS, ITEMS, OUTPUTS

if TYPE_CHECKING:
    from cgcli.model import Request

SUMMARY = b'{"role":"user","content":"What was done."}'
BLOCK = b'{"type":"compaction", "content":"All was built.","signature":"c2ln" }'
ITEM = b'{"type":"compaction","encrypted_content":"b3BhcXVl","id":"cmp_1"}'
THRESHOLD, ON_DEMAND, ENDPOINT = CallMode.NATIVE_THRESHOLD, CallMode.NATIVE_ON_DEMAND, CallMode.NATIVE_ENDPOINT
OPTIONS = CallOptions(trigger_tokens=60_000)
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
MANAGED = (
    b',"context_management":{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":60000}}]}'
)


def span(start: int, stop: int) -> Selection:
    """A selection of those messages."""
    return Selection(start=start, stop=stop, tokens=9, n_pinned=start)


def parsed(body: Json, indent: int | None = None) -> Request:
    """*body* as a request."""
    return parse_body(json.dumps(body, indent=indent).encode())


def followed(found: Followed | Refusal) -> Followed:
    """What follows, which must be possible."""
    assert isinstance(found, Followed), found
    assert splice(bytes(found.request.raw), found.edits) == found.body
    return found


def reason(found: Followed | Refusal) -> str:
    """Why nothing follows."""
    assert isinstance(found, Refusal)
    return found.reason


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("mode", [CallMode.STANDALONE, CallMode.FORK])
def test_a_summary_stands_in_the_place_of_the_span(mode: CallMode, indent: int | None) -> None:
    """From the first byte of its first message to the last of its last one, and nothing else is touched."""
    data = json.dumps(claude(*SESSION), indent=indent).encode()
    messages = [json.dumps(one, indent=indent).encode().replace(b"\n", b"\n    ") for one in SESSION[1:5]]
    left = data.index(messages[0])
    right = data.index(messages[-1]) + len(messages[-1])
    found = followed(follow(mode, parse_body(data), span(1, 5), SUMMARY, OPTIONS))
    assert found.body == data[:left] + SUMMARY + data[right:]
    assert (found.covered, found.headers, found.effective) == ((1, 5), {}, found.body)
    assert found.edits == ((left, right, SUMMARY),)


@pytest.mark.parametrize(
    ("body", "start", "stop", "wanted"),
    [
        (claude(*SESSION), 1, 2, "tool_group_cut"),
        (claude(*SESSION), 2, 5, "tool_group_cut"),
        (claude(*SESSION), 3, 3, "span_not_in_parent"),
        (claude(*SESSION), 5, 8, "span_not_in_parent"),
        (chat(user("a"), CHAT_CALLS, CHAT_A, CHAT_B, user("b")), 0, 3, "tool_group_cut"),
        (responses([user("a"), *ITEMS, *OUTPUTS]), 0, 4, "tool_group_cut"),
        (responses([user("a"), {"type": "reasoning", "id": "r", "summary": []}, *ITEMS]), 0, 2, "reasoning_cut"),
        (responses([{"type": "reasoning", "id": "r", "summary": []}, *ITEMS, *OUTPUTS]), 1, 5, "reasoning_cut"),
        (claude(user("a"), {"role": "system", "content": "s"}, assistant("b"), user("c")), 2, 3, "system_misplaced"),
    ],
)
def test_a_run_that_cannot_be_taken_out_is_refused(body: Json, start: int, stop: int, wanted: str) -> None:
    """No call without its result, no reasoning without its item, no user's message behind a system message."""
    assert reason(follow_summary(parsed(body), span(start, stop), SUMMARY)) == wanted


@pytest.mark.parametrize(
    ("model", "kept", "thinking", "wanted"),
    [
        ("claude-opus-5-5", assistant(THOUGHT, text("b")), {}, "thinking_bound"),
        ("claude-opus-5-5", assistant(text("b")), {}, None),
        ("claude-opus-5", assistant(THOUGHT, text("b")), {}, None),
        (
            "claude-opus-5-5",
            assistant(THOUGHT, text("b")),
            {"block_binding": {"prefix_mismatch_behavior": "drop_block"}},
            None,
        ),
    ],
)
def test_thinking_behind_the_span_may_be_bound_to_it(
    model: str, kept: Json, thinking: Json, wanted: str | None
) -> None:
    """On models that check it a summary before it is an edited prefix: 400, unless the request asks to drop it."""
    body = claude(user("a"), assistant("b"), user("c"), kept, model=model, thinking=thinking)
    found = follow_summary(parsed(body), span(1, 2), SUMMARY)
    assert (found.reason if isinstance(found, Refusal) else None) == wanted


@pytest.mark.parametrize("indent", [None, 2])
def test_on_demand_the_block_comes_first_and_what_it_stands_for_is_gone(indent: int | None) -> None:
    """Everything up to the span's end, the pinned head too; the block byte for byte, in a message of its own."""
    data = json.dumps(claude(*SESSION), indent=indent).encode()
    first, last = (
        json.dumps(one, indent=indent).encode().replace(b"\n", b"\n    ") for one in (SESSION[0], SESSION[4])
    )
    left, right = data.index(first), data.index(last) + len(last)
    found = followed(follow_native(ON_DEMAND, parse_body(data), span(1, 5), BLOCK, OPTIONS))
    assert found.body == data[:left] + b'{"role":"assistant","content":[' + BLOCK + b"]}" + data[right:]
    assert (found.covered, dict(found.headers)) == ((0, 5), {"anthropic-beta": "compact-2026-09-04"})


@pytest.mark.parametrize(
    ("first_kept", "wanted"),
    [(user("c"), None), (assistant("c"), "thinking_bound"), ({"role": "system", "content": "c"}, "thinking_bound")],
)
def test_on_demand_kept_thinking_needs_another_role_first(first_kept: Json, wanted: str | None) -> None:
    """The first kept message is not of the last summarised one's role, and not system; the last one is an answer."""
    tail = (first_kept, assistant(THOUGHT, text("d")), user("e"))
    body = claude(user("a"), assistant("b"), *tail, model="claude-sonnet-5-5")
    found = follow_native(ON_DEMAND, parsed(body), span(0, 2), BLOCK, OPTIONS)
    assert (found.reason if isinstance(found, Refusal) else None) == wanted


def test_on_demand_without_kept_thinking_any_role_will_do() -> None:
    """Two messages of the assistant in a row are legal there."""
    body = claude(user("a"), assistant("b"), assistant("c"), user("d"), model="claude-sonnet-5-5")
    assert followed(follow_native(ON_DEMAND, parsed(body), span(0, 2), BLOCK, OPTIONS)).covered == (0, 2)


def test_on_demand_something_must_follow() -> None:
    """A request of the block alone asks for nothing."""
    found = follow_native(ON_DEMAND, parsed(claude(*SESSION)), span(0, 7), BLOCK, OPTIONS)
    assert reason(found) == "span_not_in_parent"


@pytest.mark.parametrize(
    "block",
    [
        b"{}",
        b"[]",
        b"3",
        b"{",
        b'{"type":"compaction","content":null,"signature":"s"}',
        b'{"type":"compaction","content":""}',
        b'{"type":"text","text":"All was built."}',
        b"[" + BLOCK + b"," + BLOCK + b"]",
    ],
)
def test_on_demand_what_is_no_block_is_refused(block: bytes) -> None:
    """Empty or null content means that no summary was made; exactly one block may be sent."""
    found = follow_native(ON_DEMAND, parsed(claude(*SESSION)), span(1, 5), block, OPTIONS)
    assert reason(found) == "block_unusable"


@pytest.mark.parametrize(
    ("answer", "behind", "old", "new"),
    [
        (
            assistant(text("ok"), call("z")),
            user(result("z")),
            b'[{"type":"text","text":"ok"},',
            b"[" + BLOCK + b',{"type":"text","text":"ok"},',
        ),
        (assistant("ok"), user("more"), b'"ok"', b"[" + BLOCK + b',{"type":"text","text":"ok"}]'),
        (assistant(""), user("more"), b'""', b"[" + BLOCK + b"]"),
        (assistant(), user("more"), b"[]", b"[" + BLOCK + b"]"),
    ],
)
def test_at_a_threshold_the_block_is_echoed_in_its_answer(answer: Json, behind: Json, old: bytes, new: bytes) -> None:
    """First in the content; what stands before stays and is ignored, and the edit goes on being asked for."""
    data = compact(claude(*SESSION, answer, behind))
    at = behind_members(data)
    left = data.rindex(b'{"role":"assistant","content":' + old) + 30
    found = followed(follow_native(THRESHOLD, parse_body(data), span(1, 5), BLOCK, OPTIONS, n_parent=7))
    assert found.body == data[:left] + new + data[left + len(old) : at] + MANAGED + data[at:]
    assert (found.covered, dict(found.headers)) == ((0, 7), {"anthropic-beta": "compact-2026-01-12"})
    assert json.loads(found.effective)["messages"] == json.loads(found.body)["messages"][7:]


@pytest.mark.parametrize("behind", [(), (user("more"),)])
def test_at_a_threshold_a_block_without_an_answer_is_a_message(behind: tuple[Json, ...]) -> None:
    """After a pause the answer is the block alone."""
    request = parse_body(compact(claude(*SESSION, *behind)))
    found = followed(follow_native(THRESHOLD, request, span(1, 5), BLOCK, OPTIONS, n_parent=7))
    own = {"role": "assistant", "content": [json.loads(BLOCK)]}
    assert json.loads(found.body)["messages"] == [*SESSION, own, *behind]
    assert json.loads(found.effective)["messages"] == [own, *behind]


def test_at_a_threshold_the_whole_answer_can_be_echoed() -> None:
    """Where the content of the answer is given, it takes the place of what stands there."""
    content = b"[" + BLOCK + b',{"type":"text","text":"really"}]'
    body = compact(claude(*SESSION, assistant("ok"), user("more")))
    found = followed(follow_native(THRESHOLD, parse_body(body), span(1, 5), content, OPTIONS, n_parent=7))
    assert b'{"role":"assistant","content":' + content + b'},{"role":"user","content":"more"}' in found.body


def test_at_a_threshold_a_request_that_asks_already_goes_on_as_it_does() -> None:
    """Nothing of the caller's is set twice."""
    managed = {"edits": [{"type": "compact_20260112"}]}
    body = claude(*SESSION, context_management=managed)
    found = followed(follow_native(THRESHOLD, parsed(body), span(1, 5), BLOCK, OPTIONS))
    assert json.loads(found.body)["context_management"] == managed


def test_openais_item_stands_for_what_it_covers() -> None:
    """At a threshold and on demand for the whole parent, from the endpoint for the input up to the span's end."""
    history = [user("a"), *ITEMS, *OUTPUTS, user("b"), assistant("c"), user("d")]
    data = compact(responses(history))
    request = parse_body(data)
    rest = {n: compact({"x": history[n:]})[6:-2] for n in (5, 6)}
    head = data[: data.index(b'"input":[') + 9]
    on_demand = followed(follow_native(ON_DEMAND, request, span(1, 5), ITEM, OPTIONS, n_parent=6))
    assert (on_demand.body, on_demand.covered) == (head + ITEM + b"," + rest[6] + b"]}", (0, 6))
    at_threshold = followed(follow_native(THRESHOLD, request, span(1, 5), ITEM, OPTIONS, n_parent=6))
    managed = b',"context_management":[{"type":"compaction","compact_threshold":60000}]'
    assert at_threshold.body == head + ITEM + b"," + rest[6] + b"]" + managed + b"}"
    output = b"[" + compact(user("a")) + b"," + ITEM + b"]"
    endpoint = followed(follow_native(ENDPOINT, request, span(1, 5), output, OPTIONS))
    assert endpoint.body == head + output[1:-1] + b"," + rest[5] + b"]}"
    assert [found.headers for found in (on_demand, at_threshold, endpoint)] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("mode", "dialect", "wanted"),
    [
        (CallMode.STANDALONE, "anthropic", (2, 4)),
        (CallMode.FORK, "openai-chat", (2, 4)),
        (ON_DEMAND, "anthropic", (0, 4)),
        (THRESHOLD, "anthropic", (0, 9)),
        (THRESHOLD, "openai-responses", (0, 9)),
        (ON_DEMAND, "openai-responses", (0, 9)),
        (ENDPOINT, "openai-responses", (0, 4)),
    ],
)
def test_what_an_answer_stands_for(mode: CallMode, dialect: str, wanted: tuple[int, int]) -> None:
    """The span; everything up to its end; or the whole parent."""
    assert covers(mode, dialect, span(2, 4), 9) == wanted
