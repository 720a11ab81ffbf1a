"""What a reader is: one way in which a request was saved, told by content and opened record by record."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, ClassVar, Protocol

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cgcli.model import Section, Usage
    from cgcli.wire.spans import Malformed, Node


@value
class Opened:
    """A record in which a body was found."""

    body: Node
    """An object, or a string that holds the object's JSON."""
    provider: str | None = None
    session_id: str | None = None
    sent_s: float | None = None
    answered_s: float | None = None
    find_answer: Callable[[], bytes | None] | None = None
    """Puts the recorded answer together, as JSON; most commands never ask."""
    usage: Usage | None = None
    unrecorded: frozenset[Section] = frozenset()
    """What the record does not say; a section that the body has after all counts as recorded."""
    reconstructed: bool = False
    """True where the body was put together from a history: nobody recorded what was sent."""


@value
class Passed:
    """A record that is no request; it goes through as it is."""

    reason: str
    """A short name such as `not_a_messages_call`."""
    usable: bool
    """False where it should have been a request: it counts as skipped, and `--strict` makes it an error."""
    detail: str = ""


def unusable(error: Malformed, *, is_cut: bool = False) -> Passed:
    """A record that *error* keeps from being used; *is_cut*: it is the last line, and has no end."""
    reason = "half_written" if is_cut and error.reason in ("cut", "not_json") else error.reason
    return Passed(reason=reason, usable=False, detail=str(error))


@value
class Known:
    """What a format records, beside the requests."""

    tools: bool
    system: bool
    usage: bool
    response: bool
    time: bool


def stamp_s(node: Node | None, *, units_per_s: int = 1) -> float | None:
    """The time that *node* says, in seconds; None where it is no number, or too large for one."""
    if node is None or node.kind != "number":
        return None
    stamp = float(node.bytes()) / units_per_s
    return stamp if isfinite(stamp) else None


class Reader(Protocol):
    """One way of saving requests."""

    name: ClassVar[str]
    known: ClassVar[Known]
    independent: ClassVar[bool]
    """True where the records are no conversation (a batch)."""
    go_escapes: ClassVar[bool]
    """True where new strings are best spelled as Go's encoder does."""

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where the first records look like this format; *sample* has their members."""

    def open(self, record: Node) -> Opened | Passed:
        """Find the body in one record.

        Raises:
            Malformed: the record is not usable JSON.
        """
