"""What stands in a record, where it has the kind that it should have."""

from __future__ import annotations

import pytest

from cgcli.dialects.base import string_of
from cgcli.readers.base import Passed
from cgcli.readers.derived import Missed
from cgcli.readers.fields import Lines, count_at, elements_of, members_of, or_missed, utf8_text, value_at
from cgcli.wire.spans import Document, Malformed

RAW = b'{"text":"a","list":[1,2],"inner":{"n":7},"flag":true,"minus":-1,"half":0.5,"nothing":null}'
MEMBERS = Document(RAW).root().members()


def test_a_value_of_another_kind_is_none() -> None:
    """No members, no elements, no string, no count; and nothing where nothing stands."""
    assert [key for key, node in MEMBERS.items() if members_of(node)] == ["inner"]
    assert [key for key, node in MEMBERS.items() if elements_of(node)] == ["list"]
    assert [key for key in MEMBERS if string_of(MEMBERS, key) is not None] == ["text"]
    assert (members_of(None), elements_of(None), string_of(MEMBERS, "x"), value_at(MEMBERS, "x")) == (
        {},
        [],
        None,
        None,
    )
    assert value_at(MEMBERS, "inner") == {"n": 7}


def test_a_count_is_a_whole_number_that_is_not_negative() -> None:
    """No truth value, no fraction."""
    assert count_at(members_of(MEMBERS["inner"]), "n") == 7
    assert [count_at(MEMBERS, key) for key in ("flag", "minus", "half", "text", "nothing", "x")] == [None] * 6


def test_what_cannot_be_used_is_missed_with_its_line() -> None:
    """A key that stands twice makes an object ambiguous."""
    twice = Document(b'{"a":1,"a":2}').root()
    missed = or_missed(5, lambda: members_of(twice))
    assert isinstance(missed, Missed)
    assert missed.line == 5
    assert missed.passed == Passed(
        reason="duplicate_key", usable=False, detail="a key stands twice in the object at byte 0"
    )
    assert or_missed(5, lambda: 7) == 7


def test_text_that_is_not_utf8_is_malformed() -> None:
    """With that reason."""
    assert utf8_text("é".encode()) == "é"
    with pytest.raises(Malformed) as caught:
        utf8_text(b"\xff")
    assert caught.value.reason == "invalid_utf8"


def test_lines_are_counted_forwards_and_backwards() -> None:
    """From the line on which the record begins; CR LF is one line end."""
    raw = b"[\n1,\r\n2,\n\n3]"
    one, two, three = Document(raw).root().elements()
    lines = Lines(raw, 10)
    assert [lines.of(node) for node in (one, two, three, three, one)] == [11, 12, 14, 14, 11]
