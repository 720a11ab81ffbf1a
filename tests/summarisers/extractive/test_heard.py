"""Who said what, and which tools were used."""

from __future__ import annotations

import json

import pytest

from cgcli.readers.single import parse_body
from cgcli.summarisers.extractive.heard import Heard, Said, heard
from tests.summarisers.conversing import DIALECTS, Json, Turn, request

TURNS: list[Turn] = [
    ("user", "Hello."),
    ("tool", "Bash", {"command": "ls", "timeout": 1e2}, "a\nb", False),
    ("assistant", "Two files."),
]


def all_of(body: Json) -> Heard:
    """All messages of *body*."""
    found = parse_body(json.dumps(body).encode())
    return heard(found, 0, len(found.messages))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_and_uses_are_the_same_in_every_dialect(dialect: str) -> None:
    """The number is as it is written, not as it would be printed again."""
    found = request(dialect, TURNS)
    span = heard(found, 0, len(found.messages))
    assert span.said == (Said(is_user=True, text="Hello."), Said(is_user=False, text="Two files."))
    assert [(use.name, use.output, use.failed) for use in span.uses] == [("Bash", "a\nb", False)]
    assert [(leaf.key, leaf.text, leaf.is_text) for leaf in span.uses[0].given] == [
        ("command", "ls", True),
        ("timeout", "100.0", False),
    ]


def test_what_a_frame_says_is_not_the_users() -> None:
    """Claude Code and Codex put reminders into the user's message; one that is never closed stays."""
    text = "<system-reminder>Do not tell.</system-reminder>Build it.<environment_context>x</environment_context>"
    found = request("anthropic", [("user", text), ("user", "<system-reminder>open")])
    assert [said.text for said in heard(found, 0, 2).said] == ["Build it.", "<system-reminder>open"]


def test_thinking_images_and_system_are_left_out() -> None:
    """They are not the user's words, nor the assistant's answer."""
    content = [
        {"type": "thinking", "thinking": "secret", "signature": "s"},
        {"type": "text", "text": "Done."},
    ]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}
    messages = [
        {"role": "user", "content": [image, {"type": "text", "text": "What is it?"}]},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": content},
    ]
    span = all_of({"model": "claude-opus-5", "max_tokens": 9, "system": "s", "messages": messages})
    assert span == Heard(said=(Said(is_user=True, text="What is it?"), Said(is_user=False, text="Done.")), uses=())


def test_a_result_of_several_texts_is_one_output() -> None:
    """And the error flag of Anthropic is read."""
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "is_error": True,
        "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
    }
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    messages = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    uses = all_of({"model": "claude-opus-5", "max_tokens": 9, "system": "s", "messages": messages}).uses
    assert [(use.output, use.failed) for use in uses] == [("one\ntwo", True)]


@pytest.mark.parametrize(("code", "failed"), [(0, False), (2, True)])
def test_codex_wraps_outputs_in_json(code: int, failed: bool) -> None:  # noqa: FBT001 - parametrised
    """The text is unwrapped, and the exit code says whether it failed."""
    output = json.dumps({"output": "a\nb", "metadata": {"exit_code": code, "duration_seconds": 0.1}})
    items = [
        {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": output},
    ]
    use = all_of({"model": "gpt-5", "input": items}).uses[0]
    assert (use.output, use.failed) == ("a\nb", failed)


def test_a_shells_output_in_parts_is_read() -> None:
    """Responses' `shell_call_output` has an object for each command."""
    items = [
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["make", "make test"]}},
        {
            "type": "shell_call_output",
            "call_id": "c",
            "output": [{"stdout": "built", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}],
        },
    ]
    use = all_of({"model": "gpt-5", "input": items}).uses[0]
    assert (use.name, use.output, use.failed) == ("", "built\n", True)
    assert [leaf.text for leaf in use.given] == ["make", "make test"]


def test_a_result_without_an_id_answers_the_last_call() -> None:
    """The old `function_call` has none."""
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "function_call": {"name": "run", "arguments": '{"x": "y"}'}},
        {"role": "function", "name": "run", "content": "ran"},
    ]
    use = all_of({"model": "gpt-4.1", "messages": messages}).uses[0]
    assert (use.name, use.output, [leaf.text for leaf in use.given]) == ("run", "ran", ["y"])


def test_a_result_whose_call_is_not_in_the_span_is_heard() -> None:
    """It has no name, and its output is still read."""
    found = request("openai-chat", TURNS)
    uses = heard(found, 3, 4).uses
    assert [(use.name, use.output) for use in uses] == [("", "a\nb")]


@pytest.mark.parametrize("arguments", ["{", "plain", "[" * 5000, '{"a": 1, "a": 2}'])
def test_arguments_that_are_no_json_object_are_one_text(arguments: str) -> None:
    """They are kept as they are."""
    call = {"id": "t", "type": "function", "function": {"name": "Bash", "arguments": arguments}}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    use = all_of({"model": "gpt-4.1", "messages": messages}).uses[0]
    assert [(leaf.key, leaf.text) for leaf in use.given] == [("", arguments)]
