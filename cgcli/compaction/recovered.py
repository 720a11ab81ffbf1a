"""What the agent asked to have back is left alone: it would only ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.markers import EXPAND_TOOL
from cgcli.model import Kind

if TYPE_CHECKING:
    from cgcli.model import Part, Request

RECOVERED = "recovered"
"""The reason for leaving alone what the agent expanded."""
_MOST_BACK = 64
"""How many messages back a call is looked for: parallel calls and their outputs may be a message each."""


def is_recovered(request: Request, i_message: int, part: Part) -> bool:
    """True where *part*, in message *i_message*, is the output of the tool that gives originals back."""
    for message in reversed(request.messages[max(0, i_message - _MOST_BACK) : i_message]):
        for call in message.parts:
            if call.kind is Kind.TOOL_CALL and call.pair_id == part.pair_id:
                return call.name is not None and call.name.endswith(EXPAND_TOOL)
    return False
