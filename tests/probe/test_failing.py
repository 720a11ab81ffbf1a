"""A provider that refuses, fails or goes away: what is still sent, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.errors import LiveError
from cgcli.probe.judging import judge
from tests.live.asking import MARK
from tests.live.provider import Fault, Provider
from tests.live.wire import Refused
from tests.probe.probed import Probing, conversation, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live.provider import Seen
    from tests.live.wire import Answer

BODY = conversation(1500, 400, 300, 200, mark=MARK)
HOSTILE = "no\x1b[31m\u202e\n[/bold]"


class Refusing(Provider):
    """A provider that answers its n-th request, from 1, with an error."""

    def __init__(self, n: int, error: Refused) -> None:
        """Refuse that one alone."""
        super().__init__()
        self._n = n
        self._error = error

    def answer(self, seen: Seen, fault: Fault | None) -> Answer:
        """The error, or the answer."""
        if len(self.seen) == self._n:
            raise self._error
        return super().answer(seen, fault)


@pytest.fixture(name="refusing")
def _refusing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Probing]:
    n, status = request.param
    with Refusing(n, Refused(status, "some_error", HOSTILE)) as provider:
        yield Probing(provider, tmp_path)


@pytest.mark.parametrize("refusing", [(2, 400), (2, 404), (2, 413)], indirect=True)
def test_a_refused_shape_does_not_stop_the_next(refusing: Probing) -> None:
    """A 404 neither: a server may have no such address. The fork is answered, and what it cost is known."""
    probed = refusing(BODY, "standalone", "fork")
    assert reasons(probed) == {"parent": None, "standalone": "provider_refused", "fork": None}
    refusal = probed.sent[1].refusal
    assert refusal is not None
    assert refusal.detail.endswith(": no\\x1b[31m\\u202e [/bold]")
    assert [(judged.gate, judged.verdict) for judged in judge(probed)] == [
        ("G-FORK-CACHED", "pass"),
        ("G-FORK-COST", "unknown"),
    ]
    assert refusing.budget.account().n_answered == 2


@pytest.mark.parametrize("refusing", [(2, 401), (2, 403)], indirect=True)
def test_a_key_that_is_not_taken_any_more_ends_it(refusing: Probing) -> None:
    """What was measured is kept; nothing else is sent."""
    probed = refusing(BODY, "standalone", "fork")
    assert reasons(probed) == {"parent": None, "standalone": "provider_refused", "fork": "not_sent"}
    assert len(refusing.provider.seen) == 2
    assert probed.sent[0].usd is not None


@pytest.mark.parametrize("refusing", [(1, 400), (1, 401)], indirect=True)
def test_without_the_parent_there_is_nothing_to_probe(refusing: Probing) -> None:
    """It is refused: an error, and nothing else is sent."""
    with pytest.raises(LiveError):
        refusing(BODY, "standalone", "fork")
    assert len(refusing.provider.seen) == 1


@pytest.mark.parametrize(
    ("faults", "reason", "slept_s"),
    [
        ([Fault("status", status=529, retry_after="7")], None, [7.0]),
        ([Fault("status", status=529)] * 3, "provider_failed", [1.0, 2.0]),
        ([Fault("broken")], "provider_failed", []),
        ([Fault("slow")] * 3, "provider_failed", [1.0, 2.0]),
        ([Fault("drop")], None, [1.0]),
        ([Fault("redirect")], "provider_failed", []),
        ([Fault("echo")], "provider_refused", []),
    ],
    ids=["busy", "busy-on", "broken", "slow", "dropped", "moved", "echo"],
)
def test_failures_of_one_request(
    probing: Probing, provider: Provider, faults: list[Fault], reason: str | None, slept_s: list[float]
) -> None:
    """Tried again where that may help, after the time that is asked for; else the next one is sent, but for a move."""

    def fail(_: bytes) -> None:
        if len(provider.seen) == 1:
            provider.faults.extend(faults)

    probed = probing(BODY, "standalone", "fork", after=fail)
    moved = faults[0].kind == "redirect"
    assert reasons(probed) == {"parent": None, "standalone": reason, "fork": "not_sent" if moved else None}
    assert probing.clock.slept_s == slept_s


def test_answers_are_kept_as_they_come(probing: Probing) -> None:
    """Each body that was answered, in order, the parent's too."""
    kept: list[bytes] = []
    probed = probing(BODY, "fork", after=kept.append)
    assert kept == [seen.body for seen in probing.provider.seen]
    assert len(kept) == len(probed.sent) == 2
