"""What a summariser is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from cgcli.model import Basis, unique, value

if TYPE_CHECKING:
    from cgcli.calls.call import Call
    from cgcli.model import Refusal, Request, Usage
    from cgcli.select.selection import Selection


@value
class Wanted:
    """A tool output that is to be shortened; tokens are counted."""

    text: str
    tokens: int
    most_tokens: int
    """What the call asks for."""


@unique
class Task:
    """A summary that is wanted."""

    request: Request
    """The parent, in which the span stands."""
    selection: Selection
    call: Call
    """The request that asks for it."""
    output: Wanted | None = None
    """Where one tool output is to be shortened; None where messages are to be summarised."""


@value
class Summary:
    """What a summariser answered."""

    text: str
    """Without any marker or envelope."""
    basis: Basis
    """MEASURED where a provider answered (live or recorded), else SIMULATED."""
    usage: Usage | None = None
    """What the provider billed; None where none was asked."""
    block: bytes | None = None
    """A provider's own compaction block or item, byte for byte as it answered; None from any other call."""
    fault: Refusal | None = None
    """Why the answer is no summary: it was cut, a tool was called, there is no block or more than one. `accept` refuses
    with this; what was billed was billed all the same."""


class Summariser(Protocol):
    """Answers calls for a summary."""

    name: ClassVar[str]

    def summarise(self, task: Task) -> Summary | Refusal:
        """The summary that *task* wants, or why there is none. Its text is not checked yet: see `accept`."""
