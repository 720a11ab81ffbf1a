"""What is read of each part of a message, and where it stands."""

from __future__ import annotations

import json

import pytest

from cgcli.replay.paired.regret_fragments import Fragments, text_of
from tests.lanes.placing import Json, body, request

THINKING: Json = {"type": "thinking", "thinking": "Look at var_x.", "signature": "c2lnbmVk_1234"}
CALL: Json = {"type": "tool_use", "id": "toolu_0123456", "name": "run_query", "input": {"id": "row_17", "at": [7, "x"]}}
RESULT: Json = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [{"type": "page", "title": "T"}],
}
IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8_12345"}}


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (THINKING, "Look at var_x."),
        (CALL, "run_query\nrow_17\n7\nx"),
        (RESULT, "T"),
        (IMAGE, ""),
        ({"type": "text", "text": "Said."}, "Said."),
    ],
    ids=["thinking", "call", "result", "image", "text"],
)
def test_what_is_read_of_a_block(block: Json, text: str) -> None:
    """What the model reads, without ids, types, seals and the names of fields."""
    (item,) = request(body({"role": "assistant", "content": [block]})).messages
    assert text_of(item, item.parts[0]) == text


def test_arguments_in_a_string_are_read() -> None:
    """Chat Completions spells the input of a call as JSON in a string."""
    function = {"name": "grep", "arguments": json.dumps({"pattern": "a\nvar_x", "all": True})}
    call = {"id": "call_0123456", "type": "function", "function": function}
    messages: list[Json] = [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": [call]}]
    item = request({"model": "gpt-4.1", "messages": messages}).messages[1]
    assert text_of(item, item.parts[0]) == "grep\na\nvar_x\nTrue"


def test_bytes_of_json_are_read_as_what_they_quote() -> None:
    """A string, whole messages with a comma between them, and what is no JSON."""
    fragments = Fragments()
    assert fragments.literal(b'"first\\nretry_limit"') == {"retry_limit"}
    assert fragments.literal(b'{"content": "retry_limit"}, {"content": "base_delay"}') >= {"retry_limit", "base_delay"}
    assert "retry_limit" in fragments.literal(b'"retry_limit", {"cut')


def test_an_item_is_read_once() -> None:
    """The same message in two requests stands in one place."""
    fragments = Fragments()
    first = body({"role": "user", "content": "Set retry_limit."})
    fragments.read(request(first))
    second = request({**first, "messages": [*first["messages"], {"role": "user", "content": "More of retry_limit."}]})
    assert fragments.read(second) >= {item.rendered for item in second.messages}
    places = [(item.rendered, 0) for item in second.messages]
    assert [*fragments.holders("retry_limit")] == places
    assert [*fragments.holders("base_delay")] == []
