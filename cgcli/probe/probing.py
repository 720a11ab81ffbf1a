"""Send a parent, then each shape; read the usage back, beside what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.simulator import Simulator
from cgcli.calls.paths import PATHS
from cgcli.errors import LiveError
from cgcli.live.bound import Bound, bound_of, together
from cgcli.live.summariser import passes
from cgcli.model import Refusal, unique, value
from cgcli.probe.judging import each_pass
from cgcli.probe.prewarming import prewarming
from cgcli.readers.single import BodyParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from cgcli.cachesim.simulated import Simulated
    from cgcli.calls.call import CallMode
    from cgcli.live.answering import Answered
    from cgcli.live.client import Client
    from cgcli.live.spending import Budget
    from cgcli.model import Request, Usage
    from cgcli.pricing.rate import Rate, Unpriced
    from cgcli.pricing.table import Prices
    from cgcli.shapes.comparison import Comparison
    from cgcli.tokens.ruler import Ruler

PARENT = "parent"
_STOPS = frozenset({301, 302, 303, 307, 308, 401, 403})
"""Another address, or a key that is not taken: nothing that follows would be answered either."""
_CLIENT_ERRORS = range(400, 500)
_HELD = Refusal(reason="held_unknown", detail="what the provider holds before the first request is not known")


@value
class Planned:
    """A request that is to be sent."""

    name: str
    """`parent`, or a call mode."""
    mode: CallMode | None
    body: bytes
    path: str
    headers: Mapping[str, str]
    bound: Bound


@unique
class Sent:
    """A request that was sent, or why it was not."""

    name: str
    mode: CallMode | None
    predicted: Simulated | Refusal
    """By the simulated cache, from what was sent before and what the provider billed for that; never for the parent,
    of which the provider may hold anything."""
    refusal: Refusal | None = None
    """It was not sent, or not answered."""
    usage: Usage | None = None
    """As measured; of a provider's own compaction all iterations together."""
    usd: Decimal | None = None
    """Measured usage at the known prices; None where one of them is missing."""
    elapsed_s: float | None = None


@unique
class Probed:
    """What a probe came to."""

    comparison: Comparison
    sent: tuple[Sent, ...]
    """All that was planned, the parent first."""


class Prober:
    """Sends one comparison."""

    def __init__(
        self,
        client: Client,
        budget: Budget,
        prices: Prices,
        ruler: Callable[[str | None], Ruler],
        *,
        clock: Callable[[], float],
        keep: Callable[[bytes, bytes], None] | None = None,
    ) -> None:
        """Send by *client* within *budget*; *keep* is told each body and its answer."""
        self._client = client
        self._budget = budget
        self._prices = prices
        self._parser = BodyParser()
        self._simulator = Simulator(ruler)
        self._clock = clock
        self._keep = keep

    def plan(self, comparison: Comparison, *, prewarm: bool = False) -> tuple[Planned, ...] | Refusal:
        """What would be sent, in order: the parent, then each shape that is allowed; nothing where none is.

        With *prewarm* the parent asks for no answer; a refusal where it cannot.
        """
        parent = comparison.parent.request
        body = prewarming(parent) if prewarm else bytes(parent.raw)
        if isinstance(body, Refusal):
            return body
        first = Planned(
            name=PARENT,
            mode=None,
            body=body,
            path=PATHS[parent.dialect],
            headers={},
            bound=bound_of(body, self._rate(parent)),
        )
        calls = tuple(self._calls(comparison))
        return (first, *calls) if calls else ()

    def _calls(self, comparison: Comparison) -> Iterator[Planned]:
        for shape in comparison.shapes:
            call = shape.call
            if call is None or shape.fires is False:
                continue
            rate = self._rate(self._parser.parse(call.body))
            yield Planned(
                name=shape.mode.value,
                mode=shape.mode,
                body=call.body,
                path=call.path,
                headers=call.headers,
                bound=bound_of(call.body, rate, n_passes=passes(call)),
            )

    def _rate(self, request: Request) -> Rate | Unpriced:
        return self._prices.of(request.model)

    def probe(self, comparison: Comparison, planned: tuple[Planned, ...]) -> Probed:
        """Send all that is *planned*; a request that the provider refuses does not keep the next one from it.

        Where the key is not taken any more, or the money is not enough for the parent, the rest is not sent.

        Raises:
            LiveError: the provider does not answer the parent.
            OutputError: an answer cannot be kept.
        """
        sent: list[Sent] = []
        ended: str | None = None
        for number, one in enumerate(planned):
            if ended is not None:
                sent.append(_unsent(one, Refusal(reason="not_sent", detail=ended)))
                continue
            try:
                found = self._send(one, number, comparison.parent.request.dialect)
            except LiveError as error:
                if one.name == PARENT:
                    raise
                reason = "provider_refused" if error.status in _CLIENT_ERRORS else "provider_failed"
                found = _unsent(one, Refusal(reason=reason, detail=error.message))
                ended = error.message if error.status in _STOPS else None
            if one.name == PARENT and found.refusal is not None:
                ended = "the parent was not sent"
            sent.append(found)
        return Probed(comparison=comparison, sent=tuple(sent))

    def _send(self, one: Planned, number: int, dialect: str) -> Sent:
        request = self._parser.parse(one.body)
        began_s = self._clock()
        predicted = _HELD if one.name == PARENT else self._simulator.what_if(request, sent_s=began_s)
        spending = self._budget.call(one.bound, self._rate(request))
        answered = self._client.send(one.body, dialect=dialect, spending=spending, path=one.path, headers=one.headers)
        if isinstance(answered, Refusal):
            return _unsent(one, answered, predicted)
        return self._answered(one, number, request, predicted, answered, began_s)

    def _answered(
        self,
        one: Planned,
        number: int,
        request: Request,
        predicted: Simulated | Refusal,
        answered: Answered,
        began_s: float,
    ) -> Sent:
        if self._keep is not None:
            self._keep(one.body, answered.body)
        usage = answered.usage
        # Of several passes the first one is over the body as it was sent.
        first = next(iter(each_pass(usage)), None)
        self._simulator.send(request, number=number, sent_s=began_s, readable_s=self._clock(), usage=first)
        usd = self._prices.usd(request.model, usage) if usage is not None else None
        return Sent(
            name=one.name,
            mode=one.mode,
            predicted=predicted,
            usage=usage,
            usd=usd,
            elapsed_s=answered.elapsed_s,
        )


def at_most(planned: Sequence[Planned]) -> Bound:
    """What all of it comes to at most."""
    return together(one.bound for one in planned)


def _unsent(one: Planned, refusal: Refusal, predicted: Simulated | Refusal | None = None) -> Sent:
    """What there is to say of a request without an answer."""
    return Sent(
        name=one.name, mode=one.mode, predicted=predicted if predicted is not None else refusal, refusal=refusal
    )
