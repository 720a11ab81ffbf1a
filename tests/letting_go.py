"""Watch whether the bytes of a request are let go of, without the collector's help."""

from __future__ import annotations

import gc
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cgcli.model import changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Request


class _Bytes(bytearray):
    """A body whose end can be watched."""


@contextmanager
def no_collector() -> Iterator[None]:
    """What is in a cycle stays."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def watched(request: Request) -> tuple[Request, weakref.ref[_Bytes]]:
    """*request* with bytes of its own, and what tells when they are gone."""
    raw = _Bytes(bytes(request.raw))
    return changed(request, raw=memoryview(raw)), weakref.ref(raw)
