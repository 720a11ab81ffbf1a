"""A request as an arm sends it: the edits of a turn in its bytes, and what none of them touches as it was.

Edits of tool outputs are nearly all there is, and a conversation repeats them in every request: each edited message is
parsed once, and a request is put together from where it differs from the one before. What edits anything else is parsed
as a body of its own.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from cgcli import prefix
from cgcli.dialects import named
from cgcli.model import changed, unique
from cgcli.readers.single import BodyParser
from cgcli.rope import Rope, ends_of, plain
from cgcli.wire.splice import pieces, splice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.compaction.splicing import Placed
    from cgcli.model import Item, Request

_Edit = tuple[int, int, bytes]
_MOST_THREADS = 8


@unique
class _Before:
    """The last request that was put together: as it came, what was placed in it, as it was sent."""

    request: Request
    placed: tuple[Placed, ...]
    sent: Request


class AsSent:
    """The requests of one arm, one after the other."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self._parser = BodyParser()
        self._last: dict[int, _Before] = {}
        """By thread, of the threads that went on last."""

    def request(
        self, request: Request, placed: tuple[Placed, ...], more: Sequence[_Edit] = (), *, thread: int = 0
    ) -> Request:
        """*request*, of that *thread*, with what is *placed* in it, and *more* edits that no decision stands for."""
        if not placed and not more:
            return request
        sent = None if more else _put_together(request, placed, self._last.get(thread))
        if sent is None:
            edits = [*((start, stop, one.literal) for start, stop, one in placed), *more]
            return self._parser.parse(splice(bytes(request.raw), sorted(edits, key=lambda edit: edit[:2])))
        self._last.pop(thread, None)
        self._last[thread] = _Before(request=request, placed=placed, sent=sent)
        if len(self._last) > _MOST_THREADS:
            del self._last[next(iter(self._last))]
        return sent


def _put_together(request: Request, placed: tuple[Placed, ...], last: _Before | None) -> Request | None:
    """The same from where it differs from the *last* one; None where an edit stands in no message, or in several."""
    first, n_placed = _same(request, placed, last)
    inside = _by_message(request, placed[n_placed:], first)
    if inside is None:
        return None
    before = last.sent if last is not None else request
    new = [*request.messages[first:]]
    starts = array("q", request.starts[first:])
    shift = _end(before, first - 1) - _end(request, first - 1) if first else 0
    for i, item in enumerate(new):
        starts[i] += shift
        edits = inside.get(first + i)
        if edits is not None:
            new[i] = _edited(request, first + i, edits)
            shift += new[i].size_bytes - item.size_bytes
    edited = {i: new[i - first] for i in inside}
    raw = _in_pieces(request, edited, first, before) or _in_bytes(request, placed, first, last)
    end, behind = request.starts[-1], len(raw) - len(request.raw)
    return changed(
        request,
        raw=raw,
        messages=(*before.messages[:first], *new),
        starts=before.starts[:first] + starts,
        states=prefix.extend(before.states[:first], new),
        tools_starts=tuple(at + behind if at > end else at for at in request.tools_starts),
        system_starts=tuple(at + behind if at > end else at for at in request.system_starts),
    )


def _in_pieces(request: Request, edited: Mapping[int, Item], first: int, before: Request) -> Rope | None:
    """The bytes of *request* with *edited* messages, those before *first* as *before* has them; None for no ropes."""
    raw, its = request.raw, before.raw
    if not isinstance(raw, Rope) or not isinstance(its, Rope):
        return None
    last = len(request.messages) - 1
    if raw.start + _end(request, last) != len(raw.first) + raw.ends[2 * last]:
        return None
    n_same = max(0, 2 * first - 1)  # each message is a piece, and so is each comma: what follows the last may differ
    rest = [*raw.rest[n_same:]]
    for i, item in edited.items():
        rest[2 * i - n_same] = item.wire
    ends = ends_of(rest, its.ends[:n_same])
    stop = raw.stop + ends[-1] - raw.ends[-1]
    return Rope(raw.first, (*its.rest[:n_same], *rest), ends, start=raw.start, stop=stop)


def _in_bytes(request: Request, placed: Sequence[Placed], n_same: int, last: _Before | None) -> memoryview:
    """The bytes of *request* with what is *placed* in it, the first *n_same* messages as the *last* one had them."""
    raw, at = plain(request.raw), 0
    kept: bytes | memoryview = b""
    if last is not None and n_same and _has_head(request, last.request):
        # Messages that are the same items are so byte for byte, with what stands between them: so they were found.
        kept, at = last.sent.raw[: _end(last.sent, n_same - 1)], _end(request, n_same - 1)
    literals = ((start, stop, one.literal) for start, stop, one in placed if start >= at)
    return memoryview(b"".join((kept, *pieces(raw, literals, at, len(raw)))))


def _same(request: Request, placed: tuple[Placed, ...], last: _Before | None) -> tuple[int, int]:
    """How many leading messages, and edits, are those of the last request and stand where they stood there."""
    if last is None:
        return 0, 0
    its, there = last.request, last.placed
    n = min(len(its.messages), len(request.messages))
    if its.messages[:n] != request.messages[:n] or its.starts[:n] != request.starts[:n]:
        n = next(i for i in range(n) if not _stands_as(its, request, i))
    k = min(len(there), len(placed))
    if there[:k] != placed[:k]:
        k = next(i for i in range(k) if there[i] != placed[i])
    # Up to the first edit that only one of them has.
    limits = [edits[k][0] for edits in (there, placed) if len(edits) > k]
    ends = min(limits, default=None)
    while n and ends is not None and _end(request, n - 1) > ends:
        n -= 1
    first_byte = request.starts[n] if n < len(request.starts) else len(request.raw)
    while k and placed[k - 1][0] >= first_byte:
        k -= 1
    return n, k


def _has_head(a: Request, b: Request) -> bool:
    """True where both are the same up to their first messages, which stand at the same byte."""
    return bytes(a.raw[: a.starts[0]]) == bytes(b.raw[: b.starts[0]])


def _end(request: Request, i: int) -> int:
    """The byte behind message *i*."""
    return request.starts[i] + request.messages[i].size_bytes


def _stands_as(a: Request, b: Request, i: int) -> bool:
    """True where message *i* is the same item at the same byte of both."""
    return a.messages[i] is b.messages[i] and a.starts[i] == b.starts[i]


def _edited(request: Request, i: int, edits: Sequence[Placed]) -> Item:
    item, base = request.messages[i], request.starts[i]
    wire = splice(item.wire, ((start - base, stop - base, one.literal) for start, stop, one in edits))
    return prefix.message(wire, named(request.dialect))


def _by_message(request: Request, placed: Sequence[Placed], first: int) -> dict[int, list[Placed]] | None:
    """What is *placed*, by its message, from message *first* on; None where not each edit stands inside of one."""
    found: dict[int, list[Placed]] = {}
    i = first
    starts, messages = request.starts, request.messages
    for edit in placed:
        start, stop, _ = edit
        while i + 1 < len(starts) and starts[i + 1] <= start:
            i += 1
        if i >= len(starts) or not starts[i] < start or stop >= starts[i] + messages[i].size_bytes:
            return None
        found.setdefault(i, []).append(edit)
    return found
