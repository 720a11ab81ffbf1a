"""Build every shape from one parent and one span, and say what it shares and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.bill import billed
from cgcli.cachesim.break_even import min_span_ratio
from cgcli.calls.build import build, modes_for
from cgcli.calls.call import NATIVE, Asking, Call, CallMode, Parent, PrefixSource
from cgcli.calls.falling_back import ask
from cgcli.calls.native_refusals import DEFAULT_TRIGGER_TOKENS
from cgcli.calls.stats import DEFAULT_MIN_SPAN_RATIO
from cgcli.calls.why import Why
from cgcli.model import Refusal, changed, unique, value
from cgcli.providers.makers import misshaped
from cgcli.providers.windows import window
from cgcli.readers.single import BodyParser
from cgcli.replay.sending import answered_s, send
from cgcli.select.choosing import select
from cgcli.shapes.answers import Answers
from cgcli.shapes.comparison import Comparison, Shape
from cgcli.shapes.following import Follower
from cgcli.shapes.sharing import sharing
from cgcli.summarisers.protocol import Summary
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.cachesim.bill import Billed
    from cgcli.cachesim.simulator import Simulator
    from cgcli.calls.build import Choice
    from cgcli.calls.call import CallOptions
    from cgcli.calls.falling_back import Made
    from cgcli.calls.stats import Session
    from cgcli.calls.when import When
    from cgcli.model import Exchange, Request
    from cgcli.pricing.table import Prices
    from cgcli.select.selection import Selection, SpanOptions
    from cgcli.shapes.targets import Target
    from cgcli.summarisers.protocol import Summariser


@value
class Wanted:
    """What is to be compared, and by which options."""

    modes: tuple[CallMode, ...] | None
    """None: all that the dialect has."""
    choice: Choice
    """Whose account is kept from turn to turn."""
    span: SpanOptions
    call: CallOptions
    assumed_summary_tokens: int
    """The size of a summary where none is at hand: native ones, or where no summariser answers."""


@unique
class Opened:
    """A comparison that waits for its lane's next request."""

    target: Target
    exchange: Exchange
    comparison: Comparison
    branches: Mapping[CallMode, Simulator]
    """The simulated cache after each call."""
    simulator: Simulator
    options: CallOptions
    """By which the calls were built."""


class Comparer:
    """Compares turn after turn; what they have in common is parsed and counted once."""

    def __init__(
        self,
        wanted: Wanted,
        *,
        prices: Prices,
        rulers: Mapping[str | None, Ruler],
        summariser: Summariser,
        thresholds: Mapping[str | None, When],
    ) -> None:
        """Compare as *wanted*; *rulers* and *thresholds* are by model."""
        self._wanted = wanted
        self._prices = prices
        self._rulers = dict(rulers)
        self._answers = Answers(summariser)
        self._thresholds = thresholds
        self._parser = BodyParser()
        self._session: Session | None = None
        self._follower = Follower(self._parser, prices)

    def ruler(self, model: str | None) -> Ruler:
        """The one ruler for *model*."""
        return self._rulers.setdefault(model, Ruler(model))

    def open(self, exchange: Exchange, target: Target, simulator: Simulator, *, tools_recorded: bool) -> Opened:
        """Build the shapes from *exchange*, and send that to *simulator*.

        What takes the place of *exchange* meets the cache as that does; what is asked after it finds it there.
        """
        request = exchange.request
        ruler = self.ruler(request.model)
        measured = ruler.measure(request)
        parent = _parent(exchange, ruler.tokens(measured.total), tools_recorded=tools_recorded)
        options = self._options(parent)
        selection = select(request, measured.messages, self._wanted.span)
        modes = self._wanted.modes if self._wanted.modes is not None else modes_for(request.dialect)
        branches: dict[CallMode, Simulator] = {}
        if isinstance(selection, Refusal):
            send(exchange, simulator, target.i_exchange)
            refused = tuple(Shape(mode=mode, refusal=selection) for mode in modes)
            comparison = self._comparison(target, parent, selection, refused)
        else:
            branches = {mode: simulator.branch() for mode in modes}
            asking = Asking(parent=parent, selection=selection, options=options, ruler=ruler)
            comparison = self._compared(target, asking, branches, exchange, simulator)
        return Opened(
            target=target,
            exchange=exchange,
            comparison=comparison,
            branches=branches,
            simulator=simulator,
            options=options,
        )

    def close(self, opened: Opened, after: Exchange | None) -> Comparison:
        """The comparison, with what the lane's next request *after* costs behind each shape; None: there is none."""
        return self._follower.follow(opened, after, self.ruler)

    def _compared(
        self,
        target: Target,
        asking: Asking,
        branches: Mapping[CallMode, Simulator],
        exchange: Exchange,
        simulator: Simulator,
    ) -> Comparison:
        at_s = answered_s(exchange)
        made: dict[CallMode, Call | Refusal] = {}
        in_place = {
            mode: self._shape(mode, asking, made, branches[mode], exchange.sent_s)
            for mode in branches
            if mode is CallMode.NATIVE_THRESHOLD
        }
        parent = send(exchange, simulator, target.i_exchange)
        replaced = billed(parent, self._prices.of(exchange.request.model), output_tokens=0)
        shapes = tuple(
            _in_place_of(replaced, in_place[mode])
            if mode in in_place
            else self._shape(mode, asking, made, branch, at_s)
            for mode, branch in branches.items()
        )
        own_fork = self._own_fork(asking, made, branches, at_s)
        least = self._least(shapes, own_fork, asking)
        said = self._asked(asking, made, least)
        return changed(
            self._comparison(target, asking.parent, asking.selection, shapes),
            min_span_ratio=least,
            own_fork=own_fork,
            asked=said.session.last if said is not None else None,
            warning=said.warning if said is not None else None,
        )

    def _shape(
        self,
        mode: CallMode,
        asking: Asking,
        made: dict[CallMode, Call | Refusal],
        branch: Simulator,
        at_s: float | None,
    ) -> Shape:
        if mode not in NATIVE and self._answers.is_absent:
            return Shape(mode=mode, refusal=_NO_MODEL)
        call = made[mode] = build(mode, asking)
        if isinstance(call, Refusal):
            return Shape(mode=mode, refusal=call)
        parent = asking.parent
        asked = self._parser.parse(call.body)
        ruler = self.ruler(asked.model)
        fires = None
        if call.mode is CallMode.NATIVE_THRESHOLD:
            fires = (parent.tokens or 0) >= trigger(asking.options)
        shape = Shape(
            mode=mode,
            call=call,
            note=misshaped(asked.dialect, asked.model, parent.request.model),
            n_messages=len(asked.messages),
            n_tools=len(asked.tools) if asked.tools is not None else None,
            tokens=ruler.tokens(ruler.measure(asked).total),
            sharing=sharing(parent.request, asked, self.ruler(parent.request.model), n_prefix=call.n_prefix_messages),
            fires=fires,
        )
        return shape if fires is False else self._answered(shape, call, asked, asking, branch, at_s)

    def _answered(
        self, shape: Shape, call: Call, asked: Request, asking: Asking, branch: Simulator, at_s: float | None
    ) -> Shape:
        """*shape* with its answer, and with what it costs, sent at *at_s*."""
        parent, ruler = asking.parent.request, self.ruler(asked.model)
        summary = self._answers.to(call, parent, asking.selection, self.ruler(parent.model).count)
        text = summary.text if isinstance(summary, Summary) else ""
        tokens = ruler.tokens(ruler.count(text)) if text else self._wanted.assumed_summary_tokens
        simulated = branch.send(asked, number=CALL_NUMBER, sent_s=at_s, readable_s=at_s)
        return changed(
            shape,
            billed=billed(simulated, self._prices.of(asked.model), output_tokens=tokens),
            summary=summary,
            summary_tokens=tokens,
            is_summary_assumed=not text,
        )

    def _own_fork(
        self,
        asking: Asking,
        made: Mapping[CallMode, Call | Refusal],
        branches: Mapping[CallMode, Simulator],
        at_s: float | None,
    ) -> Billed | None:
        """What a fork by the parent's model would cost, where it is refused for the summariser's being another one."""
        refused = made.get(CallMode.FORK)
        if not isinstance(refused, Refusal) or refused.reason != Why.OTHER_MODEL:
            return None
        own = changed(asking, options=changed(asking.options, model=None))
        call = build(CallMode.FORK, own)
        standalone = made.get(CallMode.STANDALONE)
        if isinstance(call, Refusal) or not isinstance(standalone, Call):
            return None
        parent = asking.parent.request
        tokens = self._wanted.assumed_summary_tokens
        summary = self._answers.to(standalone, parent, asking.selection, self.ruler(parent.model).count)
        if isinstance(summary, Summary):
            ruler = self.ruler(parent.model)
            tokens = ruler.tokens(ruler.count(summary.text))
        simulated = branches[CallMode.FORK].what_if(self._parser.parse(call.body), sent_s=at_s)
        return billed(simulated, self._prices.of(parent.model), output_tokens=tokens)

    def _least(self, shapes: Sequence[Shape], own_fork: Billed | None, asking: Asking) -> float | None:
        """From which share of the parent on a fork costs no more; tokens as the standalone call's model counts them."""
        by_mode = {shape.mode: shape.billed for shape in shapes}
        parent, standalone = asking.parent.request, by_mode.get(CallMode.STANDALONE)
        model = self._wanted.call.model if self._wanted.call.model is not None else parent.model
        ruler = self.ruler(model)
        return min_span_ratio(
            own_fork if own_fork is not None else by_mode.get(CallMode.FORK),
            standalone,
            self._prices.of(model),
            span_tokens=ruler.tokens(asking.selection.tokens),
            parent_tokens=ruler.tokens(self.ruler(parent.model).measure(parent).total),
        )

    def _comparison(
        self, target: Target, parent: Parent, selection: Selection | Refusal, shapes: tuple[Shape, ...]
    ) -> Comparison:
        model = parent.request.model
        ruler = self.ruler(model)
        called = self._wanted.call.model
        return Comparison(
            lane=target.lane,
            turn=target.turn,
            line=parent.source.line,
            parent=parent,
            parent_tokens=parent.tokens or 0,
            selection=selection,
            span_tokens=ruler.tokens(selection.tokens) if not isinstance(selection, Refusal) else None,
            shapes=shapes,
            rate=self._prices.of(model),
            call_rate=self._prices.of(called if called is not None else model),
            min_span_ratio=None,
            own_fork=None,
            unchanged=None,
            ruler=str(ruler),
            window=self._thresholds[model],
        )

    def _asked(self, asking: Asking, made: Mapping[CallMode, Call | Refusal], least: float | None) -> Made | None:
        """What the wanted choice comes to, `auto` by the prices, where there are some; None: nobody would answer it.

        *made* is not built again.
        """
        if self._answers.is_absent and not self._wanted.choice.is_native:
            return None
        ratio = least if least is not None else DEFAULT_MIN_SPAN_RATIO
        said = ask(
            self._wanted.choice,
            asking,
            self._session,
            min_span_ratio=max(0.0, ratio),
            make=lambda mode, of: made[mode] if mode in made else build(mode, of),
        )
        self._session = said.session
        return said

    def _options(self, parent: Parent) -> CallOptions:
        """The provider's trigger is where a summary of ours would be applied: one "when", two executors."""
        return changed(self._wanted.call, trigger_tokens=self._thresholds[parent.request.model].apply_tokens)


_NO_MODEL = Refusal(reason="no_model", detail="there is no summariser (--summarizer none)")


def _parent(exchange: Exchange, tokens: int, *, tools_recorded: bool) -> Parent:
    """The seam's facts, as the file has them; a window that is only assumed refuses nothing."""
    request = exchange.request
    known = window(request.model)
    return Parent(
        request=request,
        source=exchange.source,
        tools_recorded=tools_recorded,
        prefix_source=PrefixSource.MODULE_VIEW if exchange.source.reconstructed else PrefixSource.WIRE_RECORD,
        window_tokens=known.context_tokens if known is not None else None,
        tokens=tokens,
    )


def _in_place_of(parent: Billed, shape: Shape) -> Shape:
    """*shape*, which is sent in the place of *parent*; one that is not sent replaces nothing."""
    return changed(shape, replaces=parent) if shape.billed is not None else shape


CALL_NUMBER = -1
"""How a call that was never sent is named to the simulated cache."""


def trigger(options: CallOptions) -> int:
    """From how many tokens on the provider compacts by itself."""
    return options.trigger_tokens if options.trigger_tokens is not None else DEFAULT_TRIGGER_TOKENS
