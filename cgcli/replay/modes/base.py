"""What the arms of all operating modes have in common: a clock, counters, what became of each turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Refusal, unique
from cgcli.replay.modes.counters import Counters
from cgcli.replay.modes.tail import n_breakpoints
from cgcli.replay.paired.arm import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
    from cgcli.compaction.summaries.state import Job
    from cgcli.lanes.meeting import Met
    from cgcli.model import Request
    from cgcli.replay.modes.options import Mode, ModeOptions
    from cgcli.replay.paired.arm import Moment
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.paired.turns import ArmTurn, OwnCall
    from cgcli.replay.run import Run

UNTIMED_GAP_S = 30.0
"""Between two requests of which the file records no times."""


@unique
class ModeTurn:
    """What a mode did in one turn, beside what it sent."""

    number: int
    at_s: float
    """By the clock of the simulation."""
    added_s: float
    """What the request waited for."""
    n_breakpoints: int
    job: str | None = None
    """What became of its job (`cgcli.replay.modes.counters.Queue` has the words), or `declined`; None: it had none."""
    is_protected: bool = False
    realized_tokens: int = 0


class ModeArm(Arm):
    """One policy in one operating mode."""

    def __init__(self, run: Run, shared: Shared, *, inject: Inject, mode: Mode, options: ModeOptions) -> None:
        """Send what *run* makes of each request as *mode* has it, by *options*."""
        super().__init__(run, shared, inject=inject)
        self.options = options
        self.counters = Counters(mode=mode.value)
        self.mode_turns: list[ModeTurn] = []
        self._is_assumed = shared.cache.assumed_ttl is not None
        self._now_s = 0.0
        self._before: dict[int, tuple[Placed, ...]] = {}
        """Per thread: the decisions in its last request that are to stand in its next one too."""
        self._made_anew = frozenset(one.name for one in run.policy.bodies)
        """Steps that edit each request anew, such as marks that move: nothing of theirs is frozen."""

    def now(self, moment: Moment) -> float:
        """When a request is sent, by a clock that never goes back."""
        sent_s = moment.sent_s
        if sent_s is None:
            sent_s = self._now_s + UNTIMED_GAP_S if self.mode_turns else 0.0
        self._now_s = max(self._now_s, sent_s) if self.mode_turns else sent_s
        return self._now_s

    def took_s(self, jobs: Iterable[Job]) -> float:
        """What a run of the policy takes that makes these calls one by one; what nobody answers takes no time."""
        answers, latency = self.run.answering.answers, self.options.latency
        return self.options.step_s + sum(
            latency.of(job.key) for job in jobs if not isinstance(answers[job.key], Refusal)
        )

    def count_calls(self, calls: Iterable[OwnCall]) -> None:
        """Take calls of the policy's own into the account."""
        for one in calls:
            if one.refused is None:
                self.counters.llm_calls += 1
                self.counters.llm_input_tokens += one.read_tokens + one.write_tokens + one.fresh_tokens
                self.counters.llm_output_tokens += one.output_tokens

    def count_sent(self, turn: ArmTurn) -> None:
        """Take a request that was sent compacted into the account."""
        counters = self.counters
        counters.requests += 1
        counters.tokens_before += turn.before_tokens
        counters.tokens_after += turn.before_tokens - turn.removed_tokens
        counters.saved_tokens += turn.removed_tokens

    def count_frozen(self, met: Met, placed: tuple[Placed, ...]) -> None:
        """Take the decisions of earlier turns into the account that stand in this one, or should."""
        thread = met.placement.thread.identity
        frozen = tuple(edit for edit in placed if edit[2].fired[0].component not in self._made_anew)
        known = {id(one): one for _, _, one in self._before.get(thread, ())}
        standing = [one for _, _, one in frozen if id(one) in known]
        if standing:
            self.counters.frozen_replayed_turns += 1
            self.counters.frozen_replayed_tokens += self.tokens_of(met, standing)
        self.counters.frozen_lost_turns += bool(known) and len(standing) < len(known)
        self._before[thread] = frozen

    def tokens_of(self, met: Met, decisions: Iterable[Decision]) -> int:
        """What *decisions* take out, for the model of the request; rounded with it, so that a part is not above all."""
        removed = sum(one.saved_tokens for one in decisions)
        if not removed:
            return 0
        request = met.exchange.request
        ruler = self._shared.ruler(request.model)
        before = ruler.measure(request).total
        return ruler.tokens(before) - ruler.tokens(before - removed)

    def n_marks(self, request: Request) -> int:
        """The breakpoints of a request as it is sent."""
        return n_breakpoints(request, assumed=self._is_assumed)
