"""Messages as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgcli.calls.render import render
from cgcli.readers.single import parse_body
from tests.captures import capture
from tests.oracle import tool_outputs
from tests.select.histories import DIALECTS, Json, body, messages_of, request

THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}}


def rendered(dialect: str, *messages: Json) -> str:
    """These messages as text."""
    return render(request(dialect, list(messages)).messages)


def test_a_conversation_of_anthropic() -> None:
    """Paragraphs with a blank line between; results are paragraphs of their own, texts beside them, too."""
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make", "n": 1.50}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a"}, IMAGE]}
    failed = {"type": "tool_result", "tool_use_id": "t2", "content": "no such file", "is_error": True}
    told = rendered(
        "anthropic",
        {"role": "user", "content": "Build.\nAll of it."},
        {"role": "assistant", "content": [THINKING, THINKING, {"type": "text", "text": "I look."}, call]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Wait."}, result, failed, {"type": "text", "text": "Go."}],
        },
    )
    assert told == (
        "[user]: Build.\nAll of it.\n\n"
        '[assistant]: [thinking left out: 2 blocks]\nI look.\n  Bash({"command":"make","n":1.5})\n\n'
        "[user]: Wait.\n\n"
        "[tool_result for t1]: a\n[image]\n\n"
        "[tool_result for t2, error]: no such file\n\n"
        "[user]: Go."
    )


def test_a_conversation_of_chat_completions() -> None:
    """Arguments that are a string stand as they are; the old `function_call` and its answer, too."""
    made = [{"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "make"}'}}]
    made.append({"id": "c2", "type": "custom", "custom": {"name": "Patch", "input": "*** begin"}})
    told = rendered(
        "chat",
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": made, "reasoning_content": "Hm."},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {
            "role": "tool",
            "tool_call_id": "c2",
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        },
        {"role": "assistant", "content": None, "function_call": {"name": "Old", "arguments": "{}"}},
        {"role": "function", "name": "Old", "content": "ok"},
        {"role": "assistant", "content": "", "refusal": "I must not."},
    )
    assert told == (
        "[user]: Look.\n[image]\n\n"
        '[assistant]: [thinking left out: 1 block]\n  Bash({"command": "make"})\n  Patch(*** begin)\n\n'
        "[tool_result for c1]: done\n\n"
        "[tool_result for c2]: a\nb\n\n"
        "[assistant]:\n  Old({})\n\n"
        "[tool_result for Old]: ok\n\n"
        "[assistant]: \nI must not."
    )


def test_a_conversation_of_responses() -> None:
    """Each item is a paragraph; a call with its output in it is shown as it is."""
    told = rendered(
        "responses",
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image_url": "x"}],
        },
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "f1", "name": "Bash", "arguments": '{"command": "ls"}'},
        {"type": "function_call_output", "call_id": "f1", "output": "a b"},
        {"type": "local_shell_call", "call_id": "f2", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "f2", "output": ""},
        {"type": "computer_call_output", "call_id": "f3", "output": {"type": "computer_screenshot", "image_url": "x"}},
        {"type": "mcp_call", "id": "m1", "name": "ask", "arguments": "{}", "output": "42"},
    )
    assert told == (
        "[user]: Look.\n[image]\n\n"
        "[assistant]: [thinking left out: 1 block]\n\n"
        "[assistant]: I look.\n\n"
        '[assistant]:\n  Bash({"command": "ls"})\n\n'
        "[tool_result for f1]: a b\n\n"
        '[assistant]:\n  local_shell_call({"type":"exec","command":["ls"]})\n\n'
        "[tool_result for f2]:\n\n"
        "[tool_result for f3]: [image]\n\n"
        '[assistant]: {"type":"mcp_call","id":"m1","name":"ask","arguments":"{}","output":"42"}'
    )


def test_a_string_input() -> None:
    """Responses: the one message that a string is."""
    assert render(parse_body(b'{"model":"gpt-5","input":"Build."}').messages) == "[user]: Build."


@pytest.mark.parametrize(("n", "shown"), [(500, "x" * 500), (501, "x" * 500 + "...")])
def test_long_arguments_are_cut(n: int, shown: str) -> None:
    """At 500 characters."""
    call = {"id": "c1", "type": "function", "function": {"name": "Write", "arguments": "x" * n}}
    assert (
        rendered("chat", {"role": "assistant", "content": None, "tool_calls": [call]})
        == f"[assistant]:\n  Write({shown})"
    )


def test_long_outputs_are_not() -> None:
    """Whole, whatever their length."""
    assert rendered("chat", {"role": "tool", "tool_call_id": "c", "content": "y" * 70_000}).endswith(
        ": " + "y" * 70_000
    )


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (IMAGE, "[image]"),
        ({"type": "redacted_thinking", "data": "c2ln"}, "[thinking left out: 1 block]"),
        ({"type": "document", "source": {"type": "base64", "data": "JVBERi0="}}, "[document]"),
        ({"type": "document", "source": {"type": "text", "data": "All of it."}}, "All of it."),
        (
            {"type": "new_kind", "value": [1, 2.0], "cache_control": {"type": "ephemeral"}},
            '{"type":"new_kind","value":[1,2.0]}',
        ),
        ({"type": "text"}, '{"type":"text"}'),
        (
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "é"}},
            '\n  web_search({"query":"é"})',
        ),
        ({"type": "tool_use", "id": "s", "name": "Now"}, "\n  Now()"),
    ],
)
def test_nothing_is_dropped_in_silence(block: Json, shown: str) -> None:
    """Thinking and media are named; what is of no known kind stands as JSON, without its cache mark."""
    text = rendered("anthropic", {"role": "assistant", "content": [block]})
    assert text == f"[assistant]: {shown}".replace(": \n", ":\n")


def test_a_providers_own_results_are_results() -> None:
    """A search's answer, block for block."""
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "s",
        "content": [{"type": "web_search_result", "url": "u"}],
    }
    told = rendered("anthropic", {"role": "assistant", "content": [found]})
    assert told == '[tool_result for s]: {"type":"web_search_result","url":"u"}'


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({"role": "assistant", "content": None}, "[assistant]:"),
        ({"role": "assistant", "content": []}, "[assistant]:"),
        ({"role": "tool", "tool_call_id": "c", "content": None}, "[tool_result for c]:"),
        ({"role": "tool", "content": "x"}, "[tool_result for ?]: x"),
        ({"role": "tool", "tool_call_ids": ["a", "b"], "content": "x"}, "[tool_result for a, b]: x"),
        ({"role": "user", "content": "lone \ud83d"}, "[user]: lone \ud83d"),
    ],
)
def test_messages_with_little_in_them(message: Json, shown: str) -> None:
    """An empty message is still a paragraph; a result names what it answers as far as it is said."""
    assert rendered("chat", message) == shown


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_output_of_a_generated_capture_stands_whole(dialect: Any) -> None:
    """Each with its id, in order; lone surrogates and control characters as they are."""
    sent = json.loads(capture(dialect=dialect, turns=8, parallel=2, thinking=True).splitlines()[-1])
    told = rendered(dialect, *messages_of(sent))
    at = 0
    outputs = tool_outputs(body(dialect, messages_of(sent)))
    assert len(outputs) == 16
    for i, (_, output) in enumerate(outputs):
        at = told.index(f"[tool_result for call_0_{i // 2}_{i % 2}]: {output}".rstrip(" "), at)
