"""From which span on a fork pays, by what the simulated cache lets it read."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.build import build, resolve
from cgcli.calls.call import Call, CallMode
from cgcli.calls.falling_back import ask
from cgcli.calls.fork_share import least_share
from cgcli.pricing.rate import Rate
from cgcli.pricing.table import Prices
from tests.calls.asking import asking, assistant, chat, claude, text, user

if TYPE_CHECKING:
    from tests.calls.asking import Json

TENTH = Rate(
    model="claude-sonnet-4-5",
    fresh=Decimal(3),
    read=Decimal("0.30"),
    output=Decimal(15),
    write_by_ttl_s={300: Decimal("3.75")},
)
PRICES = Prices(rows={}, regions={}, as_of="2026-11-30", source="a test", own={TENTH.model: TENTH})
MARK = {"cache_control": {"type": "ephemeral"}}


def parent(n_words: int, *, marked: bool, model: str = TENTH.model) -> Json:
    """A task, an answer and a question, of which the answer has so many words."""
    last = text("Go on.", **(MARK if marked else {}))
    return claude(user("Begin."), assistant("word " * n_words), user(last), model=model, tools=[])


def share(body: Json, prices: Prices = PRICES) -> float | None:
    """What `least_share` says of its second message."""
    wanted = asking(body, 1, 2, span_tokens=10)
    fork, standalone = build(CallMode.FORK, wanted), build(CallMode.STANDALONE, wanted)
    assert isinstance(fork, Call)
    assert isinstance(standalone, Call)
    return least_share(wanted, fork, standalone, prices)


def test_a_marked_parent_is_read_at_a_tenth() -> None:
    """Of 25,000 tokens, of which all but the question's mark is read; a standalone call has the answer alone.

    The span is said to be 10 tokens, so the call's other 24,990 (times the factor) are not the span's: hence below 0,
    which is told as 0.
    """
    assert share(parent(20_000, marked=True)) == 0


@pytest.mark.parametrize(
    ("n_words", "marked", "least", "most"),
    [(20_000, True, 0.1, 0.12), (20_000, False, 1.0, 1.02), (200, True, 1.0, 1.9)],
)
def test_what_is_not_read_does_not_pay(n_words: int, least: float, most: float, *, marked: bool) -> None:
    """A tenth and the instruction; without a mark, or below 1,024 tokens, all of it: no span is that large.

    The span is the answer: as many tokens as it has words.
    """
    wanted = asking(parent(n_words, marked=marked), 1, 2, span_tokens=n_words)
    fork, standalone = build(CallMode.FORK, wanted), build(CallMode.STANDALONE, wanted)
    assert isinstance(fork, Call)
    assert isinstance(standalone, Call)
    found = least_share(wanted, fork, standalone, PRICES)
    assert found is not None
    assert least < found < most


@pytest.mark.parametrize("marked", [True, False])
def test_auto_forks_only_where_something_is_read(*, marked: bool) -> None:
    """The span is nearly all of the parent."""
    wanted = asking(parent(20_000, marked=marked), 1, 2, span_tokens=20_000)
    made = ask(resolve("auto"), wanted, prices=PRICES)
    assert made.call is not None
    assert made.call.mode is (CallMode.FORK if marked else CallMode.STANDALONE)
    assert made.session.fork_declines == (0 if marked else 1)


def test_nothing_is_said_without_a_price() -> None:
    """No other model's price is taken."""
    assert share(parent(2_000, marked=True, model="claude-opus-4-5")) is None


def test_nothing_is_said_of_a_cache_that_is_not_simulated() -> None:
    """Though there is a price: what is read is not known. Then 0.22 holds."""
    body = chat(user("Begin."), assistant("word " * 2_000), user("Go on."), model="grok-4.7")
    own = {"grok-4.7": Rate(model="grok-4.7", fresh=Decimal(2), read=Decimal("0.50"), output=Decimal(8))}
    prices = Prices(rows={}, regions={}, as_of="", source="a test", own=own)
    assert share(body, prices) is None
    made = ask(resolve("auto"), asking(body, 1, 2, span_tokens=400, tokens=2_000), prices=prices)
    assert made.session.last is not None
    assert made.session.last.span_measure is not None
    assert made.session.last.span_measure.min_span_ratio == 0.22
