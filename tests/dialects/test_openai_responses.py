"""OpenAI Responses, item by item."""

from __future__ import annotations

import pytest

from cgcli.wire.spans import Malformed
from tests.dialects.rows import Row, message_rows, request, system_rows, tool_rows

ITEMS: dict[str, tuple[str, list[Row]]] = {
    "whole input as a string": ('"Say hi"', [Row("user_text", "user", "", "Say hi")]),
    "message without a type": ('{"role":"user","content":"hi"}', [Row("user_text", "user", "content", "hi")]),
    "message in parts": (
        (
            '{"type":"message","role":"user","content":[{"type":"input_text","text":"look",'
            '"prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_image","image_url":"u"},{"type":"input_file"}]}'
        ),
        [
            Row("user_text", "user", "content.0.text", "look", mark="unsaid"),
            Row("image", "user", "content.1"),
            Row("other", "user", "content.2"),
        ],
    ),
    "answer": (
        (
            '{"type":"message","id":"m","status":"completed","role":"assistant",'
            '"content":[{"type":"output_text","text":"ok","annotations":[]}]}'
        ),
        [Row("assistant_text", "assistant", "content.0.text", "ok")],
    ),
    "developer": ('{"role":"developer","content":"Be"}', [Row("system", "developer", "content", "Be")]),
    "reasoning": (
        '{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"eA"}',
        [Row("thinking", "assistant", "")],
    ),
    "function call": (
        '{"type":"function_call","id":"fc","call_id":"c1","name":"Bash","arguments":"{}"}',
        [Row("tool_call", "assistant", "", pair_id="c1", name="Bash")],
    ),
    "function call output": (
        '{"type":"function_call_output","call_id":"c1","output":"out"}',
        [Row("tool_result", "tool", "output", "out", "c1")],
    ),
    "function call output in parts": (
        (
            '{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"},'
            '{"type":"input_image","image_url":"u","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}},'
            '{"type":"input_file","file_id":"f"},{"type":"input_text","text":"y","prompt_cache_breakpoint":{}}]}'
        ),
        [
            Row("tool_result", "tool", "output.0.text", "x", "c1"),
            Row("image", "tool", "output.1", pair_id="c1", mark="12h"),
            Row("other", "tool", "output.2", pair_id="c1"),
            Row("tool_result", "tool", "output.3.text", "y", "c1", mark="unsaid"),
        ],
    ),
    "custom tool call": (
        '{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** Begin"}',
        [Row("tool_call", "assistant", "", pair_id="c2", name="apply_patch")],
    ),
    "custom tool call output": (
        '{"type":"custom_tool_call_output","call_id":"c2","output":"done"}',
        [Row("tool_result", "tool", "output", "done", "c2")],
    ),
    "shell call": (
        '{"type":"local_shell_call","call_id":"c3","action":{"type":"exec","command":["ls"]}}',
        [Row("tool_call", "assistant", "", pair_id="c3")],
    ),
    "shell call output that is an object": (
        '{"type":"shell_call_output","call_id":"c3","output":{"stdout":"a"}}',
        [Row("tool_result", "tool", "", pair_id="c3")],
    ),
    "compaction item": ('{"type":"compaction","encrypted_content":"eA"}', [Row("other", "assistant", "")]),
    "reference": ('{"type":"item_reference","id":"x"}', [Row("other", "assistant", "")]),
    "hosted call with its output": (
        '{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"q"}}',
        [Row("other", "assistant", "")],
    ),
    "item from the future": ('{"type":"dream","x":1}', [Row("other", "assistant", "")]),
    "empty message": ('{"role":"user","content":[]}', [Row("other", "user", "")]),
}


@pytest.mark.parametrize("case", ITEMS)
def test_parts_of_an_item(case: str) -> None:
    """Kind, role, path, slot, pair, name and mark of each part."""
    item, expected = ITEMS[case]
    assert message_rows("openai-responses", item) == expected


@pytest.mark.parametrize("item", ['{"role":"user","content":5}', '{"role":"user","content":[1]}', "7", "[]"])
def test_items_of_no_known_shape_are_refused(item: str) -> None:
    """Content that is no string or list of objects, and items that are no objects."""
    with pytest.raises(Malformed) as caught:
        message_rows("openai-responses", item)
    assert caught.value.reason == "bad_shape"


def test_a_string_input_is_the_one_message() -> None:
    """It stands where the string stands, and may be edited as a whole."""
    body = '{"model":"gpt-5","input":"Say hi","instructions":"Be brief"}'
    read = request(body)
    at = body.index('"Say hi"')
    assert (read.dialect, list(read.starts), len(read.messages)) == ("openai-responses", [at], 1)
    assert body[at : at + read.messages[0].size_bytes] == '"Say hi"'
    assert [body[start:] for start in read.system_starts] == ['"Be brief"}']


def test_tools_and_instructions() -> None:
    """Tools are named at their top; the instructions are one block."""
    assert tool_rows("openai-responses", '[{"type":"function","name":"Bash"},{"type":"web_search"}]') == [
        [Row("tool_spec", "tool", "", name="Bash")],
        [Row("tool_spec", "tool", "")],
    ]
    assert system_rows("openai-responses", '"Be brief"') == [[Row("system", "system", "", "Be brief")]]
