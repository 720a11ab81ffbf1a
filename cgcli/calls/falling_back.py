"""The policy around a call: a fork that must not be made, or would not pay, is standalone; native never is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.build import build, first_supported
from cgcli.calls.call import CallMode
from cgcli.calls.fork_share import least_share
from cgcli.calls.stats import (
    DEFAULT_MIN_SPAN_RATIO,
    CallStats,
    Session,
    SpanMeasure,
    measure,
    usable_ratio,
)
from cgcli.calls.why import Why, refuse
from cgcli.model import Refusal, changed, value
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.calls.build import Choice
    from cgcli.calls.call import Asking, Call
    from cgcli.pricing.table import Prices

    Maker = Callable[[CallMode, Asking], Call | Refusal]


@value
class Made:
    """What came of asking."""

    call: Call | None
    """None where none can be made: the request stays as it was."""
    refused: Refusal | None
    """Why the preferred call was not made; None where it was."""
    session: Session
    """With this call in it; its `last` are the call's stats."""
    warning: str | None
    """To be said; each reason is, once a session."""


def ask(
    choice: Choice,
    asking: Asking,
    session: Session | None = None,
    *,
    min_span_ratio: float | None = DEFAULT_MIN_SPAN_RATIO,
    prices: Prices | None = None,
    make: Maker = build,
) -> Made:
    """The call that *choice* comes to, and the session after it.

    *min_span_ratio* is what `auto` forks from; None or 0: always. It is looked at last, where nothing else is against
    the fork. With *prices* it forks where that costs no more, and *min_span_ratio* holds where they do not tell. *make*
    builds the calls, or hands out those that are built.
    """
    before = session if session is not None else Session()
    if choice.is_native:
        return _native(choice, asking, before, make)
    if choice.modes[0] is CallMode.STANDALONE:
        return _done(choice, asking, before, call=make(CallMode.STANDALONE, asking))
    found = make(CallMode.FORK, asking)
    if isinstance(found, Refusal):
        counted = changed(before, fork_fallbacks=before.fork_fallbacks + 1)
        return _done(choice, asking, counted, call=make(CallMode.STANDALONE, asking), refused=found)
    standalone: Call | Refusal | None = None
    if choice.may_decline and prices is not None:
        standalone = make(CallMode.STANDALONE, asking)
        by_prices = _share(asking, found, standalone, prices)
        min_span_ratio = min_span_ratio if by_prices is None else by_prices
    least, warning = usable_ratio(min_span_ratio) if choice.may_decline else (None, None)
    measured = _measured(asking, least) if least is not None else None
    if measured is None or measured.pays:
        return _with(_done(choice, asking, before, call=found, measured=measured), warning)
    declined = refuse(Why.BELOW_MIN_SPAN_RATIO, _told(measured), is_decline=True)
    counted = changed(before, fork_declines=before.fork_declines + 1)
    standalone = standalone if standalone is not None else make(CallMode.STANDALONE, asking)
    return _done(choice, asking, counted, call=standalone, refused=declined, measured=measured)


def _share(asking: Asking, fork: Call, standalone: Call | Refusal, prices: Prices) -> float | None:
    return None if isinstance(standalone, Refusal) else least_share(asking, fork, standalone, prices)


def _native(choice: Choice, asking: Asking, before: Session, make: Maker) -> Made:
    mode = first_supported(choice, asking.parent.request, asking.options)
    found = make(mode, asking)
    counted = changed(before, native_refusals=before.native_refusals + isinstance(found, Refusal))
    return _done(choice, asking, counted, call=found)


def _measured(asking: Asking, least: float) -> SpanMeasure:
    """Both sides by the same ruler: the span's counted tokens, and the parent's."""
    parent = asking.parent
    ruler = asking.ruler if asking.ruler is not None else Ruler(parent.request.model)
    prefix = parent.tokens if parent.tokens is not None else ruler.tokens(ruler.measure(parent.request).total)
    return measure(ruler.tokens(asking.selection.tokens), prefix, least)


def _told(measured: SpanMeasure) -> str:
    return (
        f"{measured.span_tokens:,} of {measured.prefix_tokens:,} tokens, "
        f"{measured.span_ratio or 0:.3f} where {measured.min_span_ratio:.3f} is the least"
    )


def _done(
    choice: Choice,
    asking: Asking,
    session: Session,
    *,
    call: Call | Refusal,
    refused: Refusal | None = None,
    measured: SpanMeasure | None = None,
) -> Made:
    """The account of a call; where none could be built at all, and for no earlier reason, it is that call's own."""
    made = None if isinstance(call, Refusal) else call
    why = refused if refused is not None else (call if isinstance(call, Refusal) else None)
    parent = asking.parent
    forked = made is not None and made.mode is CallMode.FORK
    may_fork = choice.modes[0] is CallMode.FORK and parent.prefix_source is not None
    stats = CallStats(
        mode_requested=choice.name,
        mode_used=made.mode if made is not None else None,
        reason=why.reason if why is not None else None,
        detail=why.detail if why is not None else None,
        prefix_messages=made.n_prefix_messages if made is not None and forked else 0,
        prefix_source=parent.prefix_source if forked else None,
        prefix_views_since_send=parent.views_since_send if may_fork else None,
        fork_fallbacks=session.fork_fallbacks,
        fork_declines=session.fork_declines,
        span_measure=measured,
    )
    is_new = why is not None and why.reason not in session.warned
    warned = session.warned | {why.reason} if why is not None else session.warned
    return Made(
        call=made,
        refused=why,
        session=changed(session, warned=warned, last=stats),
        warning=f"{choice.name}: {why.detail}" if why is not None and is_new else None,
    )


def _with(made: Made, warning: str | None) -> Made:
    """*made*, with a warning about an option, where there is one and it was not given before."""
    if warning is None or warning in made.session.warned:
        return made
    return changed(made, warning=warning, session=changed(made.session, warned=made.session.warned | {warning}))
