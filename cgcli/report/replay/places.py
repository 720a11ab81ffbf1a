"""Where each request of a file stands: its lane, and its turn in that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.lanes import Lane


@unique
class Places:
    """By the number of the request in the file, from 0."""

    lanes: Mapping[int, Lane]
    turns: Mapping[int, int]
    """From 1."""


def places(lanes: Sequence[Lane]) -> Places:
    """The places of all requests in *lanes*."""
    by_lane = [
        (lane, sorted(turn.i_exchange for epoch in lane.epochs for turn in epoch.thread.turns)) for lane in lanes
    ]
    return Places(
        lanes={number: lane for lane, numbers in by_lane for number in numbers},
        turns={number: i for _, numbers in by_lane for i, number in enumerate(numbers, 1)},
    )
