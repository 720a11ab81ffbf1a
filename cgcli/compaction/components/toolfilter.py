"""`toolfilter`: requests without tools that somebody listed, as far as nothing in them needs these."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.body import BodyEdit, BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.bound_head import is_bound
from cgcli.compaction.components.mark_places import edits as mark_edits
from cgcli.compaction.components.mark_places import is_free, tool_mark, tool_place
from cgcli.compaction.components.parameters import check_texts
from cgcli.compaction.components.removal import removed
from cgcli.compaction.components.taken import is_cut, touching
from cgcli.compaction.components.tool_names import called, declared, forced, in_prose, instructions, is_meant
from cgcli.compaction.entering import THINKING_BOUND
from cgcli.dialects.content import decoded
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgcli.compaction.body import Body
    from cgcli.compaction.components.mark_places import Place
    from cgcli.compaction.components.taken import Ranges
    from cgcli.model import Item

CALLED = "called"
FORCED = "forced"
NAMED = "named_in_system_prompt"
SERVER = "server_declared"
MARKED = "carries_mark"
WOULD_EMPTY = "would_empty"
REPLACED = "replaced"


@value
class _Done:
    """The edits of a request whose tools were these, and stood there."""

    tools: tuple[Item, ...]
    starts: tuple[int, ...]
    gone: frozenset[int]
    edits: tuple[BodyEdit, ...]


@value
class _Memory:
    """What the lane's tools have come to: a tool that was kept once stays, whatever a later turn says."""

    kept: tuple[tuple[str, str], ...] = ()
    """(name, reason)."""
    gone: frozenset[str] = frozenset()
    last: _Done | None = None


@value
class Toolfilter:
    """Drops declared tools whole."""

    name: ClassVar[str] = "toolfilter"
    loss: ClassVar[Loss] = Loss.NONE

    remove: Sequence[str] = ()
    """Names; with `*` for any run of characters; `mcp__SERVER` for all tools of a server."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_texts(self.name, "remove", self.remove)

    def plan(self, body: Body) -> BodyPlan | Skip:
        """Take out each listed tool that the request does not need."""
        tools = body.request.tools
        if tools is None or body.request.system is None:
            return Skip(reason="head_not_recorded")
        wanted = _wanted(tools, tuple(self.remove))
        if not wanted:
            return Skip(reason="none_declared")
        names = declared(tools)
        kept = _kept(body, {names[i] for i in wanted})
        gone = {i for i in wanted if names[i] not in kept}
        moves = _moves(tools, gone, names, kept)
        if not _usable(tools) - gone:
            kept |= dict.fromkeys((names[i] for i in gone), WOULD_EMPTY)
            gone, moves = set(), {}
        done = _done(body, tools, frozenset(gone), moves)
        memory = _Memory(kept=tuple(sorted(kept.items())), gone=frozenset(names[i] for i in gone), last=done)
        skips = tuple(Skip(reason=kept[names[i]]) for i in sorted(wanted - gone))
        if done is None:
            return BodyPlan(memory=memory, skips=(*skips, *(Skip(reason=REPLACED),) * len(gone)))
        return BodyPlan(edits=done.edits, memory=memory, skips=skips, n_fired=len(gone))


@lru_cache(maxsize=64)
def _wanted(tools: tuple[Item, ...], patterns: tuple[str, ...]) -> frozenset[int]:
    """The tools that are to go, by their numbers."""
    names = declared(tools)
    return frozenset(i for i, name in enumerate(names) if name and any(is_meant(name, one) for one in patterns))


def _kept(body: Body, names: Iterable[str]) -> dict[str, str]:
    """Those of *names* that the request needs, and why."""
    memory: _Memory = body.memory if body.memory is not None else _Memory()
    if body.memory is None and is_bound(body):
        return dict.fromkeys(names, THINKING_BOUND)
    kept = dict(memory.kept)
    open_names = tuple(sorted(name for name in names if name not in kept))
    request = body.request
    calls = called(request.messages, body.n_same if body.memory is not None else 0)
    choice = forced(request)
    prose = in_prose(instructions(request), open_names)
    for name in open_names:
        if name in choice:
            kept[name] = FORCED
        elif name in prose:
            kept[name] = NAMED
        elif name in calls and not (name in memory.gone and is_bound(body)):
            kept[name] = CALLED
    return kept


def _moves(
    tools: tuple[Item, ...], gone: set[int], names: tuple[str, ...], kept: dict[str, str]
) -> dict[int, tuple[Place, bytes]]:
    """The cache marks that move to the tool before: by that tool's number, where and what.

    A tool whose mark has no place to go, or that a declared server needs, is taken out of *gone* and into *kept*.
    """
    moves: dict[int, tuple[Place, bytes]] = {}
    for i in sorted(gone):
        reason = SERVER if i in _of_servers(tools) else None
        if reason is None and tools[i].parts[0].mark is not None:
            written = tool_mark(tools[i])
            before = next((k for k in range(i - 1, -1, -1) if k not in gone), None)
            place = tool_place(tools[before]) if before is not None and before not in moves else None
            if before is None or place is None or written is None:
                reason = MARKED
            else:
                moves[before] = place, written
        if reason is not None:
            gone.discard(i)
            kept[names[i]] = reason
    return moves


def _done(
    body: Body, tools: tuple[Item, ...], gone: frozenset[int], moves: dict[int, tuple[Place, bytes]]
) -> _Done | None:
    """The edits; None where they would meet what an earlier step does."""
    starts = body.request.tools_starts
    near = touching(body.taken, starts[0], starts[-1] + tools[-1].size_bytes)
    last = body.memory.last if body.memory is not None and not near else None
    if last is not None and (last.tools, last.starts, last.gone) == (tools, starts, gone):
        known: _Done = last
        return known
    edits = _edits(body, tools, gone, moves, near)
    return _Done(tools=tools, starts=starts, gone=gone, edits=edits) if edits is not None else None


def _edits(
    body: Body, tools: tuple[Item, ...], gone: frozenset[int], moves: dict[int, tuple[Place, bytes]], near: Ranges
) -> tuple[BodyEdit, ...] | None:
    starts = body.request.tools_starts
    spans = [(start, start + item.size_bytes) for item, start in zip(tools, starts, strict=True)]
    if any(a <= start and stop <= b for a, b in near for start, stop in spans):
        return None
    found = []
    for start, stop in removed(spans, gone):
        if is_cut(near, start, stop):
            return None
        inside = (i for i in gone if start <= spans[i][0] and spans[i][1] <= stop)
        saved = sum(body.item_tokens(tools[i]) for i in inside) - body.saved_in(start, stop)
        found.append(BodyEdit(start=start, stop=stop, new=b"", saved_tokens=saved))
    for i, (place, written) in moves.items():
        if not is_free(place, starts[i], near):
            return None
        found += mark_edits(place, starts[i], written)
    return tuple(sorted(found, key=lambda edit: edit.start))


@lru_cache(maxsize=64)
def _of_servers(tools: tuple[Item, ...]) -> frozenset[int]:
    """The sets of tools that a server of the request must have one of (Claude's `mcp_toolset`)."""
    return frozenset(i for i, item in enumerate(tools) if _member(item, "mcp_server_name") is not None)


@lru_cache(maxsize=64)
def _usable(tools: tuple[Item, ...]) -> frozenset[int]:
    """All but those that are loaded later: at least one other must be declared."""
    return frozenset(i for i, item in enumerate(tools) if _member(item, "defer_loading") is not True)


def _member(item: Item, name: str) -> object:
    tree = decoded(item) if item.has(name.encode()) else None
    return tree.get(name) if isinstance(tree, dict) else None
