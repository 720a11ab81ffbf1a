"""Markers: own, damaged, foreign, in every spelling."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.markers import (
    Found,
    FoundKind,
    find,
    has_marker_bytes,
    has_placeholder,
    key,
    keys_in_bytes,
    kinds,
    marker,
)

KEY = "3fa9c0de12345678"
SPELLED_SENTINEL = "\u27eacg\u27eb"
OWN, MALFORMED, CUT, FOREIGN, SENTINEL = FoundKind


def _seen(text: str) -> list[tuple[FoundKind, str, str | None]]:
    return [(one.kind, text[one.start : one.stop], one.key) for one in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "e3b0c44298fc1c14"),
        ("hello", "2cf24dba5fb0a30e"),
        # printf '\xed\xa0\xbd' | sha256sum
        ("\ud83d", "7586f70fb89addbc"),
    ],
)
def test_key_is_the_head_of_the_sha256(text: str, expected: str) -> None:
    """A key is the first 16 hex digits of the sha256 of the text in UTF-8, lone surrogates passed through."""
    assert key(text) == expected


def test_marker_is_written_as_context_guru_writes_it() -> None:
    """A marker is `<<cg:KEY>>`."""
    assert marker(KEY) == "<<cg:3fa9c0de12345678>>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a <<cg:{KEY}>> b", [(OWN, f"<<cg:{KEY}>>", KEY)]),
        (f"<<cg:{KEY.upper()}>>", [(OWN, f"<<cg:{KEY.upper()}>>", KEY)]),
        (f"\\u003c\\u003Ccg:{KEY}\\u003e\\u003E.", [(OWN, f"\\u003c\\u003Ccg:{KEY}\\u003e\\u003E", KEY)]),
        (f"<<cg:{KEY}>><<cg:{KEY}>>", [(OWN, f"<<cg:{KEY}>>", KEY)] * 2),
        ("see <<cg:HASH>>", [(MALFORMED, "<<cg:HASH>>", "HASH")]),
        ("<<cg:3fa9>>", [(MALFORMED, "<<cg:3fa9>>", "3fa9")]),
        (f"<<cg:{KEY}0>>", [(MALFORMED, f"<<cg:{KEY}0>>", f"{KEY}0")]),
        ("<<cg:>>", [(MALFORMED, "<<cg:>>", None)]),
        ("tail <<cg:3fA9", [(CUT, "<<cg:3fA9", "3fa9")]),
        ("<<cg:3fa9 and on", [(CUT, "<<cg:3fa9", "3fa9")]),
        (f"<<cg:{KEY}> and on", [(CUT, f"<<cg:{KEY}", KEY)]),
        ("<<cg:", [(CUT, "<<cg:", None)]),
        ("x <<cg", [(CUT, "<<cg", None)]),
        ("<<cg x", []),
        ("cat <<", []),
        (f"cg:{KEY}>> tail", [(CUT, f"cg:{KEY}>>", KEY)]),
        (f"<cg:{KEY}>> tail", [(CUT, f"<cg:{KEY}>>", KEY)]),
        (f"{KEY}>> tail", [(CUT, f"{KEY}>>", KEY)]),
        ("9f2>> tail", []),
        (f"x cg:{KEY}>>", []),
        ("<<CG:3fa9c0de12345678>>", []),
        ("<<ccr:abc123,json,264B>>", [(FOREIGN, "<<ccr:abc123,json,264B>>", "abc123")]),
        ("<<ctxzip:9f2e 41 lines>>", [(FOREIGN, "<<ctxzip:9f2e 41 lines>>", "9f2e")]),
        ("<<ccr:abc", []),
        ("<< 40 rows, handle=A1b2C3d4 >>", [(FOREIGN, "<< 40 rows, handle=A1b2C3d4 >>", "A1b2C3d4")]),
        ("handle=A1b2C3d4", []),
        (
            "[9 items compressed to 2. Retrieve more: hash=0123456789abcdef01234567]",
            [(FOREIGN, "hash=0123456789abcdef01234567", "0123456789abcdef01234567")],
        ),
        ("hash=0123456789abcdef0123456789abcdef", []),
        ("[masked] ⟪cg⟫", [(SENTINEL, "⟪cg⟫", None)]),
        (
            f"⟪cg⟫ <<ccr:x>> <<cg:{KEY}>>",
            [(SENTINEL, "⟪cg⟫", None), (FOREIGN, "<<ccr:x>>", "x"), (OWN, f"<<cg:{KEY}>>", KEY)],
        ),
    ],
)
def test_find_tells_what_each_marker_is(text: str, expected: list[tuple[FoundKind, str, str | None]]) -> None:
    """Whole, damaged and foreign markers are each found as what they are, in order."""
    assert _seen(text) == expected


def test_found_counts_characters() -> None:
    """Positions are characters of the text, not bytes."""
    assert find(f"é😀<<cg:{KEY}>>") == (Found(kind=OWN, start=2, stop=25, key=KEY),)


_pieces = st.sampled_from(
    [
        "<<",
        "<",
        ">>",
        ">",
        "cg:",
        "cg",
        KEY,
        "9f2",
        "ccr:",
        "hash=",
        "handle=",
        " ",
        "\n",
        "⟪cg⟫",
        "\\u003c",
        "\\u003e",
    ]
)


@given(st.lists(_pieces).map("".join))
def test_find_is_ordered_and_complete(text: str) -> None:
    """No two overlap, and every whole own marker is among them."""
    found = find(text)
    assert all(one.stop <= other.start for one, other in pairwise(found))
    assert all(0 <= one.start < one.stop <= len(text) for one in found)
    own = [(m.start(), m.end()) for m in re.finditer("<<cg:[0-9a-fA-F]{16}>>", text)]
    assert set(own) <= {(one.start, one.stop) for one in found if one.kind is OWN}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"x <<cg:{KEY}>>", True),
        ("[older tool output masked] ⟪cg⟫", True),
        ("<<cg:HASH>>", False),
        (f"<<cg:{KEY}", False),
        (f"\\u003c\\u003ccg:{KEY}\\u003e\\u003e", False),
        ("<<ccr:abc123>>", False),
        ("", False),
    ],
)
def test_has_placeholder(text: str, *, expected: bool) -> None:
    """Only a whole marker with 16 hex digits, or the sentinel, stands for content."""
    assert has_placeholder(text) is expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"a":"<<cg:3fa9c0de12345678>>"}', True),
        (rb'{"a":"\u003c\u003ccg:3fa9c0de12345678\u003e\u003e"}', True),
        (rb'{"a":"\u003C\u003Ccg:3FA9C0DE12345678\u003E\u003E"}', True),
        (rb'{"a":"{\"b\":\"\\u003c\\u003ccg:3fa9c0de12345678\\u003e\\u003e\"}"}', True),
        (b'{"a":"<<cg:HASH>>"}', False),
        (b'{"a":"<<cg:3fa9>>"}', False),
        (b'{"a":"cg:3fa9c0de12345678>>"}', False),
        (b'{"a":"<cg:3fa9c0de12345678>>"}', False),
        (b'{"a":"<<cg:3fa9c0de12345678"}', False),
        (b"", False),
    ],
)
def test_has_marker_bytes(raw: bytes, *, expected: bool) -> None:
    """A whole marker is seen in raw bytes, whether or not `<` and `>` are escaped, and how often."""
    assert has_marker_bytes(raw) is expected


def test_keys_in_bytes_keeps_what_may_still_be_meant() -> None:
    """Keys of whole and of cut markers are returned, in lower case; other words are not."""
    raw = (
        rb'["<<cg:3FA9c0de12345678>>","\u003c\u003ccg:aaaaaaaaaaaaaaaa\u003e\u003e",'
        rb'"\\u003c\\u003ccg:bbbbbbbbbbbbbbbb\\u003e","<<cg:9f2e","<<cg:9f2","<<cg:HASH>>","cg:cccccccccccccccc"]'
    )
    assert keys_in_bytes(raw) == {"3fa9c0de12345678", "a" * 16, "b" * 16, "9f2e"}


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<<",
        "<<cg:",
        "<<ccr:",
        "<<ccr:a",
        "a<<cg:3f ",
        "<<handle=",
        "<<a handle=12345678 ",
        "hash=",
        "\\u003c",
        "⟪cg",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """A megabyte of beginnings, with every needle in it, is read in seconds, not hours."""
    text = "<<ccr:" + "a" * 1_000 + "cg: ccr: ctxzip: handle= hash= " + piece * (1_000_000 // len(piece))
    started_s = time.perf_counter()
    find(text)
    has_placeholder(text)
    raw = text.encode()
    has_marker_bytes(raw)
    keys_in_bytes(raw)
    assert time.perf_counter() - started_s < 5


def test_a_megabyte_of_key_takes_linear_time() -> None:
    """A foreign marker whose key never ends is given up at once."""
    started_s = time.perf_counter()
    assert find("<<ccr:" + "a" * 1_000_000) == ()
    assert [one.stop for one in find("<<cg:" + "a" * 1_000_000)] == [1_000_005]
    assert time.perf_counter() - started_s < 1


_MARKED = [
    *"\n<>cg: x",
    f"<<cg:{KEY}>>",
    f"{KEY}>>",
    "<<cg:HASH>>",
    "<<cg:3f",
    "<<cg",
    "<<ccr:abc 12 lines>>",
    "hash=" + "0a" * 12,
    SPELLED_SENTINEL,
]


@given(st.lists(st.sampled_from(_MARKED), max_size=14).map("".join), st.integers(1, 20))
def test_kinds_in_pieces_are_those_of_the_whole(text: str, n_chars: int) -> None:
    """However a text is cut; a marker that lost its beginning or its end counts only at the text's own."""
    cut = [text[i : i + n_chars] for i in range(0, len(text), n_chars)]
    assert list(kinds(cut)) == [one.kind for one in find(text)]
