"""Triggers: on which turns a policy, or one of its steps, may decide anything new.

`min_request_tokens`, `min_messages` and `min_request_fraction` are those of context-guru (`components/trigger.go`),
and so is `cache_state`, whose `cold` its later line withdrew; `every` is ours. All that are given must be met.
"""

from __future__ import annotations

from enum import StrEnum
from math import ceil
from typing import TYPE_CHECKING

from msgspec import field

from cgcli.compaction.state import HeldKind
from cgcli.model import value
from cgcli.providers.models import lookup
from cgcli.providers.windows import window

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.compaction.state import Held

PRE_EXPIRY_S = 60.0
"""context-guru's `pre_expiry_seconds`."""
MOST_PRE_EXPIRY_S = 300
"""The shortest life of a cache: at that much and more it is always about to lapse (context-guru's bound)."""


class Waiting(StrEnum):
    """Why nothing new is decided on a turn; the reason that its outputs are skipped for."""

    MIN_REQUEST_TOKENS = "trigger_min_request_tokens"
    MIN_MESSAGES = "trigger_min_messages"
    MIN_REQUEST_FRACTION = "trigger_min_request_fraction"
    WINDOW_UNKNOWN = "trigger_window_unknown"
    """No table has the model's window, so a fraction of it is not known to be reached."""
    CACHE_STATE = "trigger_cache_state"
    CACHE_STATE_UNKNOWN = "trigger_cache_state_unknown"
    """The file has no times, or the lane is first seen in mid-conversation."""
    EVERY = "trigger_every"


class CacheState(StrEnum):
    """What the provider's cache must be like."""

    ANY = "any"
    COLD = "cold"
    """By the recorded times it has lapsed, or the provider holds nothing of the request."""
    PRE_EXPIRY = "pre_expiry"
    """It has not, and would soon: the request came when little of its life was left."""


@value
class Batch:
    """New decisions enter together; one of the two is given."""

    turns: int | None = None
    """On a lane's first turn, and on every Nth after it."""
    tokens: int | None = None
    """Once so many tokens could leave the request together."""


@value
class Triggers:
    """What must be true of a turn; as it stands here, everything always is. Tokens are the model's own."""

    min_request_tokens: int = 0
    """The least that the request has, as the lane would send it with what was decided so far."""
    min_messages: int = 0
    """The least number of messages that the request has."""
    min_request_fraction: float = 0.0
    """The least part of the model's window that it fills. It only ever raises `min_request_tokens`."""
    cache_state: CacheState = CacheState.ANY
    pre_expiry_s: float = PRE_EXPIRY_S
    """For `pre_expiry`: at most so much of the cache's life is left."""
    every: Batch | None = None
    """None for every turn."""

    def unmet(self, moment: Moment) -> Waiting | None:
        """The first one that is not met; whether enough tokens could leave is not looked at. None where all are."""
        return next(self._unmet(moment), None)

    def _unmet(self, moment: Moment) -> Iterator[Waiting]:
        if self.min_request_tokens and moment.tokens < self.min_request_tokens:
            yield Waiting.MIN_REQUEST_TOKENS
        if moment.n_messages < self.min_messages:
            yield Waiting.MIN_MESSAGES
        if self.min_request_fraction:
            found = window(moment.model)
            if found is None:
                yield Waiting.WINDOW_UNKNOWN
            elif moment.tokens < self.min_request_fraction * found.context_tokens:
                yield Waiting.MIN_REQUEST_FRACTION
        if self.cache_state is not CacheState.ANY:
            wrong = _wrong_state(self, moment.held)
            if wrong is not None:
                yield wrong
        if self.every is not None and self.every.turns is not None and moment.n_before % self.every.turns:
            yield Waiting.EVERY


ALWAYS = Triggers()
"""Nothing is waited for."""


def _wrong_state(triggers: Triggers, held: Held) -> Waiting | None:
    """Why what is known of the cache does not meet `cache_state`, which is not `any`."""
    is_cold = held.is_cold or held.kind is HeldKind.NOTHING
    if is_cold:
        return None if triggers.cache_state is CacheState.COLD else Waiting.CACHE_STATE
    if held.kind is HeldKind.UNKNOWN or held.left_s is None:
        return Waiting.CACHE_STATE_UNKNOWN
    if triggers.cache_state is CacheState.PRE_EXPIRY and held.left_s <= triggers.pre_expiry_s:
        return None
    return Waiting.CACHE_STATE


@value
class Moment:
    """What triggers look at."""

    model: str | None
    tokens: int
    """Of the request, the model's own, with what was decided on earlier turns."""
    n_messages: int
    n_before: int
    """Turns that the lane had before."""
    held: Held


@value
class Waits:
    """What is waited for on one turn."""

    whole: Waiting | None = None
    """By the whole policy; None where it may decide."""
    by_step: Mapping[str, Waiting] = field(default_factory=dict)
    """By single steps."""
    has_triggers: bool = False
    """Something may have been waited for on an earlier turn."""

    def of(self, step: str) -> Waiting | None:
        """Why *step* may decide nothing new; None where it may."""
        return self.whole or self.by_step.get(step)


NO_WAITS = Waits()


@value
class Conditions:
    """The triggers of a policy, and those of its steps, which must be met beside them."""

    whole: Triggers = ALWAYS
    by_step: Mapping[str, Triggers] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    """`FILE:LINE` of what the policy says, by key."""

    @property
    def is_any(self) -> bool:
        """True where there may be a turn on which something waits."""
        return any(one != ALWAYS for one in (self.whole, *self.by_step.values()))

    def at(self, moment: Moment) -> Waits:
        """What is waited for at that *moment*, but for `every = { tokens }`."""
        unmet = {step: one.unmet(moment) for step, one in self.by_step.items()}
        return Waits(
            whole=self.whole.unmet(moment),
            by_step={step: why for step, why in unmet.items() if why is not None},
            has_triggers=True,
        )

    def in_batch_tokens(self, model: str | None) -> int | None:
        """The counted tokens that must be able to leave a request of *model* together; None where there is no least."""
        every = self.whole.every
        if every is None or every.tokens is None:
            return None
        return ceil(every.tokens / lookup(model).factor)


NO_CONDITIONS = Conditions()
