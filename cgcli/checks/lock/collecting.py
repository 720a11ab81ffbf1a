"""Collect a baseline while a file is read: a few digests a request, however long its history is."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.checks.lock.form import DIGITS, Head, Lane, Lock, key_of
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.checks.turn import Turn
    from cgcli.lanes import Epoch
    from cgcli.lanes import Lane as FoundLane
    from cgcli.model import Digest, Item, Param, Request

_SYSTEM_ROLES = frozenset({"system", "developer"})


@value
class Place:
    """Where a request of a lane stands."""

    line: int
    i_exchange: int


@value
class Collected:
    """The baseline of a file that was just read, and what its digests stand for."""

    lock: Lock
    names: tuple[str, ...]
    """The name of each lane of the lock: L1, or L1.2 for the second of its epochs."""
    places: tuple[tuple[Place, ...], ...]
    """Where the requests of each lane of the lock stand."""
    tools: dict[str, str]
    """The names of tools under their digests; transcript text, so hostile."""


@value
class _Seen:
    """A request, as far as a baseline goes."""

    line: int
    first: str
    head: str
    n_messages: int
    state: bytes


class Collecting:
    """An observer of a file: show it each turn, then ask it for the baseline."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self._seen: list[_Seen] = []
        self._heads: dict[str, Head] = {}
        self._keys: dict[tuple[Digest, tuple[Param, ...]], str] = {}
        self._tools: dict[str, str] = {}

    def see(self, turn: Turn) -> None:
        """Take the next request of the file."""
        request = turn.request
        messages = request.messages
        first = next((item for item in messages if item.role not in _SYSTEM_ROLES), messages[0] if messages else None)
        self._seen.append(
            _Seen(
                line=turn.line,
                first=_short(first.rendered if first is not None else b""),
                head=self._head(request),
                n_messages=len(messages),
                state=request.states[-1][: DIGITS // 2] if messages else bytes(DIGITS // 2),
            )
        )

    def finish(self, lanes: Iterable[FoundLane]) -> Collected:
        """The baseline, given the lanes of the file."""
        told = [
            (lane.name if len(lane.epochs) == 1 else f"{lane.name}.{n}", *self._lane(lane.label.value, epoch))
            for lane in lanes
            for n, epoch in enumerate(lane.epochs, 1)
        ]
        told.sort(key=lambda entry: (entry[1].label, entry[1].first, entry[1].heads, entry[1].requests))
        return Collected(
            lock=Lock(heads=dict(sorted(self._heads.items())), lanes=tuple(lane for _, lane, _ in told)),
            names=tuple(name for name, _, _ in told),
            places=tuple(places for _, _, places in told),
            tools=self._tools,
        )

    def _lane(self, label: str, epoch: Epoch) -> tuple[Lane, tuple[Place, ...]]:
        heads: list[tuple[int, str]] = []
        requests: list[tuple[int, str]] = []
        places: list[Place] = []
        exchanges = [turn.i_exchange for turn in epoch.thread.turns]
        for i_exchange in exchanges:
            seen = self._seen[i_exchange]
            request = seen.n_messages, seen.state.hex()
            if heads and heads[-1][1] == seen.head and requests[-1] == request:
                continue  # the same request once more
            requests.append(request)
            places.append(Place(line=seen.line, i_exchange=i_exchange))
            if not heads or heads[-1][1] != seen.head:
                heads.append((len(requests), seen.head))
        first = self._seen[exchanges[0]].first
        return Lane(label=label, first=first, heads=tuple(heads), requests=tuple(requests)), tuple(places)

    def _head(self, request: Request) -> str:
        """The key of the request's head; the head is made when it is first seen."""
        known = request.static, request.params
        key = self._keys.get(known)
        if key is None:
            head = Head(
                model=None if request.model is None else _short(request.model.encode("utf-8", "surrogatepass")),
                tools=None if request.tools is None else tuple(map(self._tool, request.tools)),
                system=None if request.system is None else tuple(_short(item.rendered) for item in request.system),
                params=tuple(sorted((param.path, _short(param.written)) for param in request.params)),
            )
            key = self._keys[known] = key_of(head)
            self._heads[key] = head
        return key

    def _tool(self, item: Item) -> tuple[str, str]:
        name = item.parts[0].name or ""
        short = _short(name.encode("utf-8", "surrogatepass"))
        self._tools[short] = name
        return short, _short(item.rendered)


def collect() -> Collecting:
    """An observer that collects the baseline of a file."""
    return Collecting()


def _short(content: bytes) -> str:
    return sha256(content).hexdigest()[:DIGITS]
