"""Files whose requests do not stand in them as they were sent: found in another shape, or put together from a history.

A deriving reader gives exchanges in the order in which they were sent. Each becomes a line of `cg`'s own format
(`readers.requests`), and is then read as such: `cg convert` writes these lines, and every command works on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from cgcli.model import Section, value
from cgcli.readers.base import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.readers.base import Passed
    from cgcli.readers.piece import Piece, ReadBefore
    from cgcli.wire.spans import Node

NEITHER = frozenset({Section.TOOLS, Section.SYSTEM})
"""What most histories do not record."""
HISTORY = Known(tools=False, system=False, usage=True, response=True, time=True)
"""What most histories record."""


@value
class Derived:
    """An exchange that was found, or put together."""

    body: bytes | tuple[bytes, ...]
    """The request's body, a JSON object of one of the dialects; or the pieces that make it up, as `spelling.body`
    gives them."""
    line: int
    """From 1; where in the file the request, or the answer that tells of it, stands."""
    provider: str | None = None
    """`anthropic` or `openai`, where the file says."""
    session_id: str | None = None
    """What tells its lane from the others of the file: the session, and the branch or sub-agent in it."""
    sent_s: float | None = None
    answered_s: float | None = None
    find_answer: Callable[[], bytes | None] | None = None
    """Puts the recorded answer together, as the provider's JSON."""
    usage: Usage | None = None
    unrecorded: frozenset[Section] = frozenset()
    """Sections that the file does not record."""
    read_before: ReadBefore | None = None


@value
class Missed:
    """A record without a request of its own that is worth counting."""

    line: int
    passed: Passed


@runtime_checkable
class Deriving(Protocol):
    """One way of saving, from which exchanges are derived."""

    name: ClassVar[str]
    known: ClassVar[Known]
    independent: ClassVar[bool]
    """True where the records are no conversation (a batch)."""
    reconstructs: ClassVar[bool]
    """True where requests are put together from a history; False where the file has each as it was sent."""

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where the first records look like this format; *sample* has their members."""

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """The exchanges in *pieces*, in the order in which they were sent.

        A record that is not usable is a `Missed` with its line, never an exception.
        """


@runtime_checkable
class Spread(Deriving, Protocol):
    """The same for a history of which each record may be a file of its own."""

    def is_part(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a file of these records is one part of the history that its folder holds."""

    def derive_parts(self, pieces: Iterable[Piece], *, session_id: str) -> Iterator[Derived | Missed]:
        """The exchanges in the *pieces* of all those files together, which are the session of that name."""


@runtime_checkable
class DerivingText(Protocol):
    """The same for a file that is no JSON."""

    name: ClassVar[str]
    known: ClassVar[Known]
    independent: ClassVar[bool]
    reconstructs: ClassVar[bool]

    def recognises(self, head: bytes) -> bool:
        """True where a file that begins with *head* (some KB) has this format."""

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """The exchanges in the one piece, which is the whole file."""
