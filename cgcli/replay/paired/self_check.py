"""What the simulated cache says of the requests as they were, against what the provider recorded.

A request that reads the entry of an earlier one reads what that one recorded as read and written: no tokenizer has a
part in it. So a difference is the cache's, or the model of it, and not a count's.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from itertools import compress
from typing import TYPE_CHECKING

from cgcli.cachesim.why import Why
from cgcli.lanes import Relation
from cgcli.model import Basis, Refusal, changed, unique, value
from cgcli.replay.paired.invented import Origin
from cgcli.replay.sending import send

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.cachesim.simulated import Simulated
    from cgcli.lanes.meeting import Met
    from cgcli.model import Digest, Usage
    from cgcli.replay.paired.shared import Shared


class Class(StrEnum):
    """What a request's recorded read is to the predicted one."""

    EXACT = "exact"
    """Both say the same, and nothing was lost of what the request before left."""
    EXPLAINED = "explained"
    """Less was read than the request before left, or it was the first of its kind; the simulated cache says why."""
    PROVIDER_SIDE = "provider-side"
    """The same prefix, within its lifetime, and less was read than it holds."""
    UNEXPLAINED = "unexplained"


class Excluded(StrEnum):
    """Why a request is not compared."""

    NO_USAGE = "no_usage"
    READS_NOT_RECORDED = "reads_not_recorded"
    ALL_ZERO = "all_zero"
    """An aborted or failed call: its usage has no token in it."""
    SEVERAL_PASSES = "several_passes"
    """The provider ran the model more than once for it: the sum says nothing about one read."""
    INVENTED = "invented"
    """The answers have names that no provider gives: whoever wrote the file made up what they cost."""
    NOT_SIMULATED = "not_simulated"
    BEFORE_THE_FILE = "before_the_file"
    """The first of its thread, and it reads what was cached before the file begins."""


@value
class CheckedTurn:
    """One request that was compared; tokens."""

    number: int
    line: int
    predicted_tokens: int
    recorded_tokens: int
    is_structural: bool
    """Predicted from what another request recorded, and no count."""
    found: Class
    why: str | None
    """The reason that the simulated cache gives for a miss, or a word of `Before`."""


class Before(StrEnum):
    """Reasons beside those of `cgcli.cachesim.why.Why`."""

    SIDE_CALL = "side_call"
    RESTART = "restart"
    NO_TIME = "no_time"
    """A miss that an expiry would explain, and the file has no times."""
    UNRECORDED_HEAD = "unrecorded_head"
    """Only what stands before the messages was read, which a history does not record: other requests read as much."""
    COUNTED = "counted"
    """The entry's size is not recorded, so it was counted: the two differ by less than a tokenizer's error."""
    READS_MORE = "reads_more"
    """More was read than the simulated cache holds."""


@unique
class Checked:
    """The account of a file."""

    turns: tuple[CheckedTurn, ...]
    excluded: Counter[str]
    assumed_marks: bool
    """The history does not say where its requests were marked: each counts as marked at its end."""


class SelfCheck:
    """Sends every request as it was to a cache of its own."""

    def __init__(self, shared: Shared, *, is_reconstructed: bool) -> None:
        """Nothing was sent yet."""
        self._simulator = shared.simulator()
        self._turns: list[CheckedTurn] = []
        self._excluded: Counter[str] = Counter()
        self._left: dict[int, int] = {}
        """Per thread: what its last request read and wrote."""
        self._heads: set[Digest] = set()
        """Of the requests that left something to read."""
        self._origin = Origin()
        self._first_reads: list[int] = []
        """Of what was cached before the file begins."""
        self._is_reconstructed = is_reconstructed

    def turn(self, met: Met) -> None:
        """Compare the request that was *met*."""
        usage = met.exchange.usage
        why_not = _excluded(usage)
        if self._origin.is_settled and self._origin.is_invented:  # what is left of the file is no evidence either
            self._excluded[why_not or Excluded.INVENTED] += 1
            return
        simulated = send(met.exchange, self._simulator, met.number)
        if why_not is None and isinstance(simulated, Refusal):
            why_not = Excluded.NOT_SIMULATED
        if why_not is not None:
            self._excluded[why_not] += 1
            return
        self._origin.look(met.exchange)
        assert usage is not None, "what has no usage is excluded"  # noqa: S101 - an impossible state
        assert not isinstance(simulated, Refusal), "what is not simulated is excluded"  # noqa: S101
        thread = met.placement.thread.identity
        recorded = usage.read or 0
        left = self._left.get(thread)
        self._left[thread] = recorded + sum((usage.write_by_ttl_s or {}).values())
        head = met.exchange.request.static
        is_known = head in self._heads
        if self._left[thread]:
            self._heads.add(head)
        if left is None and recorded > simulated.read_tokens and not is_known:
            self._excluded[Excluded.BEFORE_THE_FILE] += 1
            self._first_reads.append(recorded)
            return
        found, why = _classed(met, simulated, recorded, left)
        if why == Why.FIRST_REQUEST and not is_known:
            found, why = Class.EXACT, None
        self._turns.append(
            CheckedTurn(
                number=met.number,
                line=met.exchange.source.line,
                predicted_tokens=simulated.read_tokens,
                recorded_tokens=recorded,
                is_structural=simulated.is_recorded or not simulated.read_tokens,
                found=found,
                why=why,
            )
        )

    def checked(self) -> Checked:
        """What came of it."""
        if self._origin.is_invented:
            # Whatever else would keep a request out: where it stands in the file makes no difference.
            others = (self._excluded.pop(one, 0) for one in (Excluded.NOT_SIMULATED, Excluded.BEFORE_THE_FILE))
            self._excluded[Excluded.INVENTED] += len(self._turns) + sum(others)
            self._turns = []
        return Checked(
            turns=tuple(_with_heads(self._turns, self._first_reads) if self._is_reconstructed else self._turns),
            excluded=self._excluded,
            assumed_marks=self._is_reconstructed and bool(self._turns),
        )


_COUNTS_WITHIN = 0.1
"""Of what was read: a fitted ruler is no nearer than that on one entry."""
_NOT_ASKED_FOR = frozenset({Why.NO_BREAKPOINT, Why.BELOW_MINIMUM})


def _excluded(usage: Usage | None) -> Excluded | None:
    if usage is None or usage.basis is not Basis.MEASURED:
        return Excluded.NO_USAGE
    if usage.iterations:
        return Excluded.SEVERAL_PASSES
    if not usage.input and not usage.output:
        return Excluded.ALL_ZERO
    return Excluded.READS_NOT_RECORDED if usage.read is None else None


def _classed(met: Met, simulated: Simulated, recorded: int, left: int | None) -> tuple[Class, str | None]:
    """The class of a request that recorded so much read; *left*: what its thread's request before left readable."""
    why = simulated.why
    if recorded == simulated.read_tokens:
        is_whole = left is not None and recorded >= left
        if why is None or is_whole or (why in _NOT_ASKED_FOR and not left):
            return Class.EXACT, None
        return Class.EXPLAINED, _told(met, why)
    return _other(met, simulated, recorded)


def _other(met: Met, simulated: Simulated, recorded: int) -> tuple[Class, str | None]:
    """The same for a request that recorded something else than what was predicted."""
    why = simulated.why
    if not simulated.is_recorded and abs(recorded - simulated.read_tokens) <= _COUNTS_WITHIN * recorded:
        return Class.EXPLAINED, Before.COUNTED if why is None else _told(met, why)
    if recorded > simulated.read_tokens:
        return Class.UNEXPLAINED, Before.READS_MORE
    if why is not None:
        return Class.EXPLAINED, _told(met, why)
    if met.exchange.sent_s is None:
        return Class.UNEXPLAINED, Before.NO_TIME
    return Class.PROVIDER_SIDE, None


def _with_heads(turns: Sequence[CheckedTurn], first_reads: Sequence[int]) -> Iterator[CheckedTurn]:
    """*turns* of a history, those explained that read no more than tools and system prompt.

    Their size is not recorded; a number that several requests read whose messages nobody could have read is that.
    """
    unread = [turn.why == Before.READS_MORE and not turn.predicted_tokens for turn in turns]
    times = Counter([*(turn.recorded_tokens for turn in compress(turns, unread)), *first_reads])
    for turn, is_unread in zip(turns, unread, strict=True):
        if is_unread and times[turn.recorded_tokens] > 1:
            yield changed(turn, found=Class.EXPLAINED, why=Before.UNRECORDED_HEAD)
        else:
            yield turn


def _told(met: Met, why: str) -> str:
    """*why*, or what the request is to its lane where nothing is more exact than that."""
    if why != Why.FIRST_REQUEST:
        return why
    relation = met.placement.relation
    if met.is_summary_call or relation is Relation.BRANCHES:
        return Before.SIDE_CALL
    return Before.RESTART if relation is Relation.NEW and met.number else why
