"""Forks that are not made: what takes their place, and how it is counted (group D of the fork pull request)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.build import resolve
from cgcli.calls.call import CallMode, CallOptions, PrefixSource
from cgcli.calls.falling_back import ask
from cgcli.calls.stats import DEFAULT_MIN_SPAN_RATIO, CallStats, Session, SpanMeasure, usable_ratio
from tests.calls.asking import SESSION, asking, assistant, chat, claude, user

if TYPE_CHECKING:
    from cgcli.calls.falling_back import Made

PARENT = claude(*SESSION)
FREE = chat(*SESSION[5:])
"""Of a model whose tokens are counted without a factor."""


def stats(made: Made) -> CallStats:
    """Of the last call."""
    assert made.session.last is not None
    return made.session.last


def test_a_fork_that_is_honoured() -> None:
    """All fields of the last call's stats: no reason, the parent's messages, where its bytes are from."""
    made = ask(resolve("fork"), asking(PARENT))
    assert made.session.last == CallStats(
        mode_requested="fork",
        mode_used=CallMode.FORK,
        reason=None,
        detail=None,
        prefix_messages=7,
        prefix_source=PrefixSource.WIRE_RECORD,
        prefix_views_since_send=0,
        fork_fallbacks=0,
        fork_declines=0,
        span_measure=None,
    )
    assert (made.refused, made.warning) == (None, None)


def test_a_refused_fork_is_standalone() -> None:
    """The summary is asked for all the same: two messages, the span as text, the reason on record."""
    made = ask(resolve("fork"), asking(PARENT, views_since_send=2))
    assert made.call is not None
    body = json.loads(made.call.body)
    assert (made.call.mode, len(body["messages"]), body["system"]) == (CallMode.STANDALONE, 1, "Sum up.")
    assert made.session.last == CallStats(
        mode_requested="fork",
        mode_used=CallMode.STANDALONE,
        reason="parent_not_sent",
        detail="the parent is not known to have been sent as it stands: it is rebuilt, or superseded: 2 sent since",
        prefix_messages=0,
        prefix_source=None,
        prefix_views_since_send=2,
        fork_fallbacks=1,
        fork_declines=0,
        span_measure=None,
    )


def test_standalone_is_what_it_always_was() -> None:
    """Group A: the default counts nothing, warns of nothing, and looks at no fork's precondition."""
    made = ask(resolve("inline"), asking(PARENT, tools_recorded=False, views_since_send=9))
    assert stats(made) == CallStats(
        mode_requested="standalone",
        mode_used=CallMode.STANDALONE,
        reason=None,
        detail=None,
        prefix_messages=0,
        prefix_source=None,
        prefix_views_since_send=None,
        fork_fallbacks=0,
        fork_declines=0,
    )
    assert (made.refused, made.warning) == (None, None)


def test_each_reason_is_warned_of_once_and_each_call_counted() -> None:
    """Three calls of one reason, one of another, one of the first again: two warnings, five fallbacks."""
    stale, other = asking(PARENT, views_since_send=1), asking(PARENT, options=CallOptions(model="claude-haiku-4-5"))
    session, warnings = Session(), []
    for wanted in (stale, stale, stale, other, stale):
        made = ask(resolve("fork"), wanted, session)
        session = made.session
        warnings.append(made.warning is not None)
    assert warnings == [True, False, False, True, False]
    assert (session.fork_fallbacks, session.fork_declines) == (5, 0)
    assert session.last is not None
    assert session.last.fork_fallbacks == 5


def test_numbers_in_a_reason_do_not_make_it_another() -> None:
    """The parent was superseded once, then twice: the reason is the same."""
    first = ask(resolve("fork"), asking(PARENT, views_since_send=1))
    second = ask(resolve("fork"), asking(PARENT, views_since_send=2), first.session)
    assert (first.warning is None, second.warning is None) == (False, True)


@pytest.mark.parametrize(
    ("least", "span_tokens", "prefix_tokens", "used"),
    [
        (0.22, 22, 100, "fork"),
        (0.22, 21, 100, "standalone"),
        (None, 0, 100, "fork"),
        (0, 0, 100, "fork"),
        (1.5, 100, 100, "standalone"),
        (1.0, 100, 100, "fork"),
        (0.5, 0, 0, "fork"),
        (-1, 0, 100, "fork"),
        (float("nan"), 0, 100, "fork"),
        (float("inf"), 100, 100, "standalone"),
    ],
)
def test_auto_forks_where_the_span_is_large_enough(
    least: float | None, span_tokens: int, prefix_tokens: int, used: str
) -> None:
    """From the ratio on, itself included; off is always, more than 1 never, no tokens no opinion."""
    wanted = asking(FREE, 0, 1, span_tokens=span_tokens, tokens=prefix_tokens)
    made = ask(resolve("auto"), wanted, min_span_ratio=least)
    assert stats(made).mode_used == used


def test_a_decline_has_its_own_counter_and_says_what_was_measured() -> None:
    """It is no fallback: the fork could have been made."""
    wanted = asking(FREE, 0, 1, span_tokens=5_129, tokens=26_620)
    made = ask(resolve("auto"), wanted)
    assert made.refused is not None
    assert (made.refused.reason, made.refused.is_decline) == ("below_min_span_ratio", True)
    assert made.refused.detail.endswith(": 5,129 of 26,620 tokens, 0.193 where 0.220 is the least")
    found = stats(made)
    assert (found.mode_requested, found.mode_used, found.fork_fallbacks, found.fork_declines) == (
        "auto",
        CallMode.STANDALONE,
        0,
        1,
    )
    assert found.span_measure == SpanMeasure(
        span_tokens=5_129, prefix_tokens=26_620, span_ratio=5_129 / 26_620, min_span_ratio=0.22
    )
    assert ask(resolve("auto"), wanted, made.session).warning is None


def test_the_span_is_measured_in_the_parents_tokens() -> None:
    """The selection's are counted, the parent's are the model's: both sides are brought to the same."""
    wanted = asking(claude(*SESSION, model="claude-sonnet-4-5"), span_tokens=1_000, tokens=1_240)
    found = stats(ask(resolve("auto"), wanted)).span_measure
    assert found is not None
    assert (found.span_tokens, found.span_ratio) == (1_240, 1.0)


def test_a_parent_that_nobody_counted_is_counted() -> None:
    """By the same ruler."""
    found = stats(ask(resolve("auto"), asking(FREE, 0, 1, span_tokens=10))).span_measure
    assert found is not None
    assert 20 < found.prefix_tokens < 60


def test_alignment_comes_before_the_price() -> None:
    """A stale parent with a tiny span is a fallback, and nobody asks whether it would have paid."""
    made = ask(resolve("auto"), asking(FREE, 0, 1, span_tokens=1, tokens=10_000, views_since_send=1))
    found = stats(made)
    assert (found.reason, found.fork_fallbacks, found.fork_declines, found.span_measure) == (
        "parent_not_sent",
        1,
        0,
        None,
    )


def test_plain_fork_never_declines() -> None:
    """However small the span, and whatever ratio is given."""
    made = ask(resolve("fork"), asking(FREE, 0, 1, span_tokens=1, tokens=10**6), min_span_ratio=2.0)
    assert (stats(made).mode_used, stats(made).span_measure) == (CallMode.FORK, None)


def test_a_native_refusal_falls_back_to_nothing() -> None:
    """No call: the request stays as it was, the reason is reported, and no counter of forks moves."""
    made = ask(resolve("native"), asking(claude(*SESSION, stop_sequences=["x"])))
    found = stats(made)
    assert (made.call, found.mode_used, found.reason) == (None, None, "stop_sequences")
    assert (made.session.fork_fallbacks, made.session.fork_declines, made.session.native_refusals) == (0, 0, 1)
    assert made.warning == "native: compaction on demand is refused together with `stop_sequences`"
    assert found.prefix_views_since_send is None


@pytest.mark.parametrize(("platform", "used"), [(None, "native-on-demand"), ("bedrock", "native-threshold")])
def test_native_is_the_kind_that_the_platform_has(platform: str | None, used: str) -> None:
    """On demand first; that is not falling back, because nothing was refused."""
    made = ask(resolve("native"), asking(PARENT, options=CallOptions(platform=platform)))
    assert (stats(made).mode_used, made.refused, made.session.native_refusals) == (used, None, 0)


def test_without_a_parent_there_are_no_views() -> None:
    """Nothing was sent, so nothing was sent since."""
    found = stats(ask(resolve("fork"), asking(PARENT, prefix_source=None)))
    assert (found.reason, found.prefix_views_since_send) == ("no_parent", None)


@pytest.mark.parametrize(
    ("given", "wanted", "warns"),
    [
        (None, None, False),
        (0, None, False),
        (0.22, 0.22, False),
        (1.5, 1.5, False),
        (-0.1, None, True),
        (float("nan"), None, True),
        ("0.3", None, True),
        (True, None, True),
    ],
)
def test_a_ratio_that_means_nothing_switches_it_off_with_a_warning(
    given: object, wanted: float | None, *, warns: bool
) -> None:
    """Off is legal without one."""
    found, warning = usable_ratio(given)
    assert (found, warning is not None) == (wanted, warns)


def test_a_bad_ratio_is_warned_of_once() -> None:
    """It is the option's fault and not a call's."""
    wanted = asking(FREE, 0, 1, tokens=100)
    first = ask(resolve("auto"), wanted, min_span_ratio=-1)
    second = ask(resolve("auto"), wanted, first.session, min_span_ratio=-1)
    assert (first.warning or "").startswith("min_span_ratio -1 is no number from 0 on")
    assert second.warning is None


def test_the_unpriced_default_is_amplifiers() -> None:
    """0.22, from the prices of one model."""
    assert DEFAULT_MIN_SPAN_RATIO == 0.22


def test_the_parent_is_not_touched() -> None:
    """Group C: whatever is built, the main line's bytes are what they were."""
    wanted = asking(claude(user("a"), assistant("b  "), user("c")), 0, 2)
    before = bytes(wanted.parent.request.raw)
    for name in ("standalone", "fork", "auto", "native", "native-threshold"):
        assert ask(resolve(name), wanted).call is not None
    assert bytes(wanted.parent.request.raw) == before
