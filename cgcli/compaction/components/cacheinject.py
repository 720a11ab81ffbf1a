"""`cacheinject`: cache marks where the caller left slots free, so that the prompt cache is written and found again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.body import BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.mark_places import (
    block_place,
    content_blocks,
    edits,
    is_free,
    mark,
    system_place,
    tool_place,
)
from cgcli.compaction.components.parameters import check_word
from cgcli.compaction.components.walks import Marks, anchors, walked
from cgcli.compaction.state import HeldKind
from cgcli.model import value
from cgcli.providers.breakpoints import ANTHROPIC, minimum_tokens
from cgcli.providers.models import lookup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.compaction.body import Body, BodyEdit
    from cgcli.compaction.components.mark_places import Place
    from cgcli.compaction.components.walks import Order
    from cgcli.model import Item, Request

ALREADY_MARKED = "already_marked"
BELOW_MINIMUM = "below_minimum"
NO_FREE_SLOT = "no_free_slot"
REPLACED = "replaced"
UNMARKABLE = "unmarkable"
_EVERY = 19
"""Positions from anchor to anchor: one less than are looked at, so that the next one is always in sight."""
_MOST_BACK = 20
"""How many messages back a block is looked for that can be marked."""
_TOOLS, _SYSTEM, _MESSAGES = range(3)


@value
class _Found:
    """A place for a mark, in bytes of the body."""

    order: Order
    place: Place
    base: int


@value
class Cacheinject:
    """Places cache marks in the slots that are free."""

    name: ClassVar[str] = "cacheinject"
    loss: ClassVar[Loss] = Loss.NONE

    ttl: str = "5m"
    """The lifetime that the marks ask for."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_word(self.name, "ttl", self.ttl, ANTHROPIC.ttls)

    def plan(self, body: Body) -> BodyPlan | Skip:
        """The marks of one turn; what the model reads stays the same."""
        request = body.request
        if request.dialect != "anthropic":
            return Skip(reason="other_dialect")
        if request.tools is None or request.system is None:
            return Skip(reason="head_not_recorded")
        walks = walked(request.messages, body.memory or ())
        marks = Marks(request, walks, body.taken)
        if marks.are_refused:
            return BodyPlan(memory=walks, skips=(Skip(reason="marks_refused"),))
        if not _reaches_minimum(request.model, body.sent_tokens):
            return BodyPlan(memory=walks, skips=(Skip(reason=BELOW_MINIMUM),))
        placing = _Placing(body, marks)
        placing.head()
        for i, i_block in _wants(body):
            placing.want(i, i_block)
        for i, i_block in anchors(request.messages, walks, _EVERY):
            if placing.n_free <= 0:
                break
            placing.want(i, i_block)
        made: list[BodyEdit] = []
        for found in placing.chosen:
            made += edits(found.place, found.base, mark(marks.fitting_ttl(found.order, self.ttl)))
        return BodyPlan(
            edits=tuple(sorted(made, key=lambda edit: (edit.start, edit.stop))),
            memory=walks,
            skips=tuple(Skip(reason=reason) for reason in placing.skips),
            n_fired=len(placing.chosen),
        )


def _wants(body: Body) -> Iterator[tuple[int, int | None]]:
    """The messages whose end is to be marked: the last one, and the last one that is sent as on the turn before."""
    n = len(body.request.messages)
    if n:
        yield n - 1, None
    if body.held.kind is HeldKind.NOTHING:  # another head, or a new lane
        return
    n_same = body.n_same if body.rewritten_from is None else min(body.n_same, body.rewritten_from)
    if 0 < n_same < n:
        yield n_same - 1, None


def _of_head(request: Request) -> Iterator[tuple[Order, Item, int]]:
    """The system prompt's blocks and the tools, the last one first."""
    for section, items, starts in (
        (_SYSTEM, request.system or (), request.system_starts),
        (_TOOLS, request.tools or (), request.tools_starts),
    ):
        for i in range(len(items) - 1, -1, -1):
            yield (section, i, 0), items[i], starts[i]


def _reaches_minimum(model: str | None, counted_tokens: int) -> bool:
    """False where the provider keeps nothing of a prefix of so many tokens, silently."""
    return counted_tokens >= _minimum(model)


@lru_cache(maxsize=64)
def _minimum(model: str | None) -> float:
    """The smallest prefix that is kept, in counted tokens."""
    return (minimum_tokens(model) or 0) / lookup(model).factor


class _Placing:
    """The marks of one turn in the making."""

    def __init__(self, body: Body, marks: Marks) -> None:
        self._body = body
        self._marks = marks
        self.chosen: list[_Found] = []
        self.skips: list[str] = []
        self._closed = frozenset({_last_markable(body)} if marks.automatic_ttl is not None else ())
        """Where the provider sets the automatic mark."""
        self.n_free = marks.n_free

    def head(self) -> None:
        """Mark the end of the system prompt, or else of the tools, where the caller has marked neither."""
        request = self._body.request
        if self._marks.has_head or not (request.tools or request.system):
            return
        if not self._has_large_head():
            self.skips.append(BELOW_MINIMUM)
            return
        is_taken = False
        for at, item, base in _of_head(request):
            place = tool_place(item) if at[0] == _TOOLS else system_place(item)
            if place is not None and is_free(place, base, self._body.taken):
                self._take(_Found(order=at, place=place, base=base), REPLACED)
                return
            is_taken = is_taken or place is not None
        self.skips.append(REPLACED if is_taken else UNMARKABLE)

    def _has_large_head(self) -> bool:
        tokens = 0
        for _, item, _ in _of_head(self._body.request):
            tokens += self._body.item_tokens(item)
            if _reaches_minimum(self._body.request.model, tokens):
                return True
        return False

    def want(self, i_message: int, i_block: int | None) -> None:
        """Mark message *i_message* up to block *i_block* (None: its end), or what can be marked before that."""
        messages, starts = self._body.request.messages, self._body.request.starts
        for i in range(i_message, max(-1, i_message - _MOST_BACK), -1):
            n_blocks = len(content_blocks(messages[i]))
            stop = n_blocks if i_block is None or i < i_message else min(n_blocks, i_block + 1)
            for k in range(stop - 1, -1, -1):
                at = (_MESSAGES, i, k)
                if at in self._marks.ttls or at in self._closed or any(one.order == at for one in self.chosen):
                    self.skips.append(ALREADY_MARKED)
                    return
                place = block_place(messages[i], k)
                if place is not None:
                    free = is_free(place, starts[i], self._body.taken)
                    found = _Found(order=at, place=place, base=starts[i]) if free else None
                    self._take(found, REPLACED)
                    return
        self.skips.append(UNMARKABLE)

    def _take(self, found: _Found | None, why_not: str) -> None:
        if found is None:
            self.skips.append(why_not)
        elif self.n_free <= 0:
            self.skips.append(NO_FREE_SLOT)
        else:
            self.n_free -= 1
            self.chosen.append(found)


def _last_markable(body: Body) -> Order | None:
    """The last block of all that can be marked."""
    for i in range(len(body.request.messages) - 1, -1, -1):
        item = body.request.messages[i]
        for k in range(len(content_blocks(item)) - 1, -1, -1):
            if block_place(item, k) is not None:
                return _MESSAGES, i, k
    return None
