"""Bodies in pieces: joined they are the JSON that was meant, and a line of them stands on one line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.readers import spelling
from cgcli.readers.derived import Derived
from cgcli.readers.requests import Speller

_MESSAGES = [b'{"role":"user","content":"go"}', b'{"role":"user",\n"content":"on"}', b'{\r\n"role":"assistant"}', b"{}"]


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_pieces_joined_are_the_body(n: int) -> None:
    """What is None is left out; the messages come last, in order."""
    pieces = spelling.body(_MESSAGES[:n], key="input", model=b'"m"', tools=None)
    assert json.loads(b"".join(pieces)) == {"model": "m", "input": [json.loads(one) for one in _MESSAGES[:n]]}
    assert b"tools" not in b"".join(pieces)


def test_messages_stay_the_objects_that_they_were() -> None:
    """So that a request costs what is new in it until it is written."""
    assert [piece for piece in spelling.body(_MESSAGES) if piece in _MESSAGES] == _MESSAGES
    assert any(piece is _MESSAGES[0] for piece in spelling.body(_MESSAGES))


@given(st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=5))
def test_a_line_does_not_depend_on_the_one_before(bodies: list[list[int]]) -> None:
    """Also where bodies share messages that take several lines, go on from each other, or have nothing in common."""
    speller = Speller(format_name="x", reconstructed=True)
    for i, numbers in enumerate(bodies):
        messages = [_MESSAGES[k] for k in numbers]
        line = bytes(speller.line(Derived(body=spelling.body(messages), line=i)))
        assert line == Speller(format_name="x", reconstructed=True).line(
            Derived(body=b"".join(spelling.body(messages)), line=i)
        )
        assert line.count(b"\n") == 1
        assert b"\r" not in line
        assert json.loads(line)["body"] == {"messages": [json.loads(one) for one in messages]}
