"""The scratch reading of histories finds each call with its output, whatever saved them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.bench import histories

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "a.py"}
SAID = {"type": "text", "text": "List them."}
HISTORIES: dict[str, list[dict[str, Any]]] = {
    "claude code": [
        {"type": "user", "message": {"role": "user", "content": "List them."}},
        {"type": "assistant", "message": {"role": "assistant", "content": [CALL]}},
        {"type": "user", "message": {"role": "user", "content": [RESULT]}},
    ],
    "codex": [
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [SAID]}},
        {"payload": {"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": '{"command": "ls"}'}},
        {"payload": {"type": "function_call_output", "call_id": "c1", "output": "a.py"}},
    ],
    "pi": [
        {"type": "message", "message": {"role": "user", "content": [SAID]}},
        {
            "type": "message",
            "message": {
                "role": "assistant",
                "content": [{"type": "toolCall", "id": "c1", "name": "Bash", "arguments": {"command": "ls"}}],
            },
        },
        {
            "type": "message",
            "message": {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": "a.py"}]},
        },
    ],
    "chat": [
        {"role": "user", "content": "List them."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
    ],
}


@pytest.mark.parametrize("saved", sorted(HISTORIES))
def test_a_history_becomes_growing_requests(saved: str, tmp_path: Path) -> None:
    """The first request has what the user said, the second the call and its output too."""
    history = tmp_path / "history.jsonl"
    history.write_text("\n".join(json.dumps(record) for record in HISTORIES[saved]))

    assert histories.write(history, tmp_path / "capture.jsonl") == 2
    requests = [json.loads(line)["messages"] for line in (tmp_path / "capture.jsonl").read_text().splitlines()]
    first = {"role": "user", "content": [SAID]}
    assert requests == [
        [first],
        [first, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [RESULT]}],
    ]


def test_a_call_without_its_result_is_left_out(tmp_path: Path) -> None:
    """What is left has no tool output, so there is nothing to count."""
    history = tmp_path / "history.jsonl"
    history.write_text("\n".join(json.dumps(record) for record in HISTORIES["codex"][:2]))

    assert histories.write(history, tmp_path / "capture.jsonl") == 0


def test_pairs_of_commands_and_outputs_are_read(tmp_path: Path) -> None:
    """A list of commands with their outputs becomes one conversation."""
    history = tmp_path / "pairs.json"
    history.write_text(json.dumps([{"cmd": "ls", "out": "a.py"}, {"cmd": "pwd", "out": "/x"}]))

    assert histories.write(history, tmp_path / "capture.jsonl") == 3
    last = json.loads((tmp_path / "capture.jsonl").read_text().splitlines()[-1])["messages"]
    assert [block["content"] for message in last[1:] for block in message["content"] if "content" in block] == [
        "a.py",
        "/x",
    ]
