"""What a request comes to at most, and what a run may spend."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.live.bound import Bound, bound_of, model_of, output_limit, together
from cgcli.live.spending import Budget
from cgcli.model import Usage
from cgcli.pricing.rate import Rate, Tier, Unpriced
from tests.live.sending import CENT, RATE

UNPRICED = Unpriced(model="own-model", reason="no table has it")


def usage(fresh: int = 0, read: int = 0, written: int = 0, output: int = 0) -> Usage:
    """What a provider billed."""
    return Usage(fresh=fresh, read=read, write_by_ttl_s={300: written} if written else {}, output=output)


def test_the_bound_takes_every_byte_for_a_token_at_the_dearest_price() -> None:
    """38 bytes and 2,000 hidden tokens, written for an hour at $6, and 1,000 of output at $15, per million."""
    body = b'{"model":"claude-x","max_tokens":1000}'
    bound = bound_of(body, RATE)
    assert (bound.input_tokens, bound.output_tokens) == (38 + 2000, 1000)
    assert bound.usd == Decimal("0.012228") + Decimal("0.015")
    assert bound.rule == "input: a token for every byte, and 2,000 hidden; output: the body's own limit"


def test_a_bound_of_the_callers_own() -> None:
    """In place of the bytes; a compaction at a threshold reads all of it twice."""
    bound = bound_of(b'{"max_tokens":100}', RATE, input_tokens=8000, n_passes=2)
    assert (bound.input_tokens, bound.output_tokens) == (20_000, 200)
    assert bound.usd == 2 * (Decimal("0.06") + Decimal("0.0015"))
    assert bound.rule.startswith("input: given")


def test_without_a_limit_the_largest_output_is_assumed() -> None:
    """128,000 tokens, and it is said."""
    bound = bound_of(b'{"model":"gpt-5.6-sol"}', RATE)
    assert bound.output_tokens == 128_000
    assert bound.rule.endswith("no limit in the body, 128,000 assumed")


def test_a_tier_is_in_the_bound() -> None:
    """Above 10,000 tokens twice the input's price, one and a half times the output's."""
    tier = Tier(above_tokens=10_000, input_times=Decimal(2), output_times=Decimal("1.5"))
    rate = Rate(model="m", fresh=Decimal(1), read=Decimal(1), output=Decimal(10), tiers=(tier,))
    assert bound_of(b'{"max_tokens":0}', rate, input_tokens=8000).usd == Decimal("0.01")
    assert bound_of(b'{"max_tokens":0}', rate, input_tokens=8001).usd == Decimal("0.020002")


def test_without_a_price_there_is_no_bound_in_dollars() -> None:
    """The tokens are known all the same."""
    bound = bound_of(b'{"max_tokens":5}', UNPRICED)
    assert (bound.usd, bound.output_tokens) == (None, 5)
    assert bound.rule == "no price for own-model: no table has it"


def test_several_together() -> None:
    """Sums; one without a price leaves none."""
    two = together([CENT, CENT])
    assert (two.input_tokens, two.output_tokens, two.usd, two.rule) == (2000, 2000, Decimal("0.02"), "2 requests")
    nothing = bound_of(b"{}", UNPRICED)
    assert (together([CENT, nothing]).usd, together([CENT, nothing]).rule) == (None, nothing.rule)


@pytest.mark.parametrize(
    ("body", "limit", "model"),
    [
        (b'{"max_tokens":7,"model":"a"}', 7, "a"),
        (b'{"max_completion_tokens":8,"max_tokens":7}', 8, None),
        (b'{"max_output_tokens":9,"model":null}', 9, None),
        (b'{"messages":[{"max_tokens":5}]}', None, None),
        (b'{"max_tokens":true}', None, None),
        (b'{"max_tokens":"9"}', None, None),
        (b"[]", None, None),
        (b"no JSON", None, None),
    ],
)
def test_what_a_body_says(body: bytes, limit: int | None, model: str | None) -> None:
    """Its limit under whichever name, the larger one; its model. Only at the top."""
    assert (output_limit(body), model_of(body)) == (limit, model)


def test_the_ceiling_counts_what_was_spent() -> None:
    """Two cents: the first call costs 0.6 of its cent, so the second fits, and the third does not."""
    budget = Budget(Decimal("0.02"))
    first = budget.call(CENT, RATE)
    assert first.refused() is None
    assert first.billed(usage(fresh=1000, output=200)) == Decimal("0.006")
    second = budget.call(CENT, RATE)
    assert second.refused() is None
    assert second.billed(usage(written=1600, read=10_000, output=100)) == Decimal("0.0105")
    third = budget.call(CENT, RATE).refused()
    assert third is not None
    assert (third.reason, third.detail) == (
        "max_usd",
        "it may come to $0.0100 (a cent), and $0.0035 of $0.02 is left",
    )
    account = budget.account()
    assert (account.n_answered, account.n_refused, account.n_over_bound) == (2, 1, 1)
    assert (account.fresh_tokens, account.read_tokens, account.written_tokens) == (1000, 10_000, 1600)
    assert (account.output_tokens, account.usd, account.usd_at_most) == (300, Decimal("0.0165"), Decimal("0.0165"))


def test_what_is_under_way_is_set_aside() -> None:
    """Of a cent and a half one call may be sent; the next one when the first has cost less."""
    budget = Budget(Decimal("0.015"))
    first, second = budget.call(CENT, RATE), budget.call(CENT, RATE)
    assert first.refused() is None
    assert second.refused() is not None
    first.billed(usage(fresh=1000))
    assert second.refused() is None


def test_asking_twice_sets_nothing_more_aside() -> None:
    """A retry of what was certainly not billed."""
    budget = Budget(Decimal("0.01"))
    call = budget.call(CENT, RATE)
    assert [call.refused(), call.refused()] == [None, None]
    call.free()
    assert budget.call(CENT, RATE).refused() is None


def test_what_is_lost_stays_counted_at_its_most() -> None:
    """No answer, or one without usage."""
    budget = Budget(Decimal("0.02"))
    first, second = budget.call(CENT, RATE), budget.call(CENT, RATE)
    assert [first.refused(), second.refused()] == [None, None]
    first.lost()
    assert second.billed(None) is None
    account = budget.account()
    assert (account.n_lost, account.n_answered, account.usd, account.usd_at_most) == (2, 0, Decimal(0), Decimal("0.02"))
    assert budget.call(CENT, RATE).refused() is not None


def test_no_price_and_a_ceiling_do_not_go_together() -> None:
    """Refused before it is sent; without a ceiling it is sent, and counted as unpriced, never as free."""
    bound = bound_of(b"{}", UNPRICED)
    refusal = Budget(Decimal(100)).call(bound, UNPRICED).refused()
    assert refusal is not None
    assert refusal.reason == "unpriced"
    budget = Budget()
    call = budget.call(bound, UNPRICED)
    assert call.refused() is None
    assert call.billed(usage(fresh=5)) is None
    assert (budget.account().n_unpriced, budget.account().usd, budget.account().fresh_tokens) == (1, Decimal(0), 5)


def test_iterations_are_what_is_billed() -> None:
    """A compaction on demand: zero at the top, the cost in its iteration."""
    spent = usage(fresh=100, read=50_000, output=1000)
    told = Usage(fresh=0, read=0, write_by_ttl_s={}, output=0, iterations=(spent,))
    budget = Budget()
    call = budget.call(CENT, RATE)
    assert call.refused() is None
    assert call.billed(told) == Decimal("0.0303")
    account = budget.account()
    assert (account.fresh_tokens, account.read_tokens, account.output_tokens) == (100, 50_000, 1000)


def test_a_step_that_is_not_understood_is_counted_at_the_most() -> None:
    """Its price is not known: the call is unpriced, and its bound is gone."""
    unknown = Usage(fresh=None, read=None, write_by_ttl_s=None, output=None)
    told = Usage(fresh=1, read=0, write_by_ttl_s={}, output=1, iterations=(usage(fresh=1, output=1), unknown))
    budget = Budget()
    assert budget.call(CENT, RATE).billed(told) is None
    assert (budget.account().n_unpriced, budget.account().usd_at_most) == (1, Decimal("0.01"))


@given(
    most=st.integers(0, 100),
    calls=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 100), st.sampled_from(["bill", "lose", "free"]))),
)
def test_the_ceiling_is_never_passed(most: int, calls: list[tuple[int, int, str]]) -> None:
    """Whatever happens to the calls, while none costs more than its bound, what was spent is at most the ceiling."""
    million = Rate(model="m", fresh=Decimal(1_000_000), read=Decimal(1), output=Decimal(1))
    budget = Budget(Decimal(most))
    for n_most, percent, end in calls:
        call = budget.call(Bound(input_tokens=n_most, output_tokens=0, usd=Decimal(n_most), rule=""), million)
        if call.refused() is not None:
            continue
        if end == "bill":
            call.billed(usage(fresh=n_most * percent // 100))
        elif end == "lose":
            call.lost()
        else:
            call.free()
    assert budget.account().usd_at_most <= most


@given(st.text(), st.integers(1, 100_000))
def test_no_text_has_more_tokens_than_its_body_bytes(text: str, limit: int) -> None:
    """The bound is of the bytes as they are sent, in either spelling."""
    for ascii_only in (True, False):
        body = json.dumps({"max_tokens": limit, "a": text}, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert bound_of(body, RATE).input_tokens == len(body) + 2000
