"""The ladder's decisions as edits of one request's bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.edits import replace
from cgcli.compaction.body import BodyEdit
from cgcli.compaction.components.ladder.conversation import absent
from cgcli.compaction.components.taken import is_cut, touching
from cgcli.model import unique

if TYPE_CHECKING:
    from cgcli.compaction.body import Body
    from cgcli.compaction.components.ladder.memory import Memory, Note, Written
    from cgcli.compaction.components.ladder.sizes import Sizes


@unique
class Placed:
    """What is done to a request."""

    edits: tuple[BodyEdit, ...]
    n_fired: int
    """Messages removed and texts written."""
    n_replaced: int
    """Decisions that cannot stand where another step put something of its own."""

    @property
    def saved_tokens(self) -> int:
        """What the edits save together."""
        return sum(edit.saved_tokens for edit in self.edits)


def place(body: Body, memory: Memory, sizes: Sizes) -> Placed:
    """Where each decision of *memory* stands; it replaces what earlier steps do there, whole or not at all."""
    edits: list[BodyEdit] = []
    n_fired = n_replaced = 0
    gone = absent(body) if body.taken and memory.n_decisions else frozenset()
    for note in memory.notes:
        found = _left_out(body, note, sizes) if not gone.issuperset(range(note.start, note.stop)) else None
        n_replaced += found is None
        if found is not None:
            edits.append(found)
            n_fired += note.stop - note.start
    for written in memory.written:
        found = _rewritten(body, written, sizes) if written.i_message not in gone else None
        n_replaced += found is None
        if found is not None:
            edits.append(found)
            n_fired += 1
    edits.sort(key=lambda edit: edit.start)
    return Placed(edits=tuple(edits), n_fired=n_fired, n_replaced=n_replaced)


def _left_out(body: Body, note: Note, sizes: Sizes) -> BodyEdit | None:
    ((start, stop, new),) = replace(body.request, note.start, note.stop, (note.literal,) if note.literal else ())
    if is_cut(body.taken, start, stop):
        return None
    saved = sizes.messages(note.start, note.stop) - note.tokens
    return BodyEdit(start=start, stop=stop, new=new, saved_tokens=saved, i_message=note.start)


def _rewritten(body: Body, written: Written, sizes: Sizes) -> BodyEdit | None:
    place = slot_bytes(body, written.i_message, written.i_part)
    if place is None or any(one != place for one in overlapping(body, *place)):
        return None
    return BodyEdit(
        start=place[0],
        stop=place[1],
        new=written.literal,
        saved_tokens=written.saved_tokens - sizes.saved_in(*place),
        i_message=written.i_message,
    )


def slot_bytes(body: Body, i_message: int, i_part: int) -> tuple[int, int] | None:
    """Where the text of a part stands in the body, its quotes included; None where it has none."""
    slot = body.request.messages[i_message].parts[i_part].slot
    base = body.request.starts[i_message]
    return (base + slot.start, base + slot.stop) if slot is not None else None


def overlapping(body: Body, start: int, stop: int) -> list[tuple[int, int]]:
    """What earlier steps replace in bytes `start:stop`; what they put in at either end is not among it."""
    if not body.taken:
        return []
    return [(a, b) for a, b in touching(body.taken, start, stop) if a < stop and start < b]
