"""A rope is cut, and put together, as the bytes that it stands for are."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.rope import Rope, ends_of, plain

PIECES = st.lists(st.binary(max_size=4), max_size=8)
PLACES = st.integers(min_value=-40, max_value=40) | st.none()


def _rope(first: bytes, rest: list[bytes]) -> Rope:
    return Rope(first, tuple(rest), ends_of(rest))


@given(st.binary(max_size=6), PIECES, PLACES, PLACES)
def test_a_stretch_of_it_is_that_of_its_bytes(
    first: bytes, rest: list[bytes], start: int | None, stop: int | None
) -> None:
    """Wherever it begins and ends: in a piece, between two, beyond the end; before and after it was put together."""
    rope, whole = _rope(first, rest), first + b"".join(rest)
    assert rope[start:stop] == whole[start:stop]
    assert len(rope) == len(whole)
    assert bytes(rope) == whole
    assert rope[start:stop] == whole[start:stop]


@given(st.binary(max_size=6), PIECES, st.data())
def test_a_rope_within_it_is_cut_the_same(first: bytes, rest: list[bytes], data: st.DataObject) -> None:
    """Its bytes are counted from its own first one."""
    whole = first + b"".join(rest)
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, len(whole)))
    inner = _rope(first, rest).within(start, stop)
    a, b = data.draw(PLACES), data.draw(PLACES)
    assert inner[a:b] == whole[start:stop][a:b]
    assert bytes(inner) == whole[start:stop]
    assert inner.within(0, len(inner))[a:b] == whole[start:stop][a:b]


@given(PIECES, PIECES)
def test_the_ends_go_on_behind_others(before: list[bytes], behind: list[bytes]) -> None:
    """What is behind known pieces has the ends that it has when all are counted at once."""
    assert ends_of(behind, ends_of(before)) == ends_of(before + behind)


def test_the_ends_are_counted_from_the_first_piece_of_the_rest() -> None:
    """Empty pieces end where they begin."""
    assert ends_of([b"ab", b"", b"c"]) == array("q", [2, 2, 3])


def test_a_rope_is_put_together_to_be_written() -> None:
    """A view is written as it is."""
    view = memoryview(b"abc")
    assert plain(view) is view
    assert plain(_rope(b"a", [b"bc"])) == b"abc"


def test_it_is_cut_in_steps_of_one_only() -> None:
    """As a record is: nothing asks for every other byte."""
    with pytest.raises(ValueError, match="steps of 1"):
        _rope(b"abc", [b"def"])[::2]
