"""A request as it is sent to a simulated cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique

if TYPE_CHECKING:
    from cgcli.model import Usage


@unique
class Sending:
    """When it was sent, and what is recorded of it."""

    number: int
    sent_s: float | None
    readable_s: float | None
    """When its answer began: only then others read what it writes; None: at once."""
    usage: Usage | None
