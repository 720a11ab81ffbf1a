"""Messages of Chat Completions, put together."""

from __future__ import annotations

import json

from cgcli.readers import chat
from cgcli.wire.spans import Document


def test_only_what_a_provider_gets_is_sent() -> None:
    """Each value as it is written; what is null is left out, but for the content."""
    raw = (
        b'{"agent":"main","role":"assistant","content":null,"tool_calls": [ {"id":"c"} ],"thinking_blocks":null,'
        b'"function_call":null,"thought":"t","cache_control":{"type":"ephemeral"}}'
    )
    assert chat.sent(Document(raw).root().members()) == (
        b'{"role":"assistant","content":null,"tool_calls":[ {"id":"c"} ],"cache_control":{"type":"ephemeral"}}'
    )


def test_more_may_stand_beside_it() -> None:
    """Written already."""
    message = Document(b'{"role":"tool","content":"x"}').root().members()
    assert chat.sent(message, tool_call_id=b'"c"') == b'{"role":"tool","content":"x","tool_call_id":"c"}'


def test_calls_results_and_answers_have_the_providers_shape() -> None:
    """Arguments are a string."""
    call = chat.call("c", "f", '{"a":1}')
    assert json.loads(call) == {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    assert json.loads(chat.assistant(None, [call])) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [json.loads(call)],
    }
    assert chat.assistant(b'"x"', []) == b'{"role":"assistant","content":"x"}'
    assert chat.result("c", b'"x"') == b'{"role":"tool","tool_call_id":"c","content":"x"}'
    assert chat.text("user", "x") == b'{"role":"user","content":"x"}'
    assert chat.answer(b'{"role":"assistant"}') == b'{"choices":[{"index":0,"message":{"role":"assistant"}}]}'
