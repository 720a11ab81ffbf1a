"""Where a request breaks with an earlier one."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.model import Section
from cgcli.prefix.divergence import BreakKind, divergence, path_of
from cgcli.readers import read
from tests import oracle
from tests.captures import capture
from tests.checks.gated import BASH, Json, body, lines, said, turn, user

if TYPE_CHECKING:
    from cgcli.model import Request

GO = user("Go.")
YES = said("Yes.")


def requests(data: bytes) -> list[Request]:
    """The requests of a file."""
    return [entry.exchange.request for entry in read(BytesIO(data), file="made") if entry.exchange is not None]


def found(before: Json, after: Json) -> Any:
    """The divergence of two bodies."""
    one, other = requests(lines([before, after]))
    return divergence(one, other)


@pytest.mark.parametrize(
    ("fields", "kind", "path", "n_blocks"),
    [
        ({"model": "claude-opus-4-5", "tools": None, "thinking": {"type": "adaptive"}}, "model_changed", "model", 0),
        ({"tools": None, "system": "Other.", "speed": "fast"}, "tools_changed", "tools.0", 0),
        ({"system": "Other.", "speed": "fast"}, "params_changed", "speed", 1),
        ({"system": "Other.", "thinking": {"type": "adaptive"}}, "system_changed", "system", 1),
        ({"thinking": {"type": "adaptive"}}, "params_changed", "thinking", 2),
    ],
)
def test_the_first_break_in_cache_order_is_told(fields: Json, kind: str, path: str, n_blocks: int) -> None:
    """Model, tools, what breaks from the system prompt on, the system prompt, what breaks the messages, messages."""
    one = found(body(GO, YES), body(user("Stop."), YES, **fields))
    assert (one.kind.value, one.path, one.n_blocks) == (kind, path, n_blocks)


def test_parameters_of_all_sections_come_before_the_tools() -> None:
    """At OpenAI another output format breaks the tools too."""
    head = {"model": "gpt-4.1", "system": None}
    one = found(body(GO, **head), body(GO, tools=None, verbosity="low", **head))
    assert (one.kind, one.path, one.section, one.was, one.now) == (
        BreakKind.PARAMS,
        "verbosity",
        Section.TOOLS,
        "(left out)",
        '"low"',
    )


def test_key_order_means_the_same_and_an_edit_does_not() -> None:
    """Two keys of a tool's input in turn break the prefix and mean the same; another value does not."""
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"a": 1, "b": 2}}
    turned, edited = {**call, "input": {"b": 2, "a": 1}}, {**call, "input": {"a": 1, "b": 3}}
    bodies = [body(GO, {"role": "assistant", "content": [one]}, user("ok")) for one in (call, turned, edited)]
    one, other = found(bodies[0], bodies[1]), found(bodies[0], bodies[2])
    assert (one.change.value, one.path, one.is_same_in_meaning) == ("key_order", "messages.1.content.0.input.b", True)
    assert (other.change.value, other.path, other.is_same_in_meaning) == (
        "edited",
        "messages.1.content.0.input.b",
        False,
    )


@pytest.mark.parametrize(
    ("data", "section", "path"),
    [
        ({"model": "gpt-5", "input": "Go."}, Section.MESSAGES, "input"),
        ({"model": "gpt-5", "input": [GO], "instructions": "Plan."}, Section.MESSAGES, "input.0"),
        ({"model": "gpt-5", "input": [GO], "instructions": "Plan."}, Section.SYSTEM, "instructions"),
        (body(GO), Section.SYSTEM, "system"),
        (body(GO, system=[{"type": "text", "text": "Plan."}]), Section.SYSTEM, "system.0"),
        (body(GO), Section.TOOLS, "tools.0"),
        (body(GO, model="gpt-4.1", system=None), Section.MESSAGES, "messages.0"),
    ],
)
def test_paths_are_those_of_the_body(data: Json, section: Section, path: str) -> None:
    """Each dialect's own keys; a string has no number."""
    (request,) = requests(lines([data]))
    assert path_of(request, section, 0) == path


def test_what_is_not_recorded_is_not_compared() -> None:
    """None is not an empty list: tools that one side does not record break nothing."""
    from cgcli.model import changed  # noqa: PLC0415

    one, other = requests(lines([body(GO), body(GO, tools=None)]))
    assert divergence(one, other) is not None
    assert divergence(changed(one, tools=None), other) is None


@given(
    seed=st.integers(0, 200),
    turns=st.integers(1, 6),
    dialect=st.sampled_from(["anthropic", "chat", "responses"]),
    elide=st.sampled_from([None, 1, 2]),
    moving_marks=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_it_agrees_with_a_second_reading(
    seed: int, turns: int, dialect: Any, elide: int | None, *, moving_marks: bool
) -> None:
    """There is a divergence exactly where the oracle says that a request is no append, at the message it says."""
    data = capture(seed=seed, turns=turns, dialect=dialect, elide=elide, moving_marks=moving_marks)
    read_twice = [one for _, one in oracle.bodies(data)]
    seen = requests(data)
    for i in range(1, len(seen)):
        one = divergence(seen[i - 1], seen[i])
        a, b = oracle.rendered_messages(read_twice[i - 1]), oracle.rendered_messages(read_twice[i])
        parted = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
        assert (one is None) == oracle.is_append(read_twice[i - 1], read_twice[i])
        assert (one.i_item if one is not None else None) == parted


@given(seed=st.integers(0, 200), where=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_byte_is_the_first_that_differs(seed: int, where: int) -> None:
    """A letter of any text is changed in the bytes of a body: path and byte lead to it."""
    data = capture(seed=seed, turns=3).splitlines()[-1]
    places = [
        (token.path, letter.start())
        for token in oracle.json_tokens(data)
        if token.kind == "string" and token.path.rsplit(".", 1)[-1] in {"text", "content"}
        for letter in re.finditer(rb"(?<=[a-z ])[a-z](?=[a-z ])", data[: token.stop])
        if letter.start() > token.start and token.path.startswith("messages.")
    ]
    path, at = places[where % len(places)]
    edited = data[:at] + (b"q" if data[at : at + 1] != b"q" else b"v") + data[at + 1 :]
    one, other = requests(data + b"\n" + edited + b"\n")
    broken = divergence(one, other)
    assert broken is not None
    assert (broken.path, broken.change.value) == (path, "edited")
    assert other.starts[broken.i_item] + (broken.byte or 0) == at


def test_what_a_long_history_costs() -> None:
    """Two requests with 2,000 messages in common are compared without going through them."""
    told: list[Json] = [GO]
    for i in range(1000):
        told += turn(i)
    one, other = requests(lines([body(*told, tools=[BASH]), body(*told, said("Done."), tools=[BASH])]))
    assert divergence(one, other) is None
    assert one.messages[1999] is other.messages[1999]
