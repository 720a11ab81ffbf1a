"""What a report says where requests were rebuilt from a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.readers import Capture


def basis(capture: Capture) -> dict[str, Any]:
    """How the requests of *capture*, which was read, are known: `reconstructed`, and what any of them lacks."""
    return {
        "reconstructed": capture.is_reconstructed,
        "not_recorded": [section.value for section in capture.not_recorded],
    }


def said(told: Mapping[str, Any]) -> Iterator[str]:
    """The line that says so, from what `basis` gave; none where the requests are as they were sent."""
    left_out = " and ".join({"tools": "tools", "system": "system prompt"}[name] for name in told["not_recorded"])
    if told["reconstructed"]:
        tail = f"; {left_out}: not recorded, and in no figure" if left_out else ""
        yield f"basis: requests rebuilt from a history, not as they were sent{tail}"
    elif left_out:
        yield f"basis: requests as they were sent, but for {left_out}: not recorded, and in no figure"
