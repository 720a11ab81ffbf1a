"""The first difference between two JSON values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.prefix.difference import first_difference


def found(was: Any, now: Any) -> tuple[str, str, int | None] | None:
    """Change, path and byte of the difference of two values, written compactly."""
    a, b = (json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() for value in (was, now))
    one = first_difference(a, b)
    return None if one is None else (one.change.value, ".".join(one.path), one.byte)


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ({"a": 1}, {"a": 1}, None),
        ({"a": 1}, {"a": 2}, ("edited", "a", 5)),
        ({"a": 1}, {"a": 1, "b": 2}, ("inserted", "b", 11)),
        ({"a": 1, "b": 2}, {"a": 1}, ("removed", "b", 0)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ("key_order", "b", 5)),
        ({"a": 1, "b": 2}, {"b": 3, "a": 1}, ("edited", "b", 5)),
        ([1, 2], [1, 2, 3], ("inserted", "2", 5)),
        ([1, 2, 3], [1, 2], ("removed", "2", 4)),
        ([{"a": "xy"}], [{"a": "xz"}], ("edited", "0.a", 8)),
        ("abcdef", "abc", ("truncated", "", 4)),
        ("abc", "", ("edited", "", 1)),
        ("abc", "abcdef", ("edited", "", 4)),
        ("abc", 1, ("edited", "", 0)),
        (None, {}, ("edited", "", 0)),
        (True, False, ("edited", "", 0)),
        ("ünd", "ünx", ("edited", "", 4)),
    ],
)
def test_what_differs_first(was: Any, now: Any, expected: tuple[str, str, int | None] | None) -> None:
    """What happened, where, and at which byte of the second value."""
    assert found(was, now) == expected


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'{"a": [1, "x"]}', b'{"a":[1,"x"]}'),
        (b'"caf\\u00e9 \\/"', '"café /"'.encode()),
        (b'{"a":1,"cache_control":{"type":"ephemeral"}}', b'{"a":1}'),
        (b'{"a":1}', b'{"prompt_cache_breakpoint":{"mode":"explicit"},"a":1}'),
        (b'{"content":"x"}', b'{"content":[{"type":"text","text":"x"}]}'),
        (b'{"content":[{"type":"text","text":"x","cache_control":{}}]}', b'{"content":"x"}'),
        (b"[]", b"[ ]"),
    ],
)
def test_what_does_not_count(was: bytes, now: bytes) -> None:
    """White space, escapes, marks, and a string against a list of one text block."""
    assert first_difference(was, now) is None


@pytest.mark.parametrize(
    ("was", "now", "path", "byte"),
    [
        (b'"one"', b'[{"type":"text","text":"two"}]', "0.text", 24),
        (b'[{"type":"text","text":"one"}]', b'"two"', "", 1),
    ],
)
def test_a_string_against_a_block_differs_in_its_text(was: bytes, now: bytes, path: str, byte: int) -> None:
    """The place is that of the text in the second value."""
    one = first_difference(was, now)
    assert one is not None
    assert (".".join(one.path), one.byte) == (path, byte)


def test_two_blocks_are_no_string() -> None:
    """A list of two blocks, or a block with more than its text, is not what a string stands for."""
    assert first_difference(b'"x"', b'[{"type":"text","text":"x"},{"type":"text","text":""}]') is not None
    assert first_difference(b'"x"', b'[{"type":"text","text":"x","citations":[]}]') is not None


def test_numbers_count_as_they_are_written() -> None:
    """`1.0` and `1` are two spellings that a provider may render otherwise."""
    one = first_difference(b"1.0", b"1")
    assert one is not None
    assert (one.was, one.now) == ("1.0", "1")


def test_excerpts_stand_around_the_difference() -> None:
    """24 characters before it, 56 from it on, and where in them it begins."""
    was, now = "a" * 100 + "X" + "b" * 100, "a" * 100 + "Y" + "b" * 100
    one = first_difference(json.dumps(was).encode(), json.dumps(now).encode())
    assert one is not None
    assert (one.was, one.now, one.at) == ("a" * 24 + "X" + "b" * 55, "a" * 24 + "Y" + "b" * 55, 24)
    short = first_difference(b'"ab"', b'"ac"')
    assert short is not None
    assert (short.was, short.now, short.at) == ("ab", "ac", 1)


def test_bytes_that_are_no_json_are_compared_as_bytes() -> None:
    """The first byte that differs, and no path."""
    one = first_difference(b"[1, 2", b"[1, 3")
    assert one is not None
    assert (one.path, one.byte, one.change.value) == ((), 4, "edited")


@given(
    text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60),
    put=st.text(st.characters(codec="utf-8"), min_size=1, max_size=3),
    at=st.integers(0, 59),
    ascii_only=st.booleans(),
)
def test_the_byte_of_a_string_is_that_of_the_character(text: str, put: str, at: int, *, ascii_only: bool) -> None:
    """Whatever characters and escapes stand before it: the byte begins the first character that differs."""
    i = at % len(text)
    now = text[:i] + put + text[i:]
    same = next((k for k, (x, y) in enumerate(zip(text, now, strict=False)) if x != y), len(text))
    written = json.dumps(now, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    one = first_difference(json.dumps(text).encode(), written)
    assert one is not None
    assert one.byte == len(json.dumps(now[:same], ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) - 1
