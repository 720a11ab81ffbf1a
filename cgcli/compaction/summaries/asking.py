"""What a turn asks with: the policy's settings and the record's facts, in the words of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.build import resolve
from cgcli.calls.call import CallOptions, Parent, PrefixSource
from cgcli.compaction.components.parameters import check_text
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from cgcli.calls.when import When
    from cgcli.compaction.summaries.span_step import SpanStep
    from cgcli.compaction.summaries.state import Seam
    from cgcli.model import Request
    from cgcli.wire.strings import Style


def parent_of(request: Request, seam: Seam, when: When, *, tokens: int) -> Parent:
    """*request*, which is sent on this turn and has *tokens* for its model, as the parent of a call."""
    return Parent(
        request=request,
        source=seam.source,
        tools_recorded=seam.tools_recorded,
        prefix_source=PrefixSource.MODULE_VIEW if seam.source.reconstructed else PrefixSource.WIRE_RECORD,
        window_tokens=when.window_tokens,
        tokens=tokens,
    )


def call_options(settings: SpanStep, seam: Seam, when: When, style: Style) -> CallOptions:
    """How a call is built; the provider's own threshold is where a summary of ours would be applied."""
    return CallOptions(
        model=settings.model,
        trigger_tokens=when.apply_tokens,
        pause=settings.pause,
        platform=settings.platform,
        require_reversible=settings.require_reversible,
        other_editor=seam.other_editor,
        style=style,
    )


def check_own_call(step: str, given: str) -> None:
    """Refuse all but the call modes whose summary is text: where the provider compacts, nothing else stands.

    Raises:
        UsageError: there is no such call mode, or it is the provider's.
    """
    check_text(step, "call", given)
    if resolve(given).is_native:
        raise UsageError(f"{step}: call is {given!r}, but must be one of standalone, fork, auto", hint='call = "fork"')
