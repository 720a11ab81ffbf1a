"""What a report says where requests were rebuilt from a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.readers.capture import About


def basis(about: About) -> dict[str, Any]:
    """How the requests are known: `reconstructed`, and the sections that the file does not record."""
    sections = (("tools", about.known.tools), ("system", about.known.system))
    return {
        "reconstructed": about.is_reconstructed,
        "not_recorded": [name for name, is_known in sections if not is_known],
    }


def said(told: Mapping[str, Any]) -> Iterator[str]:
    """The line that says so, from what `basis` gave; none where the requests are as they were sent."""
    left_out = " and ".join({"tools": "tools", "system": "system prompt"}[name] for name in told["not_recorded"])
    if told["reconstructed"]:
        tail = f"; {left_out}: not recorded, and in no figure" if left_out else ""
        yield f"basis: requests rebuilt from a history, not as they were sent{tail}"
    elif left_out:
        yield f"basis: requests as they were sent, but for {left_out}: not recorded, and in no figure"
