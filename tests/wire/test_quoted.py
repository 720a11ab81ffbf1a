"""JSON inside a JSON string."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgcli.wire.quoted import Quoted
from cgcli.wire.spans import Document, Malformed
from cgcli.wire.splice import splice

_char = st.sampled_from('a"\\/{}[]:,\n\t\x00é\u2028港🚢🛟\ud83d\ude00') | st.characters(exclude_categories=())
_spelling = st.sampled_from(["raw", "short", "lower", "upper"])
_SHORT = {'"': r"\"", "\\": r"\\", "/": r"\/", "\n": r"\n", "\t": r"\t"}


def _whole(chars: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """*chars* without a high surrogate right before a low one, which no JSON can spell."""
    out: list[tuple[str, str]] = []
    for char, spelling in chars:
        if not (out and "\ud800" <= out[-1][0] <= "\udbff" and "\udc00" <= char <= "\udfff"):
            out.append((char, spelling))
    return out


_spelled = st.lists(st.tuples(_char, _spelling), max_size=12).map(_whole)


def _escaped(char: str, spelling: str) -> str:
    """*char* as one of the ways in which JSON can spell it."""
    must = char in '"\\' or char < " " or "\ud800" <= char <= "\udfff"
    if spelling == "raw" and not must:
        return char
    if char in _SHORT and spelling in ("raw", "short"):
        return _SHORT[char]
    units = char.encode("utf-16-be", "surrogatepass")
    digits = [units[i : i + 2].hex() for i in range(0, len(units), 2)]
    return "".join(f"\\u{unit.upper() if spelling == 'upper' else unit}" for unit in digits)


@given(_spelled)
@example([("🚢", "lower"), ("a", "raw")])
@example([("\ud83d", "lower"), ("🚢", "upper"), ("\ude00", "raw")])
def test_every_inner_boundary_is_found_in_the_literal(chars: list[tuple[str, str]]) -> None:
    """Before and after each character, and inside those that stand unescaped, the map is exact."""
    inner, outer = b"", b'"'
    expected: list[tuple[int, int]] = []
    for char, spelling in chars:
        escaped = _escaped(char, spelling).encode()
        plain = char.encode("utf-8", "surrogatepass")
        inside = range(len(plain)) if escaped == plain else range(1)
        expected += [(len(inner) + i, len(outer) + i) for i in inside]
        inner += plain
        outer += escaped
    expected.append((len(inner), len(outer)))
    quoted = Quoted(outer + b'"')
    assert quoted.inner == inner
    assert [(at, quoted.outer(at)) for at, _ in expected] == expected


@pytest.mark.parametrize(
    ("literal", "text", "spelled"),
    [
        (rb'"\u00e9"', "é<港", rb"\u00e9<\u6e2f"),
        ('"é"'.encode(), "é<🚢", "é<🚢".encode()),
        (rb'"{\"a\":\"\u003c\"}"', '<b>"', rb"\u003cb\u003e\""),
        (rb'"a\/b"', "c/d", rb"c\/d"),
        (rb'"\u0041 odd"', "é", rb"\u00e9"),
        (rb'"plain"', "\n", rb"\n"),
    ],
    ids=["ascii", "utf8", "go", "slash", "no-style", "plain"],
)
def test_new_text_is_spelled_as_the_literal_is(literal: bytes, text: str, spelled: bytes) -> None:
    """ASCII, UTF-8, Go's and slashed literals keep their habit; ASCII where none fits."""
    assert Quoted(literal).quote(text.encode()) == spelled


@given(_spelled, _spelled)
def test_quoted_text_means_itself(chars: list[tuple[str, str]], others: list[tuple[str, str]]) -> None:
    """Whatever the literal's habit, what is put into it reads back as the text."""
    literal = '"' + "".join(_escaped(*one) for one in chars) + '"'
    text = "".join(char for char, _ in others)
    quote = Quoted(literal.encode()).quote(text.encode("utf-8", "surrogatepass"))
    assert json.loads(b'"' + quote + b'"') == text


@given(st.text(max_size=20), st.text(max_size=20), st.booleans())
def test_an_edit_inside_changes_only_what_it_means(old: str, new: str, ascii_only: bool) -> None:  # noqa: FBT001 - hypothesis gives it by position
    """Spans of the inner JSON, mapped outwards and spliced, replace one inner value."""
    inner = json.dumps({"é": [1, old], "b": "🚢"}, ensure_ascii=ascii_only)
    literal = json.dumps(inner, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    quoted = Quoted(literal)
    slot = Document(quoted.inner).root().members()["é"].elements()[1]
    replacement = quoted.quote(json.dumps(new).encode())
    out = splice(literal, [(quoted.outer(slot.start), quoted.outer(slot.stop), replacement)])
    assert json.loads(json.loads(out)) == {"é": [1, new], "b": "🚢"}


@pytest.mark.parametrize(
    ("literal", "reason"),
    [
        (b"abc", "not_json"),
        (b'"abc', "not_json"),
        (b'"\\x"', "not_json"),
        (b'"\xff"', "invalid_utf8"),
        (b'"', "not_json"),
    ],
)
def test_what_is_no_string_is_refused_by_name(literal: bytes, reason: str) -> None:
    """No quotes, a cut one, an unknown escape, bytes that are not UTF-8."""
    with pytest.raises(Malformed) as caught:
        Quoted(literal)
    assert caught.value.reason == reason
