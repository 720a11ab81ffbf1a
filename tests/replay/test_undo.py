"""Undo records: where the edits stand comes back exactly, in a size that follows the distinct edits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.errors import StashCorrupt
from cgcli.replay.undo import Replaced, Undo, decode

DIGESTS = [f"{i:064x}" for i in range(6)]
REPLACED = st.builds(
    Replaced,
    original=st.sampled_from(DIGESTS),
    style=st.sampled_from(["ascii", "go", None]),
    raw=st.none() | st.sampled_from(DIGESTS),
    length=st.integers(2, 400),
)
GAPPED = st.lists(st.tuples(st.integers(0, 500), REPLACED), min_size=1, max_size=8)


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 500), GAPPED), max_size=12))
def test_rows_come_back_as_they_were(rows: list[tuple[int, int, list[tuple[int, Replaced]]]]) -> None:
    """Any sequence of records of any lanes, with any gaps between and inside them."""
    undo, at, expected = Undo(), 0, []
    for lane, before, edits in rows:
        at += before
        placed = []
        for gap, replaced in edits:
            placed.append((at + gap, replaced))
            at += gap + replaced.length
        undo.add(lane, [offset for offset, _ in placed], [undo.number(replaced) for _, replaced in placed])
        expected += placed
    recorded = decode(undo.encode(source="ab" * 32, source_bytes=at), where="here")
    assert list(recorded.placed()) == expected
    assert (recorded.source, recorded.source_bytes) == ("ab" * 32, at)
    assert undo.needs() == {edit.raw or edit.original for _, edit in expected}


def test_each_distinct_edit_has_one_number() -> None:
    """The same edit again gets the same number, whatever stands between."""
    undo = Undo()
    numbers = [undo.number(_edit(i % 3)) for i in range(6)]
    assert numbers == [0, 1, 2, 0, 1, 2]


def test_the_record_of_a_long_lane_is_small() -> None:
    """200 turns with 200 edits in the last: 20,100 places take under 40 kB, and 10 times the turns 11 times that."""
    assert len(_lane(200)) < 40_000
    assert len(_lane(2000)) < 11 * len(_lane(200))


def test_a_lane_between_two_others_costs_nothing() -> None:
    """Each lane is compared with its own last record."""
    one, two = Undo(), Undo()
    for turn in range(1, 60):
        for undo, lanes in ((one, (0,)), (two, (0, 1, 2))):
            for lane in lanes:
                _row(undo, lane, turn, at=10_000 * (len(undo.rows) + 1))
    assert len(two.encode(source="", source_bytes=0)) < 3.1 * len(one.encode(source="", source_bytes=0))


def _lane(n_turns: int) -> bytes:
    undo = Undo()
    for turn in range(1, n_turns + 1):
        _row(undo, 0, turn, at=turn * 1_000_000)
    return undo.encode(source="ab" * 32, source_bytes=1)


def _row(undo: Undo, lane: int, n_edits: int, *, at: int) -> None:
    undo.add(
        lane, [at + 200 * i for i in range(n_edits)], [undo.number(_edit(lane * 10_000 + i)) for i in range(n_edits)]
    )


def _edit(i: int) -> Replaced:
    return Replaced(original=f"{i:064x}", style="ascii", raw=None, length=90)


GOOD = {
    "schema": "cgcli/undo/v1",
    "input": "ab" * 32,
    "input_bytes": 3,
    "irreversible": 0,
    "edits": [["cd" * 32, "ascii", None, 5]],
    "rows": [[1, -1, 0, [[0, 0]]]],
}


def test_a_whole_record_is_read() -> None:
    """The shape that the faults below are made from."""
    (placed,) = decode(json.dumps(GOOD).encode(), where="here").placed()
    assert placed == (1, Replaced(original="cd" * 32, style="ascii", raw=None, length=5))


@pytest.mark.parametrize(
    "change", [{key: None} for key in GOOD] + [{"edits": [[1]]}, {"rows": [[1, 2]]}, {"rows": [3]}]
)
def test_a_damaged_record_is_an_error(change: dict[str, object]) -> None:
    """A missing or misshapen field is `StashCorrupt`, exit 5, never a wrong restoration."""
    (key, value), *_ = change.items()
    document = {**GOOD, key: value}
    if value is None:
        del document[key]
    with pytest.raises(StashCorrupt) as caught:
        decode(json.dumps(document).encode(), where="here")
    assert str(caught.value) == "here: the undo record is damaged"


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"null", b"\xff"])
def test_what_is_no_record_is_an_error(payload: bytes) -> None:
    """Not JSON, or no object."""
    with pytest.raises(StashCorrupt, match="the undo record is damaged"):
        decode(payload, where="here")


def test_a_later_version_is_named() -> None:
    """With the hint that a newer `cg` reads it."""
    with pytest.raises(StashCorrupt, match="of the kind cgcli/undo/v2") as caught:
        decode(json.dumps({**GOOD, "schema": "cgcli/undo/v2"}).encode(), where="here")
    assert caught.value.hint == "a newer cg"
