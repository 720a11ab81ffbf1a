"""The recorded answer, from a body and from an event stream."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from cgcli.readers import answers, open_bytes, read
from tests.forking import HEAD, bodies, pair, user
from tests.running import FIXTURES

Json = dict[str, Any]


def stream(*events: Json | str, named: bool = True) -> str:
    """Events as they go over the wire."""
    said = []
    for event in events:
        name = f"event: {event['type']}\n" if named and isinstance(event, dict) and "type" in event else ""
        said.append(f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
    return "".join(said)


def delta(index: int, **more: Any) -> Json:
    """A delta of one block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": "some_delta", **more}}


def start(index: int, **block: Any) -> Json:
    """The start of one block."""
    return {"type": "content_block_start", "index": index, "content_block": block}


MESSAGE: Json = {
    "type": "message_start",
    "message": {"type": "message", "role": "assistant", "id": "msg_1", "content": []},
}
STOP: Json = {"type": "message_stop"}


def of(*events: Json | str) -> Any:
    """The answer of a stream, parsed; None where there is none."""
    found = answers.of_stream(stream(*events))
    return json.loads(found) if found is not None else None


def test_blocks_grow_by_their_deltas() -> None:
    """Thinking with its signature, two pieces of text, a call whose input comes in pieces, and a ping in between."""
    answer = of(
        MESSAGE,
        start(0, type="thinking", thinking="", signature=""),
        delta(0, thinking="Hm"),
        delta(0, thinking="m."),
        delta(0, signature="c2ln"),
        {"type": "ping"},
        {"type": "content_block_stop", "index": 0},
        start(1, type="text", text=""),
        delta(1, text="Do\u2028"),
        delta(1, text="ne"),
        start(2, type="tool_use", id="toolu_1", name="Bash", input={}),
        delta(2, partial_json=""),
        delta(2, partial_json='{"a":'),
        delta(2, partial_json=" [1.0]}"),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        STOP,
    )
    assert answer == {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "content": [
            {"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"},
            {"type": "text", "text": "Do\u2028ne"},
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"a": [1.0]}},
        ],
        "stop_reason": "tool_use",
        "usage": {"output_tokens": 9},
    }


def test_the_last_usage_stands() -> None:
    """The input stands at the start, output and iterations at the end; null takes nothing back."""
    begun = {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}
    ended = {"input_tokens": None, "output_tokens": 9, "iterations": [{"type": "message", "input_tokens": 5}]}
    answer = of(
        {"type": "message_start", "message": {**MESSAGE["message"], "usage": begun}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": ended},
        STOP,
    )
    assert answer["usage"] == {
        "input_tokens": 5,
        "cache_read_input_tokens": 7,
        "output_tokens": 9,
        "iterations": [{"type": "message", "input_tokens": 5}],
    }


@pytest.mark.parametrize("content", ["<summary>a</summary>", None])
def test_a_compaction_comes_in_one_delta(content: str | None) -> None:
    """What is null in it stays null: its encrypted content, and its content where the summary failed."""
    answer = of(
        MESSAGE,
        start(0, type="compaction", content=None, encrypted_content=None),
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "compaction_delta", "content": content, "encrypted_content": None},
        },
        STOP,
    )
    assert answer["content"] == [{"type": "compaction", "content": content, "encrypted_content": None}]


def test_citations_are_kept() -> None:
    """Each citation is one more of the block's."""
    answer = of(
        MESSAGE, start(0, type="text", text="a"), delta(0, citation={"n": 1}), delta(0, citation={"n": 2}), STOP
    )
    assert answer["content"] == [{"type": "text", "text": "a", "citations": [{"n": 1}, {"n": 2}]}]


@pytest.mark.parametrize(
    "events",
    [
        [],
        [MESSAGE, start(0, type="text", text=""), delta(0, text="cut")],
        [MESSAGE, delta(3, text="no such block"), STOP],
        [MESSAGE, start(0, type="tool_use", input={}), delta(0, partial_json='{"a":'), STOP],
        [MESSAGE, start(0, type="new"), delta(0, vector=[1, 2]), STOP],
        [MESSAGE, "{not json", STOP],
        [{"type": "error", "error": {"type": "overloaded_error"}}],
        [{"choices": [{"index": 0, "delta": {"content": "cut"}}]}],
        [{"choices": [{"index": 1, "delta": {"content": "second"}, "finish_reason": "stop"}]}],
        [{"type": "response.created", "response": {"output": []}}],
    ],
)
def test_what_is_not_whole_is_no_answer(events: list[Json | str]) -> None:
    """A stream that ends early, fails, or has a delta of an unknown kind gives no answer, never a part of one."""
    assert of(*events) is None


def test_a_chat_stream_is_one_message() -> None:
    """Content and two calls whose arguments come in pieces; `[DONE]` ends it."""
    function = {"name": "Bash", "arguments": ""}
    answer = of(
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Do"}}]},
        {"choices": [{"index": 0, "delta": {"content": "ne"}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "id": "c2", "function": function}]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {"choices": [], "usage": {"prompt_tokens": 9}},
        "[DONE]",
    )
    assert answer["usage"] == {"prompt_tokens": 9}
    assert answer["choices"][0]["message"] == {
        "role": "assistant",
        "content": "Done",
        "tool_calls": [
            {"type": "function", "function": {"name": "Bash", "arguments": '{"a":1}'}, "id": "c1"},
            {"type": "function", "function": {"name": "Bash", "arguments": ""}, "id": "c2"},
        ],
    }


def test_a_responses_stream_ends_with_its_answer() -> None:
    """`response.completed` has it whole; the deltas before it are not needed."""
    whole = {"id": "resp_1", "output": [{"type": "message", "content": []}]}
    answer = of(
        {"type": "response.created", "response": {"id": "resp_1", "output": []}},
        {"type": "response.output_text.delta", "delta": "Done"},
        {"type": "response.completed", "response": whole},
    )
    assert answer == whole


@pytest.mark.parametrize(
    ("written", "is_answer"),
    [
        (b'{"content": [ ], "x":1.0}', True),
        (b'{"choices":[]}', True),
        (b'{"output":[]}', True),
        (b'{"type":"error","error":{}}', False),
        (b'{"content":[],"content":[]}', False),
    ],
)
def test_a_body_is_kept_as_it_is_written(written: bytes, is_answer: bool) -> None:  # noqa: FBT001
    """An answer's own bytes; an error, or a key that stands twice, is no answer."""
    assert answers.of_body(written) == (written if is_answer else None)


def exchanges(data: bytes) -> list[bytes | None]:
    """The answer of each request in a log."""
    found = read(io.BytesIO(data), file="t.jsonl")
    return [entry.exchange.answer for entry in found if entry.exchange is not None]


def test_a_log_keeps_the_answer_of_each_request() -> None:
    """With an answer its body's bytes, without one nothing; the second request's history is not read again."""
    content = [{"type": "text", "text": "Done."}]
    sent = [
        {**HEAD, "messages": [user("a"), *[{"role": "assistant", "content": content}, user("b")] * n]} for n in (0, 1)
    ]
    kept = exchanges(bodies(pair(sent[0], content=content), pair(sent[1])))
    assert kept[0] is not None
    assert json.loads(kept[0]) == {"type": "message", "role": "assistant", "content": content}
    assert kept[1] is None


def test_the_fixtures_streams_and_bodies_say_the_same_shape() -> None:
    """Of 5 requests 2 have their answer, one text block each: one is overloaded, one cut, one an orphan."""
    path = FIXTURES / "claude-trace" / "odd.jsonl"
    with open_bytes(str(path)) as opened:
        kept = exchanges(opened.read())
    whole = [json.loads(answer)["content"] for answer in kept if answer is not None]
    assert [answer is not None for answer in kept] == [True, False, True, False, False]
    assert [[block["type"] for block in content] for content in whole] == [["text"], ["text"]]
    assert all(content[0]["text"] for content in whole)


def test_other_readers_record_no_answer() -> None:
    """Bare bodies are requests alone."""
    assert exchanges(bodies({**HEAD, "messages": [user("a")]})) == [None]


@pytest.mark.parametrize(
    "said",
    [
        '{"type":"message_start","message":{}} ',
        '{"type":"message_start","message":"text"}',
        '{"choices":[{"delta":{},"finish_reason":NaN}]}',
        '{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":Infinity}}',
        '{"choices":[7]}',
        '{"choices":' + "[" * 100_000,
    ],
)
def test_odd_events_are_no_answer(said: str) -> None:
    """Of another kind than they should be, not JSON, or nested too deeply: nothing, and no other error."""
    assert answers.of_stream(f"data: {said}\n\n") is None


def test_blocks_that_are_no_objects_are_no_answer() -> None:
    """A block's first event that has a text where the block should be."""
    begun = stream({"type": "message_start", "message": {}})
    odd = stream({"type": "content_block_start", "content_block": "ab"}, {"type": "message_stop"})
    assert answers.of_stream(begun + odd) is None
