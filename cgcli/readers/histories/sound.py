"""Whether a message can be read, before it stands in every later request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from cgcli.dialects.base import Dialect


def check_message(written: bytes, dialect: Dialect) -> None:
    """Read a message as it is *written*: one that cannot be used is left out alone, not all that come after it.

    Raises:
        Malformed: no JSON, a key twice, no UTF-8, nested too deeply, or not the shape that *dialect* has.
    """
    dialect.message(Document(written).root())
