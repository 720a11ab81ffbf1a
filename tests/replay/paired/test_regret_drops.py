"""What a request lost, told from what the one before lost, is what it is told alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from cgcli.compaction.state import Decision
from cgcli.model import Digest
from cgcli.readers.single import parse_body
from cgcli.replay.paired.regret_drops import Drop, Dropped

if TYPE_CHECKING:
    from cgcli.replay.paired.regret_drops import Placing

_ITEM = parse_body(b'{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"go"}]}').messages[0]
_GONE = Digest(sha256(b"gone").digest())
_DECISION = Decision(
    literal=b'""', original=_GONE, replacement=_GONE, fired=(), saved_tokens=1, is_reversible=True, style=None
)


def _placing(n_place: int, asks: str | None) -> Placing:
    drop = Drop(
        component="mask",
        line=1,
        path=f"messages.{n_place}",
        item=_ITEM,
        i_part=0,
        decision=_DECISION,
        kept=frozenset(),
        asks=asks,
    )
    return (((Digest(bytes([n_place])), 0), drop),)


# The same place may be lost by two edits, the same call be made for two places.
PLACINGS = [_placing(n_place, asks) for n_place in range(4) for asks in ("ls", "cat", None)]
NUMBERS = st.lists(st.integers(0, len(PLACINGS) - 1), max_size=6)


@given(earlier=NUMBERS, numbers=NUMBERS, goes_on=st.booleans())
def test_it_does_not_matter_what_is_known_of_the_request_before(
    *, earlier: list[int], numbers: list[int], goes_on: bool
) -> None:
    """Whether it goes on from there, lost less, or something else altogether."""
    chosen = [*earlier, *numbers] if goes_on else numbers
    placings = tuple(PLACINGS[n] for n in chosen)
    found = Dropped(placings, Dropped(tuple(PLACINGS[n] for n in earlier)))
    by_place = {place: drop for placing in placings for place, drop in placing}
    assert list(found.by_place.items()) == list(by_place.items())
    assert found.order == {place: i for i, place in enumerate(by_place)}
    assert found.by_call == {drop.asks: place for place, drop in by_place.items() if drop.asks is not None}
    assert found.is_of(placings)
    assert not found.is_of((*placings, PLACINGS[0]))


def test_the_newest_output_of_a_call_is_the_one_that_stands_last() -> None:
    """Also where the request before lost only the first."""
    first, second = _placing(0, "ls"), _placing(1, "ls")
    found = Dropped((first, second), Dropped((first,)))
    assert found.by_call == {"ls": second[0][0]}
    assert [place for place, _ in found.newest_first([first[0][0], second[0][0]])] == [second[0][0], first[0][0]]
