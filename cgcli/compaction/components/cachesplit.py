"""`cachesplit`: a system prompt in two blocks, so that what stays is cached apart from what each session changes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.body import BodyEdit, BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.bound_head import BOUND, is_bound
from cgcli.compaction.components.mark_places import mark
from cgcli.compaction.components.parameters import check_texts, check_whole
from cgcli.compaction.components.splitting import Marking, joined_edit, two_blocks, two_of_string
from cgcli.compaction.components.taken import touching
from cgcli.compaction.components.volatile import MARKERS, system_text, tail_start
from cgcli.compaction.components.walks import Marks, walked
from cgcli.model import changed, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.body import Body
    from cgcli.compaction.components.walks import Walks
    from cgcli.model import Item

_SYSTEM = 1


@value
class _Cut:
    """Which block of the system prompt is split, and at which character."""

    i_block: int
    at: int
    saved_tokens: int
    """Below 0 where two texts count more than one."""


@value
class _Memory:
    """What was found in the lane's system prompt, and whether it was split."""

    walks: Walks = ()
    system: tuple[Item, ...] = ()
    cut: _Cut | Skip | None = None
    is_split: bool = False
    is_bound: bool = False


@value
class Cachesplit:
    """Splits the system prompt before its volatile tail."""

    name: ClassVar[str] = "cachesplit"
    loss: ClassVar[Loss] = Loss.NONE

    min_tokens: int = 1024
    """The least that the stable part has."""
    markers: Sequence[str] = ()
    """More beginnings of a volatile tail, beside the built-in ones."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_texts(self.name, "markers", self.markers)

    def plan(self, body: Body) -> BodyPlan | Skip:
        """Split the first block that has a volatile tail behind a stable part of some size."""
        request = body.request
        if request.dialect != "anthropic":
            return Skip(reason="other_dialect")
        if not request.system or request.tools is None:
            return Skip(reason="no_system_prompt" if request.system == () else "head_not_recorded")
        memory: _Memory = body.memory if body.memory is not None else _Memory(is_bound=is_bound(body))
        if memory.is_bound:
            return BodyPlan(memory=memory, skips=(BOUND,))
        if memory.cut is None or memory.system != request.system:
            memory = changed(memory, system=request.system, cut=self._find(body, request.system))
        memory = changed(memory, walks=walked(request.messages, memory.walks))
        if not isinstance(memory.cut, _Cut):
            return BodyPlan(memory=memory, skips=() if memory.cut is None else (memory.cut,))
        made = _made(body, memory, memory.cut)
        if isinstance(made, Skip):
            return BodyPlan(memory=memory, skips=(made,))
        return BodyPlan(edits=made, memory=changed(memory, is_split=True), n_fired=1)

    def _find(self, body: Body, system: tuple[Item, ...]) -> _Cut | Skip:
        why_not = Skip(reason="no_volatile_tail")
        for i, item in enumerate(system):
            text = system_text(item)
            at = tail_start(text, (*MARKERS, *self.markers)) if text is not None else None
            if text is None or at is None:
                continue
            stable_tokens = body.count(text[:at])
            if stable_tokens >= self.min_tokens and text[:at].strip():
                saved = body.count(text) - stable_tokens - body.count(text[at:])
                return _Cut(i_block=i, at=at, saved_tokens=saved)
            why_not = Skip(reason="below_min_tokens")
        return why_not


def _made(body: Body, memory: _Memory, cut: _Cut) -> tuple[BodyEdit, ...] | Skip:
    """The edits of this turn, or why there are none."""
    request, item = body.request, memory.system[cut.i_block]
    base = request.system_starts[cut.i_block]
    if touching(body.taken, base, base + item.size_bytes):
        return Skip(reason="replaced")
    if not memory.is_split and is_bound(body):
        return BOUND
    marks = Marks(request, memory.walks, body.taken)
    is_full = marks.n_free <= 0
    if item.parts[0].mark is not None:
        found = _split(item, cut.at, Marking.STABLE_ONLY if is_full else Marking.BOTH, b"")
    else:
        behind = marks.first_behind((_SYSTEM, cut.i_block, 0))
        if not memory.is_split and behind is None:
            return Skip(reason="not_cached")
        if not memory.is_split and is_full:
            return Skip(reason="no_free_slot")
        # What was split stays split: the marks may move, the text may not.
        written = b"" if is_full or behind is None else mark(behind)
        found = _split(item, cut.at, Marking.AS_IT_IS, written)
    first, *others = (changed(edit, start=edit.start + base, stop=edit.stop + base) for edit in found)
    return changed(first, saved_tokens=cut.saved_tokens), *others


@lru_cache(maxsize=64)
def _split(item: Item, at: int, marking: Marking, written: bytes) -> tuple[BodyEdit, ...]:
    """The edits, in bytes of the block; *written* is the mark that the stable part gets where the block has none."""
    if item.wire.startswith(b'"'):
        return tuple(BodyEdit(start=a, stop=b, new=new) for a, b, new in two_of_string(item.wire, at, written))
    a, b, new = joined_edit(item.wire, two_blocks(item, at, marking, written))
    return (BodyEdit(start=a, stop=b, new=new),)
