"""What a gate is: a rule that is explained once, and a run over the turns of a file."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.prefix.divergence import Divergence, Side
    from cgcli.readers.base import Known


class Verdict(StrEnum):
    """What a gate says of a file."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    VACUOUS = "vacuous"
    """There was nothing to check."""
    UNKNOWN = "unknown"
    """The file does not record what is needed."""


@value
class Cost:
    """What a break re-bills: tokens that were sent before and are sent again behind it."""

    tokens: int
    basis: str
    usd: Decimal | None = None
    """What writing them again costs more than reading them would have; None where the model has no price."""


@value
class Finding:
    """One place where a gate failed, or that it wants noted."""

    message: str
    """One line for a person; transcript text in it is hostile."""
    line: int
    """The line of the request in the file."""
    i_exchange: int
    """The request, from 0; tells its lane at the end."""
    path: str | None = None
    """Where in the body."""
    byte: int | None = None
    """Where in the body, in bytes from its first one."""
    kind: str | None = None
    """What changed: `tools_changed`, `messages_changed`, …; or the gate's own short name for what is wrong."""
    change: str | None = None
    """`edited`, `inserted`, `removed`, `reordered`, `truncated`, `key_order`."""
    culprit: str | None = None
    was: str | None = None
    """An excerpt of what stood there; hostile text."""
    now: str | None = None
    cost: Cost | None = None
    is_note: bool = False
    """Worth knowing, and no failure."""

    @property
    def usd(self) -> Decimal | None:
        """What the break costs in US dollars; None where it re-bills nothing, or the model has no price."""
        return self.cost.usd if self.cost is not None else None


@value
class Result:
    """What one gate says of one file."""

    gate: str
    verdict: Verdict
    checked: int
    """How many things were looked at: pairs of requests, calls, marks …"""
    unit: str
    """What was counted in `checked`, as a plural: `pairs of requests`."""
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    """Why the verdict is vacuous or unknown, one line."""


@value
class Rule:
    """A gate, explained once: the terminal, the JSON, the docs page and the hints of findings come from here."""

    gate: str
    """`G-APPEND`."""
    title: str
    """What it holds, in a short sentence."""
    checks: str
    """What it checks, and over what."""
    why: str
    """Why a failure costs money or loses something."""
    failing: str
    """A small example that fails, as text."""
    passing: str
    """The same, mended."""
    fix: str
    """What to do about a failure."""
    proves_not: str
    """What a pass does not prove."""
    source: str
    """Where the rule comes from."""
    since: str
    """The first version that has it."""
    holds_for_histories: bool = False
    """What it checks is there too where requests were rebuilt from a history."""


class Rebilled(Protocol):
    """Counts and prices what breaks re-bill; asked only for breaks, because it counts tokens."""

    def __call__(self, turn: Turn) -> Cost | None:
        """What *turn*'s break with the request before it re-bills; None where there is no break."""

    def between(self, before: Side, after: Side, found: Divergence, *, asked: Asked | None = None) -> Cost:
        """The same for any two requests, where *after* breaks with *before* at *found*."""


@value
class Asked:
    """What is known of a request beside its items, for its price."""

    ttl: str | None = None
    """The lifetime that the request as a whole asks for its cache entries, as written."""
    input_tokens: int | None = None
    """Its whole input as the provider recorded it."""


@unique
class Context:
    """What a run of gates is about, and what it was allowed."""

    file: str
    known: Known
    is_independent: bool
    """The records are no conversation (a batch)."""
    rebilled: Rebilled
    allowed_epochs: frozenset[int]
    """Turns (1-based, within the lane) at which a lane may begin anew."""
    allow_after_compaction: bool
    """A lane may begin anew right after a compaction call."""
    options: Mapping[str, object]
    """What single gates were told on the command line: `stash`, `against`, `baseline`, `rates`, `max_call_share`."""


class GateRun(Protocol):
    """A gate at work on one file."""

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Look at the next request; findings as they come. Work must follow what is new in the turn."""

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """The verdict, from what was seen, all *findings* of this gate, and the lanes of the file."""


class Gate(Protocol):
    """A gate."""

    rule: Rule

    def start(self, context: Context) -> GateRun:
        """Begin on a file."""
