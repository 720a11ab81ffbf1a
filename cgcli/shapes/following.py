"""The request that follows each shape, and what it reads and writes."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.cachesim.bill import billed
from cgcli.calls.call import NATIVE, CallMode
from cgcli.calls.following import follow
from cgcli.calls.summary_message import summary_message, summary_text
from cgcli.compaction.summaries.placing import original
from cgcli.markers import KEY_HEX
from cgcli.model import Refusal, changed, unique
from cgcli.prefix.chain import common_messages
from cgcli.replay.sending import answered_s
from cgcli.shapes.billing import break_even_turns, turn_usd
from cgcli.shapes.comparison import Following
from cgcli.shapes.sharing import sharing
from cgcli.summarisers.protocol import Summary
from cgcli.summarisers.stand_in import filler, stand_in
from cgcli.wire.strings import Style

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.cachesim.bill import Billed
    from cgcli.cachesim.simulator import Simulator
    from cgcli.calls.call import CallOptions
    from cgcli.model import Exchange, Request
    from cgcli.pricing.table import Prices
    from cgcli.readers.single import BodyParser
    from cgcli.select.selection import Selection
    from cgcli.shapes.compare import Opened
    from cgcli.shapes.comparison import Comparison, Shape
    from cgcli.tokens.ruler import Ruler

SECOND_PASS_NUMBER = -2
"""How the provider's own second pass is named to the simulated cache."""


class Follower:
    """Builds what follows."""

    def __init__(self, parser: BodyParser, prices: Prices) -> None:
        """Parse with *parser*, bill by *prices*."""
        self._parser = parser
        self._prices = prices

    def follow(self, opened: Opened, after: Exchange | None, ruler: Callable[[str | None], Ruler]) -> Comparison:
        """The comparison of *opened*, each shape with the request that follows it."""
        comparison, parent = opened.comparison, opened.exchange
        if isinstance(comparison.selection, Refusal):
            return comparison
        goes_on = after is not None and _keeps(parent.request, after.request, comparison.selection)
        exchange = after if after is not None and goes_on else parent
        request = exchange.request
        sent_s = exchange.sent_s
        if not goes_on and parent.answered_s is not None:
            sent_s = parent.answered_s
        unchanged = self._bill(opened.simulator, request, sent_s)
        base = _Base(
            parent=parent.request,
            selection=comparison.selection,
            options=opened.options,
            request=request,
            unchanged=unchanged,
            ruler=ruler(request.model),
            sent_s=sent_s,
            parent_s=answered_s(parent),
            is_recorded=goes_on,
        )
        shapes = tuple(
            self._shape(shape, base, opened.branches[shape.mode]) if shape.billed is not None else shape
            for shape in comparison.shapes
        )
        return changed(comparison, shapes=shapes, unchanged=unchanged)

    def _shape(self, shape: Shape, base: _Base, branch: Simulator) -> Shape:
        ruler = base.ruler
        new = self._new(shape, base)
        passed = self._second_pass(shape, base, new, branch) if shape.replaces is not None else None
        built = follow(shape.mode, base.request, base.selection, new, base.options, n_parent=len(base.parent.messages))
        if isinstance(built, Refusal):
            after = Following(body=b"", refusal=built, tokens=0, is_recorded=base.is_recorded)
            return changed(shape, second_pass=passed, following=after)
        read = self._parser.parse(built.effective)
        tokens = ruler.tokens(ruler.measure(read).total)
        before_tokens = ruler.tokens(ruler.measure(base.request).total)
        bill = self._bill(branch, read, base.sent_s)
        n_kept = common_messages(base.parent.states, read.states)
        following = Following(
            body=built.body,
            refusal=None,
            tokens=tokens,
            billed=bill,
            kept_messages=n_kept,
            kept=sharing(base.parent, read, ruler, n_prefix=n_kept),
            covers=built.covered,
            is_recorded=base.is_recorded,
        )
        rate = self._prices.of(base.request.model)
        then = changed(shape, second_pass=passed, following=following)
        if shape.mode in NATIVE:
            return then
        before_usd, after_usd = (turn_usd(n, base.unchanged, rate) for n in (before_tokens, tokens))
        saved_usd = before_usd - after_usd if before_usd is not None and after_usd is not None else None
        extra_usd = then.usd - base.unchanged.usd if then.usd is not None and base.unchanged.usd is not None else None
        return changed(
            then, saved_tokens=before_tokens - tokens, break_even_turns=break_even_turns(extra_usd, saved_usd)
        )

    def _second_pass(self, shape: Shape, base: _Base, new: bytes, branch: Simulator) -> Billed | None:
        """The parent again, with the block in the place of all of it; *branch* has been sent it then.

        The answer is the parent's own: it is paid without compaction too, and counted here as little as there.
        """
        built = follow(shape.mode, base.parent, base.selection, new, base.options)
        if isinstance(built, Refusal):
            return None
        again = self._parser.parse(built.effective)
        simulated = branch.send(again, number=SECOND_PASS_NUMBER, sent_s=base.parent_s, readable_s=base.parent_s)
        return billed(simulated, self._prices.of(again.model), output_tokens=0)

    def _bill(self, simulator: Simulator, request: Request, sent_s: float | None) -> Billed:
        """What *request* would be billed now, its answer aside: that is the same with and without a summary."""
        return billed(simulator.what_if(request, sent_s=sent_s), self._prices.of(request.model), output_tokens=0)

    def _new(self, shape: Shape, base: _Base) -> bytes:
        """What stands in the place of the span: our message, or the provider's block, real or a stand-in."""
        summary, ruler = shape.summary, base.ruler
        if shape.mode in NATIVE:
            block = summary.block if isinstance(summary, Summary) else None
            if block is None:
                block = stand_in(base.request.dialect, shape.summary_tokens or 1, ruler)
            return _endpoint_output(base, block) if shape.mode is CallMode.NATIVE_ENDPOINT else block
        text = summary.text if isinstance(summary, Summary) else filler(shape.summary_tokens or 1, ruler)
        written = original(base.request, base.selection.start, base.selection.stop)
        style = base.options.style if base.options.style is not None else Style.ASCII
        key = sha256(written).hexdigest()[:KEY_HEX]
        return summary_message(base.request.dialect, summary_text(text, key), style)


@unique
class _Base:
    """What every shape is followed by: the lane's next request, or the parent in its place."""

    parent: Request
    selection: Selection
    options: CallOptions
    request: Request
    unchanged: Billed
    ruler: Ruler
    sent_s: float | None
    parent_s: float | None
    """When the parent was answered."""
    is_recorded: bool


def _endpoint_output(base: _Base, item: bytes) -> bytes:
    """What OpenAI's endpoint answers: every user message that it was sent, and *item* behind them, as a list.

    Source: OpenAI guide, compaction (`/responses/compact`): the output is passed on as it is.
    """
    users = (one.wire for one in base.parent.messages[: base.selection.stop] if one.role == "user")
    return b"[" + b",".join((*map(bytes, users), item)) + b"]"


def _keeps(parent: Request, after: Request, selection: Selection) -> bool:
    """True where *after* has the messages up to the span's end as *parent* had them."""
    return common_messages(parent.states, after.states) >= selection.stop
