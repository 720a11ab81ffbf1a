"""Run the components of bodies over one request; one that raises, or whose edits do not fit, is reverted alone."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.compaction.body import Body, BodyPlan, disjoint, has_own_threshold
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.taken import is_cut
from cgcli.compaction.entering import PREFIX_HELD
from cgcli.compaction.state import BodiesState, Decision, Fired
from cgcli.compaction.triggers import NO_WAITS
from cgcli.dialects.base import MARK_KEYS
from cgcli.model import Digest, changed, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.compaction.body import BodyComponent, BodyEdit
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.triggers import Waits
    from cgcli.model import Request

_Key = tuple[int | None, Digest]
"""A message that reads otherwise (None: tools or system prompt), and what reads there."""
_MARK_KEYS = tuple(key.encode() for key in sorted(MARK_KEYS))
_MARK = re.compile(rb',?\s*"(?:%b)"\s*:\s*(?:null|\{[^{}]*\})' % b"|".join(_MARK_KEYS))


@value
class BodyTold:
    """What one component did to one request."""

    component: str
    fired: tuple[Digest, ...] = ()
    """One for each thing that it changed, the same for the same change on every turn."""
    n_fired: int | None = None
    """How many things it says it changed; None: as many as there are edits."""
    saved_tokens: int = 0
    skips: tuple[str, ...] = ()
    """Reasons, once for each candidate that was left alone."""
    reverted: str | None = None
    detail: str = ""


@value
class Edited:
    """A request's edits by components of bodies."""

    state: BodiesState
    edits: tuple[Placed, ...] = ()
    told: tuple[BodyTold, ...] = ()
    rewritten_from: int | None = None
    """The first message that the lane sent before and that now reads differently; 0 for tools and system too."""
    moved_from: int | None = None
    """The same of the components alone that have no threshold of their own, where they change something anew, or give
    back what they took out of tools or system."""


def run(components: Sequence[BodyComponent], body: Body, before: BodiesState, waits: Waits = NO_WAITS) -> Edited:
    """Each of *components* in order, each one on what the ones before left; *before*: of the lane's last turn.

    One that has to wait for a trigger is not asked before that is met. Once asked it goes on: what it decided stands.
    """
    made: list[_Made] = []
    told: list[BodyTold] = []
    memories = dict(before.memories)
    sent_by: dict[int, frozenset[_Key]] = {}
    begun = set(before.begun)
    for i, component in enumerate(components):
        seen = changed(_after(body, made) if made else body, rewritten_from=_rewritten(body, sent_by, before))
        sent_by[i] = frozenset()
        mine = NO_WAITS if has_own_threshold(component) else waits
        seen = changed(seen, memory=memories.get(i), waits=mine.of(component.name))
        plan = _asked(component, seen) if i in begun or not mine.has_triggers else _begun(component, seen)
        if plan is None:
            told.append(BodyTold(component=component.name, skips=(seen.waits or PREFIX_HELD,)))
            continue
        begun.add(i)
        if isinstance(plan, BodyTold):
            told.append(plan)
            continue
        memories[i] = plan.memory
        made = _put(made, component, plan, body)
        sent_by[i] = _read(made[len(made) - len(plan.edits) :])
        told.append(_told(component, plan))
    state = BodiesState(
        memories=memories,
        sent=_read(made),
        sent_by=sent_by,
        saved_tokens=sum(one.placed[2].saved_tokens for one in made),
        begun=frozenset(begun),
    )
    unbounded = {i: keys for i, keys in sent_by.items() if not has_own_threshold(components[i])}
    return changed(_edited(made, told, state, body, before), moved_from=_moved(unbounded, before))


def _moved(sent_by: Mapping[int, frozenset[_Key]], before: BodiesState) -> int | None:
    """The first message that reads otherwise by their doing; what is gone from a message may stand in a summary now."""
    moved: set[_Key] = set()
    for i, keys in sent_by.items():
        known = before.sent_by.get(i, frozenset())
        moved |= keys - known
        moved |= {key for key in known - keys if key[0] is None}
    return _first(_places(moved))


def _begun(component: BodyComponent, body: Body) -> BodyPlan | BodyTold | None:
    """The first answer of *component* in this lane; None where it waits, or would change what was sent and is held."""
    if body.waits is not None:
        return None
    plan = _asked(component, body)
    is_late = isinstance(plan, BodyPlan) and any(
        not edit.keeps_reading and _is_sent(edit.i_message or 0, body) for edit in plan.edits
    )
    return None if is_late else plan


def _is_sent(i_message: int, body: Body) -> bool:
    return i_message < min(body.n_same, body.held.n_messages) and not body.is_free(i_message)


@value
class _Made:
    placed: Placed
    edit: BodyEdit
    key: _Key | None
    """What is told of it from turn to turn: what reads there now, and in the place of what; None: what did before."""


def _key(edit: BodyEdit, decision: Decision, request: Request) -> _Key | None:
    if edit.keeps_reading:
        return None
    if edit.i_message is None:
        return None, _in_head(request, edit)
    # The bytes that stood there may differ by a mark that moved.
    n_messages = bisect_left(request.starts, edit.stop) - edit.i_message
    return edit.i_message, Digest(sha256(b"%d %b" % (n_messages, decision.replacement)).digest())


def _in_head(request: Request, edit: BodyEdit) -> Digest:
    """Tells what reads in the place of the tools or system blocks that *edit* is in, whatever their cache marks are."""
    start, stop = edit.start, edit.stop
    for items, starts in ((request.tools, request.tools_starts), (request.system, request.system_starts)):
        for i in range(max(0, bisect_right(starts, edit.start) - 1), bisect_left(starts, edit.stop)):
            end = starts[i] + (items or ())[i].size_bytes
            if edit.start < end:
                start, stop = min(start, starts[i]), max(stop, end)
    there = bytes(request.raw[start:stop])
    here = b"%b%b%b" % (there[: edit.start - start], edit.new, there[edit.stop - start :])
    return Digest(sha256(b"%b %b" % (_without_marks(there), _without_marks(here))).digest())


def _without_marks(written: bytes) -> bytes:
    """*written* as the model reads it."""
    return _MARK.sub(b"", written) if any(key in written for key in _MARK_KEYS) else written


def _put(made: Sequence[_Made], component: BodyComponent, plan: BodyPlan, body: Body) -> list[_Made]:
    """*made*, and the edits of *plan*; one that takes out whole what earlier steps changed has saved that too."""
    left, new = list(made), []
    for edit in plan.edits:
        inside = [one for one in left if _holds(edit, one.placed[0], one.placed[1])]
        if inside:
            left = [one for one in left if one not in inside]
        saved = edit.saved_tokens + sum(one.placed[2].saved_tokens for one in inside)
        decision = _decision(component, edit, saved, body)
        placed = edit.start, edit.stop, decision
        new.append(_Made(placed=placed, edit=edit, key=_key(edit, decision, body.request)))
    return [*left, *new]


def _holds(edit: BodyEdit, start: int, stop: int) -> bool:
    """True where bytes `start:stop` go with *edit*; what is put in at one of its ends stands beside it."""
    if start == stop:
        return edit.start < start < edit.stop
    return edit.start <= start and stop <= edit.stop


def _after(body: Body, made: Sequence[_Made]) -> Body:
    """*body* for the next component: with what was *made* before it."""
    ordered = sorted(made, key=lambda one: one.placed[:2])
    starts = [one.edit.start for one in ordered]
    saved = [one.placed[2].saved_tokens for one in ordered]
    sent_tokens = body.sent_tokens - sum(saved)
    taken = []
    for (start, stop), tokens in zip(body.taken, body.taken_tokens, strict=True):
        i = bisect_right(starts, start) - 1
        if i >= 0 and _holds(ordered[i].edit, start, stop):
            saved[i] += tokens
        else:
            taken.append((start, stop, tokens))
    taken += [(one.edit.start, one.edit.stop, tokens) for one, tokens in zip(ordered, saved, strict=True)]
    taken.sort(key=lambda one: one[:2])
    return changed(
        body,
        taken=tuple((start, stop) for start, stop, _ in taken),
        taken_tokens=tuple(tokens for _, _, tokens in taken),
        sent_tokens=sent_tokens,
    )


def _rewritten(body: Body, sent_by: Mapping[int, frozenset[_Key]], before: BodiesState) -> int | None:
    """The first message that the components so far make read otherwise than on the turn before."""
    changes = (keys ^ before.sent_by.get(i, frozenset()) for i, keys in sent_by.items())
    return _first((body.rewritten_from, *_places(key for keys in changes for key in keys)))


def _read(made: Iterable[_Made]) -> frozenset[_Key]:
    """What reads otherwise than it was received."""
    return frozenset(one.key for one in made if one.key is not None)


def _places(keys: Iterable[_Key]) -> Iterator[int]:
    """The messages of *keys*; 0 for tools and system too."""
    return (i_message or 0 for i_message, _ in keys)


def _first(messages: Iterable[int | None]) -> int | None:
    return min((i for i in messages if i is not None), default=None)


def _edited(
    made: Sequence[_Made],
    told: Sequence[BodyTold],
    state: BodiesState,
    body: Body,
    before: BodiesState,
) -> Edited:
    # What is gone of the messages that are the same reads as it was received again.
    gone = [key for key in before.sent - state.sent if key[0] is None or key[0] < body.n_same]
    by_component: dict[str, list[Decision]] = {}
    for one in made:
        decision = one.placed[2]
        by_component.setdefault(decision.fired[0].component, []).append(decision)
    return Edited(
        state=state,
        edits=tuple(sorted((one.placed for one in made), key=lambda edit: edit[:2])),
        told=tuple(_counted(one, by_component.get(one.component, ())) for one in told),
        rewritten_from=_first(_places((*(state.sent - before.sent), *gone))),
    )


def _counted(told: BodyTold, decisions: Sequence[Decision]) -> BodyTold:
    """*told* with the decisions that are left of the component."""
    changes = tuple(map(_change, decisions))
    return changed(
        told,
        fired=changes[: told.n_fired] if told.n_fired is not None else changes,
        saved_tokens=sum(one.saved_tokens for one in decisions),
    )


def _change(decision: Decision) -> Digest:
    return Digest(sha256(decision.original + decision.replacement).digest())


def _asked(component: BodyComponent, body: Body) -> BodyPlan | BodyTold:
    """What *component* answers; what it was told about instead, where nothing comes of it."""
    try:
        plan = component.plan(body)
    except Exception as error:  # noqa: BLE001 - fail open: any fault of a component reverts it alone
        return BodyTold(component=component.name, reverted="raised", detail=repr(error))
    if isinstance(plan, Skip):
        return BodyTold(component=component.name, skips=(plan.reason,))
    if not disjoint(plan.edits) or any(is_cut(body.taken, edit.start, edit.stop) for edit in plan.edits):
        return BodyTold(component=component.name, reverted="overlaps")
    saved = sum(edit.saved_tokens for edit in plan.edits)
    if plan.edits and component.loss is Loss.STASHED and saved <= 0:
        return BodyTold(component=component.name, reverted="grew")
    return plan


def _decision(component: BodyComponent, edit: BodyEdit, saved_tokens: int, body: Body) -> Decision:
    raw = body.request.raw[edit.start : edit.stop]
    return Decision(
        literal=edit.new,
        original=Digest(sha256(raw).digest()),
        replacement=Digest(sha256(edit.new).digest()),
        fired=(Fired(component=component.name, saved_tokens=saved_tokens),),
        saved_tokens=saved_tokens,
        is_reversible=True,
        style=None,
    )


def _told(component: BodyComponent, plan: BodyPlan) -> BodyTold:
    return BodyTold(component=component.name, n_fired=plan.n_fired, skips=tuple(skip.reason for skip in plan.skips))
