"""What is told of one message is remembered for a while: one policy after the other asks for it."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cgcli.wire.long import LONG_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.model import Item

F = TypeVar("F", bound="Callable[..., Any]")


def remembered(most: int) -> Callable[[F], F]:
    """Remember the last *most* answers of a function of an item, but for long ones: those may hold a whole record."""

    def remembering(make: F) -> F:
        known = lru_cache(maxsize=most)(make)

        @wraps(make)
        def asked(item: Item, *rest: int) -> Any:
            return known(item, *rest) if len(item.within) <= LONG_BYTES else make(item, *rest)

        return cast("F", asked)

    return remembering
