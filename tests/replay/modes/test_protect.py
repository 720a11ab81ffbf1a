"""The tail policy: where breakpoints are left, which turns are declined, what is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.cachesim.options import CacheOptions
from cgcli.model import changed
from cgcli.readers.single import parse_body
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.tail import Protect, last_marked, n_breakpoints, tail
from tests.captures import capture
from tests.replay.modes.driving import (
    PACED,
    SLOW,
    Around,
    drive,
    extracting,
    marked,
    options,
    read_tokens,
    tail_marked,
    unmarked,
    written_tokens,
)
from tests.replay.paired.lanes import MARK, conversation, growing, lines

if TYPE_CHECKING:
    from cgcli.replay.modes.tail import Tail
    from tests.captures import Dialect

Json = dict[str, Any]
MESSAGES = conversation(15)
TAILS = lines([tail_marked(MESSAGES[:n]) for n in (21, 23, 31)])
LANE = lines(growing(conversation(8)))
ANCHORED = {"cache_control": {"type": "ephemeral"}}


def _options(protect: Protect, **more: Any) -> Any:
    return options(SLOW, strip_caller_breakpoints=True, protect=protect, **more)


def _stripped(body: Json, from_message: int, *, assumed: bool = False) -> tuple[Json, Tail]:
    """*body* with what `tail` does to it, by the oracle's own splicing."""
    raw = json.dumps(body).encode()
    found = tail(parse_body(raw), from_message, (), assumed=assumed)
    for start, stop, new in sorted((*found.strips, *found.anchor), reverse=True):
        raw = raw[:start] + new + raw[stop:]
    return json.loads(raw), found


@pytest.mark.parametrize(
    ("protect", "expected"),
    [
        # The job of the second request is to replace 21 and 22; the first request's whole job has nothing before it.
        (Protect.PENDING, [[12, 20], [], [20]]),
        # The second request has 21 and 22 that are new, the third 23 and on.
        (Protect.OWN, [[12, 20], [12, 20], [22]]),
    ],
)
def test_breakpoints_of_each_rule(protect: Protect, expected: list[list[int]]) -> None:
    """Of three requests with 21, 23 and 31 messages, the messages that are marked when the jobs are slow."""
    done = drive(TAILS, extracting("cacheinject"), AsyncArm, _options(protect))
    assert [marked(body) for body in done.bodies] == expected
    assert [turn.is_protected for turn in done.arm.mode_turns] == [False, True, True]
    assert done.counters.async_tail_protected_turns == 2


def test_anchor_is_the_highest_safe_block() -> None:
    """Of 31 messages the last is marked, 23 and on are doomed: one mark remains, at the last block of 22."""
    body, found = _stripped(tail_marked(MESSAGES[:31]), 23)
    assert marked(body) == [22]
    assert body["messages"][22]["content"][-1]["cache_control"] == MARK["cache_control"]
    assert (found.n_callers, found.is_clean) == (1, True)
    plain = unmarked(MESSAGES[:31])
    plain["messages"][22]["content"][-1].pop("cache_control", None)
    del body["messages"][22]["content"][-1]["cache_control"]
    assert body == plain


def test_anchor_is_left_out_where_the_caller_has_one() -> None:
    """The last safe block is marked already: nothing is added."""
    messages = json.loads(json.dumps(MESSAGES[:31]))
    messages[22]["content"][-1] |= ANCHORED
    body, found = _stripped(tail_marked(messages), 23)
    assert marked(body) == [22]
    assert found.anchor == ()


def test_anchor_is_left_out_where_four_marks_stand_before_it() -> None:
    """A fifth mark would be refused by the provider: with four before the span none is added."""
    messages = json.loads(json.dumps(MESSAGES[:31]))
    for i in (2, 6, 10, 14):
        messages[i]["content"][-1] |= ANCHORED
    body, found = _stripped(unmarked(messages), 23)
    assert marked(body) == [2, 6, 10, 14]
    assert (found.anchor, found.n_callers, found.is_clean) == ((), 0, True)


@pytest.mark.parametrize("protect", Protect)
def test_anchor_takes_the_slot_of_what_was_taken_out(protect: Protect) -> None:
    """Four marks without protection; with it the system prompt, one of ours and the anchor."""
    bodies = growing(conversation(14))
    done = drive(lines(bodies), extracting("cacheinject"), AsyncArm, _options(protect))
    free = drive(lines(bodies), extracting("cacheinject"), AsyncArm, options(SLOW, cache_uncompacted_tail=True))
    most = [
        max(len(marked(body)) + sum("cache_control" in one for one in body["system"]) for body in one.bodies)
        for one in (free, done)
    ]
    assert most == [4, 3]
    assert done.counters.async_tail_protected_turns > 0


def test_anchor_stands_in_a_text_that_is_a_string() -> None:
    """A user's words that are a string become the list of one block that they are, which is marked."""
    messages = [{"role": "user", "content": "count the boats"}, *MESSAGES[1:3]]
    body, found = _stripped(tail_marked(messages), 1)
    assert body["messages"][0]["content"] == [{"type": "text", "text": "count the boats", **ANCHORED}]
    assert marked(body) == [0]
    assert found.is_clean


def test_nothing_before_the_span_has_no_anchor() -> None:
    """The whole conversation is doomed: its marks go, and those of the system prompt and the tools stay."""
    marked_twice = growing(conversation(3))[-1]
    body, found = _stripped(marked_twice, 0)
    assert marked(body) == []
    assert "cache_control" in body["system"][0]
    assert found.anchor == ()
    assert found.is_clean


def test_a_mark_inside_a_tool_result_is_taken_out() -> None:
    """A block inside an output can be marked too, and is looked for."""
    inner = [{"type": "text", "text": "pier 4"}, {"type": "text", "text": "pier 5", **ANCHORED}]
    result = {"type": "tool_result", "tool_use_id": "t0", "content": inner}
    messages = [*MESSAGES[:2], {"role": "user", "content": [result]}]
    body, found = _stripped(unmarked(messages), 1)
    assert marked(body) == [0]
    assert found.n_callers == 1
    assert found.is_clean


def test_automatic_caching_is_taken_out_too() -> None:
    """The member that marks the last block by itself is the caller's mark in the span: it goes, and an anchor comes."""
    content = lines([unmarked(MESSAGES[:n], **ANCHORED) for n in (21, 23, 31)])
    left = drive(content, extracting(), AsyncArm, options(SLOW))
    assert [turn.job for turn in left.arm.mode_turns] == ["queued", "declined", "queued"]
    assert all("cache_control" in body for body in left.bodies)
    done = drive(content, extracting(), AsyncArm, _options(Protect.OWN))
    assert ["cache_control" in body for body in done.bodies] == [True, False, False]
    assert [marked(body) for body in done.bodies] == [[], [20], [22]]


def test_marks_of_a_history_are_assumed_at_its_end() -> None:
    """A history records no marks. The assumed one is the caller's: declined, or an anchor stands in its stead."""
    content = lines([unmarked(MESSAGES[:n]) for n in (21, 23, 31)])
    assumed = Around(cache=CacheOptions(assumed_ttl="5m"))
    left = drive(content, extracting(), AsyncArm, options(SLOW), assumed)
    assert (left.counters.async_tail_unprotected_turns, left.counters.async_tail_protected_turns) == (1, 0)
    assert left.counters.breakpoints == 3
    done = drive(content, extracting(), AsyncArm, _options(Protect.OWN), assumed)
    assert [marked(body) for body in done.bodies] == [[], [20], [22]]
    assert written_tokens(done)[2] < written_tokens(left)[2]


def test_an_assumed_mark_that_nothing_replaces_stays() -> None:
    """With the whole history doomed there is no anchor, and the end counts as marked: the turn is declined."""
    _, found = _stripped(unmarked(MESSAGES[:3]), 0, assumed=True)
    assert (found.n_callers, found.is_clean) == (1, False)
    content = lines([unmarked(MESSAGES[:n]) for n in (21, 23)])
    assumed = Around(cache=CacheOptions(assumed_ttl="5m"))
    done = drive(content, extracting(), AsyncArm, _options(Protect.PENDING), assumed)
    assert [turn.job for turn in done.arm.mode_turns] == ["queued", "declined"]
    assert done.counters.async_tail_unprotected_turns == 1


@pytest.mark.parametrize("dialect", ["chat", "responses"])
def test_openai_caches_by_itself_and_is_declined(dialect: Dialect) -> None:
    """No mark of the caller's could be taken out: each turn with something to protect is declined, and counted."""
    content = capture(dialect=dialect, turns=6, seed=3)
    done = drive(content, extracting(), AsyncArm, _options(Protect.OWN), PACED)
    assert done.counters.async_tail_unprotected_turns == 6
    assert (done.counters.async_tail_protected_turns, done.queue.offered) == (0, 1)
    assert done.sent == content.splitlines()


@pytest.mark.parametrize("protect", Protect)
@pytest.mark.parametrize("switch", [{"is_cache_aware": False}, {"cache_uncompacted_tail": True}])
def test_where_nothing_is_to_be_protected_marks_stay(protect: Protect, switch: dict[str, bool]) -> None:
    """With the cache off, and by the escape, requests keep their marks and every turn is deferred."""
    done = drive(LANE, extracting(), AsyncArm, _options(protect, **switch))
    counters = done.counters
    assert (counters.async_tail_protected_turns, counters.async_tail_unprotected_turns) == (0, 0)
    assert done.queue.offered == 9
    assert [marked(body) for body in done.bodies] == [[n - 1] for n in range(1, 18, 2)]


def test_pending_protects_for_no_job_that_lands() -> None:
    """The finding: a job that is pending on a later turn is stale by then, so that no span it protects is replaced."""
    for median_s in (5.0, 15.0, 30.0, 50.0):
        told = changed(_options(Protect.PENDING), latency=changed(SLOW, median_s=median_s))
        counters = drive(LANE, extracting(), AsyncArm, told).counters
        assert counters.async_tail_protected_committed_turns == 0
        assert (counters.async_tail_protected_turns > 0) is (median_s > 20)
        # Where jobs do land, the tail that they replace was written by the turn that asked for them.
        assert (counters.async_tail_rewritten_turns > 0) is (median_s < 20)


def test_own_protects_for_the_jobs_that_land() -> None:
    """A turn's own span is kept out of the cache, its job lands before the next turn, and nothing is written twice."""
    fast = changed(_options(Protect.OWN), latency=changed(SLOW, median_s=5.0))
    pending = changed(fast, protect=Protect.PENDING)
    own, other = drive(LANE, extracting(), AsyncArm, fast), drive(LANE, extracting(), AsyncArm, pending)
    assert own.queue.committed == other.queue.committed == 7
    assert own.counters.async_tail_protected_committed_turns == 7
    assert (own.counters.async_tail_rewritten_turns, other.counters.async_tail_rewritten_turns) == (0, 7)
    assert sum(written_tokens(own)) < sum(written_tokens(other)) / 2
    assert sum(read_tokens(own)) > sum(read_tokens(other))


def test_a_suppressed_turn_has_no_job_of_its_own_to_protect_for() -> None:
    """Under `own` a lane that offers nothing keeps its marks, and none of its turns is declined."""
    done = drive(lines(growing(conversation(8, ["ok"] * 8))), extracting(), AsyncArm, _options(Protect.OWN))
    assert (done.queue.barren, done.queue.suppressed_barren) == (3, 6)
    assert done.counters.async_tail_protected_turns == 2  # the second and the third, whose jobs were taken in
    assert [marked(body)[-1] for body in done.bodies[3:]] == [6, 8, 10, 12, 14, 16]


def test_a_dropped_job_is_not_protected_for() -> None:
    """Under `own` a turn whose job finds no room in the queue keeps its marks: nothing will replace its tail."""
    told = _options(Protect.OWN, max_queue=0)
    done = drive(LANE, extracting(), AsyncArm, changed(told, latency=changed(SLOW, median_s=500.0)))
    dropped = [turn for turn in done.arm.mode_turns if turn.job == "dropped"]
    assert len(dropped) == done.queue.dropped > 0
    assert not any(turn.is_protected for turn in dropped)
    assert marked(done.bodies[-1]) == [16]


@pytest.mark.parametrize(
    ("body", "assumed", "n", "last"),
    [
        (growing(conversation(2))[-1], False, 2, 4),
        (unmarked(MESSAGES[:5]), False, 0, -1),
        (unmarked(MESSAGES[:5]), True, 1, 4),
        (unmarked(MESSAGES[:5], **ANCHORED), False, 1, 4),
        (unmarked(MESSAGES[:5], **ANCHORED), True, 1, 4),
        (tail_marked(MESSAGES[:3]), True, 1, 2),
    ],
)
def test_breakpoints_are_counted_with_the_automatic_one(body: Json, n: int, last: int, *, assumed: bool) -> None:
    """The marks of a request, the one that the provider sets, and the one that is assumed where none is recorded."""
    request = parse_body(json.dumps(body).encode())
    assert n_breakpoints(request, assumed=assumed) == n
    assert last_marked(request, assumed=assumed) == last
