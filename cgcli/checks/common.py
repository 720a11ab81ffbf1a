"""What all of a file's independent requests begin with: the prefix that one cache entry could serve to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Section, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Item, Param, Request


@value
class Common:
    """The leading items that all requests have, in cache order."""

    tools: int
    system: int
    messages: int
    blocks: int
    """Of all of these."""
    bytes: int
    """As they are written in the first request."""


class CommonPrefix:
    """Narrows the prefix of the first request down, one request after the other."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self._model: str | None = None
        self._params: tuple[Param, ...] = ()
        self._items: dict[Section, Sequence[Item]] | None = None

    def see(self, request: Request) -> None:
        """Take one more request; costs no more than what is still common."""
        theirs: dict[Section, Sequence[Item]] = {
            Section.TOOLS: request.tools or (),
            Section.SYSTEM: request.system or (),
            Section.MESSAGES: request.messages,
        }
        if self._items is None:
            self._model, self._params, self._items = request.model, request.params, theirs
            return
        is_open = request.model == self._model
        for section in Section:
            mine, now = self._items[section], theirs[section]
            is_open = is_open and _breaking(self._params, section) == _breaking(request.params, section)
            n = _common(mine, now) if is_open else 0
            self._items[section] = mine[:n]
            is_open = is_open and n == len(mine) == len(now)

    def result(self) -> Common | None:
        """What is common to all that were seen; None before the first."""
        if self._items is None:
            return None
        items = [item for section in Section for item in self._items[section]]
        return Common(
            tools=len(self._items[Section.TOOLS]),
            system=len(self._items[Section.SYSTEM]),
            messages=len(self._items[Section.MESSAGES]),
            blocks=sum(len(item.blocks) for item in items),
            bytes=sum(item.size_bytes for item in items),
        )


def _breaking(params: Sequence[Param], section: Section) -> list[Param]:
    return [param for param in params if section in param.breaks]


def _common(a: Sequence[Item], b: Sequence[Item]) -> int:
    same = 0
    for mine, theirs in zip(a, b, strict=False):
        if mine.rendered != theirs.rendered:
            break
        same += 1
    return same
