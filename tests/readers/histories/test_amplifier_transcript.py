"""Amplifier's transcript: one request for each answer, spelled as Anthropic's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

TRANSCRIPT = FIXTURES / "amplifier-transcript" / "transcript.jsonl"
STAMP = {"metadata": {"timestamp": "2026-03-02T08:00:00Z"}}
USER: Json = {"role": "user", "content": "hi", **STAMP}
DONE: Json = {"role": "assistant", "content": "done"}
WORDS = (
    *("role", "user", "assistant", "tool", "content", "tool_calls", "id", "tool", "arguments", "name", "type", "text"),
    *("tool_call", "tool_result", "thinking", "signature", "metadata", "timestamp", "tool_call_id", "input"),
)


def test_each_answer_is_given_to_what_stands_before_it() -> None:
    """Four answers; the person's last words have none, and make no request."""
    found = of_path(TRANSCRIPT)
    assert (found.capture.format_name, found.lines) == ("amplifier-transcript", [3, 6, 8, 10])
    assert found.lanes() == [[[1, 2, 3, 4]]]
    assert all(exchange.source.reconstructed for exchange in found.exchanges)
    assert [(one.request.tools, one.request.system) for one in found.exchanges] == [(None, None)] * 4
    assert found.billed == [None] * 4


def test_messages_become_anthropics_blocks() -> None:
    """Calls told twice stand once; results of one turn stand in one message; one that is an object is its JSON."""
    first, call, results, said, book, called, booked = of_path(TRANSCRIPT).bodies[3]["messages"]
    assert first == {"role": "user", "content": [{"type": "text", "text": "Are berths 0 and 1 free?"}]}
    assert call["content"] == [
        {"type": "thinking", "thinking": "Two berths.", "signature": "c2lnbmVk"},
        {"type": "tool_use", "id": "call_0", "name": "ledger", "input": {"berth": 0}},
        {"type": "tool_use", "id": "call_1", "name": "ledger", "input": {"berth": 1}},
    ]
    assert results == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "call_0", "content": "berth 0: free"},
            {"type": "tool_result", "tool_use_id": "call_1", "content": '{"berth":1,"free":false}'},
        ],
    }
    assert said["content"] == [{"type": "text", "text": "Berth 0 is."}]
    assert book["content"] == [{"type": "text", "text": "Book it."}]
    assert called["content"] == [{"type": "tool_use", "id": "call_2", "name": "book", "input": {"berth": 0}}]
    assert booked["content"] == [{"type": "tool_result", "tool_use_id": "call_2", "content": "booked"}]


def test_the_answer_is_the_message() -> None:
    """With its role and its blocks; times are those of the messages, where they have one."""
    exchanges = of_path(TRANSCRIPT).exchanges
    assert answer(exchanges[3]) == {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    assert [(one.sent_s, one.answered_s) for one in exchanges] == [
        (1_772_438_400.0, 1_772_438_404.0),
        (None, 1_772_438_409.0),
        (None, None),
        (None, None),
    ]


def test_blocks_that_are_not_known_go_through() -> None:
    """A block of another kind keeps what it has."""
    odd = {"type": "reasoning", "content": ["a"], "state": None, "visibility": "internal"}
    found = rebuilt(jsonl([USER, {"role": "assistant", "content": [odd]}, USER, DONE]))
    assert found.bodies[1]["messages"][1]["content"] == [{"type": "reasoning", "content": ["a"], "state": None}]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"role": "referee", "content": "a"}, "bad_shape"),
        ({"content": "a"}, "bad_shape"),
        ({"role": "tool", "content": [7]}, "bad_shape"),
        ({"role": "user", "content": 7}, None),
        ({"role": "user", "content": ["a", 7]}, None),
        ({"role": "assistant", "tool_calls": [7, {"id": 7, "tool": [], "arguments": "no object"}]}, None),
        ({"role": "tool", "tool_call_id": 7, "content": 7.5}, None),
    ],
)
def test_an_odd_message_spoils_no_other(message: Any, reason: str | None) -> None:
    """One that cannot be used is left out alone; the conversation goes on without it."""
    found = rebuilt(jsonl([USER, DONE, message, USER, DONE]))
    assert [passed.reason for _, passed in found.passed] == ([reason] if reason else [])
    assert found.lines[-1] == 5


def test_other_messages_are_not_taken_for_amplifiers() -> None:
    """Messages one a line without what only Amplifier writes are refused."""
    with pytest.raises(Exception, match="list of messages"):
        rebuilt(jsonl([{"role": "user", "content": "hi"}, DONE]))


def test_damaged_transcripts_are_read_or_reported() -> None:
    """Never another error."""
    survives("amplifier-transcript", ["amplifier-transcript/transcript.jsonl"], WORDS)
