"""The bytes that are digested."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.dialects import canonical
from cgcli.dialects.canonical import frame, free_content, free_json, pieces
from cgcli.wire.long import Long
from cgcli.wire.spans import Document, Malformed


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (' { "b" : 1.0 , "a" : [ ] } ', '{"b":1.0,"a":[]}'),
        (r'{"\u0061":"\u00e9\/\n\u001f"}', '{"a":"é/\\n\\u001f"}'),
        ("[1e3, -0, 12345678901234567890123, 0.10]", "[1e3,-0,12345678901234567890123,0.10]"),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ("[true,false,null,{}]", "[true,false,null,{}]"),
        (r'"\ud83d\ude80 \ud83d"', '"🚀 \ud83d"'),
    ],
)
def test_free_json_keeps_order_and_number_spelling(text: str, canonical: str) -> None:
    """White space and escapes are normalised, all else is as written."""
    assert free_json(Document(text.encode()).root()) == canonical.encode("utf-8", "surrogatepass")


def test_free_json_leaves_out_one_outer_key() -> None:
    """Only in the outermost object."""
    node = Document(b'{"x":1,"a":{"x":2},"x":3}').root()
    assert free_json(node, without="x") == b'{"a":{"x":2}}'


@pytest.mark.parametrize(
    ("raw", "reason"),
    [(b"[" * 100_000 + b"]" * 100_000, "too_deep"), (b'"\xff"', "invalid_utf8"), (b"{", "not_json")],
)
def test_free_json_names_what_it_cannot_read(raw: bytes, reason: str) -> None:
    """Too deep, not UTF-8, not JSON."""
    with pytest.raises(Malformed) as caught:
        free_json(Document(raw).root())
    assert caught.value.reason == reason


_field = st.tuples(st.sampled_from(["a", "b", "ab"]), st.none() | st.binary(max_size=4))


@given(st.lists(_field, max_size=4), st.lists(_field, max_size=4))
def test_frames_of_different_fields_differ(
    one: list[tuple[str, bytes | None]], other: list[tuple[str, bytes | None]]
) -> None:
    """Two lists of fields give the same bytes only where they are the same, fields that are None apart."""
    said = [[field for field in fields if field[1] is not None] for fields in (one, other)]
    assert (frame(one) == frame(other)) == (said[0] == said[1])


_plain = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
_tree = st.recursive(
    _plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=9,
)


@given(_tree, st.booleans())
def test_free_json_means_the_same(value: Any, ascii_only: bool) -> None:  # noqa: FBT001 - hypothesis gives it by position
    """It is JSON with the same meaning, however it was spelled."""
    spelled = json.dumps(value, ensure_ascii=ascii_only, indent=1).encode("utf-8", "surrogatepass")
    canonical = free_json(Document(spelled).root())
    assert json.loads(canonical) == value
    assert canonical == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(_json, st.booleans(), st.sampled_from([None, 1]))
def test_long_free_json_is_the_same_bytes_in_pieces(tree: Any, is_ascii: bool, indent: int | None) -> None:  # noqa: FBT001 - drawn
    """With every value taken for a long one: what the walk over the whole tree gives, and what the standard library."""
    raw = json.dumps(tree, ensure_ascii=is_ascii, indent=indent).encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "LONG_BYTES", 0)
        made = free_content(Document(raw).root())
    plain = json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    assert len(made) == len(plain)
    assert b"".join(pieces(made)) == plain


@pytest.mark.parametrize("raw", [b'{"a":1,"a":"%b"}', b'{"\\ud83d":"%b"}', b'{"a":"%b","b":"\\ude00"}'])
def test_long_free_json_that_cannot_be_walked_in_place_is_read_whole(raw: bytes) -> None:
    """A key that stands twice, lone surrogates: as short free JSON has them."""
    short, whole = raw % b"x", raw % (b"x" * 1_100_000)
    made = b"".join(pieces(free_content(Document(whole).root())))
    assert made.replace(b"x" * 1_100_000, b"x") == free_json(Document(short).root())


def test_long_fields_are_framed_as_short_ones() -> None:
    """Joined from pieces, the frame has the length and the bytes that it has from bytes."""
    fields = [("role", b"user"), ("none", None), ("text", b"abc")]
    made = frame([("role", b"user"), ("none", None), ("text", Long(3, lambda: iter((b"ab", b"c"))))])
    assert isinstance(made, Long)
    assert b"".join(pieces(made)) == frame(fields) == b"role 4:usertext 3:abc"
    assert len(made) == len(b"role 4:usertext 3:abc")
