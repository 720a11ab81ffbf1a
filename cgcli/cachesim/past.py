"""The requests that were sent before, as far as they tell which one a request goes on from."""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

from cgcli.cachesim.overlay import held_in
from cgcli.model import Digest, changed, unique

if TYPE_CHECKING:
    from cgcli.cachesim.places import Place, Places
    from cgcli.model import Param, Request


@unique
class Sent:
    """What is kept of a request."""

    model: str | None
    tools: Digest
    """Over its tools."""
    system: Digest
    params: tuple[Param, ...]
    states: tuple[Digest, ...]
    last: Place | None
    """The last place that it wrote or read; None where it left nothing."""
    seed: bytes
    """Stands for the settings that its prompt depends on, where its cache takes no breakpoints."""
    tokens: int
    """All of it, for its model."""
    before: Sent | None
    """The request that it only adds a question to: what it adds has no answer in it."""


class Past:
    """The latest request of each first message."""

    def __init__(self, latest: ChainMap[Digest, Sent] | None = None) -> None:
        """Begin with the *latest* ones; none where that is None."""
        self._latest: ChainMap[Digest, Sent] = latest if latest is not None else ChainMap()

    def branch(self) -> Past:
        """An overlay: what is added to it stays its own."""
        return Past(self._latest.new_child())

    def before(self, request: Request) -> Sent | None:
        """The request that *request* goes on from: the latest with the same first message.

        Where that one was a question on the side (a fork, a title), the one that it was asked from.
        """
        found = held_in(self._latest, _first(request))
        if found is not None and found.before is not None and not contains(request, found):
            return found.before if contains(request, found.before) else found
        return found

    def add(self, places: Places, last: Place | None, *, seed: bytes = b"") -> None:
        """Take in a request that was sent; *last* is the last place that it wrote or read."""
        request = places.request
        before = self.before(request)
        self._latest[_first(request)] = Sent(
            model=request.model,
            tools=places.head.tools,
            system=places.head.system,
            params=places.params,
            states=request.states,
            last=last,
            seed=seed,
            tokens=places.total_tokens,
            before=_asked_from(request, before) if before is not None else None,
        )


def _first(request: Request) -> Digest:
    return request.states[0] if request.states else request.static


def contains(request: Request, sent: Sent) -> bool:
    """True where all of *sent*'s messages are the beginning of *request*'s."""
    n = len(sent.states)
    return n <= len(request.states) and (n == 0 or request.states[n - 1] == sent.states[-1])


def _asked_from(request: Request, before: Sent) -> Sent | None:
    """*before*, where *request* has all of it and adds no answer to it; sent again, what that one was asked from."""
    if not contains(request, before):
        return None
    added = request.messages[len(before.states) :]
    if not added:
        return before.before
    is_question = all(message.role != "assistant" for message in added)
    return changed(before, before=None) if is_question else None
