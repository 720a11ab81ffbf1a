"""Where the span stands: its messages are looked for in the parent, by content and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import changed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.calls.call import Asking
    from cgcli.model import Item, Request
    from cgcli.select.selection import Selection


def place_of(request: Request, span: Sequence[Item]) -> int | None:
    """From which message on *request* has those of *span*, as the provider reads them; None: nowhere."""
    wanted = [item.rendered for item in span]
    if not wanted:
        return None
    found = [item.rendered for item in request.messages]
    starts = (i for i in range(len(found) - len(wanted) + 1) if found[i] == wanted[0])
    return next((i for i in starts if found[i : i + len(wanted)] == wanted), None)


def in_parent(asking: Asking) -> Selection | None:
    """The selection, counted in the parent; None where the parent does not have that span."""
    selection, parent = asking.selection, asking.parent.request
    counted_in = asking.counted_in
    if not 0 <= selection.start < selection.stop <= len(counted_in.messages):
        return None
    if counted_in is parent:
        return selection
    span = counted_in.messages[selection.start : selection.stop]
    here = parent.messages[selection.start : selection.stop]
    is_here = [item.rendered for item in here] == [item.rendered for item in span]
    start = selection.start if is_here else place_of(parent, span)
    if start is None:
        return None
    moved = start - selection.start
    return changed(selection, start=start, stop=selection.stop + moved, n_pinned=max(0, selection.n_pinned + moved))
