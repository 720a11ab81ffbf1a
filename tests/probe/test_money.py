"""The ceiling is never passed, by what the provider really billed; the account is true."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import LiveError
from tests.live.asking import MARK
from tests.live.provider import Fault, Provider
from tests.probe.probed import Probing, conversation, reasons

if TYPE_CHECKING:
    from tests.live.provider import Seen
    from tests.live.wire import Answer

BODY = conversation(1500, 400, 300, 200, mark=MARK)
FAULTS = st.lists(
    st.sampled_from(
        [
            Fault("status", status=529),
            Fault("status", status=500),
            Fault("status", status=400),
            Fault("broken"),
            Fault("empty"),
            Fault("drop"),
        ]
    ),
    max_size=4,
)


class Billing(Provider):
    """A provider that keeps its own books, of answers that never arrive too."""

    def __init__(self) -> None:
        """Nothing is billed yet."""
        super().__init__()
        self.billed: list[dict[str, Any]] = []

    def answer(self, seen: Seen, fault: Fault | None) -> Answer:
        """The answer; its usage is written down."""
        answer = super().answer(seen, fault)
        usage = answer.body["usage"]
        self.billed += usage.get("iterations") or [usage]
        return answer

    @property
    def usd(self) -> Decimal:
        """What all of it costs at claude-sonnet-4-6's prices of 2026-11-30, marks of five minutes."""
        millionths = sum(
            (
                one["input_tokens"] * 3
                + one["cache_read_input_tokens"] * Decimal("0.30")
                + one["cache_creation_input_tokens"] * Decimal("3.75")
                + one["output_tokens"] * 15
                for one in self.billed
            ),
            start=Decimal(0),
        )
        return millionths / 1_000_000


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 300), st.integers(0, 2), FAULTS, FAULTS)
def test_the_ceiling_is_never_passed(thousandths: int, retries: int, first: list[Fault], later: list[Fault]) -> None:
    """Whatever fails before and behind the parent: what was billed lies within the account, and that in the ceiling."""
    most = Decimal(thousandths) / 1000
    with Billing() as provider, tempfile.TemporaryDirectory() as folder:
        probing = Probing(provider, Path(folder))
        provider.faults.extend(first)

        def fail(sent: bytes) -> None:
            if sent == provider.seen[0].body:
                provider.faults.extend(later)

        with suppress(LiveError):
            probing(BODY, after=fail, most_usd=str(most), retries=retries)
        account = probing.budget.account()
        assert account.usd <= provider.usd <= account.usd_at_most <= most
        assert account.n_over_bound == 0


def test_a_ceiling_that_is_high_enough_changes_nothing(probing: Probing) -> None:
    """All three are sent, and the account has what the provider's own prices give."""
    probed = probing(BODY, "standalone", "fork", most_usd="1")
    assert set(reasons(probed).values()) == {None}
    # Parent: 2,424 written, 10 out. Fork: 2,424 read.
    assert probed.sent[0].usd == Decimal("0.00924")
    fork = probed.sent[2]
    assert fork.usage is not None
    assert fork.usd == (2424 * Decimal("0.30") + (fork.usage.fresh or 0) * 3 + 10 * 15) / Decimal(1_000_000)
    assert probing.budget.account().usd == sum(one.usd or 0 for one in probed.sent)


def test_a_ceiling_below_the_parent_sends_nothing(probing: Probing) -> None:
    """Not a byte leaves, and the rest is not sent either."""
    probed = probing(BODY, "standalone", "fork", most_usd="0.001")
    assert reasons(probed) == {"parent": "max_usd", "standalone": "not_sent", "fork": "not_sent"}
    assert probing.provider.seen == []


@pytest.mark.parametrize(("most", "reason", "n_seen"), [("100", "unpriced", 0), (None, None, 2)])
def test_without_a_price_no_ceiling_can_be_kept(
    probing: Probing, most: str | None, reason: str | None, n_seen: int
) -> None:
    """Refused before anything is sent; without a ceiling it is sent, and what it cost stays unknown, never zero."""
    body = conversation(1500, 400, 300, 200, mark=MARK)
    body["model"] = "claude-mythos-preview"
    probed = probing(body, "fork", most_usd=most)
    assert probed.sent[0].refusal is None if reason is None else reasons(probed)["parent"] == reason
    assert len(probing.provider.seen) == n_seen
    assert [one.usd for one in probed.sent] == [None, None]
