"""The standalone call, against bytes that were put together a second time (group A: the default does not move)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgcli.calls.call import Asking, CallMode, CallOptions, Parent, PrefixSource
from cgcli.calls.instruction import PROMPT
from cgcli.calls.standalone import standalone
from cgcli.model import Source
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from cgcli.wire.strings import Style
from tests.select.histories import DIALECTS, Json, body, calls, results, said, user

SOURCE = Source(file="t.jsonl", line=3, wrap="object")
TEXTS = {
    "anthropic": '[assistant]:\n  Bash({"command":"a"})\n\n[tool_result for a]: output of a',
    "chat": '[assistant]:\n  Bash({"command": "a"})\n\n[tool_result for a]: output of a',
    "responses": "[assistant]:\n  Bash({})\n\n[tool_result for a]: output of a",
}
"""Of messages 1 and 2, the call and its output, as `histories` makes them."""


def asking(dialect: str, options: CallOptions | None = None, span_of: Json | None = None, **more: Any) -> Asking:
    """The call and its result as the span of a conversation; *more* are members of the parent."""
    messages = [user(dialect, "Build \u00e9."), *calls(dialect, "a"), *results(dialect, "a"), said(dialect, "Done.")]
    request = parse_body(json.dumps({**body(dialect, messages), **more}).encode())
    return Asking(
        parent=Parent(request=request, source=SOURCE, tools_recorded=True, prefix_source=PrefixSource.WIRE_RECORD),
        selection=Selection(start=1, stop=3, tokens=20, n_pinned=1),
        options=options or CallOptions(),
        span_request=parse_body(json.dumps(span_of).encode()) if span_of is not None else None,
    )


def compact(tree: Json, **how: Any) -> bytes:
    """JSON without white space."""
    return json.dumps(tree, separators=(",", ":"), **how).encode()


EXPECTED: dict[str, Json] = {
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "system": PROMPT,
        "messages": [{"role": "user", "content": TEXTS["anthropic"]}],
    },
    "chat": {
        "model": "gpt-4.1",
        "max_completion_tokens": 4096,
        "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": TEXTS["chat"]}],
    },
    "responses": {
        "model": "gpt-5",
        "max_output_tokens": 4096,
        "instructions": PROMPT,
        "input": [{"role": "user", "content": TEXTS["responses"]}],
    },
}
PATHS = {"anthropic": "/v1/messages", "chat": "/v1/chat/completions", "responses": "/v1/responses"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_bytes_of_the_call(dialect: str) -> None:
    """Model, limit, system prompt, and the span as one user message: nothing else of the parent, no tools."""
    call = standalone(asking(dialect))
    assert call.body == compact(EXPECTED[dialect])
    assert standalone(asking(dialect)).body == call.body


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_said_of_the_call(dialect: str) -> None:
    """It sees nothing but the span, keeps nothing of the prefix, and what it replaces can be given back."""
    call = standalone(asking(dialect))
    assert (call.mode, call.path, call.scope) == (CallMode.STANDALONE, PATHS[dialect], (1, 3))
    assert (call.scoped_by, call.is_reversible, call.n_prefix_messages) == ("construction", True, 0)
    assert (call.headers, call.extra_round_trips, call.parent) == ({}, 0, SOURCE)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_options_change_what_they_name(dialect: str) -> None:
    """Another model, prompt and limit; the rest stays."""
    options = CallOptions(model="small", prompt="Be \u00e9 brief.", max_summary_tokens=99, style=Style.UTF8)
    text = (
        json.dumps(EXPECTED[dialect]).replace(json.dumps(PROMPT), json.dumps("Be \u00e9 brief.")).replace("4096", "99")
    )
    expected = {**json.loads(text), "model": "small"}
    assert standalone(asking(dialect, options)).body == compact(expected, ensure_ascii=False)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_else_of_the_parent_is_kept(dialect: str) -> None:
    """Tools, thinking, sampling, streams and marks belong to the parent."""
    more: Json = {"tools": [], "temperature": 1.0, "stream": True, "metadata": {"user_id": "u"}, "tool_choice": "auto"}
    more |= {"thinking": {"type": "enabled", "budget_tokens": 2048}, "reasoning": {"effort": "high"}}
    assert standalone(asking(dialect, **more)).body == compact(EXPECTED[dialect])


@pytest.mark.parametrize("dialect", ["chat", "responses"])
@pytest.mark.parametrize("store", [True, False])
def test_a_conversation_that_must_not_be_kept_is_not_kept_here(dialect: str, store: bool) -> None:  # noqa: FBT001 - a case
    """`store` comes along, behind the model."""
    expected = {"model": EXPECTED[dialect]["model"], "store": store, **EXPECTED[dialect]}
    assert standalone(asking(dialect, store=store)).body == compact(expected)


def test_bedrock_wants_its_version_in_the_body() -> None:
    """And the model stands in its address."""
    found = asking("anthropic", anthropic_version="bedrock-2023-05-31", model=None)
    expected = {"anthropic_version": "bedrock-2023-05-31", **EXPECTED["anthropic"]}
    del expected["model"]
    assert standalone(found).body == compact(expected)


def test_chat_keeps_the_name_of_the_limit() -> None:
    """A parent that says `max_tokens` talks to a server that knows it."""
    expected = {
        "max_tokens" if key == "max_completion_tokens" else key: value for key, value in EXPECTED["chat"].items()
    }
    assert standalone(asking("chat", max_tokens=7)).body == compact(expected)


def test_the_span_of_another_request() -> None:
    """A view whose messages stand one further on in the parent: rendered as the view has it, counted in the parent."""
    view = body("chat", [*calls("chat", "a"), *results("chat", "a"), said("chat", "Done.")])
    found = asking("chat", span_of=view)
    moved = Asking(
        parent=found.parent,
        selection=Selection(start=0, stop=2, tokens=20, n_pinned=0),
        options=found.options,
        span_request=found.span_request,
    )
    call = standalone(moved)
    assert (call.scope, call.body) == ((1, 3), compact(EXPECTED["chat"]))
