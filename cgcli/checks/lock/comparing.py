"""Compare a file with a baseline: which lane is which, and what moved in it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.checks.lock.form import Head, Lane, Lock


class Move(StrEnum):
    """What can move."""

    MODEL = "model_changed"
    TOOLS = "tools_changed"
    SYSTEM = "system_changed"
    PARAMS = "params_changed"
    MESSAGES = "messages_changed"
    SHORTER = "lane_shorter"
    MISSING = "lane_missing"
    NEW = "lane_new"


@value
class Moved:
    """One thing that moved in one lane."""

    kind: Move
    was: int | None
    """The lane in the baseline, None where it is new."""
    now: int | None
    """The lane in the file, None where it is missing."""
    i_request: int = 0
    """From which request on, from 0; the number that are left where the lane is shorter."""
    details: tuple[tuple[str, str], ...] = ()
    """(`edited`, `removed`, `added` or `reordered`, what): digests of tools' names, numbers of system blocks, paths of
    parameters."""


def compare(was: Lock, now: Lock) -> tuple[Moved, ...]:
    """What moved from *was* to *now*, in the order of the lanes of *now*, then the lanes that are missing.

    A lane that is as it was, or only grew, is not in it.
    """
    pairs = _matched(was, now)
    moved: list[Moved] = []
    for j, lane in enumerate(now.lanes):
        i = pairs.get(j)
        if i is None:
            moved.append(Moved(kind=Move.NEW, was=None, now=j))
        else:
            moved += _lane(was, was.lanes[i], now, lane, (i, j))
    left = set(range(len(was.lanes))) - set(pairs.values())
    return (*moved, *(Moved(kind=Move.MISSING, was=i, now=None) for i in sorted(left)))


def _matched(was: Lock, now: Lock) -> dict[int, int]:
    """The lane of *was* for each lane of *now* that has one.

    By label, first message and head; else by label and first message, so that another model or other tools are told as
    a change; else by first message, as a call that goes on becomes a conversation; else by label and head, so that
    another first message is told as a change. Of several the first one that is left.
    """
    keys: tuple[Callable[[Lane], tuple[str, ...]], ...] = (
        lambda lane: (lane.label, lane.first, lane.heads[0][1], lane.requests[0][1]),
        lambda lane: (lane.label, lane.first, lane.heads[0][1]),
        lambda lane: (lane.label, lane.first),
        lambda lane: (lane.first,),
        lambda lane: (lane.label, lane.heads[0][1]),
    )
    pairs: dict[int, int] = {}
    for key in keys:
        free: dict[tuple[str, ...], list[int]] = {}
        taken = set(pairs.values())
        for i, lane in enumerate(was.lanes):
            if i not in taken:
                free.setdefault(key(lane), []).append(i)
        for j, lane in enumerate(now.lanes):
            if j not in pairs and free.get(key(lane)):
                pairs[j] = free[key(lane)].pop(0)
    return pairs


def _lane(was: Lock, a: Lane, now: Lock, b: Lane, pair: tuple[int, int]) -> Iterator[Moved]:
    """What moved in one lane."""
    both = min(len(a.requests), len(b.requests))
    parted = next((i for i in range(both) if a.requests[i] != b.requests[i]), None)
    # Behind the request at which the conversations part, request n of one is not request n of the other.
    compared = both if parted is None else parted + 1
    told: set[Move] = set()
    for i in sorted({since - 1 for since, _ in (*a.heads, *b.heads) if since <= compared}):
        for kind, details in _heads(was.heads[a.head_at(i)], now.heads[b.head_at(i)]):
            if kind not in told:
                told.add(kind)
                yield Moved(kind=kind, was=pair[0], now=pair[1], i_request=i, details=details)
    if parted is not None:
        yield Moved(kind=Move.MESSAGES, was=pair[0], now=pair[1], i_request=parted)
    elif len(b.requests) < len(a.requests):
        yield Moved(kind=Move.SHORTER, was=pair[0], now=pair[1], i_request=len(b.requests))


def _heads(a: Head, b: Head) -> Iterator[tuple[Move, tuple[tuple[str, str], ...]]]:
    """What differs between two heads; a section that either file does not record is not compared."""
    if a == b:
        return
    if a.model != b.model:
        yield Move.MODEL, ()
    if a.tools is not None and b.tools is not None and a.tools != b.tools:
        yield Move.TOOLS, _details(dict(a.tools), dict(b.tools)) or (("reordered", ""),)
    if a.system is not None and b.system is not None and a.system != b.system:
        numbered = ({str(i): digest for i, digest in enumerate(blocks)} for blocks in (a.system, b.system))
        yield Move.SYSTEM, _details(*numbered)
    if a.params != b.params:
        yield Move.PARAMS, _details(dict(a.params), dict(b.params))


def _details(a: dict[str, str], b: dict[str, str]) -> tuple[tuple[str, str], ...]:
    edited = (("edited", key) for key in a if key in b and a[key] != b[key])
    removed = (("removed", key) for key in a if key not in b)
    added = (("added", key) for key in b if key not in a)
    return (*edited, *removed, *added)
