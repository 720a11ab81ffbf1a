"""The tail policy: no breakpoint in what a deferred compaction is about to replace, so that nobody writes it in vain.

A mark at or beyond that span is taken out; in its place one is set at the last block before it, so that the stable
prefix is written all the same. The caller's own marks are part of somebody else's request: they are taken out where the
host says so, and else the turn is not deferred.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.compaction.components.mark_places import block_place, content_blocks, edits, is_free, mark
from cgcli.compaction.components.removal import members_spans, removed
from cgcli.dialects.settings import settings
from cgcli.model import unique
from cgcli.prefix.marked import CLAUDE_KEY
from cgcli.providers.breakpoints import ANTHROPIC, DEFAULT_TTL
from cgcli.wire.spans import Document, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.calls.edits import Edit
    from cgcli.compaction.splicing import Placed
    from cgcli.model import Request

_OF_A_MARK = b'"ephemeral"'
OWN_MARKS = "cacheinject"
"""The step that sets marks of its own."""


class Protect(StrEnum):
    """Which span is protected."""

    PENDING = "pending"
    """What a job that is pending will replace: the tail of an earlier turn (the sources' rule after the review)."""
    OWN = "own"
    """What this turn's own job will replace: the messages that are new in it, the lane's first turn excepted."""


@unique
class Tail:
    """What is to be done so that nothing at or beyond a message is written."""

    placed: tuple[Placed, ...]
    """The turn's edits without marks of our own in the span."""
    strips: tuple[Edit, ...]
    """The caller's marks in the span, taken out."""
    anchor: tuple[Edit, ...]
    """A mark at the last block before the span."""
    n_callers: int
    """The caller's marks in the span, an automatic one with them."""
    is_clean: bool
    """False where one of them would stay: it stands where none is looked for, or is only assumed and no mark of ours
    is there in its stead."""


def tail(request: Request, from_message: int, placed: tuple[Placed, ...], *, assumed: bool) -> Tail:
    """How messages *from_message* and on of *request* are kept out of the cache, with what is *placed* in it.

    *assumed*: the request counts as marked at its end, which a history does not record.
    """
    ours = [one for one in placed if any(fired.component == OWN_MARKS for fired in one[2].fired)]
    behind = {id(one) for one in ours if from_message < len(request.starts) and one[0] >= request.starts[from_message]}
    kept = tuple(one for one in placed if id(one) not in behind)
    taken = [(start, stop) for start, stop, _ in kept]
    marks, automatic = [*_marks(request, from_message)], [*_automatic(request)]
    n_marks = sum(part.mark is not None for item in request.messages[from_message:] for part in item.parts)
    anchor = _anchor(request, from_message, taken, [one for one in ours if id(one) not in behind])
    is_assumed = assumed and not n_breakpoints(request, assumed=False)
    return Tail(
        placed=kept,
        strips=tuple(one for one in (*marks, *automatic) if not any(a < one[1] and one[0] < b for a, b in taken)),
        anchor=anchor,
        n_callers=n_marks + len(automatic) + is_assumed,
        is_clean=n_marks <= len(marks) and (not is_assumed or bool(anchor)),
    )


def n_breakpoints(request: Request, *, assumed: bool) -> int:
    """The breakpoints that *request* sets, the automatic one with them."""
    marked = sum(part.mark is not None for _, item, _ in request.placed() for part in item.parts)
    automatic = isinstance(settings(request).get(CLAUDE_KEY), dict)
    return marked + automatic or int(assumed)


def last_marked(request: Request, *, assumed: bool) -> int:
    """The last message of *request* that a breakpoint stands in; -1 for none."""
    marked = [i for i, item in enumerate(request.messages) if any(part.mark is not None for part in item.parts)]
    is_automatic = isinstance(settings(request).get(CLAUDE_KEY), dict)
    if is_automatic or (assumed and not n_breakpoints(request, assumed=False)):
        return len(request.messages) - 1
    return marked[-1] if marked else -1


def _marks(request: Request, from_message: int) -> Iterator[Edit]:
    for i in range(from_message, len(request.messages)):
        item, base = request.messages[i], request.starts[i]
        if not any(part.mark is not None for part in item.parts):
            continue
        for start, stop in _spans(Document(item.wire).root()):
            yield base + start, base + stop, b""


def _spans(message: Node) -> Iterator[tuple[int, int]]:
    """Where the marks of a message stand, each with its comma."""
    for block in _blocks(message):
        for marked in (block, *_blocks(block)):
            spans = members_spans(marked)
            if CLAUDE_KEY in spans and marked.members()[CLAUDE_KEY].kind == "object":
                yield from removed([*spans.values()], {[*spans].index(CLAUDE_KEY)})


def _blocks(node: Node) -> list[Node]:
    """The blocks that the content of a message, or of a block, is a list of."""
    content = node.members().get("content")
    return (
        [one for one in content.elements() if one.kind == "object"]
        if content is not None and content.kind == "array"
        else []
    )


def _automatic(request: Request) -> Iterator[Edit]:
    """The member of the body that asks for an automatic mark on the last block."""
    if not isinstance(settings(request).get(CLAUDE_KEY), dict):
        return
    spans = members_spans(Document(bytes(request.raw)).root())
    for start, stop in removed([*spans.values()], {[*spans].index(CLAUDE_KEY)}):
        yield start, stop, b""


def _anchor(
    request: Request, from_message: int, taken: Sequence[tuple[int, int]], ours: Sequence[Placed]
) -> tuple[Edit, ...]:
    """A mark at the last block before the span; none where one stands there, or all four are used before it.

    *ours* are the edits before the span that set marks of our own.
    """
    own_marks = [start for start, _, one in ours if _OF_A_MARK in one.literal]
    n_before = len(own_marks) + sum(
        part.mark is not None
        for path, item, _ in request.placed()
        for part in item.parts
        if not path.startswith("messages.") or int(path.partition(".")[2]) < from_message
    )
    for i in range(from_message - 1, -1, -1):
        item, base = request.messages[i], request.starts[i]
        for k in range(len(content_blocks(item)) - 1, -1, -1):
            if content_blocks(item)[k].mark is not None:
                return ()
            place = block_place(item, k)
            if place is None:
                continue
            if base + place.start in own_marks:
                return ()
            if not is_free(place, base, taken):
                continue
            if n_before >= ANTHROPIC.most:
                return ()
            return tuple((one.start, one.stop, one.new) for one in edits(place, base, mark(DEFAULT_TTL)))
    return ()
