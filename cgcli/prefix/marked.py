"""Cache marks along a request: where each stands, how many positions and bytes come before it, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.content import decoded
from cgcli.model import Kind, Section, changed, value
from cgcli.providers.breakpoints import UNMARKABLE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item, Part

CLAUDE_KEY = "cache_control"
MOST_KEPT = 16
"""Marks beyond this many are counted and not kept: far fewer are refused already."""


@value
class Marked:
    """One mark."""

    key: str
    """`cache_control`, or OpenAI's `prompt_cache_breakpoint`."""
    ttl: str | None
    section: Section
    i_item: int
    inner: str
    """Where the marked block stands in its item."""
    position: int
    """Of the marked block: from 1, in cache order, a run of calls or of results being one."""
    prefix_bytes: int
    """Up to and with the marked block; items only."""
    flaw: str | None
    """Why nothing can be marked there."""


@value
class Walk:
    """What was met on the way to some point of a request."""

    position: int = 0
    run: Kind | None = None
    """`TOOL_CALL` or `TOOL_RESULT` where the last block is of such a run."""
    prefix_bytes: int = 0
    marks: tuple[Marked, ...] = ()
    """The last few."""
    n_marks: int = 0


def step(walk: Walk, item: Item, i_item: int) -> Walk:
    """*walk*, with one more item."""
    positions: list[int] = []
    ends: list[int] = []
    position, run = walk.position, walk.run
    for kind, part in runs(item):
        if kind is None or kind is not run:
            position += 1
        run = kind
        positions.append(position)
        ends.append(walk.prefix_bytes + part.span.stop)
    found = [
        Marked(
            key=raw.key,
            ttl=raw.ttl,
            section=item.section,
            i_item=i_item,
            inner=raw.inner,
            position=positions[min(raw.i_block, len(positions) - 1)] if positions else position,
            prefix_bytes=ends[min(raw.i_block, len(ends) - 1)] if ends else walk.prefix_bytes,
            flaw=raw.flaw,
        )
        for raw in _marks(item)
    ]
    return changed(
        walk,
        position=position,
        run=run,
        prefix_bytes=walk.prefix_bytes + item.size_bytes,
        marks=(*walk.marks, *found)[-MOST_KEPT:] if found else walk.marks,
        n_marks=walk.n_marks + len(found),
    )


@value
class Tally:
    """How many marks of Anthropic's there are, and where the last one is."""

    n_marks: int = 0
    i_item: int = 0
    inner: str = ""


def tally(so_far: Tally, item: Item, i_item: int) -> Tally:
    """*so_far*, with one more item."""
    if not item.has(CLAUDE_KEY.encode()):
        return so_far
    found = [raw for raw in _marks(item) if raw.key == CLAUDE_KEY]
    return Tally(n_marks=so_far.n_marks + len(found), i_item=i_item, inner=found[-1].inner) if found else so_far


def runs(item: Item) -> Iterator[tuple[Kind | None, Part]]:
    """The first part of each block of the item's content, with the run that it belongs to; server tools are in none."""
    types = _types(item) if item.has(b'_tool_use"') or item.has(b'_tool_result"') else ()
    last = -1
    for block in item.blocks:
        if block.i_part <= last:
            continue  # a message's own fields, which are no content
        last = block.i_part
        part = item.parts[last]
        if part.kind is Kind.TOOL_CALL:
            kind = Kind.TOOL_CALL
        elif part.pair_id is not None or part.kind is Kind.TOOL_RESULT:
            kind = Kind.TOOL_RESULT
        else:
            kind = None
        is_server = types and types.get(".".join(part.path.split(".")[:2])) not in ("tool_use", "tool_result")
        yield (None if is_server else kind), part


def _types(item: Item) -> dict[str, str]:
    message = decoded(item)
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return {f"content.{i}": str(block.get("type")) for i, block in enumerate(blocks) if isinstance(block, dict)}


@value
class _Raw:
    key: str
    ttl: str | None
    i_block: int
    inner: str
    flaw: str | None = None


def _marks(item: Item) -> list[_Raw]:
    """The marks that the item sets, in order."""
    if not item.has(b"cache_control") and not item.has(b"prompt_cache_breakpoint"):
        return []
    tree = decoded(item)
    if not isinstance(tree, dict):
        return []
    found: list[_Raw] = []
    content = tree.get("content") if item.section is Section.MESSAGES else None
    for i, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            found += _of(block, i, f"content.{i}", _flaw(block))
            inner = block.get("content")
            for k, sub in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(sub, dict):
                    found += _of(sub, i, f"content.{i}.content.{k}", _flaw(sub))
    return found + _of(tree, len(item.blocks), "", _flaw(tree))


def _of(block: dict[str, Any], i_block: int, inner: str, flaw: str | None) -> list[_Raw]:
    found = []
    for key in sorted(MARK_KEYS):
        mark = block.get(key)
        if isinstance(mark, dict):
            ttl = mark.get("ttl")
            found.append(
                _Raw(key=key, ttl=ttl if isinstance(ttl, str) else None, i_block=i_block, inner=inner, flaw=flaw)
            )
    return found


def _flaw(block: dict[str, Any]) -> str | None:
    kind = block.get("type")
    if kind in UNMARKABLE_TYPES:
        return f"a {kind} block cannot be marked"
    if kind == "text" and block.get("text") == "":
        return "an empty text cannot be marked"
    return None
