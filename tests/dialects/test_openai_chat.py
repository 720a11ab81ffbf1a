"""OpenAI Chat Completions, part by part."""

from __future__ import annotations

import pytest

from cgcli.wire.spans import Malformed
from tests.dialects.rows import Row, message_rows, system_rows, tool_rows

MESSAGES: dict[str, tuple[str, list[Row]]] = {
    "system": ('{"role":"system","content":"You are"}', [Row("system", "system", "content", "You are")]),
    "developer": (
        '{"role":"developer","content":[{"type":"text","text":"Be"}]}',
        [Row("system", "developer", "content.0.text", "Be")],
    ),
    "user string": ('{"role":"user","content":"hi"}', [Row("user_text", "user", "content", "hi")]),
    "user parts": (
        (
            '{"role":"user","name":"ann","content":[{"type":"text","text":"look"},'
            '{"type":"image_url","image_url":{"url":"data:"}},{"type":"input_audio","input_audio":{}},'
            '{"type":"text","text":"end","cache_control":{"type":"ephemeral"}}]}'
        ),
        [
            Row("user_text", "user", "content.0.text", "look"),
            Row("image", "user", "content.1"),
            Row("other", "user", "content.2"),
            Row("user_text", "user", "content.3.text", "end", mark="unsaid"),
        ],
    ),
    "explicit breakpoint": (
        '{"role":"user","content":[{"type":"text","text":"a","prompt_cache_breakpoint":{"mode":"explicit","ttl":"30m"}}]}',
        [Row("user_text", "user", "content.0.text", "a", mark="30m")],
    ),
    "parallel calls without content": (
        (
            '{"role":"assistant","content":null,"tool_calls":['
            '{"id":"c1","type":"function","function":{"name":"Bash","arguments":"{\\"command\\":\\"ls\\"}"}},'
            '{"id":"c2","type":"function","function":{"name":"Read","arguments":"{}"}}]}'
        ),
        [
            Row("tool_call", "assistant", "tool_calls.0", pair_id="c1", name="Bash"),
            Row("tool_call", "assistant", "tool_calls.1", pair_id="c2", name="Read"),
        ],
    ),
    "text and a call": (
        '{"role":"assistant","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"x"}}],"content":"do"}',
        [
            Row("assistant_text", "assistant", "content", "do"),
            Row("tool_call", "assistant", "tool_calls.0", pair_id="c1"),
        ],
    ),
    "legacy function call": (
        '{"role":"assistant","content":null,"function_call":{"name":"get","arguments":"{}"}}',
        [Row("tool_call", "assistant", "function_call", name="get")],
    ),
    "legacy function result": (
        '{"role":"function","name":"get","content":"42"}',
        [Row("tool_result", "function", "content", "42")],
    ),
    "no function call": (
        '{"role":"assistant","content":"a","function_call":null,"tool_calls":null}',
        [Row("assistant_text", "assistant", "content", "a")],
    ),
    "tool result": (
        '{"role":"tool","tool_call_id":"c1","content":"out"}',
        [Row("tool_result", "tool", "content", "out", "c1")],
    ),
    "tool result in parts": (
        '{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}',
        [
            Row("tool_result", "tool", "content.0.text", "x", "c1"),
            Row("tool_result", "tool", "content.1.text", "y", "c1"),
        ],
    ),
    "mark on the message": (
        '{"role":"tool","tool_call_id":"c1","content":"out","cache_control":{"type":"ephemeral","ttl":"1h"}}',
        [Row("tool_result", "tool", "content", "out", "c1", mark="1h")],
    ),
    "mark on the message, content in parts": (
        '{"role":"user","cache_control":{"type":"ephemeral"},"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}',
        [
            Row("user_text", "user", "content.0.text", "x", mark="unsaid"),
            Row("user_text", "user", "content.1.text", "y"),
        ],
    ),
    "refusal": (
        '{"role":"assistant","content":[{"type":"refusal","refusal":"No"}]}',
        [Row("other", "assistant", "content.0")],
    ),
    "nothing said": ('{"role":"assistant","content":null}', [Row("other", "assistant", "")]),
    "refusal beside the content": (
        '{"role":"assistant","content":null,"refusal":"No"}',
        [Row("other", "assistant", "")],
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_parts_of_a_message(case: str) -> None:
    """Kind, role, path, slot, pair, name and mark of each part."""
    message, expected = MESSAGES[case]
    assert message_rows("openai-chat", message) == expected


@pytest.mark.parametrize("message", ['{"role":"user","content":5}', '{"role":"user","content":["a"]}', "[]", '"hi"'])
def test_messages_of_no_known_shape_are_refused(message: str) -> None:
    """Content that is no string or list of objects, and messages that are no objects."""
    with pytest.raises(Malformed) as caught:
        message_rows("openai-chat", message)
    assert caught.value.reason == "bad_shape"


def test_tools_are_named_in_their_function() -> None:
    """`function.name`; a tool of another type by its own name, or by none."""
    tools = '[{"type":"function","function":{"name":"Bash"}},{"type":"custom","name":"x"},{"type":"code_interpreter"}]'
    assert tool_rows("openai-chat", tools) == [
        [Row("tool_spec", "tool", "", name="Bash")],
        [Row("tool_spec", "tool", "", name="x")],
        [Row("tool_spec", "tool", "")],
    ]


def test_a_system_prompt_outside_the_messages_is_refused() -> None:
    """There is no such field in this dialect."""
    with pytest.raises(Malformed):
        system_rows("openai-chat", '"You are"')
