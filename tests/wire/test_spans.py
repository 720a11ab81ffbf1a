"""Spans of JSON values, against the standard library."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.wire.spans import Document, Malformed, Node, decode_text, without_lone_surrogates

_space = st.text(" \t\n\r", max_size=3)
_number = st.sampled_from(["0", "-0", "1", "12", "-3.50", "1e3", "1E+400", "2.5e-07", "123456789012345678901234567890"])
_CHUNKS = ["a", " ", "é", "港", "🚢", "\u2028", "\x7f", "{", "}", "[", "]", ":", ",", "/"]
_ESCAPES = [r"\"", r"\\", r"\/", r"\b", r"\n", r"\u00e9", r"\u0000", r"\uD83D\ude80", r"\\ud83d"]
_HALVES = [r"\ud83d", r"\ude00", r"\uDBFF", r"\udC00"]
_chunk = st.sampled_from([*_CHUNKS, *_ESCAPES])
_string = st.lists(_chunk, max_size=6).map(lambda chunks: '"' + "".join(chunks) + '"')
_leaf = st.one_of(_number, _string, st.sampled_from(["true", "false", "null"]))


def _array(elements: list[str], spaces: list[str]) -> str:
    padded = [f"{left}{text}{right}" for text, left, right in zip(elements, spaces, spaces[::-1], strict=False)]
    return f"[{','.join(padded) if padded else spaces[0]}]"


def _object(members: list[tuple[str, str]], spaces: list[str]) -> str:
    padded = [f"{left}{key}{right}:{left}{text}{right}" for (key, text), left, right in _spaced(members, spaces)]
    return f"{{{','.join(padded) if padded else spaces[0]}}}"


def _spaced(members: list[tuple[str, str]], spaces: list[str]) -> Any:
    return zip(members, spaces, spaces[::-1], strict=False)


_spaces = st.lists(_space, min_size=4, max_size=4)


def _containers(inner: st.SearchStrategy[str], *, unique: bool) -> st.SearchStrategy[str]:
    member = st.tuples(_string, inner)
    members = st.lists(member, max_size=4, unique_by=(lambda one: json.loads(one[0])) if unique else None)
    return st.builds(_array, st.lists(inner, max_size=4), _spaces) | st.builds(_object, members, _spaces)


_json = st.recursive(_leaf, lambda inner: _containers(inner, unique=True), max_leaves=25)
_short_key = st.sampled_from(['"a"', '"b"', r'"\u0061"', '"c"'])
_flat = st.recursive(_number, lambda inner: st.builds(_array, st.lists(inner, max_size=3), _spaces), max_leaves=4)
_maybe_twice = st.builds(_object, st.lists(st.tuples(_short_key, _flat), max_size=4), _spaces)


def _root(text: str | bytes) -> Node:
    return Document(text.encode() if isinstance(text, str) else text).root()


def check_spans(node: Node, expected: Any) -> None:
    """*node* and all that stands in it are exactly the slices that mean *expected*."""
    written = node.bytes()
    assert written == written.strip(b" \t\n\r")
    assert json.loads(written) == expected
    assert node.doc.raw[node.start : node.stop] == written
    if isinstance(expected, dict):
        members = node.members()
        assert list(members) == list(expected)
        for key, member in members.items():
            check_spans(member, expected[key])
    elif isinstance(expected, list):
        elements = node.elements()
        assert len(elements) == len(expected)
        for element, value in zip(elements, expected, strict=True):
            check_spans(element, value)
    elif isinstance(expected, str):
        assert node.text() == node.string() == expected
    else:
        assert node.string() is None
        assert node.value() == expected


@settings(max_examples=150, deadline=None)
@given(_json, _space, _space)
def test_every_value_is_found_where_it_stands(text: str, before: str, after: str) -> None:
    """Whatever the white space, escapes and nesting, each slice is the value's own bytes."""
    check_spans(_root(before + text + after), json.loads(text))


@settings(max_examples=150, deadline=None)
@given(_maybe_twice)
def test_a_key_that_stands_twice_is_found(text: str) -> None:
    """An object is refused exactly where the standard library sees one key more than once."""
    pairs: list[tuple[str, Any]] = json.loads(text, object_pairs_hook=list)
    if len({key for key, _ in pairs}) == len(pairs):
        check_spans(_root(text), dict(pairs))
    else:
        with pytest.raises(Malformed) as caught:
            _root(text).members()
        assert caught.value.reason == "duplicate_key"


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a":1,"a":1}',
        '{"a":1,"b":2,"a":3}',
        '{"b":0,"a":1,"a":2}',
        '{"a":1,"b":2,"b":3,"c":4}',
        '{"a":[],"a":{}}',
        '{"a":1,"\\u0061":2}',
        '{"":1,"":1}',
        '{ "a" : 1 , "a" : 1 }',
        # Lengths alone fit here: the later value covers the earlier one and the key inside it.
        '{"a":1,"b":{"p":11,"kkkkkkk":22222},"a":9999999999999}',
    ],
)
def test_duplicate_keys_in_every_position(text: str) -> None:
    """First, last, in the middle, apart, escaped, empty: refused by name."""
    with pytest.raises(Malformed) as caught:
        _root(text).members()
    assert caught.value.reason == "duplicate_key"


def test_a_duplicate_key_further_in_is_found_where_it_is_opened() -> None:
    """The object around it stays usable."""
    inner = _root('{"messages":[{"role":"a","role":"b"}],"model":"m"}').members()["messages"].elements()[0]
    with pytest.raises(Malformed, match="byte 13"):
        inner.members()


@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_too_deep_is_a_name_not_a_crash(opened: str) -> None:
    """A hundred thousand levels are refused."""
    for read in (Node.members if opened != "[" else Node.elements, Node.value):
        with pytest.raises(Malformed) as caught:
            read(_root(opened * 100_000))
        assert caught.value.reason == "too_deep"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b'{"a":1', "cut"),
        (b'{"a":', "cut"),
        (b'{"a":"x', "cut"),
        (b'{"a":1} x', "not_json"),
        (b'{"a":1}{"a":1}', "not_json"),
        (b'{"a":NaN}', "not_json"),
        (b'{"a":[Infinity]}', "not_json"),
        (b'{"a":-Infinity}', "not_json"),
        (b'{"a":01}', "not_json"),
        (b"{'a':1}", "not_json"),
        (b'{"a":1,}', "not_json"),
        (b'{"a":"\x00"}', "not_json"),
        (b'{"a" 1}', "not_json"),
        (b"[1]", "not_a_container"),
        (b'"text"', "not_a_container"),
    ],
)
def test_what_is_no_object_is_named(raw: bytes, reason: str) -> None:
    """Cut, empty, followed by something, NaN, raw control characters: each has its reason."""
    with pytest.raises(Malformed) as caught:
        _root(raw).members()
    assert caught.value.reason == reason


@pytest.mark.parametrize("raw", [b"{}", b"1", b"[1,", b"[1 2]"])
def test_what_is_no_array_is_refused(raw: bytes) -> None:
    """An object, a number, a cut array, a missing comma."""
    with pytest.raises(Malformed):
        _root(raw).elements()


def test_kinds_are_told_by_the_first_byte() -> None:
    """Object, array, string, number, booleans and null."""
    kinds = [element.kind for element in _root('[{}, [], "", -1, 2, true, false, null]').elements()]
    assert kinds == ["object", "array", "string", "number", "number", "bool", "bool", "null"]


def test_a_lone_surrogate_keeps_all_spans() -> None:
    """Halves of pairs, as escapes anywhere, move nothing and decode to themselves."""
    text = r'{"a":["\ud83d","\ude00\ud83d","\ud83d\ud83d\ude00"],"b":{"c":"\uDBFFx"},"d":"\ud83d\ude00"}'
    check_spans(_root(text), json.loads(text))


@given(st.lists(st.sampled_from([*_HALVES, "x", r"\\", r"\"", r"\u0041"]), max_size=8))
def test_without_lone_surrogates_changes_nothing_else(chunks: list[str]) -> None:
    """The twin has the same length, is UTF-8 when decoded, and differs only in lone halves."""
    literal = '"' + "".join(chunks) + '"'
    twin = without_lone_surrogates(literal.encode()).decode()
    assert len(twin) == len(literal)
    meant = json.loads(literal)
    assert json.loads(twin) == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in meant)
    if json.loads(twin) == meant:
        assert twin == literal


def test_bytes_that_are_not_utf8_are_named_where_they_are_read() -> None:
    """Skipping does not look; decoding the string does, and says which byte."""
    members = _root(b'{"a":"ok","b":"\xff\xfe"}').members()
    assert members["a"].text() == "ok"
    for read in (Node.text, Node.value):
        with pytest.raises(Malformed) as caught:
            read(members["b"])
        assert caught.value.reason == "invalid_utf8"
    with pytest.raises(Malformed) as caught:
        decode_text(b'"\xff"')
    assert caught.value.reason == "invalid_utf8"


def test_text_of_what_is_no_string_is_refused() -> None:
    """A number has no text."""
    with pytest.raises(Malformed) as caught:
        _root("12").text()
    assert caught.value.reason == "not_a_string"


def test_value_reads_what_the_fast_parser_refuses() -> None:
    """Lone surrogates and numbers without bounds come through; NaN does not."""
    assert _root(r'{"a":["\ud83d",123456789012345678901234567890]}').value() == {
        "a": ["\ud83d", 123456789012345678901234567890]
    }
    for text in ("NaN", "[Infinity]", "[1"):
        with pytest.raises(Malformed) as caught:
            _root(text).value()
        assert caught.value.reason == "not_json"
