"""Build something, and have what went wrong as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from cgcli.calls.why import Why, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.model import Refusal

T = TypeVar("T")


def attempt(make: Callable[[], T]) -> T | Refusal:
    """What *make* gives, or the refusal that says what it raised.

    A summary is never lost over a call that could not be built: there is always another way, or none is taken.
    """
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - whatever fails, the request that it is about stays as it was
        return refuse(Why.BUILD_FAILED, repr(error))
