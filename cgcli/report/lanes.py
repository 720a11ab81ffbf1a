"""What documents say of every lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cgcli.lanes import Lane, Turn


def turns(lane: Lane) -> list[Turn]:
    """The requests of *lane*, epoch by epoch."""
    return [turn for epoch in lane.epochs for turn in epoch.thread.turns]


def named(lane: Lane) -> dict[str, Any]:
    """The name of *lane*, what it is, and how many requests it has."""
    return {"lane": lane.name, "label": lane.label.value, "model": lane.model, "requests": lane.n_requests}
