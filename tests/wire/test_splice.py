"""Replacing byte ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.wire.splice import pieces, splice

_stretch = st.tuples(st.binary(max_size=5), st.binary(max_size=5), st.binary(max_size=5))
"""What is kept, what is replaced after it, and by what."""


@given(st.binary())
def test_no_edit_changes_nothing(raw: bytes) -> None:
    """Without edits the bytes come back."""
    assert splice(raw, []) == raw


@given(st.lists(_stretch, max_size=6), st.binary(max_size=5))
def test_exactly_the_ranges_are_replaced(stretches: list[tuple[bytes, bytes, bytes]], tail: bytes) -> None:
    """Kept stretches stay in place, replaced ones hold the new bytes, at any sizes, empty ones too."""
    raw, expected, edits = b"", b"", []
    for kept, old, new in stretches:
        raw += kept
        edits.append((len(raw), len(raw) + len(old), new))
        raw += old
        expected += kept + new
    assert splice(raw + tail, edits) == expected + tail
    assert b"".join(pieces(memoryview(raw + tail), edits, 0, len(raw + tail))) == expected + tail


@given(st.binary(min_size=1), st.data())
def test_pieces_of_two_halves_are_the_whole(raw: bytes, data: st.DataObject) -> None:
    """Cut where no edit stands, the pieces of both halves joined are those of the whole."""
    cut = data.draw(st.integers(0, len(raw)))
    left = [(0, cut // 2, b"L")]
    right = [((cut + len(raw)) // 2, len(raw), b"R")]
    halves = [*pieces(raw, left, 0, cut), *pieces(raw, right, cut, len(raw))]
    assert b"".join(halves) == splice(raw, left + right)


def test_insertions_at_one_place_stand_in_their_order() -> None:
    """Two empty ranges at the same byte: the first one's text comes first."""
    assert splice(b"ab", [(1, 1, b"1"), (1, 1, b"2")]) == b"a12b"


@pytest.mark.parametrize(
    "edits",
    [
        [(0, 2, b""), (1, 3, b"")],
        [(2, 3, b""), (0, 1, b"")],
        [(2, 1, b"")],
        [(-1, 1, b"")],
        [(2, 5, b"")],
        [(5, 5, b"")],
    ],
    ids=["overlap", "order", "backwards", "negative", "beyond", "behind"],
)
def test_edits_that_cannot_be_made_are_refused(edits: list[tuple[int, int, bytes]]) -> None:
    """Overlapping, unordered, backwards or outside: ValueError, never a wrong result."""
    with pytest.raises(ValueError, match=r"^edit "):
        splice(b"abcd", edits)
