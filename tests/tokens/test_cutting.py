"""A long text is counted in pieces, and has the tokens that it has whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cgcli.tokens import cutting
from cgcli.tokens.cutting import steady

if TYPE_CHECKING:
    from collections.abc import Callable

    import tiktoken

_WORDS = [
    *"aZé中カ한3٣'sS/.,_-+\"\\(}。\uff0c\u0301\u200d\ud800\udc00😀",
    "'s",
    "'LL",
    "n't",
    "HTTPServer",
    "1234567",
    "//",
    "…",
]
_BLANKS = [" ", "  ", "\n", "\r\n", "\r", "\t", "\n\n ", "\u00a0", "\u3000", "\x1c", "\x85", "\u2028", "\x0b"]
_text = st.lists(st.sampled_from(_WORDS + _BLANKS) | st.characters(), max_size=60).map("".join)


def _cut(text: str, n_chars: int, *, arriving: int) -> list[str]:
    """*text*, arriving in texts of that many characters, in steady pieces of about *n_chars*."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "PIECE_CHARS", n_chars)
        patch.setattr(cutting, "_LOOKED_AT", 3)
        return list(steady([text[i : i + arriving] for i in range(0, len(text), arriving)]))


@settings(max_examples=300, deadline=None)
@given(text=_text, n_chars=st.integers(1, 9), arriving=st.integers(1, 30))
@example(text="x\n/y", n_chars=1, arriving=9)
@example(text="a \n b\n\n c", n_chars=1, arriving=9)
@example(text="it's 12345'S", n_chars=1, arriving=9)
def test_pieces_have_the_tokens_of_the_whole(
    genuine: Callable[[str], tiktoken.Encoding], vocabulary: str, text: str, n_chars: int, arriving: int
) -> None:
    """Joined they are the text, and tiktoken's tokens of each, one after the other, are its tokens of the whole."""
    found = _cut(text, n_chars, arriving=arriving)
    assert "".join(found) == text
    encode = genuine(vocabulary).encode_ordinary
    assert [token for piece in found for token in encode(piece)] == encode(text)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("two words", ["two", " words"]),
        ("one\ntwo", ["one", "\n", "two"]),
        ("a1,b", ["a", "1", ",b"]),
        ("it's", ["it's"]),
        ("!\n/x", ["!\n/x"]),
        ("!\n\n !", ["!\n\n !"]),
        ("港口。船", ["港口", "。船"]),
        ("éé1", ["éé1"]),
    ],
)
def test_a_cut_is_where_no_match_of_the_patterns_reaches_over(text: str, pieces: list[str]) -> None:
    """Between words and what cannot go on with them, behind a line end; not where a token might join both sides."""
    assert _every_cut(text) == pieces


def _every_cut(text: str) -> list[str]:
    """*text* cut wherever it may be."""
    return [piece for piece in re.split(cutting._CUT, text) if piece]


def test_a_piece_is_not_much_longer_than_it_should_be() -> None:
    """Lines, one long line of base64, and minified JSON: all have places enough."""
    for text in ("a line of boats\n" * 70_000, "QUJD+RU5/" * 120_000, '{"a":[1,2],"b":null},' * 50_000):
        sizes = [len(piece) for piece in steady([text])]
        assert len(sizes) >= 4
        assert max(sizes) <= 2 * cutting.PIECE_CHARS


def test_a_text_without_a_place_stays_whole() -> None:
    """A million letters are one word."""
    assert [len(piece) for piece in steady(["a" * 600_000, "a" * 400_000])] == [1_000_000]
