"""The pytest plugin: what it asserts, what it says, and that pytest finds it by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.pytest_plugin import CgCapture, assert_append_only, assert_fork_of

if TYPE_CHECKING:
    from pathlib import Path

TOOL = {"name": "Bash", "input_schema": {"type": "object", "properties": {"a": {}, "b": {}}}}
FIRST: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "system": "Be brief.",
    "tools": [TOOL],
    "messages": [{"role": "user", "content": "Fix it."}],
}


def _grown(body: dict[str, Any], *messages: dict[str, Any]) -> dict[str, Any]:
    grown = deepcopy(body)
    grown["messages"] += messages
    return grown


SECOND = _grown(FIRST, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."})


def test_a_growing_conversation_passes() -> None:
    """Requests that contain the one before them whole are accepted."""
    assert_append_only([FIRST, SECOND, SECOND])


def test_spelling_does_not_count() -> None:
    """A moved mark, a string as a list of one block, white space and escapes are no break."""
    marked = deepcopy(SECOND)
    marked["messages"][0]["content"] = [{"type": "text", "text": "Fix it.", "cache_control": {"type": "ephemeral"}}]
    assert_append_only([FIRST, json.dumps(marked, indent=2).replace("Fix", "\\u0046ix")])


def test_an_edit_is_named_with_its_place() -> None:
    """The message says which request, where in the body, and what stood there."""
    edited = deepcopy(SECOND)
    edited["messages"][0]["content"] = "Fix it!"

    with pytest.raises(AssertionError) as error:
        assert_append_only([FIRST, edited])

    assert str(error.value) == (
        "the prompt prefix did not hold:\n"
        "  request 1: messages_changed (edited) at messages.0.content\n"
        "    was 'Fix it.'\n"
        "    now 'Fix it!'"
    )


@pytest.mark.parametrize(
    ("path", "new", "said"),
    [
        (("system",), "Be brief. It is 12:01.", "system_changed (edited) at system"),
        (("model",), "claude-opus-4-8", "model_changed (edited) at model"),
        (("tools",), [], "tools_changed (removed) at tools.0"),
        (("tools",), [TOOL | {"input_schema": {"type": "object", "properties": {"b": {}, "a": {}}}}], "key_order"),
        (("tool_choice",), {"type": "any"}, "params_changed (edited) at tool_choice"),
        (("thinking",), {"type": "enabled", "budget_tokens": 2048}, "params_changed (edited) at thinking"),
    ],
)
def test_what_stands_before_the_messages_counts(path: tuple[str], new: object, said: str) -> None:
    """A change of the system prompt, the model, the tools or a parameter of the cache is a break of its own kind."""
    with pytest.raises(AssertionError, match="the prompt prefix did not hold") as error:
        assert_append_only([FIRST, SECOND | {path[0]: new}])

    assert said in str(error.value)


def test_a_request_that_loses_its_end_is_a_break() -> None:
    """A request that ends before the one before it is said to do so."""
    with pytest.raises(AssertionError, match="it ends 2 messages before the one before it"):
        assert_append_only([SECOND, FIRST])


@pytest.mark.parametrize("requests", [[], [FIRST]])
def test_nothing_to_compare_is_an_error(requests: list[dict[str, Any]]) -> None:
    """Fewer than two requests are no pass: nothing was checked."""
    with pytest.raises(ValueError, match="there is nothing to compare"):
        assert_append_only(requests)


def test_what_is_no_body_is_an_error() -> None:
    """Text that is no request body is refused with the number of the request."""
    with pytest.raises(ValueError, match="request 1 is no request body"):
        assert_append_only([FIRST, "not json"])


def test_a_fork_appends_one_user_message() -> None:
    """The parent with exactly one user message appended is a fork of it."""
    assert_fork_of(SECOND, _grown(SECOND, {"role": "user", "content": "Summarise the above."}))


@pytest.mark.parametrize(
    ("fork", "said"),
    [
        (SECOND, "this one appends: nothing"),
        (_grown(SECOND, {"role": "assistant", "content": "x"}), "this one appends: assistant"),
        (_grown(SECOND, *[{"role": "user", "content": "a"}] * 2), "this one appends: user, user"),
        (_grown(SECOND, {"role": "user", "content": "a"}) | {"tools": []}, "tools_changed"),
        (_grown(FIRST, {"role": "user", "content": "a"}), "messages_changed (edited) at messages.1.role"),
    ],
)
def test_what_is_no_fork_is_said(fork: dict[str, Any], said: str) -> None:
    """Nothing appended, another role, two messages, other tools or another history are no fork."""
    with pytest.raises(AssertionError) as error:
        assert_fork_of(SECOND, fork)

    assert said in str(error.value)


def test_the_recorder_keeps_a_capture(tmp_path: Path) -> None:
    """What is recorded stands in the file, one body a line, as it was given."""
    capture = CgCapture(tmp_path / "capture.jsonl")
    capture.record(b'{"model": "m",  "messages": []}')
    capture.record(FIRST)

    assert capture.path.read_bytes() == (
        b'{"model": "m",  "messages": []}\n' + json.dumps(FIRST, ensure_ascii=False).encode() + b"\n"
    )


def test_pytest_finds_the_fixture(tmp_path: Path) -> None:
    """Installed is enough: a test that asks for `cg_capture` gets it, and a break fails that test with the place."""
    (tmp_path / "test_agent.py").write_text(
        "def body(text):\n"
        "    return {'model': 'claude-x', 'system': 's', 'messages': [{'role': 'user', 'content': text}]}\n"
        "def test_holds(cg_capture):\n"
        "    cg_capture.record(body('a'))\n"
        "    cg_capture.record(body('a'))\n"
        "    cg_capture.assert_append_only()\n"
        "def test_breaks(cg_capture):\n"
        "    cg_capture.record(body('a'))\n"
        "    cg_capture.record(body('b'))\n"
        "    cg_capture.assert_append_only()\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert "1 failed, 1 passed" in done.stdout
    assert "messages_changed (edited) at messages.0.content" in done.stdout


def test_loading_the_plugin_is_light() -> None:
    """Every pytest run loads the plugin, so it imports nothing of the package before it is used."""
    script = "import cgcli.pytest_plugin, sys; print(sorted(m for m in sys.modules if m.startswith('cgcli')))"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "['cgcli', 'cgcli.pytest_plugin']\n"
