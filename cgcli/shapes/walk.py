"""The second pass: every request in time order through the simulated cache, the wanted turns compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.lanes import Threads
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.shapes.sending import send

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.cachesim.simulator import Simulator
    from cgcli.readers import Capture
    from cgcli.shapes.compare import Comparer, Opened
    from cgcli.shapes.comparison import Comparison
    from cgcli.shapes.survey import Target


def compared(
    capture: Capture, wanted: Sequence[Target], simulator: Simulator, comparer: Comparer
) -> Iterator[Comparison]:
    """The comparisons of the *wanted* turns, each as soon as its lane's next request has come, else at the end.

    What the request that follows costs is known only then; the shapes are built before, from the parent alone.
    """
    by_number = {target.i_exchange: target for target in wanted}
    open_by_thread: dict[int, Opened] = {}
    threads = Threads()
    number = 0
    for entry in capture:
        exchange = entry.exchange
        if exchange is None:
            continue
        request = exchange.request
        asks = asks_for_summary(request)
        placed = threads.place(exchange, number, alone=capture.reader.independent, is_summary_call=asks)
        thread = placed.thread.identity
        opened = open_by_thread.pop(thread, None) if not asks else None
        if opened is not None:
            yield comparer.close(opened, exchange)
        target = by_number.get(number)
        if target is not None:
            tools_recorded = capture.reader.known.tools
            open_by_thread[thread] = comparer.open(exchange, target, simulator, tools_recorded=tools_recorded)
        else:
            send(exchange, simulator, number)
        number += 1
    for opened in sorted(open_by_thread.values(), key=lambda one: one.target.i_exchange):
        yield comparer.close(opened, None)
