"""The second pass: every request in time order through the simulated cache, the wanted turns compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.lanes import Threads
from cgcli.lanes.meeting import meet
from cgcli.replay.sending import send

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.cachesim.simulator import Simulator
    from cgcli.readers import Capture
    from cgcli.shapes.compare import Comparer, Opened
    from cgcli.shapes.comparison import Comparison
    from cgcli.shapes.targets import Target


def compared(
    capture: Capture, wanted: Sequence[Target], simulator: Simulator, comparer: Comparer
) -> Iterator[Comparison]:
    """The comparisons of the *wanted* turns, each as soon as its lane's next request has come, else at the end.

    What the request that follows costs is known only then; the shapes are built before, from the parent alone.
    """
    by_number = {target.i_exchange: target for target in wanted}
    open_by_thread: dict[int, Opened] = {}
    tools_recorded = capture.known.tools
    for met in meet(capture, Threads()):
        thread = met.placement.thread.identity
        opened = open_by_thread.pop(thread, None) if not met.is_summary_call else None
        if opened is not None:
            yield comparer.close(opened, met.exchange)
        target = by_number.get(met.number)
        if target is not None:
            open_by_thread[thread] = comparer.open(met.exchange, target, simulator, tools_recorded=tools_recorded)
        else:
            send(met.exchange, simulator, met.number)
    for opened in sorted(open_by_thread.values(), key=lambda one: one.target.i_exchange):
        yield comparer.close(opened, None)
