"""What earlier steps replace, asked in every way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.compaction.components.taken import is_cut, is_whole, may_append, n_added_marks, touching

RANGES = st.lists(st.integers(0, 12), max_size=8).map(
    lambda ends: tuple(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)


@given(taken=RANGES, start=st.integers(0, 12), size=st.integers(0, 6))
def test_touching_are_those_that_share_a_byte_or_an_end(
    taken: tuple[tuple[int, int], ...], start: int, size: int
) -> None:
    """As a look at each of them says."""
    stop = start + size
    expected = [(a, b) for a, b in taken if a <= stop and start <= b]
    assert list(touching(taken, start, stop)) == expected
    assert is_whole(taken, start, stop) == (not expected)


@pytest.mark.parametrize(
    ("taken", "cut"),
    [
        ((), False),
        (((0, 5),), False),
        (((9, 12),), False),
        (((5, 9),), False),
        (((6, 7), (8, 9)), False),
        (((5, 5), (7, 7), (9, 9)), False),
        (((4, 6),), True),
        (((8, 10),), True),
        (((4, 10),), True),
        (((5, 10),), True),
    ],
)
def test_range_is_taken_out_whole_or_not_at_all(taken: tuple[tuple[int, int], ...], *, cut: bool) -> None:
    """Bytes 5 to 9: what stands inside goes with them, what sticks out, or is larger, forbids it."""
    assert is_cut(taken, 5, 9) is cut


@pytest.mark.parametrize(
    ("taken", "free"),
    [
        ((), True),
        (((3, 7),), True),
        (((9, 12),), True),
        (((3, 3),), True),
        (((3, 8),), False),
        (((7, 8),), False),
        (((8, 9),), False),
        (((7, 7),), False),
        (((9, 9),), False),
        (((0, 20),), False),
    ],
)
def test_member_is_put_in_where_nobody_else_did(taken: tuple[tuple[int, int], ...], *, free: bool) -> None:
    """An object whose last member ends at 7 and that ends at 9; what is replaced up to 7 is that member."""
    assert may_append(taken, 7, 9) is free


def test_edits_that_replace_nothing_may_be_marks() -> None:
    """Two of four are."""
    assert n_added_marks(((1, 1), (2, 4), (5, 5), (5, 6))) == 2
