"""`--live URL`: a provider answers the calls for a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.calls.call import CallMode
from cgcli.errors import LiveError
from cgcli.live.bound import bound_of, model_of
from cgcli.model import Refusal, changed
from cgcli.summarisers.answers import read_answer
from cgcli.summarisers.recorded import write_answer
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cgcli.calls.call import Call
    from cgcli.live.bound import Bound
    from cgcli.live.client import Client
    from cgcli.live.spending import Budget
    from cgcli.pricing.table import Prices
    from cgcli.summarisers.protocol import Summary, Task

_FATAL = frozenset({301, 302, 303, 307, 308, 401, 403, 404})
"""Another address, a wrong key or a wrong address: every call would meet it."""
_CLIENT_ERRORS = range(400, 500)


class LiveSummariser:
    """Sends each call, within the budget; answers may be recorded for `recorded:DIR`."""

    name: ClassVar[str] = "live"

    def __init__(
        self,
        client: Client,
        *,
        prices: Prices,
        budget: Budget,
        record: Path | None = None,
        announce: Callable[[Call, Bound], None] | None = None,
    ) -> None:
        """Send by *client*; *announce* is told before each call what it comes to at most."""
        self._client = client
        self._prices = prices
        self._budget = budget
        self._record = record
        self._announce = announce

    def summarise(self, task: Task) -> Summary | Refusal:
        """What the provider answers; a refusal where the money does not allow it, or the provider fails this call.

        Raises:
            LiveError: the provider cannot be talked to at all: a wrong key, a wrong address.
            OutputError: the answer cannot be recorded.
        """
        call = task.call
        rate = self._prices.of(model_of(call.body))
        bound = bound_of(call.body, rate, n_passes=passes(call))
        if self._announce is not None:
            self._announce(call, bound)
        try:
            answered = self._client.send(
                call.body,
                dialect=task.request.dialect,
                path=call.path,
                headers=call.headers,
                spending=self._budget.call(bound, rate),
            )
        except LiveError as error:
            if error.status in _FATAL:
                raise
            reason = "provider_refused" if error.status in _CLIENT_ERRORS else "provider_failed"
            return Refusal(reason=reason, detail=f"no summary from the provider: {error.message}")
        if isinstance(answered, Refusal):
            return answered
        if self._record is not None:
            write_answer(self._record, call.body, answered.body)
        try:
            return changed(read_answer(answered.body, call.mode), usage=answered.usage)
        except Malformed as error:
            return Refusal(reason="provider_failed", detail=f"no summary from the provider: {error}")


def passes(call: Call) -> int:
    """How often the provider may read a call's input: at a threshold it compacts, and then answers."""
    return 2 if call.mode is CallMode.NATIVE_THRESHOLD else 1
