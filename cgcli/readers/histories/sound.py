"""Whether a message can be read, before it stands in every later request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli import prefix
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.dialects.base import Dialect
    from cgcli.model import Item


def check_message(written: bytes, dialect: Dialect) -> None:
    """Read a message as it is *written*: one that cannot be used is left out alone, not all that come after it.

    Raises:
        Malformed: no JSON, a key twice, no UTF-8, nested too deeply, or not the shape that *dialect* has.
    """
    dialect.message(Document(written).root())


class Sound:
    """The messages of one history: what they were read as to be checked, until a request has them."""

    def __init__(self, dialect: Dialect) -> None:
        """None yet; they are written in *dialect*."""
        self._dialect = dialect
        self._items: dict[bytes, Item] = {}

    def check(self, written: bytes) -> None:
        """Read a message as `check_message` does.

        Raises:
            Malformed: as there.
        """
        self._items[written] = prefix.message(written, self._dialect)

    def keep(self, messages: Iterable[bytes | None]) -> None:
        """Forget all but these: rows that were put together to one message stand in no request."""
        wanted = set(messages)
        self._items = {written: item for written, item in self._items.items() if written in wanted}

    def take(self, dialect: str, written: bytes) -> Item | None:
        """What a message that is *written* so was read as; None where it was not, or was taken before."""
        return self._items.pop(written, None) if dialect == self._dialect.name else None
