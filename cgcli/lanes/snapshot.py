"""What is kept of a request when the next one comes: everything but its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique

if TYPE_CHECKING:
    from cgcli.model import Digest, Exchange, Item, Param


@unique
class Snapshot:
    """One request, without its record; its items are shared with the requests around it."""

    i_exchange: int
    line: int
    dialect: str
    model: str | None
    tools: tuple[Item, ...] | None
    system: tuple[Item, ...] | None
    messages: tuple[Item, ...]
    states: tuple[Digest, ...]
    static: Digest
    params: tuple[Param, ...]


def snapshot(exchange: Exchange, i_exchange: int) -> Snapshot:
    """What to keep of *exchange*, the *i_exchange*-th of its file."""
    request = exchange.request
    return Snapshot(
        i_exchange=i_exchange,
        line=exchange.source.line,
        dialect=request.dialect,
        model=request.model,
        tools=request.tools,
        system=request.system,
        messages=request.messages,
        states=request.states,
        static=request.static,
        params=request.params,
    )
