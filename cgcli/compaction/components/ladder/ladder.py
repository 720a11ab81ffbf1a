"""`ladder`: eight levels, from truncating the oldest outputs to stubbing the task, from a threshold on."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from cgcli.calls.when import APPLY_AT, TARGET, when
from cgcli.compaction.body import BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.ladder.climbing import Climb
from cgcli.compaction.components.ladder.conversation import Conversation
from cgcli.compaction.components.ladder.floor import floor_tokens, newest
from cgcli.compaction.components.ladder.holding import holding
from cgcli.compaction.components.ladder.memory import NOTHING, Memory
from cgcli.compaction.components.ladder.placing import place
from cgcli.compaction.components.ladder.sizes import Sizes
from cgcli.compaction.components.parameters import check_fraction, check_positive, check_whole
from cgcli.errors import UsageError
from cgcli.model import changed, value
from cgcli.providers.models import lookup

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.calls.when import When
    from cgcli.compaction.body import Body
    from cgcli.compaction.components.ladder.placing import Placed

BELOW_THRESHOLD = "below_threshold"
REPLACED = "replaced"
RESTING = "resting"
"""The last pass freed nothing, and the request has hardly grown since."""
RUNAWAY = "runaway"
STORM = "storm"
TARGET_NOT_REACHED = "target_not_reached"
REST_SHARE = 0.05
"""Of the budget: after a pass that freed nothing a request must grow by so much before the next one."""
_MOST_KEPT = 64


@value
class Ladder:
    """Takes a request that reached its threshold down to its target; the decisions stay on every later turn.

    It acts whatever the held rule is: where that is due, the alternative is a request that does not fit.
    """

    name: ClassVar[str] = "ladder"
    loss: ClassVar[Loss] = Loss.STASHED
    has_own_threshold: ClassVar[bool] = True
    """No trigger of a policy holds it back: where it is due, the alternative is a request that does not fit."""

    budget_tokens: int | None = None
    """In place of the budget that follows from the model's window."""
    compact_threshold: float = APPLY_AT
    """Share of the budget from which on a pass is made."""
    target_usage: float = TARGET
    """Share of the budget that a request is to have afterwards."""
    protected_recent: float = 0.30
    """This share of the messages that are sent is not left out, the newest; on later levels 60 % and 30 % of it."""
    protected_tool_results: int = 5
    """So many of the newest results are neither truncated nor left out; none at 0 and below."""
    truncate_chars: int = 250
    """What stays of a truncated output."""
    runaway_after: int = 6
    """After so many passes in a row that end over the budget, no more are made."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        if self.budget_tokens is not None:
            check_positive(self.name, "budget_tokens", self.budget_tokens)
        for share in ("compact_threshold", "target_usage", "protected_recent"):
            check_fraction(self.name, share, getattr(self, share))
        check_whole(self.name, "truncate_chars", self.truncate_chars)
        check_positive(self.name, "runaway_after", self.runaway_after)
        if isinstance(self.protected_tool_results, bool) or not isinstance(self.protected_tool_results, int):
            raise self._wrong("protected_tool_results", "a whole number")
        if not 0 < self.target_usage < self.compact_threshold:
            raise self._wrong("target_usage", "above 0 and below compact_threshold")

    def _wrong(self, parameter: str, allowed: str) -> UsageError:
        return UsageError(
            f"{self.name}: {parameter} is {getattr(self, parameter)!r}, but must be {allowed}",
            hint=f"see docs/reference/components.md for the parameters of {self.name}",
        )

    def plan(self, body: Body) -> BodyPlan | Skip:
        """What was decided, and at the threshold what one more pass decides."""
        before: Memory = body.memory if body.memory is not None else NOTHING
        turn = _Turn(self, body, before)
        if turn.is_below:
            return turn.rested() if body.memory is not None else Skip(reason=BELOW_THRESHOLD)
        return turn.acted()


class _Turn:
    """One request of a lane."""

    def __init__(self, settings: Ladder, body: Body, before: Memory) -> None:
        self._settings = settings
        self._body = body
        self._sizes = Sizes(body)
        self._memory = holding(before, body, self._sizes, settings.protected_tool_results)
        self._placed = place(body, self._memory, self._sizes)
        self._factor, self._when = _limits(settings, body.request.model)

    @property
    def is_below(self) -> bool:
        """True where what is sent, old decisions included, has not reached the threshold."""
        return self._tokens(self._sent(self._placed)) < self._when.apply_tokens

    def rested(self) -> BodyPlan:
        """The old decisions and nothing new: below the threshold nothing happens before it is reached again."""
        memory = changed(self._memory, n_over=0, idle_tokens=0, told=frozenset())
        return self._plan(memory, self._placed, (BELOW_THRESHOLD,))

    def acted(self) -> BodyPlan:
        """A pass, unless a breaker holds it back."""
        budget = self._when.budget_tokens
        tokens = self._tokens(self._sent(self._placed))
        talk = Conversation(self._body)
        floor = self._floor_tokens(talk)
        is_storm = floor >= self._when.apply_tokens
        memory = self._memory if tokens > budget else changed(self._memory, n_over=0)
        memory, said = _telling(memory, STORM, is_true=is_storm)
        if is_storm and (tokens <= budget or floor > budget):
            return self._plan(memory, self._placed, said)
        is_runaway = memory.n_over >= self._settings.runaway_after
        memory, more = _telling(memory, RUNAWAY, is_true=is_runaway)
        if is_runaway:
            return self._plan(memory, self._placed, (*said, *more))
        if memory.idle_tokens and 0 <= tokens - memory.idle_tokens < budget * REST_SHARE:
            return self._plan(memory, self._placed, (*said, RESTING))
        # In a storm the target is out of reach: half of what is left between floor and budget is the room to grow.
        return self._pass(talk, memory, (floor + budget) // 2 if is_storm else self._when.target_tokens, said)

    def _floor_tokens(self, talk: Conversation) -> int:
        removed = {i for i, _ in self._memory.removed}
        protected = newest(talk.results, removed, self._settings.protected_tool_results)
        return self._tokens(floor_tokens(protected, self._body, talk, self._sizes, removed))

    def _pass(self, talk: Conversation, memory: Memory, goal_tokens: int, said: tuple[str, ...]) -> BodyPlan:
        climb = Climb(
            self._settings,
            self._body,
            talk,
            self._sizes,
            memory,
            self._sent(self._placed),
            lambda counted: self._tokens(counted) <= goal_tokens,
        )
        climb.climb()
        memory = climb.remembered()
        placed = place(self._body, memory, self._sizes)
        tokens = self._tokens(self._sent(placed))
        n_over = memory.n_over + 1 if tokens > self._when.budget_tokens else 0
        memory = changed(memory, n_over=n_over, idle_tokens=0 if climb.level else tokens)
        ended = [f"level_{climb.level}"] if climb.level else []
        if tokens > goal_tokens:
            ended.append(TARGET_NOT_REACHED)
        return self._plan(memory, placed, (*said, *ended, *climb.reasons.values()))

    def _plan(self, memory: Memory, placed: Placed, reasons: Iterable[str]) -> BodyPlan:
        skips = [Skip(reason=reason) for reason in (*reasons, *(REPLACED,) * placed.n_replaced)]
        return BodyPlan(edits=placed.edits, memory=memory, skips=tuple(skips), n_fired=placed.n_fired)

    def _sent(self, placed: Placed) -> int:
        return self._body.sent_tokens - placed.saved_tokens

    def _tokens(self, counted: int) -> int:
        """The model's own tokens."""
        return round(counted * self._factor)


@lru_cache(maxsize=_MOST_KEPT)
def _limits(settings: Ladder, model: str | None) -> tuple[float, When]:
    """The model's own tokens for each counted one, and its thresholds; a lane asks on every turn."""
    thresholds = when(
        model,
        budget_tokens=settings.budget_tokens,
        ask_at=settings.compact_threshold,
        apply_at=settings.compact_threshold,
        target=settings.target_usage,
    )
    return float(lookup(model).factor), thresholds


def _telling(memory: Memory, breaker: str, *, is_true: bool) -> tuple[Memory, tuple[str, ...]]:
    """Say that *breaker* holds, once until it does not any more."""
    if not is_true:
        return changed(memory, told=memory.told - {breaker}), ()
    said = () if breaker in memory.told else (breaker,)
    return changed(memory, told=memory.told | {breaker}), said
