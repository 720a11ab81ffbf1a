"""The fork as a pure append (group B of the fork pull request), and what it does with tool pairs (group E)."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from cgcli.calls.call import CallMode, CallOptions
from cgcli.calls.instruction import fork_text
from cgcli.calls.render import render
from cgcli.checks.gates.fork_prefix import ForkPrefix
from cgcli.model import changed
from cgcli.prefix.keys import full_key, key_at
from cgcli.readers.single import parse_body
from cgcli.wire.strings import Style
from tests import oracle
from tests.calls.asking import (
    SESSION,
    Json,
    asking,
    assistant,
    behind_last,
    built,
    call,
    chat,
    claude,
    compact,
    responses,
    result,
    text,
    user,
)
from tests.calls.test_open_calls import CHAT_A, CHAT_B, CHAT_CALLS, ITEMS, OUTPUTS
from tests.forking import run

MARK = {"type": "ephemeral"}
FULL = claude(
    *SESSION,
    thinking={"type": "enabled", "budget_tokens": 2048},
    output_config={"effort": "medium"},
    tool_choice={"type": "auto", "disable_parallel_tool_use": True},
    stop_sequences=["END"],
    temperature=1.0,
    metadata={"user_id": "u"},
    stream=True,
)
MARKED = claude(
    user(text("Build.", cache_control=MARK)),
    assistant(text("I build."), call("a")),
    user(result("a", "one " * 90) | {"cache_control": MARK}),
    system=[text("You are an agent.", cache_control=MARK)],
    tools=[{"name": "Bash", "input_schema": {"type": "object"}, "cache_control": MARK}],
)
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
BODIES: dict[str, Json] = {
    "every parameter": FULL,
    "four marks": MARKED,
    "string content": claude(user("Build it."), assistant("Done."), user("And now?")),
    "thinking as the last block": claude(user("Build."), assistant("ok"), user("go"), assistant(text("I"), THOUGHT)),
    "a call alone as the cut": claude(user("Build."), assistant(call("a")), user(result("a")), assistant("Done.")),
    "prefilled": claude(user("Build it."), assistant("ok"), user("go"), assistant("The summary: ")),
    "chat": chat({"role": "system", "content": "Be brief."}, user("Build."), CHAT_CALLS, CHAT_A, CHAT_B),
    "responses": responses([user("Build."), *ITEMS, *OUTPUTS], reasoning={"effort": "low"}, store=False),
    "system after messages": {"messages": [*SESSION], "system": "x", "model": "claude-opus-4-8", "max_tokens": 9},
}


def spelled(body: Json, how: str) -> bytes:
    """*body* as some client writes it."""
    return {
        "compact": compact(body),
        "ascii": json.dumps(body).encode(),
        "pretty": json.dumps(body, indent=2).encode(),
    }[how]


@pytest.mark.parametrize("how", ["compact", "ascii", "pretty"])
@pytest.mark.parametrize("name", BODIES)
def test_the_fork_is_the_parents_bytes_with_one_message_put_in(name: str, how: str) -> None:
    """An insertion right behind the last message: everything before and behind it is the parent's, byte for byte."""
    data = spelled(BODIES[name], how)
    history = "input" if "input" in BODIES[name] else "messages"
    found = built(CallMode.FORK, asking(data))
    told = json.loads(found.body)[history][-1]["content"]
    new = b',{"role":"user","content":' + json.dumps(told).encode() + b"}"
    at = behind_last(data, history)
    assert found.body == data[:at] + new + data[at:]
    assert told.startswith("Sum up.\n\n")


@pytest.mark.parametrize("name", BODIES)
def test_without_its_last_message_it_is_the_parent(name: str) -> None:
    """`sha256(fork[:-1]) == sha256(parent)`: over the whole body, every parameter included."""
    history = "input" if "input" in BODIES[name] else "messages"
    fork: Json = json.loads(built(CallMode.FORK, asking(BODIES[name])).body)
    cut = {**fork, history: fork[history][:-1]}
    assert list(fork) == list(BODIES[name])
    assert _digest(cut) == _digest(BODIES[name])
    assert oracle.is_append(BODIES[name], fork)


def _digest(body: Json) -> str:
    return sha256(json.dumps(body).encode()).hexdigest()


@pytest.mark.parametrize("name", BODIES)
def test_one_user_message_is_appended_and_no_system_message(name: str) -> None:
    """Providers put system messages first of all: one more would rewrite the cached prefix."""
    history = "input" if "input" in BODIES[name] else "messages"
    fork: Json = json.loads(built(CallMode.FORK, asking(BODIES[name])).body)
    assert len(fork[history]) == len(BODIES[name][history]) + 1
    assert (fork[history][-1]["role"], set(fork[history][-1])) == ("user", {"role", "content"})
    roles = [[one.get("role") for one in body[history]] for body in (BODIES[name], fork)]
    assert roles[1].count("system") == roles[0].count("system")
    assert fork.get("system") == BODIES[name].get("system")


def test_a_parent_with_four_marks_stays_at_four() -> None:
    """A fifth one is answered with 400, and a moved one would read less."""
    body = built(CallMode.FORK, asking(MARKED)).body
    assert (compact(MARKED).count(b'"cache_control"'), body.count(b'"cache_control"')) == (4, 4)


@pytest.mark.parametrize(
    "key", ["model", "tools", "system", "thinking", "output_config", "tool_choice", "stop_sequences", "stream"]
)
def test_every_parameter_is_the_parents(key: str) -> None:
    """Each that the cache depends on, and each that it does not."""
    assert json.loads(built(CallMode.FORK, asking(FULL)).body)[key] == FULL[key]


def test_the_span_is_not_sent_again() -> None:
    """It is in the prefix: the appended message has none of it but its excerpt, and is shorter than it."""
    wanted = asking(FULL, 1, 5)
    appended = json.loads(built(CallMode.FORK, wanted).body)["messages"][-1]["content"]
    formatted = render(wanted.parent.request.messages[1:5])
    assert formatted not in appended
    assert "part 1 compiled" not in appended
    assert len(appended) < len(formatted)


def test_the_appended_text_is_the_instructions() -> None:
    """What `fork_text` says of the span, and nothing else."""
    wanted = asking(FULL, 1, 5)
    appended = json.loads(built(CallMode.FORK, wanted).body)["messages"][-1]["content"]
    assert appended == fork_text(wanted.parent.request, wanted.selection, "Sum up.")


def test_what_is_said_of_the_call() -> None:
    """Its address, what it covers and by what, and that it can be taken back."""
    found = built(CallMode.FORK, asking(FULL, 1, 3))
    assert (found.mode, found.path, found.scope, found.scoped_by) == ("fork", "/v1/messages", (1, 3), "instruction")
    assert (found.is_reversible, found.n_prefix_messages, found.headers, found.extra_round_trips) == (True, 7, {}, 0)


@pytest.mark.parametrize(
    ("body", "path"), [(BODIES["chat"], "/v1/chat/completions"), (BODIES["responses"], "/v1/responses")]
)
def test_the_address_is_the_dialects(body: Json, path: str) -> None:
    """Each has its own."""
    assert built(CallMode.FORK, asking(body)).path == path


def test_an_input_that_is_a_string_becomes_the_message_that_it_stands_for() -> None:
    """A list of two; the first reads the same to the provider as the string did."""
    data = b'{"model":"gpt-5.6-sol","input":"Build it.","tools":[],"store":false}'
    found = built(CallMode.FORK, asking(data, 0, 1))
    told = json.dumps(json.loads(found.body)["input"][1]["content"]).encode()
    assert found.body == (
        b'{"model":"gpt-5.6-sol","input":[{"role":"user","content":"Build it."},{"role":"user","content":'
        + told
        + b'}],"tools":[],"store":false}'
    )
    fork = parse_body(found.body)
    assert key_at(fork, 1) == full_key(parse_body(data))


def test_the_appended_text_has_the_callers_style() -> None:
    """Everything else keeps the spelling that it has."""
    data = '{"model":"gpt-4.1","messages":[{"role":"user","content":"caf\\u00e9 <é>"}]}'.encode()
    options = CallOptions(prompt="é <b>", style=Style.GO)
    body = built(CallMode.FORK, asking(data, 0, 1, options=options)).body
    assert body.startswith(data[:-2])
    assert '"content":"é \\u003cb\\u003e\\n'.encode() in body


def test_a_lone_surrogate_in_the_parent_stays() -> None:
    r"""A `\ud83d` that a cut left behind is no reason to touch anything."""
    data = (
        rb'{"model":"gpt-4.1","messages":[{"role":"user","content":"cut \ud83d"},{"role":"assistant","content":"k"}]}'
    )
    body = built(CallMode.FORK, asking(data, 0, 1)).body
    assert body.startswith(data[:-2] + b',{"role":"user"')


@pytest.mark.parametrize("start", [0, 1])
def test_a_span_that_was_counted_elsewhere_is_found_in_the_parent(start: int) -> None:
    """The parent was sent with one message more at its head: the scope is said in its numbers."""
    other = parse_body(compact(claude(*SESSION[start:])))
    wanted = asking(FULL, 3 - start, 5 - start, span_request=other)
    assert built(CallMode.FORK, wanted).scope == (3, 5)
    assert built(CallMode.STANDALONE, wanted).scope == (3 - start, 5 - start)


def test_the_span_is_looked_for_where_it_says_first() -> None:
    """The same two messages stand in two places: the place that the selection names is taken."""
    twice = (user("again"), assistant("ok"))
    body = claude(user("go"), assistant("yes"), *twice, *twice, user("end"))
    other = parse_body(compact({**body, "metadata": {"user_id": "u"}}))
    assert built(CallMode.FORK, asking(body, 4, 6, span_request=other)).scope == (4, 6)


def test_the_gate_passes_what_is_built() -> None:
    """Written behind its parent, the fork is `exact`: appended to a request that was sent, with the same bytes."""
    fork = built(CallMode.FORK, changed(asking(FULL), options=CallOptions())).body
    found = run(ForkPrefix(), compact(FULL) + b"\n" + fork + b"\n")
    assert (found.verdict, found.checked) == ("pass", 1)
    assert [(one.kind, one.line) for one in found.findings] == [("exact", 2)]


def test_the_mode_does_not_change_the_span() -> None:
    """Every mode is asked for the same messages, and no result loses its call in any of them."""
    wanted = asking(FULL, 1, 5)
    scopes: dict[str, Any] = {mode.value: built(mode, wanted).scope for mode in (CallMode.STANDALONE, CallMode.FORK)}
    assert scopes == {"standalone": (1, 5), "fork": (1, 5)}
    assert oracle.check_tool_pairs(json.loads(built(CallMode.FORK, wanted).body)) == []
