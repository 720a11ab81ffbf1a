"""The request that follows a call: the summary, or what the provider compacted, in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import field

from cgcli.calls import anthropic_native, openai_native
from cgcli.calls.attempt import attempt
from cgcli.calls.call import NATIVE, CallMode
from cgcli.calls.cuts import system_torn, thinking_follows_wrongly, thinking_torn, unfit_run
from cgcli.calls.echo import echoed, into_answer, own_message
from cgcli.calls.edits import Edit, edited, replace, set_member
from cgcli.calls.why import Why, refuse
from cgcli.dialects.settings import settings
from cgcli.model import Refusal, changed, unique

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.calls.call import CallOptions
    from cgcli.model import Request
    from cgcli.select.selection import Selection


@unique
class Followed:
    """A request after a call."""

    request: Request
    """As it would have been without the call."""
    edits: tuple[Edit, ...]
    """`(start, stop, new)` in the bytes of that, disjoint and in order."""
    covered: tuple[int, int]
    """The messages of `request` that the summary stands for, half-open."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """That must be sent with it, beside the request's own."""

    effective_edits: tuple[Edit, ...] | None = None
    """What gives the request as the provider reads it, where it leaves out more than the client; None: the same."""

    @property
    def body(self) -> bytes:
        """The request with the edits in it."""
        return edited(self.request, self.edits)

    @property
    def effective(self) -> bytes:
        """The request as the provider reads it: Claude ignores what stands before a block of its own threshold."""
        return self.body if self.effective_edits is None else edited(self.request, self.effective_edits)


def covers(mode: CallMode, dialect: str, selection: Selection, n_parent: int) -> tuple[int, int]:
    """Which messages of a parent of *n_parent* messages the answer to a call in that *mode* stands for."""
    if mode in (CallMode.STANDALONE, CallMode.FORK):
        return selection.start, selection.stop
    covers_all = mode is CallMode.NATIVE_THRESHOLD or (mode is CallMode.NATIVE_ON_DEMAND and dialect != "anthropic")
    return 0, n_parent if covers_all else selection.stop


def follow(
    mode: CallMode,
    request: Request,
    selection: Selection,
    new: bytes,
    options: CallOptions,
    *,
    n_parent: int | None = None,
) -> Followed | Refusal:
    """*request* as it follows a call in that *mode*; *new* is the summary's message, or what the provider compacted."""
    if mode in NATIVE:
        return follow_native(mode, request, selection, new, options, n_parent=n_parent)
    return follow_summary(request, selection, new)


def follow_summary(request: Request, selection: Selection, summary: bytes) -> Followed | Refusal:
    """*request* with the message *summary* (JSON) in the place of the span, as after a standalone call or a fork.

    The selection counts in *request*, which is the parent or one that goes on from it.
    """
    start, stop = selection.start, selection.stop
    refused = unfit_run(request, start, stop) or system_torn(request, start) or thinking_torn(request, stop)
    if refused is not None:
        return refused
    return attempt(
        lambda: Followed(request=request, edits=tuple(replace(request, start, stop, (summary,))), covered=(start, stop))
    )


def follow_native(
    mode: CallMode,
    request: Request,
    selection: Selection,
    block: bytes,
    options: CallOptions,
    *,
    n_parent: int | None = None,
) -> Followed | Refusal:
    """*request* with what the provider compacted, as after a native call.

    *block* is the compaction block or item, byte for byte as it was answered; or the list that it stood in: the content
    of the answer (Claude at a threshold), or the output (OpenAI's endpoint). *n_parent* is the number of the parent's
    messages at the head of *request*; None: all.
    """
    n = len(request.messages) if n_parent is None else n_parent
    start, stop = covers(mode, request.dialect, selection, n)
    refused = unfit_run(request, start, stop)
    if refused is not None:
        return refused
    found = echoed(block, request.dialect)
    if found is None:
        return refuse(Why.BLOCK_UNUSABLE)
    if request.dialect != "anthropic":
        edits = replace(request, start, stop, found)
        member = openai_native.management(options) if mode is CallMode.NATIVE_THRESHOLD else None
        return attempt(lambda: _followed(request, [*edits, *_managed(request, member)], (start, stop), {}))
    if mode is CallMode.NATIVE_ON_DEMAND:
        return _behind_block(request, stop, found)
    return attempt(lambda: _with_block(request, stop, found, anthropic_native.management(options)))


def _behind_block(request: Request, stop: int, found: tuple[bytes, ...]) -> Followed | Refusal:
    """The block first of all, as a message of its own, and what it stands for gone (Claude on demand)."""
    if len(found) != 1:
        return refuse(Why.BLOCK_UNUSABLE, "one block may be sent")
    if stop == len(request.messages):
        return refuse(Why.SPAN_NOT_IN_PARENT, "nothing would follow the block")
    refused = thinking_follows_wrongly(request, stop)
    if refused is not None:
        return refused
    own = b'{"role":"assistant","content":[' + found[0] + b"]}"
    return attempt(
        lambda: _followed(request, replace(request, 0, stop, (own,)), (0, stop), anthropic_native.ON_DEMAND_HEADERS)
    )


def _with_block(request: Request, stop: int, found: tuple[bytes, ...], management: bytes) -> Followed:
    """The block in the answer to the parent, message *stop*; what stands before it stays (Claude, threshold)."""
    managed = _managed(request, management)
    own = own_message(request, stop, found)
    if own is not None:
        echoing, read = replace(request, stop, stop, (own,)), replace(request, 0, stop, (own,))
    else:
        echoing = into_answer(request, stop, found)
        read = [*replace(request, 0, stop, ()), *echoing]
    return changed(
        _followed(request, [*echoing, *managed], (0, stop), anthropic_native.THRESHOLD_HEADERS),
        effective_edits=_ordered([*read, *managed]),
    )


def _managed(request: Request, member: bytes | None) -> list[Edit]:
    """The edit that keeps asking for compaction at a threshold, where *request* does not do so itself."""
    if member is None or settings(request).get("context_management") is not None:
        return []
    return [set_member(request, "context_management", member)]


def _followed(request: Request, edits: list[Edit], covered: tuple[int, int], headers: Mapping[str, str]) -> Followed:
    return Followed(request=request, edits=_ordered(edits), covered=covered, headers=dict(headers))


def _ordered(edits: list[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(edits, key=lambda edit: edit[:2]))
