"""A sweep of job times."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from cgcli.cachesim.options import CacheOptions
from cgcli.model import changed
from cgcli.readers import read
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.options import Mode, ModeOptions
from cgcli.replay.paired.clock import Clock
from cgcli.replay.paired.expand_tool import Inject
from cgcli.replay.paired.replay import Wanted
from cgcli.replay.paired.sweep import gap_s, sweep
from tests.replay.paired.lanes import body, conversation, growing, lines, planned, run

TALK = conversation(6)
PLAN = changed(planned("mask"), mode=Mode.ASYNC)


def timed(*sent_s: float) -> bytes:
    """A session whose requests are sent at these seconds."""
    records = [json.loads(line) for line in lines(growing(TALK)[: len(sent_s)]).splitlines()]
    told = [{**one, "sent_s": at, "answered_s": at + 1} for one, at in zip(records, sent_s, strict=True)]
    return b"".join(json.dumps(one).encode() + b"\n" for one in told)


@pytest.mark.parametrize(
    ("sent_s", "gap"),
    [((0, 10, 20, 30), 10), ((0, 1, 101, 104), 3), ((0, 4, 10), 5), ((0, 0, 0), 0), ((7,), None)],
)
def test_the_gap_is_the_median_between_requests_of_a_thread(sent_s: tuple[float, ...], gap: float | None) -> None:
    """Of two in the middle their mean; with one request there is none."""
    assert gap_s(run(timed(*sent_s), PLAN)) == gap


def test_the_gap_is_within_a_thread() -> None:
    """Two conversations that take turns every 10 s each wait 20 s."""
    first, second = growing(conversation(3)), growing(conversation(3, first="sweep the deck"))
    bodies = [one for pair in zip(first, second, strict=True) for one in pair]
    file = lines(bodies, gap_s=10, sessions=["a", "b"] * len(first))

    assert gap_s(run(file, PLAN)) == 20


def test_there_is_no_gap_without_a_mode() -> None:
    """Nothing was simulated that has one."""
    assert gap_s(run(lines([body(TALK[:1])]), planned("mask"))) is None


def test_each_job_time_is_a_share_of_the_gap() -> None:
    """What a job with one call takes; how much it scatters stays, and so does the rest but what defers nothing."""
    options = ModeOptions(latency=Latency(median_s=3, sigma=0.5, seed=4), step_s=0.5, barren=7)
    plans = (changed(PLAN, mode=Mode.SYNC), PLAN, changed(PLAN, mode=Mode.OBSERVE))
    wanted = Wanted(planned=plans, cache=CacheOptions(), clock=Clock(), inject=Inject.NEVER, modes=options)
    found = list(sweep(lambda: read(BytesIO(lines(growing(TALK))), file="test.jsonl"), wanted, 20.0))

    assert [(one.ratio, one.job_s) for one in found] == [(0.1, 2.0), (0.5, 10.0), (1.0, 20.0), (2.0, 40.0)]
    assert [len(one.arms) for one in found] == [1] * 4
    told = [one.arms[0].options for one in found]
    assert [one.latency for one in told] == [
        Latency(median_s=median_s, sigma=0.5, seed=4) for median_s in (1.5, 9.5, 19.5, 39.5)
    ]
    assert {one.barren for one in told} == {7}


def test_no_job_takes_less_than_nothing() -> None:
    """Where the policy alone takes longer than a tenth of the gap, its call takes no time."""
    wanted = Wanted(planned=(PLAN,), cache=CacheOptions(), modes=ModeOptions(step_s=5.0))
    first, *_ = sweep(lambda: read(BytesIO(lines(growing(TALK))), file="test.jsonl"), wanted, 20.0)

    assert first.arms[0].options.latency.median_s == 0
