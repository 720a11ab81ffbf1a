"""A parent as it is sent to the simulated cache, and when it was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.cachesim.simulated import Simulated
    from cgcli.cachesim.simulator import Simulator
    from cgcli.model import Exchange, Refusal


def send(exchange: Exchange, simulator: Simulator, number: int) -> Simulated | Refusal:
    """What *exchange* reads and writes; *simulator* holds it from now on."""
    return simulator.send(
        exchange.request,
        number=number,
        sent_s=exchange.sent_s,
        readable_s=exchange.answered_s,
        usage=exchange.usage,
    )


def answered_s(exchange: Exchange) -> float | None:
    """When it was answered, else when it was sent; None: not recorded."""
    return exchange.answered_s if exchange.answered_s is not None else exchange.sent_s
