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
    fragments.read_words()
    assert [*fragments.holders("retry_limit")] == places
    assert [*fragments.holders("base_delay")] == []


def _said(*texts: str) -> list[Json]:
    return [{"role": "user", "content": text} for text in texts]


@pytest.mark.parametrize("is_late", [False, True])
def test_fragments_are_found_however_late_they_are_looked_for(*, is_late: bool) -> None:
    """In the order in which they were read: those before the first question, and those after it."""
    fragments = Fragments()
    texts = ["Set retry_limit.", "Nothing here.", "See retry_limit, base_delay.", "And base_delay."]
    if not is_late:
        fragments.read_words()
    made = [
        request({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": _said(*texts[:n])})
        for n in range(2, len(texts) + 1)
    ]
    for i, one in enumerate(made):
        fragments.read(one)
        if is_late and i == 1:
            fragments.read_words()
    last = made[-1]
    places = [(item.rendered, 0) for item in last.messages]
    assert [fragments.words(place) for place in places] == [
        {"retry_limit"},
        frozenset(),
        {"retry_limit", "base_delay"},
        {"base_delay"},
    ]
    assert [*fragments.holders("retry_limit")] == [places[0], places[2]]
    assert [*fragments.holders("base_delay")] == [places[2], places[3]]


def test_a_line_that_is_a_fragment_stands_where_the_fragment_does() -> None:
    """Before anybody looked for fragments, too: it is sent as long as one of them is."""
    fragments = Fragments()
    last = request(
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 9,
            "messages": _said("Open src/app/main.py now.", "src/app/main.py"),
        }
    )
    fragments.read(last)
    first, second = ((item.rendered, 0) for item in last.messages)
    assert [*fragments.holders("src/app/main.py")] == [first, second]
    assert fragments.is_repeated("src/app/main.py")
    assert [*fragments.again(second)] == ["src/app/main.py"]
