"""A long JSON string in pieces."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cgcli.wire import long, spans
from cgcli.wire.long import Long, cut
from cgcli.wire.spans import Malformed, decode_text, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

_spelled = st.sampled_from(
    [
        *'a "\\/bé港🚢',
        "\\n",
        '\\"',
        "\\\\",
        "\\/",
        "\\u0041",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\\uD83D",
        "plain text",
    ]
).filter(lambda piece: piece not in ('"', "\\"))
_literal = st.lists(_spelled, max_size=40).map(lambda pieces: f'"{"".join(pieces)}"')


@contextmanager
def _short_pieces(n_bytes: int) -> Iterator[None]:
    """Every string is long, and a piece has that many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long, "PIECE_BYTES", n_bytes)
        patch.setattr(long, "_LOOKED_AT_BYTES", 12)
        patch.setattr(spans, "LONG_BYTES", 0)
        yield


@settings(max_examples=1000)
@given(_literal, st.integers(1, 30))
@example('"\\ud83d\\ude00\\ud83d\\ude00"', 7)
@example('"\\\\\\\\\\\\\\\\n"', 3)
@example('"港港港港港港港港"', 4)
def test_pieces_are_strings_that_join_to_the_whole(literal: str, n_bytes: int) -> None:
    """Each piece is a JSON string by itself; the standard library's texts of them are its text of the whole."""
    with _short_pieces(n_bytes):
        pieces = list(cut(memoryview(literal.encode())))
    assert "".join(json.loads(piece) for _, piece in pieces) == json.loads(literal)
    assert b"".join(piece[1:-1] for _, piece in pieces) == literal.encode()[1:-1]
    assert all(literal.encode()[at + 1 :].startswith(piece[1:-1]) for at, piece in pieces)


@settings(max_examples=500)
@given(_literal, st.integers(1, 30))
def test_a_long_string_decodes_as_a_short_one(literal: str, n_bytes: int) -> None:
    """Whole and in pieces, bytes and a view of them."""
    raw = literal.encode()
    with _short_pieces(n_bytes):
        assert decode_text(raw) == decode_text(memoryview(raw)) == json.loads(literal)
        assert "".join(texts(raw)) == json.loads(literal)


def test_pieces_of_a_megabyte_are_a_quarter() -> None:
    """None is longer, in text without escapes, with many, and in nothing but escapes."""
    for spelling, text in (("a", "a"), ("boat\\n", "boat\n"), ("\\u00e9", "é"), ("\\\\", "\\"), ("港", "港")):
        literal = b'"%b"' % (spelling.encode() * (1_200_000 // len(spelling.encode())))
        pieces = [piece for _, piece in cut(literal)]
        assert max(map(len, pieces)) <= (1 << 18) + 2
        assert len(pieces) == 5
        assert decode_text(literal) == text * (1_200_000 // len(spelling.encode()))


def test_an_error_says_where_in_the_document_it_is() -> None:
    """A byte that is not UTF-8, in the third piece of a string that stands at byte 100."""
    literal = b'"%b\xff%b"' % (b"a" * 700_000, b"a" * 700_000)
    with pytest.raises(Malformed) as caught:
        decode_text(literal, at=100)
    assert (caught.value.reason, str(caught.value)) == ("invalid_utf8", "not UTF-8 at byte 700101")


@pytest.mark.parametrize(
    "literal", [b"1" * 1_500_000, b'"' + b"a" * 1_500_000, b'"a"' * 500_000, b'"%b"' % (b"\x80" * 1_500_000)]
)
def test_what_is_no_string_is_refused(literal: bytes) -> None:
    """A number, one without its end, several, one of bytes that only go on with a character; whole and in pieces."""
    for read in (decode_text, lambda given: list(texts(given))):
        with pytest.raises(Malformed):
            read(literal)


def test_long_bytes_are_made_anew() -> None:
    """They have a length, and can be had twice."""
    made = Long(3, lambda: iter((b"a", b"bc")))
    assert len(made) == 3
    assert [b"".join(made), b"".join(made)] == [b"abc", b"abc"]
