"""The simulated cache and the prices behind `--held pays`: what a lane sends is what the cache holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.options import DEFAULTS, CacheOptions
from cgcli.cachesim.simulator import Simulator
from cgcli.compaction.paying import Cut, Economy, Unpaid, Verdict, best_cut, requests_left
from cgcli.model import Refusal, value
from cgcli.pricing.rate import MILLION, Unpriced
from cgcli.providers.windows import window
from cgcli.readers.single import BodyParser
from cgcli.tokens.ruler import Ruler
from cgcli.wire.splice import splice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from cgcli.cachesim.simulated import Simulated
    from cgcli.compaction.paying import Candidate
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.step import Outcome
    from cgcli.lanes import Thread
    from cgcli.model import Exchange, Request, Usage
    from cgcli.pricing.rate import Rate
    from cgcli.pricing.table import Prices


@value
class _Turn:
    """The request that is being compacted."""

    thread: int
    n_sent: int
    """Requests that its thread sent before."""
    sent_s: float | None


class Paying:
    """Follows a file's requests as they are sent, compaction included.

    All is counted with one ruler for each model: the cache goes by what is counted, not by recorded usage, so that what
    is held and what is still readable differ by what stands between them and by nothing else.
    """

    def __init__(self, prices: Prices, cache: CacheOptions = DEFAULTS) -> None:
        """Nothing was sent yet; *cache* says which is simulated."""
        self._prices = prices
        self._rulers: dict[str | None, Ruler] = {}
        self._simulator = Simulator(self._ruler, options=cache)
        self._parser = BodyParser()
        self._first_tokens: dict[int, int] = {}
        self._turn = _Turn(thread=-1, n_sent=0, sent_s=None)
        self.verdicts: list[Verdict] = []
        """One for each request that had something to decide."""
        self._n_before = 0

    def _ruler(self, model: str | None) -> Ruler:
        return self._rulers.setdefault(model, Ruler(model))

    def arrives(self, exchange: Exchange, thread: Thread) -> None:
        """*exchange*, the last of *thread*, is about to be compacted."""
        self._turn = _Turn(thread=thread.identity, n_sent=len(thread.turns) - 1, sent_s=exchange.sent_s)
        self._n_before = len(self.verdicts)

    def judge(self, request: Request, placed: Sequence[Placed], candidates: Sequence[Candidate]) -> Verdict:
        """Which of *candidates* may be made in *request* as it stands, with what is *placed* in it."""
        verdict = self._judged(self._with(request, placed), candidates)
        del self.verdicts[self._n_before :]  # a turn may be taken again
        self.verdicts.append(verdict)
        return verdict

    def _judged(self, request: Request, candidates: Sequence[Candidate]) -> Verdict:
        rate = self._prices.of(request.model)
        if isinstance(rate, Unpriced):
            return Verdict(from_message=None, why_not=Unpaid.UNPRICED)
        edited = self._simulator.edited(request, sent_s=self._turn.sent_s)
        if isinstance(edited, Refusal):
            return Verdict(from_message=None, why_not=Unpaid(edited.reason))
        stands = edited.from_message(None)
        at = rate.at(stands.input_tokens)
        economy = Economy(
            held_tokens=stands.read_tokens,
            cut=lambda i: _cut(stands, edited.from_message(i), at),
            read_usd=at.read / MILLION,
            n_left=self._n_left(request.model, stands.input_tokens),
            factor=self._ruler(request.model).factor,
        )
        return best_cut(candidates, economy)

    def _n_left(self, model: str | None, tokens: int) -> int:
        found = window(model)
        return requests_left(
            self._turn.n_sent,
            tokens=tokens,
            first_tokens=self._first_tokens.get(self._turn.thread, tokens),
            window_tokens=found.context_tokens if found is not None else None,
        )

    def leaves(self, exchange: Exchange, outcome: Outcome, number: int) -> None:
        """*exchange* was sent as *outcome* has it."""
        request = self._with(exchange.request, outcome.edits)
        ruler = self._ruler(request.model)
        self._first_tokens.setdefault(self._turn.thread, ruler.tokens(outcome.after_tokens))
        self._simulator.send(
            request,
            number=number,
            sent_s=exchange.sent_s,
            readable_s=exchange.answered_s,
            usage=exchange.usage if _left_nothing(exchange.usage) else None,
        )

    def _with(self, request: Request, placed: Sequence[Placed]) -> Request:
        if not placed:
            return request
        return self._parser.parse(
            splice(bytes(request.raw), [(start, stop, one.literal) for start, stop, one in placed])
        )


def _cut(stands: Simulated, edited: Simulated, rate: Rate) -> Cut:
    """What is lost of *stands* where it is *edited*, and the average price of what takes its place."""
    lost = stands.read_tokens - edited.read_tokens
    usd = (edited.fresh_tokens - stands.fresh_tokens) * rate.fresh
    for ttl_s, tokens in edited.write_by_ttl_s.items():
        usd += (tokens - stands.write_by_ttl_s.get(ttl_s, 0)) * _written(rate, ttl_s)
    return Cut(readable_tokens=edited.read_tokens, write_usd=(usd / lost if lost else rate.fresh) / MILLION)


def _written(rate: Rate, ttl_s: int) -> Decimal:
    """The price of what is written to live *ttl_s*; the dearest known where that lifetime has none."""
    price = rate.write(ttl_s)
    return max(rate.write_by_ttl_s.values()) if price is None else price


def _left_nothing(usage: Usage | None) -> bool:
    """True where the provider says that it neither read nor wrote: smaller or not, the request leaves nothing then."""
    return (
        usage is not None
        and usage.read == 0
        and usage.write_by_ttl_s is not None
        and not any(usage.write_by_ttl_s.values())
    )
