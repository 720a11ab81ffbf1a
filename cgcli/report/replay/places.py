"""Where each request of a file stands: its lane, and its turn in that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from cgcli.report.lanes import turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.lanes import Lane

Places: TypeAlias = Mapping[int, Mapping[str, Any]]
"""By the number of the request in the file, from 0: the `lane` and the `turn` of documents; turns count from 1."""


def places(lanes: Sequence[Lane]) -> Places:
    """The places of all requests in *lanes*."""
    return {
        number: {"lane": lane.name, "turn": i}
        for lane in lanes
        for i, number in enumerate(sorted(turn.i_exchange for turn in turns(lane)), 1)
    }
