"""A request that could be edited: what it would read and write then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.cachesim.simulated import Simulated


class Edited:
    """One request, looked at once; to be asked before anything else is sent."""

    def __init__(self, tell: Callable[[int | None], Simulated]) -> None:
        """*tell* says what it would be by the first message that is another one."""
        self._tell = tell

    def from_message(self, i: int | None) -> Simulated:
        """If the messages from *i* on were other ones of the same size; None: as it is.

        With breakpoints it is looked for from the request's own, so the positions behind the edit count. Not told: why.
        """
        return self._tell(i)
