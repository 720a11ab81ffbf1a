"""What is selected, and by which options."""

from __future__ import annotations

from cgcli.errors import UsageError
from cgcli.model import value


@value
class Selection:
    """The messages chosen for a summary: a contiguous run, the oldest that may go."""

    start: int
    """The first message, from 0 in the request's message list (system messages in the list count)."""
    stop: int
    """Behind the last one."""
    tokens: int
    """Counted, without any factor."""
    n_pinned: int
    """How many messages before `start` stay: system messages, the first ones, earlier summaries."""

    @property
    def n_messages(self) -> int:
        """How many messages."""
        return self.stop - self.start


@value
class SpanOptions:
    """How much to take, and what stays. Of `tokens`, `messages` and `fraction` at most one is set.

    Raises:
        UsageError: a value is out of range, or two amounts are given.
    """

    tokens: int | None = None
    """Take the oldest messages until they have so many counted tokens."""
    messages: int | None = None
    """Take so many."""
    fraction: float | None = None
    """Take the oldest messages until they have this share of the counted tokens of the request's messages (system
    messages not counted), 0 to 1. Default: half."""
    keep_first: int = 1
    """So many messages (system messages not counted) stay at the head: the task."""
    protect_recent: float = 0.30
    """This share of the messages, by number, stays at the tail (amplifier's `protected_recent`)."""
    keep_last: int | None = None
    """So many messages stay at the tail, in place of `protect_recent`."""

    def __post_init__(self) -> None:
        """Refuse what no span can be chosen by."""
        amounts = [name for name in ("tokens", "messages", "fraction") if getattr(self, name) is not None]
        if len(amounts) > 1:
            raise UsageError(f"{' and '.join(amounts)}: give one amount", hint="what is reached first would decide")
        for name, least in (("tokens", 1), ("messages", 1), ("keep_first", 0), ("keep_last", 0)):
            given = getattr(self, name)
            if given is not None and given < least:
                raise UsageError(f"{name} is {given}: {least} is the least", hint=f"{name}: {least} or more")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise UsageError(
                f"fraction is {self.fraction:g}: a share of the tokens above 0 and up to 1 is meant",
                hint="0.5 is half of them",
            )
        if not 0 <= self.protect_recent <= 1:
            raise UsageError(f"protect_recent is {self.protect_recent}: a share of the messages from 0 to 1 is meant")


DEFAULT_FRACTION = 0.5
