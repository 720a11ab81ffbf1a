"""Anthropic Messages, part by part."""

from __future__ import annotations

import pytest

from cgcli.wire.spans import Malformed
from tests.dialects.rows import Row, message_rows, system_rows, tool_rows

MESSAGES: dict[str, tuple[str, list[Row]]] = {
    "user string": (
        '{"role":"user","content":"hi é"}',
        [Row("user_text", "user", "content", "hi é")],
    ),
    "assistant string": (
        '{"content":"ok","role":"assistant"}',
        [Row("assistant_text", "assistant", "content", "ok")],
    ),
    "system message between the others": (
        '{"role":"system","content":[{"type":"text","text":"Now","cache_control":{"type":"ephemeral"}}]}',
        [Row("system", "system", "content.0.text", "Now", mark="unsaid")],
    ),
    "text and image": (
        (
            '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"u"},'
            '"cache_control":{"type":"ephemeral","ttl":"1h"}}]}'
        ),
        [Row("user_text", "user", "content.0.text", "a"), Row("image", "user", "content.1", mark="1h")],
    ),
    "thinking, text, parallel calls": (
        (
            '{"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"c2ln"},'
            '{"type":"redacted_thinking","data":"eA=="},{"type":"text","text":"b"},'
            '{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},'
            '{"type":"tool_use","id":"t2","name":"Read","input":{},"cache_control":{"type":"ephemeral","ttl":"5m"}}]}'
        ),
        [
            Row("thinking", "assistant", "content.0"),
            Row("thinking", "assistant", "content.1"),
            Row("assistant_text", "assistant", "content.2.text", "b"),
            Row("tool_call", "assistant", "content.3", pair_id="t1", name="Bash"),
            Row("tool_call", "assistant", "content.4", pair_id="t2", name="Read", mark="5m"),
        ],
    ),
    "result string": (
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"out\\n"}]}',
        [Row("tool_result", "user", "content.0.content", "out\n", "t1")],
    ),
    "result list with an image": (
        (
            '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"},'
            '{"type":"image","source":{}},{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}]},'
            '{"type":"text","text":"and"}]}'
        ),
        [
            Row("tool_result", "user", "content.0.content.0.text", "x", "t1"),
            Row("image", "user", "content.0.content.1", pair_id="t1"),
            Row("tool_result", "user", "content.0.content.2.text", "y", "t1", mark="unsaid"),
            Row("user_text", "user", "content.1.text", "and"),
        ],
    ),
    "marked result list": (
        (
            '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","cache_control":{"type":"ephemeral"},'
            '"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]}'
        ),
        [
            Row("tool_result", "user", "content.0.content.0.text", "x", "t1", mark="unsaid"),
            Row("tool_result", "user", "content.0.content.1.text", "y", "t1"),
        ],
    ),
    "results without content": (
        (
            '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},'
            '{"type":"tool_result","tool_use_id":"t2","content":null},{"type":"tool_result","tool_use_id":"t3","content":[]}]}'
        ),
        [
            Row("tool_result", "user", "content.0", pair_id="t1"),
            Row("tool_result", "user", "content.1", pair_id="t2"),
            Row("tool_result", "user", "content.2", pair_id="t3"),
        ],
    ),
    "server tools": (
        (
            '{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"q"}},'
            '{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"u"}]},'
            '{"type":"mcp_tool_use","id":"m1","name":"find","server_name":"s","input":{}},'
            '{"type":"mcp_tool_result","tool_use_id":"m1","is_error":false,"content":[{"type":"text","text":"z"}]}]}'
        ),
        [
            Row("tool_call", "assistant", "content.0", pair_id="s1", name="web_search"),
            Row("tool_result", "assistant", "content.1", pair_id="s1"),
            Row("tool_call", "assistant", "content.2", pair_id="m1", name="find"),
            Row("tool_result", "assistant", "content.3", pair_id="m1"),
        ],
    ),
    "unknown blocks pass through": (
        '{"role":"assistant","content":[{"type":"compaction","content":"Sum"},{"type":"from_the_future","x":1},{"x":2}]}',
        [
            Row("other", "assistant", "content.0"),
            Row("other", "assistant", "content.1"),
            Row("other", "assistant", "content.2"),
        ],
    ),
    "document": (
        '{"role":"user","content":[{"type":"document","source":{"type":"text","data":"d"}}]}',
        [Row("other", "user", "content.0")],
    ),
    "text that is null": (
        '{"role":"user","content":[{"type":"text","text":null},{"type":"thinking","thinking":"a","signature":null}]}',
        [Row("user_text", "user", "content.0.text"), Row("thinking", "user", "content.1")],
    ),
    "halves of surrogate pairs in its names": (
        r'{"role":"u\ud83d","content":[{"type":"x\ude00"},{"type":"tool_use","id":"\ud83d","name":"\ud83d"}]}',
        [
            Row("other", "u\ud83d", "content.0"),
            Row("tool_call", "u\ud83d", "content.1", pair_id="\ud83d", name="\ud83d"),
        ],
    ),
    "empty list": ('{"role":"user","content":[]}', [Row("other", "user", "")]),
    "no content": ('{"role":"assistant"}', [Row("other", "assistant", "")]),
    "only other fields": ('{"role":"assistant","content":[],"id":"x"}', [Row("other", "assistant", "")]),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_parts_of_a_message(case: str) -> None:
    """Kind, role, path, slot, pair, name and mark of each part."""
    message, expected = MESSAGES[case]
    assert message_rows("anthropic", message) == expected


@pytest.mark.parametrize(
    "message",
    ['{"role":"user","content":5}', '{"role":"user","content":{}}', '{"role":"user","content":["a"]}', '"text"', "7"],
)
def test_messages_of_no_known_shape_are_refused(message: str) -> None:
    """Content that is no string or list of objects, and messages that are no objects."""
    with pytest.raises(Malformed) as caught:
        message_rows("anthropic", message)
    assert caught.value.reason == "bad_shape"


def test_tools_are_one_part_each() -> None:
    """Client and server tools, with names and marks; none of them may be edited."""
    tools = (
        '[{"name":"Bash","description":"Run","input_schema":{"type":"object"}},'
        '{"type":"web_search_20250305","name":"web_search","cache_control":{"type":"ephemeral","ttl":"1h"}},{}]'
    )
    assert tool_rows("anthropic", tools) == [
        [Row("tool_spec", "tool", "", name="Bash")],
        [Row("tool_spec", "tool", "", name="web_search", mark="1h")],
        [Row("tool_spec", "tool", "")],
    ]


def test_system_is_a_string_or_blocks() -> None:
    """A string is one part, a list one part a block."""
    assert system_rows("anthropic", '"You are"') == [[Row("system", "system", "", "You are")]]
    blocks = '[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]'
    assert system_rows("anthropic", blocks) == [
        [Row("system", "system", "text", "a")],
        [Row("system", "system", "text", "b", mark="unsaid")],
    ]
    with pytest.raises(Malformed):
        system_rows("anthropic", "5")
