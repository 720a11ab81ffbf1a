"""Findings S1 to S5 of the sources' review, on the tail policy: each against the rule that had the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.model import changed
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.tail import Protect
from tests.replay.modes.driving import (
    SLOW,
    drive,
    extracting,
    marked,
    options,
    read_tokens,
    sync,
    tail_marked,
    written_tokens,
)
from tests.replay.paired.lanes import conversation, growing, lines, planned

if TYPE_CHECKING:
    from cgcli.replay.modes.deferring import Inline
    from cgcli.replay.modes.tail import Tail
    from cgcli.replay.modes.tracker import Generation
    from cgcli.replay.run import Stage

MESSAGES = conversation(15)
TAILS = lines([tail_marked(MESSAGES[:n]) for n in (21, 23, 31)])
"""Three requests of one agent that marks the last message of each, and no other."""
MARKED = lines(growing(conversation(8)))
"""An agent that marks its system prompt and the last message."""
STRIPPING = options(SLOW, strip_caller_breakpoints=True)
WITH_MARKS = extracting("cacheinject")


class OwnMarksOnly(AsyncArm):
    """S1: the marks that the caller set are counted, and stay."""

    def _deferred(self, inline: Inline) -> tuple[Tail | None, str]:
        found, job = super()._deferred(inline)
        return changed(found, strips=()) if found is not None else None, job


class FirstTurnToo(AsyncArm):
    """S2: the first turn's own span is protected, which is the whole request."""

    def _span(self, stage: Stage, generation: Generation, *, is_offering: bool) -> int | None:
        return super()._span(stage, changed(generation, is_first=False), is_offering=is_offering)


class WhateverIsCached(AsyncArm):
    """S3: where nothing is cached the boundary is never known, and everything is taken for the tail."""

    def _span(self, stage: Stage, generation: Generation, *, is_offering: bool) -> int | None:
        found = super()._span(stage, generation, is_offering=is_offering)
        return found if self.options.is_cache_aware else 0


class ThisTurnsSpan(AsyncArm):
    """S4: a job is pending, and what is protected is what is new in this turn."""

    def _span(self, stage: Stage, generation: Generation, *, is_offering: bool) -> int | None:
        found = super()._span(stage, generation, is_offering=is_offering)
        return stage.shared if found is not None else None


class NothingMarked(AsyncArm):
    """S5: lower write figures, because hardly anything is marked."""

    def _span(self, stage: Stage, generation: Generation, *, is_offering: bool) -> int | None:
        del stage, generation, is_offering
        return 0


def test_s1_the_callers_own_mark_in_the_doomed_tail_is_taken_out() -> None:
    """A job is to replace messages from 21 on: 20 is marked instead. Left to our own marks, 30 is written in vain."""
    ours, faulty = drive(TAILS, WITH_MARKS, AsyncArm, STRIPPING), drive(TAILS, WITH_MARKS, OwnMarksOnly, STRIPPING)
    assert marked(ours.bodies[2]) == [20]
    assert marked(faulty.bodies[2]) == [20, 30]
    assert ours.counters.async_tail_protected_turns == faulty.counters.async_tail_protected_turns == 2
    # The variant says that it protected the turn, and writes all the same what it says is not written.
    assert written_tokens(faulty)[2] > written_tokens(ours)[2] + 3000


def test_s1_left_to_the_caller_the_turn_is_not_deferred() -> None:
    """Where the host does not say that marks may be taken out they all stay, and the turn is counted as unprotected."""
    left = drive(TAILS, WITH_MARKS, AsyncArm, options(SLOW))
    assert [marked(body) for body in left.bodies] == [[12, 20], [12, 20, 22], [22, 25, 30]]
    assert [turn.job for turn in left.arm.mode_turns] == ["queued", "declined", "queued"]
    assert (left.counters.async_tail_unprotected_turns, left.counters.async_tail_protected_turns) == (1, 0)


def test_s2_the_first_turn_writes_its_prefix() -> None:
    """Nothing is pending for a lane that was never seen: the first request is marked and the second reads it."""
    own = changed(STRIPPING, protect=Protect.OWN)
    ours, faulty = drive(TAILS, WITH_MARKS, AsyncArm, own), drive(TAILS, WITH_MARKS, FirstTurnToo, own)
    assert marked(ours.bodies[0]) == [12, 20]
    assert marked(faulty.bodies[0]) == []
    assert read_tokens(ours)[1] > read_tokens(faulty)[1] + 5000


@pytest.mark.parametrize("protect", Protect)
def test_s3_cache_off_keeps_every_mark(protect: Protect) -> None:
    """Where nothing is cached nothing is protected: each request has the marks it has in sync, and goes on counting."""
    off = options(SLOW, strip_caller_breakpoints=True, is_cache_aware=False, protect=protect)
    inline = drive(TAILS, planned("cacheinject"), sync)
    ours, faulty = drive(TAILS, WITH_MARKS, AsyncArm, off), drive(TAILS, WITH_MARKS, WhateverIsCached, off)
    assert [marked(body) for body in ours.bodies] == [marked(body) for body in inline.bodies]
    assert [marked(body) for body in inline.bodies] == [[12, 20], [12, 20, 22], [22, 25, 30]]
    assert [marked(body) for body in faulty.bodies] == [[], [], []]
    assert ours.counters.async_tail_protected_turns == ours.counters.async_tail_unprotected_turns == 0


def test_s4_what_the_pending_job_replaces_is_protected() -> None:
    """The job of the second request replaces 21 and 22. One turn off, 22 is marked: the doomed part is written."""
    ours, faulty = drive(TAILS, WITH_MARKS, AsyncArm, STRIPPING), drive(TAILS, WITH_MARKS, ThisTurnsSpan, STRIPPING)
    assert marked(ours.bodies[2]) == [20]
    assert marked(faulty.bodies[2]) == [22]


def test_s5_fewer_marks_write_less_and_are_counted() -> None:
    """Without marks in the messages less is written than in sync, and more is paid: the marks per request say why."""
    inline = drive(MARKED, planned("cacheinject"), sync)
    fewer = drive(MARKED, WITH_MARKS, NothingMarked, STRIPPING)
    assert sum(written_tokens(fewer)) < sum(written_tokens(inline)) / 2
    usd = [sum(turn.usd or 0 for turn in arm.turns) for arm in (inline.arm, fewer.arm)]
    assert usd[1] > 2 * usd[0]
    told = [driven.counters.document()["breakpoints_per_request"] for driven in (inline, fewer)]
    assert told == [pytest.approx((2 + 3 * 7 + 4) / 9), 1.0]


def test_s5_protection_is_not_credited_with_what_no_job_replaced() -> None:
    """Turns are protected and less is written, and of the protected spans none was ever replaced by a job."""
    ours = drive(MARKED, WITH_MARKS, AsyncArm, STRIPPING)
    inline = drive(MARKED, planned("cacheinject"), sync)
    assert sum(written_tokens(ours)) < sum(written_tokens(inline))
    assert ours.counters.breakpoints < inline.counters.breakpoints
    assert ours.counters.async_tail_protected_turns == 7
    assert ours.counters.async_tail_protected_committed_turns == 0
