"""Is a fork, without the message that it appends, a request that was really sent?"""

from __future__ import annotations

from bisect import bisect_right
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.checks.echo import echoes, is_result, is_turn
from cgcli.checks.wire_folding import WireFolding
from cgcli.model import value
from cgcli.prefix.keys import full_key, key_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cgcli.checks.turn import Turn
    from cgcli.model import Digest, Item, Request


_Ends = tuple[bytes, bytes]
"""Digests over the bytes of a list of messages: of all but the last one, and of all."""


class Shape(StrEnum):
    """What a fork's prefix is."""

    EXACT = "exact"
    """A request that was sent."""
    EXTENDS = "extends"
    """The last request of a lane, its recorded answer, and the results of the answer's calls."""
    UNRECORDED = "answer_not_recorded"
    """As EXTENDS by its shape, but what was answered is not recorded."""
    BROKEN = "never_sent"
    """None of these."""


@value
class Sent:
    """A request that was sent."""

    i_exchange: int
    line: int
    thread: int
    sent_s: float | None
    wire: bytes
    """A digest over its bytes: tools, system prompt and messages as they are written."""


@value
class Alignment:
    """What a fork was appended to."""

    shape: Shape
    parent: Sent | None = None
    offset: int | None = None
    """How many requests of the parent's lane were sent since; 0: the fork was appended to the last one."""
    same_bytes: bool | None = None
    """Where it is EXACT: the fork without its last message is the parent byte for byte."""


class SentRequests:
    """Every request of a file by its key, and by its bytes."""

    def __init__(self) -> None:
        """Nothing was sent."""
        self._sent: dict[Digest, Sent] = {}
        self._lanes: dict[int, list[int]] = {}
        self._answers: dict[int, dict[int, Callable[[], bytes | None] | None]] = {}
        self._wires: WireFolding[_Ends] = WireFolding((b"", b""), _further)
        self._ends: _Ends = (b"", b"")
        self._heads: dict[tuple[tuple[Item, ...] | None, ...], bytes] = {}

    def arrives(self, turn: Turn) -> None:
        """*turn* is about to be compared: digest its bytes, those that its thread does not have already."""
        self._ends = self._wires.advance(turn)
        if turn.placement.split is not None:
            side = {one.i_exchange for one in turn.placement.split.turns}
            self._lanes[turn.thread] = [i for i in self._lanes.get(turn.thread, ()) if i not in side]

    def leaves(self, turn: Turn) -> None:
        """*turn* was compared, and is from now on one that later ones may have been appended to."""
        exchange = turn.exchange
        self._sent[full_key(turn.request)] = Sent(
            i_exchange=turn.i_exchange,
            line=turn.line,
            thread=turn.thread,
            sent_s=exchange.sent_s,
            wire=self._wire(turn.request, self._ends[1]),
        )
        # Only what its lane has not gone on from can be extended: older answers need not be kept.
        answers = self._answers.setdefault(turn.thread, {})
        if not turn.is_summary_call:
            self._lanes.setdefault(turn.thread, []).append(turn.i_exchange)
            answers.clear()
        answers[turn.i_exchange] = exchange.find_answer

    def align(self, turn: Turn) -> Alignment:
        """What the fork *turn* was appended to."""
        request, n = turn.request, len(turn.request.messages) - 1
        parent = self._sent.get(key_at(request, n))
        if parent is not None:
            same = parent.wire == self._wire(request, self._ends[0])
            return Alignment(shape=Shape.EXACT, parent=parent, offset=self._offset(parent), same_bytes=same)
        found = self._behind_an_answer(request, n)
        if found is None:
            return Alignment(shape=Shape.BROKEN)
        at, parent = found
        offset = self._offset(parent)
        if offset:
            # What followed the parent was sent, and this is something else.
            return Alignment(shape=Shape.BROKEN)
        find_answer = self._answers.get(parent.thread, {}).get(parent.i_exchange)
        answer = find_answer() if find_answer is not None else None
        if answer is None:
            shape = Shape.UNRECORDED
        else:
            shape = Shape.EXTENDS if echoes(answer, request.messages[at:n]) else Shape.BROKEN
        return Alignment(shape=shape, parent=parent, offset=offset)

    def _behind_an_answer(self, request: Request, n: int) -> tuple[int, Sent] | None:
        """The request of which *request*'s first *n* messages are all, an answer, and the results of its calls."""
        at = n
        while at and is_result(request.messages[at - 1]):
            at -= 1
        while at and request.messages[at - 1].role == "assistant":
            at -= 1
            parent = self._sent.get(key_at(request, at))
            if parent is not None:
                return (at, parent) if is_turn(request.messages[at:n]) else None
        return None

    def _offset(self, parent: Sent) -> int:
        lane = self._lanes.get(parent.thread, [])
        return len(lane) - bisect_right(lane, parent.i_exchange)

    def _wire(self, request: Request, messages: bytes) -> bytes:
        """A digest over the bytes of *request*'s tools and system prompt, and over the one of its *messages*."""
        head = (request.tools, request.system)
        if head not in self._heads:
            self._heads[head] = b"".join(_over(items or ()) for items in head)
        return sha256(self._heads[head] + messages).digest()


def _over(items: Iterable[Item]) -> bytes:
    ends: _Ends = (b"", b"")
    for i, item in enumerate(items):
        ends = _further(ends, item, i)
    return sha256(ends[1]).digest()


def _further(ends: _Ends, item: Item, i: int) -> _Ends:
    del i
    return ends[1], sha256(ends[1] + sha256(item.view()).digest()).digest()
