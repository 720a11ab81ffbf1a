"""Tools and system prompt of a lane whose signed thinking is bound to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.cuts import bound_messages
from cgcli.compaction.component import Skip
from cgcli.compaction.entering import THINKING_BOUND

if TYPE_CHECKING:
    from cgcli.compaction.body import Body

BOUND = Skip(reason=THINKING_BOUND)
"""Why the head of a lane stays as it is: thinking was signed behind it before the lane was seen."""


def is_bound(body: Body) -> bool:
    """True where the request has thinking that the provider would refuse behind another head. Costs its messages."""
    return bound_messages(body.request) > 0
