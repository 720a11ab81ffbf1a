"""Providers' answers, read as summaries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgcli.calls.call import CallMode
from cgcli.model import Basis, Refusal, Usage
from cgcli.summarisers.answers import read_answer
from cgcli.summarisers.protocol import Summary
from cgcli.wire.spans import Malformed

Json = dict[str, Any]
STANDALONE, FORK = CallMode.STANDALONE, CallMode.FORK
THRESHOLD, ON_DEMAND, ENDPOINT = CallMode.NATIVE_THRESHOLD, CallMode.NATIVE_ON_DEMAND, CallMode.NATIVE_ENDPOINT
SIGNED = b'{ "type":"compaction","content":"What was \\u0064one.", "signature":"c2ln" }'
UNSIGNED = b'{"type":"compaction","content":"What was done.","encrypted_content":null}'
ITEM = b'{"id":"cmp_1","type": "compaction","encrypted_content":"b3BhcXVl"}'


def message(*content: Json, stop: str | None = "end_turn", **more: Any) -> bytes:
    """An Anthropic message."""
    return json.dumps({"type": "message", "content": list(content), "stop_reason": stop, **more}).encode()


def text(said: str) -> Json:
    """A text block."""
    return {"type": "text", "text": said}


def completion(content: Any, *, stop: str = "stop", **more: Any) -> bytes:
    """A chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **more}, "finish_reason": stop}
    return json.dumps({"choices": [choice]}).encode()


def response(*output: Json, **more: Any) -> bytes:
    """A response."""
    return json.dumps({"object": "response", "status": "completed", "output": list(output), **more}).encode()


def told(*texts: str) -> Json:
    """A message item."""
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": one} for one in texts]}


def native(*blocks: bytes, stop: str = "compaction") -> bytes:
    """An Anthropic message with compaction blocks."""
    return b'{"content":[' + b",".join(blocks) + b'],"stop_reason":"' + stop.encode() + b'"}'


def items(*blocks: bytes) -> bytes:
    """A response with compaction items."""
    return b'{"object":"response.compaction","output":[{"type":"message","role":"user","content":"x"},%s]}' % (
        b",".join(blocks)
    )


@pytest.mark.parametrize(
    "answer",
    [
        message({"type": "thinking", "thinking": "Hm.", "signature": "s"}, text("All "), text("done.")),
        completion("All done."),
        completion([text("All "), text("done.")]),
        response({"type": "reasoning", "summary": []}, told("All ", "done.")),
        response({"type": "web_search_call"}, told("All done.")),
    ],
)
@pytest.mark.parametrize("mode", [STANDALONE, FORK])
def test_texts_are_joined_as_they_are(answer: bytes, mode: CallMode) -> None:
    """Without a separator, without thinking; in every shape."""
    assert read_answer(answer, mode) == Summary(text="All done.", basis=Basis.MEASURED)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (message(text("All d"), stop="max_tokens"), "cut"),
        (message(text("All d"), stop="model_context_window_exceeded"), "cut"),
        (completion("All d", stop="length"), "cut"),
        (response(told("All d"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "cut"),
        (message(text("I look."), {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}), "no_text"),
        (message(stop="tool_use"), "no_text"),
        (completion(None, stop="tool_calls", tool_calls=[{"id": "t"}]), "no_text"),
        (response({"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"}), "no_text"),
        (message(text("I cannot."), stop="refusal"), "refused"),
        (completion(None, refusal="I cannot."), "refused"),
        (completion("", stop="content_filter"), "refused"),
        (response({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}), "refused"),
        (response(status="failed"), "error_answer"),
        (b'{"type":"error","error":{"type":"overloaded_error","message":"m"}}', "error_answer"),
    ],
)
def test_what_is_no_whole_summary_has_a_fault(answer: bytes, reason: str) -> None:
    """Cut off, a call instead of a text, refused, failed."""
    fault = read_answer(answer, STANDALONE).fault
    assert fault is not None
    assert fault.reason == reason


def test_an_errors_message_is_not_repeated() -> None:
    """It may say anything; its type is enough, for a native call too."""
    answer = b'{"type":"error","error":{"type":"overloaded_error","message":"key sk-123"}}'
    fault = Refusal(reason="error_answer", detail="the provider answered with an error: overloaded_error")
    assert read_answer(answer, STANDALONE).fault == fault
    assert read_answer(answer, ON_DEMAND).fault == fault


@pytest.mark.parametrize(
    ("answer", "mode", "said", "block"),
    [
        (native(SIGNED), ON_DEMAND, "What was done.", SIGNED),
        (native(UNSIGNED, b'{"type":"text","text":"Go on."}'), THRESHOLD, "What was done.", UNSIGNED),
        (native(b'{"type":"compaction","content":null}', UNSIGNED), THRESHOLD, "What was done.", UNSIGNED),
        (items(ITEM), ENDPOINT, "", ITEM),
        (items(ITEM), ON_DEMAND, "", ITEM),
    ],
)
def test_a_block_is_kept_byte_for_byte(answer: bytes, mode: CallMode, said: str, block: bytes) -> None:
    """White space, escapes and the order of its members are its own; an opaque item has no text."""
    assert read_answer(answer, mode) == Summary(text=said, basis=Basis.MEASURED, block=block)


@pytest.mark.parametrize(
    ("answer", "mode", "fault"),
    [
        (native(SIGNED, SIGNED), ON_DEMAND, ("many_blocks", "2 compaction blocks, not one")),
        (items(ITEM, ITEM), ENDPOINT, ("many_blocks", "2 compaction blocks, not one")),
        (native(stop="max_tokens"), ON_DEMAND,
         ("no_block", "it has no compaction block; the provider stopped with max_tokens")),
        (completion("Done."), ON_DEMAND, ("no_block", "it has no compaction block; the provider stopped with stop")),
        (native(b'{"type":"compaction","content":null}', stop="end_turn"), THRESHOLD,
         ("null_block", "its compaction block is null; the provider stopped with end_turn")),
        (native(b'{"type":"compaction","content":""}'), THRESHOLD,
         ("empty_block", "its compaction block holds nothing")),
        (native(b'{"type":"compaction","content":[]}'), THRESHOLD,
         ("empty_block", "its compaction block holds nothing")),
        (items(b'{"type":"compaction"}'), ENDPOINT, ("empty_block", "its compaction block holds nothing")),
        (native(UNSIGNED), ON_DEMAND, ("unsigned_block", "its compaction block is not signed")),
    ],
)  # fmt: skip
def test_a_block_that_cannot_be_echoed_is_a_fault(answer: bytes, mode: CallMode, fault: tuple[str, str]) -> None:
    """None, two, null, empty, or without the signature that it has to go back with."""
    found = read_answer(answer, mode)
    assert found == Summary(text="", basis=Basis.MEASURED, fault=Refusal(reason=fault[0], detail=fault[1]))


def test_the_usage_of_each_iteration_is_kept() -> None:
    """Compaction on demand is billed there alone: the counts at the top are zero, and not what it cost."""
    counts = {
        "input_tokens": 0,
        "output_tokens": 0,
        "iterations": [
            {
                "type": "compaction",
                "input_tokens": 120,
                "output_tokens": 900,
                "cache_read_input_tokens": 50_000,
                "cache_creation_input_tokens": 30,
                "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 30},
            },
            "no object",
        ],
    }
    answer = json.dumps({"content": [json.loads(SIGNED)], "stop_reason": "compaction", "usage": counts}).encode()
    assert read_answer(answer, ON_DEMAND).usage == Usage(
        fresh=0,
        read=0,
        write_by_ttl_s={},
        output=0,
        iterations=(Usage(fresh=120, read=50_000, write_by_ttl_s={3600: 30}, output=900),),
    )


def test_a_cut_answer_was_billed() -> None:
    """The usage stays beside the fault."""
    answer = message(text("All d"), stop="max_tokens", usage={"input_tokens": 7, "output_tokens": 3})
    assert read_answer(answer, STANDALONE).usage == Usage(fresh=7, read=0, write_by_ttl_s={}, output=3)


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"[]", b"{}", b'"text"', b'{"content":"x"}', b"\xff\xfe", b'{"content":[],"content":[]', b"[" * 9000],
)
def test_what_is_no_answer_is_malformed(damaged: bytes) -> None:
    """Not JSON, or JSON of another kind."""
    with pytest.raises(Malformed):
        read_answer(damaged, ON_DEMAND)
