"""When the requests of a file were sent: as it records, or at a modelled pace."""

from __future__ import annotations

from cgcli.lanes.meeting import Met
from cgcli.model import changed, value
from cgcli.replay.paired.arm import Moment


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

    def timed(self, met: Met) -> Met:
        """The request that was *met*, with its times by this clock: what a policy goes by is what its cache goes by."""
        if self.gap_s is None:
            return met
        moment = self.moment(met)
        return Met(
            number=met.number,
            exchange=changed(met.exchange, sent_s=moment.sent_s, answered_s=moment.answered_s),
            placement=met.placement,
            is_summary_call=met.is_summary_call,
        )
