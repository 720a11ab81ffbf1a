"""Which calls wait for a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.calls.open_calls import open_calls
from cgcli.readers.single import parse_body
from tests.calls.asking import assistant, call, chat, claude, compact, responses, result, text, user

if TYPE_CHECKING:
    from tests.calls.asking import Json

CHAT_CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": i, "type": "function", "function": {"name": "Bash", "arguments": "{}"}} for i in "ab"],
}
CHAT_A = {"role": "tool", "tool_call_id": "a", "content": "ok"}
CHAT_B = {"role": "tool", "tool_call_id": "b", "content": "ok"}
ITEMS = [{"type": "function_call", "call_id": i, "name": "Bash", "arguments": "{}"} for i in "ab"]
OUTPUTS = [{"type": "function_call_output", "call_id": i, "output": "ok"} for i in "ab"]
LEGACY = {"role": "assistant", "content": None, "function_call": {"name": "Bash", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (claude(user("go")), ()),
        (claude(user("go"), assistant(call("a"), call("b"))), ("a", "b")),
        (claude(user("go"), assistant(call("a"), call("b")), user(result("b"))), ("a",)),
        (claude(user("go"), assistant(call("a"), call("b")), user(result("b"), text("and?"))), ("a",)),
        (claude(user("go"), assistant(call("a"), call("b")), user(result("b")), user(result("a"))), ()),
        (claude(user("go"), assistant(call("a")), assistant(call("b")), user(result("b"))), ("a",)),
        (claude(user("go"), assistant(call("a")), user(result("a")), assistant("Done.")), ()),
        (claude(user("go"), assistant(call("a")), user(result("a")), assistant(call("b"))), ("b",)),
        (chat(user("go"), CHAT_CALLS), ("a", "b")),
        (chat(user("go"), CHAT_CALLS, CHAT_A), ("b",)),
        (chat(user("go"), CHAT_CALLS, CHAT_A, user("and?")), ("b",)),
        (chat(user("go"), CHAT_CALLS, CHAT_A, CHAT_B), ()),
        (chat(user("go"), LEGACY), ("function Bash",)),
        (responses([user("go"), *ITEMS]), ("a", "b")),
        (responses([user("go"), *ITEMS, OUTPUTS[0]]), ("b",)),
        (responses([user("go"), ITEMS[0], user("hm"), ITEMS[1], OUTPUTS[1]]), ("a",)),
        (responses([user("go"), *ITEMS, *OUTPUTS]), ()),
        (responses("go"), ()),
    ],
)
def test_every_call_of_the_last_run_needs_its_result(body: Json, wanted: tuple[str, ...]) -> None:
    """By id and never by place: one answered of two is open."""
    request = parse_body(compact(body))
    assert open_calls(request.dialect, request.messages, len(request.messages)) == wanted


def test_it_is_asked_of_any_point() -> None:
    """Between a call and its result it is open, behind the result it is not."""
    request = parse_body(compact(claude(user("go"), assistant(call("a")), user(result("a")), assistant("Done."))))
    assert [open_calls("anthropic", request.messages, stop) for stop in range(5)] == [(), (), ("a",), (), ()]
