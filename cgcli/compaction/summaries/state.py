"""What a lane remembers of its summaries, and what one turn did about them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import field

from cgcli.model import changed, unique, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.calls.call import CallMode
    from cgcli.calls.stats import CallStats, Session
    from cgcli.compaction.paying import Judge
    from cgcli.compaction.state import Decision
    from cgcli.model import Digest, Refusal, Source
    from cgcli.pricing.table import Prices
    from cgcli.summarisers.protocol import Summary, Task


@unique
class Applied:
    """A summary in the place of messages; indices are of the input's messages."""

    start: int
    stop: int
    """Behind the last message that it stands for."""
    decision: Decision
    """The literal is the summary's message; the original is what the input has there, from the first byte of the first
    message to the last one of the last."""
    tokens: int
    """Of the messages that stand there now, counted; of nothing where the provider holds what was summarised."""
    n_messages: int = 1
    """How many those are: its own, and before it what was kept of the user's."""
    kept: tuple[Digest, ...] = ()
    """sha256 of the text of each of the kept ones, in order."""


@unique
class Ticket:
    """One call, from asking on; the same one in every lane that began with a copy."""

    line: int
    """Of the request that it was asked from."""


@unique
class Asked:
    """A summary that was asked for and is not in its place yet. One a lane."""

    ticket: Ticket
    start: int
    stop: int
    job: Digest
    """Of the call's body."""
    mode: CallMode
    n_parent: int
    """How many messages of the input the parent has."""
    answer: Summary | None = None
    """None while it is in flight."""


@value
class SummaryState:
    """The summaries of one lane."""

    applied: tuple[Applied, ...] = ()
    """In order, without overlaps."""
    asked: Asked | None = None
    rest_until_tokens: int = 0
    """After a refusal nothing is asked for before a request has so many counted tokens."""
    session: Session | None = None
    """What the lane's calls add up to; None before the first one."""
    told: frozenset[str] = frozenset()
    """What was said of the lane and is not said again."""

    def is_told(self, word: str) -> bool:
        """True where *word* was said."""
        return word in self.told

    def telling(self, word: str) -> SummaryState:
        """The same, with *word* said."""
        return changed(self, told=self.told | {word})

    def covers(self, i_message: int) -> bool:
        """True where a summary stands for message *i_message* of the input."""
        return any(one.start <= i_message < one.stop for one in self.applied)

    def sent_index(self, i_message: int) -> int:
        """The number of message *i_message* of the input in what is sent: each summary stands for several."""
        return i_message - sum(one.stop - one.start - one.n_messages for one in self.applied if one.stop <= i_message)

    def input_index(self, i_message: int) -> int:
        """The number of message *i_message* of what is sent in the input.

        Raises:
            ValueError: it stands inside what a summary put there, but not first.
        """
        for one in self.applied:
            if i_message <= one.start:
                break
            if i_message < one.start + one.n_messages:
                raise ValueError(f"message {i_message} stands inside a summary")
            i_message += one.stop - one.start - one.n_messages
        return i_message

    def truncated(self, n_messages: int) -> SummaryState:
        """The summaries as they are where only the first *n_messages* are the same: others are dropped."""
        applied = tuple(one for one in self.applied if one.stop <= n_messages)
        asked = self.asked if self.asked is not None and self.asked.stop <= n_messages else None
        return changed(self, applied=applied, asked=asked)


NO_SUMMARIES = SummaryState()
"""Of a lane before its first."""


class What(StrEnum):
    """What became of a summary on a turn."""

    SET_UP = "set_up"
    """From here on the lane's requests have the provider compact at a threshold."""
    ASKED = "asked"
    """A call was built."""
    ANSWERED = "answered"
    """Its answer may take the span's place."""
    APPLIED = "applied"
    """It did."""
    REFUSED = "refused"
    """No call could be built, or its answer was not taken."""
    STILL_ABOVE = "still_above"
    """It did, and the request has reached the threshold all the same; said once a lane."""
    DROPPED = "dropped"
    """The lane's history was edited inside the span before it was applied."""


@value
class Event:
    """One thing that happened to the summaries of a lane; indices are of the input's messages."""

    what: What
    ticket: Ticket | None = None
    """The call that it is about; None where there is none."""
    start: int | None = None
    stop: int | None = None
    mode: CallMode | None = None
    """The call mode that was used."""
    reason: str | None = None
    """Why it was refused, or dropped."""
    detail: str = ""
    span_tokens: int | None = None
    """Counted, as the lane had it."""
    call_tokens: int | None = None
    """Of the call's whole input, counted."""
    n_left_out: int = 0
    """Of the span's messages, the oldest: so many are not in the call, which would not fit into the window."""
    summary_tokens: int | None = None
    """Of the messages that stand there now, counted."""
    is_reversible: bool = True
    """False where what left can not be given back."""
    stats: CallStats | None = None
    """Where it is ASKED."""
    warning: str | None = None
    """To be said; each reason once a lane."""


@unique
class Job:
    """A call that a lane wants answered: before its next turn, or before this one is sent."""

    key: Digest
    """sha256 of the call's body."""
    task: Task


@unique
class Seam:
    """What a turn is told beside the request: the record's facts, and the answers that came in since."""

    source: Source
    is_copy: bool = False
    """The state is another lane's, or that of another head: what is not true of this request is not lost with it."""
    can_answer: bool = True
    """False where nobody writes summaries; the provider compacts all the same."""
    is_deferring: bool = False
    """Calls are made later, off the path of the requests: on this turn none is asked for, and none is refused."""
    tools_recorded: bool = True
    other_editor: str | None = None
    """What else takes content out of the same history."""
    fork_prices: Prices | None = None
    """What `auto` reckons by whether a fork pays; None where nobody asks."""
    answers: Mapping[Digest, Summary | Refusal] = field(default_factory=dict)
    """By job."""
    judge: Judge | None = None
    """Knows the cache and the prices, where decisions may enter the held prefix if they pay."""
    prices: Prices | None = None
    """What a call about an output is reckoned by; without them none is made."""
