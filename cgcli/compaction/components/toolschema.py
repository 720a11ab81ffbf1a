"""`toolschema`: tools without the words of their schemas that constrain nothing and that no model reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.body import BodyEdit, BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.bound_head import BOUND, is_bound
from cgcli.compaction.components.marks import NOT_SMALLER
from cgcli.compaction.components.schema_annotations import Stripped, stripped
from cgcli.compaction.components.taken import touching
from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.canonical import free_json
from cgcli.model import changed, value
from cgcli.wire.spans import Document
from cgcli.wire.strings import text

if TYPE_CHECKING:
    from cgcli.compaction.body import Body
    from cgcli.model import Item


@value
class _Memory:
    """What was done to the lane's last request, and to which tools."""

    tools: tuple[Item, ...] = ()
    changes: tuple[tuple[int, Stripped, int], ...] = ()
    """The number of the tool, what becomes of it, and the tokens that saves."""
    skips: tuple[Skip, ...] = ()
    starts: tuple[int, ...] = ()
    edits: tuple[BodyEdit, ...] = ()
    """Of a request whose tools stand at `starts`."""
    is_bound: bool = False


@value
class Toolschema:
    """Strips the annotation keywords from the schemas of tools."""

    name: ClassVar[str] = "toolschema"
    loss: ClassVar[Loss] = Loss.NONE

    def plan(self, body: Body) -> BodyPlan | Skip:
        """One edit for each tool that has annotations. Pure in the tools: the same ones on every turn."""
        tools = body.request.tools
        if tools is None:
            return Skip(reason="tools_not_recorded")
        if not tools:
            return Skip(reason="no_tools")
        memory: _Memory = body.memory if body.memory is not None else _Memory(is_bound=is_bound(body))
        if memory.is_bound:
            return BodyPlan(memory=memory, skips=(BOUND,))
        starts = body.request.tools_starts
        if memory.tools != tools:
            memory = _planned(body, tools)
        if memory.starts != starts:
            edits = tuple(_edit(found, starts[i], saved) for i, found, saved in memory.changes)
            memory = changed(memory, starts=starts, edits=edits)
        in_the_way = touching(body.taken, starts[0], starts[-1] + tools[-1].size_bytes)
        free = tuple(one for one in memory.edits if not any(a < one.stop and one.start < b for a, b in in_the_way))
        replaced = (Skip(reason="replaced"),) * (len(memory.edits) - len(free))
        return BodyPlan(edits=free, memory=memory, skips=(*memory.skips, *replaced))


def _planned(body: Body, tools: tuple[Item, ...]) -> _Memory:
    """What becomes of all *tools*, as if no other step had done anything."""
    changes: list[tuple[int, Stripped, int]] = []
    skips: list[Skip] = []
    for i, item in enumerate(tools):
        found = stripped(item)
        if not isinstance(found, Stripped):
            skips.append(Skip(reason=found))
            continue
        saved = body.item_tokens(item) - body.count(_read(found.wire))
        if saved > 0:
            changes.append((i, found, saved))
        else:
            skips.append(NOT_SMALLER)
    return _Memory(tools=tools, changes=tuple(changes), skips=tuple(skips))


def _edit(found: Stripped, base: int, saved_tokens: int) -> BodyEdit:
    return BodyEdit(start=base + found.start, stop=base + found.stop, new=found.new, saved_tokens=saved_tokens)


def _read(wire: bytes) -> str:
    """The tool as it is counted: JSON without white space and cache marks."""
    return text(free_json(Document(wire).root(), without=MARK_KEYS))
