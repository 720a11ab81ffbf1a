"""Sync: the whole policy runs before each request is sent, which waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.replay.modes.base import ModeArm, ModeTurn

if TYPE_CHECKING:
    from cgcli.lanes.meeting import Met
    from cgcli.replay.paired.arm import Moment
    from cgcli.replay.paired.turns import ArmTurn


class SyncArm(ModeArm):
    """What it sends is what is sent without any mode, byte for byte: it only counts beside."""

    def turn(self, met: Met, moment: Moment, output_tokens: int | None) -> ArmTurn:
        """What becomes of the request that was *met*."""
        now_s = self.now(moment)
        n_jobs = len(self.run.answering.jobs)
        turn = super().turn(met, moment, output_tokens)
        added_s = self.took_s(self.run.answering.jobs[n_jobs:])
        self.count_sent(turn)
        self.count_calls(turn.own_calls)
        self.count_frozen(met, self.placed)
        counters = self.counters
        counters.sync_enforced += 1
        counters.added_ms_total += 1000 * added_s
        n_marks = self.n_marks(self.sent)
        counters.breakpoints += n_marks
        self.mode_turns.append(ModeTurn(number=met.number, at_s=now_s, added_s=added_s, n_breakpoints=n_marks))
        return turn
