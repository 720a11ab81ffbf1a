"""A place in a request, and the byte at which it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.content import byte_in
from cgcli.model import Section, value

if TYPE_CHECKING:
    from cgcli.checks.turn import Turn


@value
class Place:
    """A place in a request."""

    section: Section
    i_item: int
    inner: str = ""
    """Where in the item, as `content.2`; empty for the item itself."""

    @property
    def path(self) -> str:
        """Where in the body."""
        path = f"{self.section.value}.{self.i_item}"
        return f"{path}.{self.inner}" if self.inner else path


def byte_of(turn: Turn, place: Place) -> int | None:
    """The first byte of *place* in the body of *turn*'s request; of its item where it is not found in that."""
    request = turn.request
    items = {Section.TOOLS: request.tools, Section.SYSTEM: request.system, Section.MESSAGES: request.messages}
    of_section = items[place.section] or ()
    item = of_section[place.i_item] if place.i_item < len(of_section) else None
    inner = byte_in(item, place.inner) if item is not None else None
    return turn.byte_of(place.section, place.i_item, inner or 0)
