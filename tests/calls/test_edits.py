"""Edits of a request's bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.calls.edits import append, edited, quoted, replace, set_member
from cgcli.readers.single import parse_body
from cgcli.wire.strings import Style
from tests.calls.asking import behind_last, behind_members, claude, compact, responses, user

if TYPE_CHECKING:
    from tests.calls.asking import Json

BODY = claude(user("one"), user("two"), user("three"), metadata={"user_id": "u"})
NEW = b'{"role":"user","content":"new"}'
SPELLED = [compact(BODY), json.dumps(BODY, indent=2).encode(), json.dumps(BODY).encode() + b"\n"]


@pytest.mark.parametrize("data", SPELLED, ids=["compact", "pretty", "spaced"])
def test_a_message_is_put_behind_the_last_one(data: bytes) -> None:
    """Right behind it, however the body is spelled and whatever comes behind the list."""
    at = behind_last(data)
    request = parse_body(data)
    assert edited(request, append(request, NEW)) == (data[:at] + b"," + NEW + data[at:]).rstrip()


@pytest.mark.parametrize("data", SPELLED, ids=["compact", "pretty", "spaced"])
def test_a_member_is_put_at_the_end(data: bytes) -> None:
    """Before the white space that the closing brace stands behind."""
    at = behind_members(data)
    request = parse_body(data)
    assert edited(request, [set_member(request, "extra", b"[1]")]) == (data[:at] + b',"extra":[1]' + data[at:]).rstrip()


def test_a_member_that_is_null_is_replaced() -> None:
    """A key may not stand twice."""
    data = compact({"compaction": None, **BODY})
    request = parse_body(data)
    got = edited(request, [set_member(request, "compaction", b"{}")])
    assert got == data.replace(b'"compaction":null', b'"compaction":{}')


def test_a_member_that_is_there_is_left_alone() -> None:
    """Nothing of the caller's is overwritten."""
    request = parse_body(compact(BODY))
    with pytest.raises(ValueError, match="`metadata` already"):
        set_member(request, "metadata", b"{}")


@given(start=st.integers(0, 4), stop=st.integers(0, 4), n_new=st.integers(0, 2), indent=st.sampled_from([None, 1]))
def test_a_run_is_replaced_as_in_a_list(start: int, stop: int, n_new: int, indent: int | None) -> None:
    """The messages are those that slicing a list gives, and every other member is what it was."""
    body = claude(*(user(str(i)) for i in range(4)), stop_sequences=["x"])
    request = parse_body(json.dumps(body, indent=indent).encode())
    new = [NEW] * n_new
    if start > stop:
        with pytest.raises(ValueError, match="of 4"):
            replace(request, start, stop, new)
        return
    got: Json = json.loads(edited(request, replace(request, start, stop, new)))
    wanted = [*body["messages"]]
    wanted[start:stop] = [json.loads(NEW)] * n_new
    assert got == {**body, "messages": wanted}


@pytest.mark.parametrize(
    ("start", "stop", "new", "wanted"),
    [
        (1, 1, [NEW], b'[{"role":"user","content":"caf\\u00e9 \xc3\xa9"},' + NEW + b"]"),
        (0, 0, [NEW], b"[" + NEW + b',{"role":"user","content":"caf\\u00e9 \xc3\xa9"}]'),
        (0, 1, [NEW, NEW], b"[" + NEW + b"," + NEW + b"]"),
        (1, 1, [], b'"caf\\u00e9 \xc3\xa9"'),
        (0, 1, [], b"[]"),
    ],
)
def test_an_input_that_is_a_string_becomes_a_list(start: int, stop: int, new: list[bytes], wanted: bytes) -> None:
    """The string stays as it is spelled, as the content of a user's message."""
    head, tail = b'{"model":"gpt-5","input": ', b' ,"store":false}'
    request = parse_body(head + b'"caf\\u00e9 \xc3\xa9"' + tail)
    assert edited(request, replace(request, start, stop, new)) == head + wanted + tail


def test_nothing_is_put_into_an_empty_list() -> None:
    """There is no last message to put it behind."""
    request = parse_body(compact(responses([])))
    with pytest.raises(ValueError, match="of 0"):
        append(request, NEW)


@pytest.mark.parametrize(
    ("style", "wanted"),
    [(None, rb'"\u00e9<\u2028"'), (Style.UTF8, '"é<\u2028"'.encode()), (Style.GO, '"é\\u003c\\u2028"'.encode())],
)
def test_new_strings_have_the_style_that_is_asked_for(style: Style | None, wanted: bytes) -> None:
    """Without one, what `json.dumps` writes."""
    assert quoted("é<\u2028", style) == wanted
