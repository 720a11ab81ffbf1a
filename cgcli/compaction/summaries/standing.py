"""Compaction by the provider at a threshold: no call of ours, but a setting that every request of the lane carries."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.calls import anthropic_native, openai_native
from cgcli.calls.build import first_supported
from cgcli.calls.call import CallMode
from cgcli.calls.edits import set_member
from cgcli.calls.native_refusals import native_refusal
from cgcli.calls.why import Why, refuse
from cgcli.compaction.state import Decision, Fired
from cgcli.compaction.summaries.state import Event, What
from cgcli.model import Digest, value

if TYPE_CHECKING:
    from cgcli.calls.build import Choice
    from cgcli.calls.call import Asking
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.summaries.state import SummaryState
    from cgcli.model import Refusal, Request

_NOTHING = Digest(sha256(b"").digest())


@value
class Standing:
    """What a request gets, or why not."""

    state: SummaryState
    edits: tuple[Placed, ...] = ()
    events: tuple[Event, ...] = ()


def is_standing(choice: Choice, asking: Asking) -> bool:
    """True where *choice* comes to compaction at a threshold, for the model and platform of the request."""
    if not choice.is_native:
        return False
    return first_supported(choice, asking.parent.request, asking.options) is CallMode.NATIVE_THRESHOLD


def standing(state: SummaryState, asking: Asking) -> Standing:
    """The setting for one more request; said once a lane, as its refusal is."""
    refusal = native_refusal(CallMode.NATIVE_THRESHOLD, asking)
    if refusal is None and state.applied:
        refusal = refuse(Why.BOTH_KINDS, "the lane has a block that was compacted on demand")
    if refusal is not None:
        events = () if state.is_told(refusal.reason) else (_event(What.REFUSED, refusal),)
        return Standing(state=state.telling(refusal.reason), events=events)
    events = () if state.is_told(What.SET_UP) else (_event(What.SET_UP),)
    return Standing(state=state.telling(What.SET_UP), edits=(_edit(asking.parent.request, asking),), events=events)


def _edit(request: Request, asking: Asking) -> Placed:
    management = anthropic_native.management if request.dialect == "anthropic" else openai_native.management
    start, stop, new = set_member(request, "context_management", management(asking.options))
    decision = Decision(
        literal=new,
        original=_NOTHING,
        replacement=Digest(sha256(new).digest()),
        fired=(Fired(component="summarize", saved_tokens=0),),
        saved_tokens=0,
        is_reversible=False,
        style=None,
    )
    return start, stop, decision


def _event(what: What, refusal: Refusal | None = None) -> Event:
    return Event(
        what=what,
        mode=CallMode.NATIVE_THRESHOLD,
        is_reversible=what is not What.SET_UP,
        reason=refusal.reason if refusal is not None else None,
        detail=refusal.detail if refusal is not None else "",
        warning=f"{CallMode.NATIVE_THRESHOLD}: {refusal.detail}" if refusal is not None else None,
    )
