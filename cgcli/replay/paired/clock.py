"""When the requests of a file were sent: as it records, or at a modelled pace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.replay.paired.arm import Moment

if TYPE_CHECKING:
    from cgcli.lanes.meeting import Met


@value
class Clock:
    """The file's own times, or one request every `gap_s` seconds in the order of the file."""

    gap_s: float | None = None

    def moment(self, met: Met) -> Moment:
        """When the request that was *met* was sent and answered; a modelled one is answered at once."""
        if self.gap_s is None:
            return Moment(sent_s=met.exchange.sent_s, answered_s=met.exchange.answered_s)
        sent_s = met.number * self.gap_s
        return Moment(sent_s=sent_s, answered_s=sent_s)
