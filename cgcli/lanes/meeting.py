"""The requests of a file one after the other, each put in its thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.lanes.summary_call import asks_for_summary
from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.lanes.threads import Placement, Threads
    from cgcli.model import Exchange
    from cgcli.readers import Capture, Entry


@unique
class Met:
    """One request of a file, and where it was put."""

    number: int
    """From 0, in the order of the file; what is no request does not count."""
    exchange: Exchange
    placement: Placement
    is_summary_call: bool


def meet(capture: Capture, threads: Threads, *, passed: Callable[[Entry], None] | None = None) -> Iterator[Met]:
    """Every request of *capture*, put in one of *threads*; at the end these are those of the whole file.

    Records that are no request are told to *passed*.
    """
    number = -1
    for entry in capture:
        exchange = entry.exchange
        if exchange is None:
            if passed is not None:
                passed(entry)
            continue
        number += 1
        asks = asks_for_summary(exchange.request)
        placement = threads.place(exchange, number, alone=capture.is_independent, is_summary_call=asks)
        yield Met(number=number, exchange=exchange, placement=placement, is_summary_call=asks)
