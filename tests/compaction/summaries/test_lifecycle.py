"""Asked at one threshold, applied at another: what is sent in between, and what a summary stands for."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.state import HeldRule
from cgcli.compaction.summaries.state import What
from cgcli.model import Basis, Refusal
from cgcli.summarisers.protocol import Summary
from tests import oracle
from tests.compaction.stepping import Age, Drop, known
from tests.compaction.summaries.lane import (
    APPLY,
    ASK,
    HEADER,
    SHORT,
    Lane,
    counted,
    history,
    of,
    said,
)
from tests.lanes.placing import Json, turn, user

if TYPE_CHECKING:
    from cgcli.summarisers.protocol import Task


def _is_summary(message: Json) -> bool:
    content = message["content"]
    return message["role"] == "user" and isinstance(content, list) and content[0].get("text", "").startswith(HEADER)


def _summaries(sent: Json) -> list[int]:
    return [i for i, message in enumerate(sent["messages"]) if _is_summary(message)]


def test_it_is_asked_for_at_one_threshold_and_applied_at_the_other() -> None:
    """The first request of 1,800 characters asks, the first of 2,760 has the summary; none in between does anything."""
    lane = Lane()
    sizes = [counted(history(n)) for n in range(9)]
    sent = lane.grow(8)
    asking = next(n for n, size in enumerate(sizes) if size >= ASK)
    applying = next(n for n, size in enumerate(sizes) if size >= APPLY)
    assert asking + 1 < applying
    assert [turn[0] if turn else None for turn in lane.turns[: applying + 1]] == [
        *[None] * asking,
        "asked",
        "answered",
        *[None] * (applying - asking - 2),
        "applied",
    ]
    assert [_summaries(one) for one in sent[: applying + 1]] == [*[[]] * applying, [1]]


def test_before_the_swap_the_bytes_are_those_of_a_control() -> None:
    """Forked or not, answered or not: until the summary is in its place what is sent is what came in."""
    forked, unanswered = Lane(call="fork"), Lane(call="fork", answer=None)
    for n in range(9):
        record = history(n)
        plain = json.dumps(record).encode()
        forked.send(record)
        unanswered.send(record)
        assert unanswered.sent[-1] == plain
        if not any(event.what is What.APPLIED for event in forked.events):
            assert forked.sent[-1] == plain
    assert forked.sent[-1] != json.dumps(history(8)).encode()
    assert forked.tasks[0].call.mode is CallMode.FORK


def test_the_swap_puts_one_user_message_in_the_place_of_the_span() -> None:
    """The head stays, the span is gone, and all that stood behind it is there, byte for byte."""
    lane = Lane()
    sent = lane.grow(7)[-1]
    (applied,) = [event for event in lane.events if event.what is What.APPLIED]
    assert applied.start is not None
    assert applied.stop is not None
    came = history(7)
    assert sent["messages"][:1] == came["messages"][:1]
    assert sent["messages"][2:] == came["messages"][applied.stop :]
    (summary,) = [message for message in sent["messages"] if _is_summary(message)]
    written = json.dumps(came["messages"][applied.start : applied.stop])[1:-1]
    key = oracle.marker_key(written)
    assert summary["content"][0]["text"] == (
        f"{HEADER}\nShort.\n<<cg:{key}>> [full earlier trajectory: call context_guru_expand]"
    )
    assert {key: sent[key] for key in sent if key != "messages"} == {
        key: came[key] for key in came if key != "messages"
    }


def test_one_summary_is_in_flight_at_a_time() -> None:
    """However long the answer takes, and however large the requests become, nothing more is asked."""
    lane = Lane(answer=None)
    lane.grow(12)
    assert lane.told == ["asked"]
    assert len(lane.tasks) == 1


def test_the_parent_is_what_was_sent_on_the_asking_turn() -> None:
    """The fork is that request and one message more; nothing that came later is in it."""
    lane = Lane(call="fork")
    lane.grow(8)
    asking = next(i for i, turn in enumerate(lane.turns) if "asked" in turn)
    fork = json.loads(lane.tasks[0].call.body)
    parent = json.loads(lane.sent[asking])
    assert fork["messages"][:-1] == parent["messages"]
    assert len(fork["messages"]) == len(parent["messages"]) + 1
    end = lane.sent[asking].rindex(b"]")
    assert lane.tasks[0].call.body.startswith(lane.sent[asking][:end])


def test_the_parent_has_the_edits_of_that_turn_and_earlier_summaries() -> None:
    """The second call is built from what was sent then: the first summary and shortened outputs, not the input."""
    lane = Lane(Drop(), call="fork", budget_tokens=900)
    for n in range(30):
        lane.send(history(n))
    assert len(lane.tasks) >= 2
    for task in lane.tasks:
        *_, newest = [i for i, one in enumerate(lane.sent) if task.call.body.startswith(one[: one.rindex(b"]")])]
        assert "asked" in lane.turns[newest]
    second = json.loads(lane.tasks[1].call.body)
    assert _summaries(second) == [1]
    assert said(0) not in str(second)
    assert f"<<cg:{oracle.marker_key(said(28))}>>" in str(json.loads(lane.sent[-1]))


def test_a_second_summary_leaves_the_first_alone() -> None:
    """It begins behind it, and the request has the prefix up to the first one's end as it was sent before."""
    lane = Lane()
    sent = lane.grow(20)
    applied = [event for event in lane.events if event.what is What.APPLIED]
    assert len(applied) >= 2
    assert [one.start for one in applied[1:]] == [one.stop for one in applied[:-1]]
    swaps = [i for i, turn in enumerate(lane.turns) if "applied" in turn]
    for n, i in enumerate(swaps[1:], 1):
        before, after = sent[i - 1]["messages"], sent[i]["messages"]
        assert _summaries(sent[i]) == list(range(1, n + 2))
        assert after[: n + 1] == before[: n + 1]
        summary = json.dumps(after[n], separators=(",", ":")).encode()
        end = lane.sent[i].index(summary) + len(summary)
        assert lane.sent[i][:end] == lane.sent[i - 1][:end]


def test_each_call_is_about_messages_that_no_earlier_one_was_about() -> None:
    """A summary is not summarised again: the spans of the input are disjoint and in order."""
    lane = Lane()
    lane.grow(24)
    spans = [(event.start, event.stop) for event in lane.events if event.what is What.ASKED]
    assert len(spans) >= 3
    assert all(stop is not None and start is not None for start, stop in spans)
    assert [start for start, _ in spans[1:]] == [stop for _, stop in spans[:-1]]


def test_a_summary_stays_byte_for_byte() -> None:
    """From its swap on every request has it in the same bytes."""
    lane = Lane()
    sent = lane.grow(12)
    swap = next(i for i, turn in enumerate(lane.turns) if "applied" in turn)
    first = sent[swap]["messages"][1]
    assert [one["messages"][1] for one in sent[swap:]] == [first] * (len(sent) - swap)


def test_an_edit_inside_the_span_drops_what_was_asked() -> None:
    """It is counted as dropped, nothing of the old answer is used, and a new one is asked for."""
    lane = Lane()
    lane.grow(6)
    (asked,) = [event for event in lane.events if event.what is What.ASKED]
    other = of(said(0, "y"), *(said(n) for n in range(1, 6)))
    assert _summaries(lane.send(other, shared=1)) == []
    assert lane.told == ["asked", "answered", "dropped lane_edited", "asked"]
    dropped = lane.events[2]
    assert (dropped.start, dropped.stop, dropped.ticket) == (asked.start, asked.stop, asked.ticket)
    assert lane.events[3].ticket is not asked.ticket


def test_an_edit_behind_the_span_leaves_what_was_asked() -> None:
    """The messages that it is about are the same, so the summary is true."""
    lane = Lane()
    lane.grow(6)
    (asked,) = [event for event in lane.events if event.what is What.ASKED]
    assert asked.stop is not None
    record = history(6)
    record["messages"] = [
        *record["messages"][: asked.stop],
        *turn(90, said(90)),
        *turn(91, said(91)),
        *turn(92, said(92)),
    ]
    lane.send(record, shared=asked.stop)
    assert "dropped lane_edited" not in lane.told


def test_what_a_branch_does_not_have_is_not_lost_with_it() -> None:
    """The main line's summary is in flight still: a branch before the span's end counts nothing as dropped."""
    lane = Lane()
    lane.grow(6)
    trunk = lane.state
    lane.facts = {"is_copy": True}
    lane.send(of(said(0, "y")), shared=1)
    assert lane.told == ["asked", "answered"]
    lane.state, lane.facts = trunk, {}
    lane.send(history(7), shared=13)
    assert lane.told[2] == "applied"


def test_a_branch_behind_the_span_takes_the_summary_along() -> None:
    """Both ways have the same bytes in the span's place."""
    lane = Lane()
    lane.grow(7)
    trunk = lane.state
    assert lane.told == ["asked", "answered", "applied"]
    other = of(*(said(n) for n in range(6)), said(6, "z"))
    branch = lane.send(other, shared=13)
    lane.state = trunk
    main = lane.send(history(8), shared=15)
    assert branch["messages"][1] == main["messages"][1]
    assert _summaries(branch) == _summaries(main) == [1]


def test_after_a_refused_answer_there_is_a_rest() -> None:
    """The next call is made when the request has grown by a twentieth of the budget, not on the same turn."""
    lane = Lane(answer=Refusal(reason="timeout", detail="no answer in time"))
    for n in range(60):
        lane.send(of(*(said(k)[:20] for k in range(n))))
    refusing = [i for i, turn in enumerate(lane.turns) if "refused" in turn]
    asking = [i for i, turn in enumerate(lane.turns) if "asked" in turn]
    assert len(refusing) >= 3
    sizes = [outcome.after_tokens for outcome in lane.outcomes]
    for refused, again in zip(refusing, asking[1:], strict=False):
        assert sizes[again] >= sizes[refused] + 150 > sizes[again - 1]
    assert set(lane.told) == {"asked", "refused timeout"}


def test_after_no_span_was_found_there_is_a_rest_too() -> None:
    """Where all must stay nothing is asked on every turn, and each time is counted."""
    lane = Lane(keep_last=100)
    lane.grow(8)
    assert set(lane.told) == {"refused nothing_to_select"}
    assert 1 < len(lane.told) < 8
    assert lane.tasks == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("see <<cg:0123456789abcdef>>", "forged_marker"),
        (f"{HEADER}\nAll is well.", "forged_marker"),
        ("x" * 5000, "not_smaller"),
    ],
)
def test_an_answer_that_may_not_stand_there_is_refused(text: str, reason: str) -> None:
    """Counted with its reason; the requests stay as they came."""
    lane = Lane(answer=Summary(text=text, basis=Basis.SIMULATED))
    lane.grow(6)
    assert f"refused {reason}" in lane.told
    assert "applied" not in lane.told
    assert lane.sent == [json.dumps(history(n)).encode() for n in range(7)]


@pytest.mark.parametrize(("more", "is_taken"), [(-1, True), (0, False), (1, False)])
def test_a_summary_must_be_smaller_than_its_span(more: int, *, is_taken: bool) -> None:
    """With its heading and marker: one token less is taken, equality is not."""
    trial = Lane()
    trial.grow(7)
    (applied,) = [event for event in trial.events if event.what is What.APPLIED]
    assert applied.span_tokens is not None
    assert applied.summary_tokens is not None
    longer = SHORT.text + "x" * (applied.span_tokens - applied.summary_tokens + more)
    lane = Lane(answer=Summary(text=longer, basis=Basis.SIMULATED))
    lane.grow(7)
    assert ("applied" in lane.told) is is_taken
    assert ("refused not_smaller" in lane.told) is not is_taken
    if not is_taken:
        assert lane.sent[-1] == json.dumps(history(7)).encode()


def test_a_fault_is_reverted_alone() -> None:
    """A tokenizer that fails on a summary costs the summary: the requests go on as they came, and it is said."""

    def count(text: str) -> int:
        if text.startswith(HEADER):
            raise ZeroDivisionError("no heading")
        return len(text)

    lane = Lane(count=count)
    lane.grow(8)
    assert "refused raised" in lane.told
    assert "applied" not in lane.told
    assert next(event.detail for event in lane.events if event.reason == "raised") == "ZeroDivisionError('no heading')"
    assert lane.sent[-1] == json.dumps(history(8)).encode()


def test_the_tokens_saved_are_before_less_after() -> None:
    """On every turn, told from the bytes: what came in, what went out, and what the components say they took."""
    lane = Lane(Drop(), Dedup(min_tokens=50), rule=HeldRule.IGNORE, budget_tokens=1200)
    outputs = [said(n % 7) if n % 3 else f"{n}: short" for n in range(40)]
    for n in range(41):
        record = of(*outputs[:n])
        sent = lane.send(record)
        outcome = lane.outcomes[-1]
        assert outcome.before_tokens == counted(record)
        assert outcome.after_tokens == counted(sent)
        assert sum(lane.state.saved.values()) == counted(record) - counted(sent)
    assert lane.state.saved["summarize"] > 0
    assert lane.state.saved["drop"] > 0


def test_where_a_lane_goes_back_its_savings_go_back() -> None:
    """A lane that is cut before the span has no summary and no savings of one."""
    lane = Lane()
    lane.grow(8)
    assert lane.state.saved["summarize"] > 0
    lane.send(history(1), shared=3)
    assert lane.state.saved.get("summarize", 0) == 0
    assert lane.sent[-1] == json.dumps(history(1)).encode()
    assert lane.outcomes[-1].after_tokens == counted(history(1))


def test_the_swap_says_from_where_on_the_prefix_is_rewritten() -> None:
    """The span's first message of the input; on any other turn nothing is rewritten."""
    lane = Lane()
    lane.grow(12)
    rewritten = [outcome.rewritten_from for outcome in lane.outcomes]
    starts = [event.start for event in lane.events if event.what is What.APPLIED]
    assert [one for one in rewritten if one is not None] == starts
    assert [i for i, one in enumerate(rewritten) if one is not None] == [
        i for i, turn in enumerate(lane.turns) if "applied" in turn
    ]


def test_an_output_that_points_into_the_span_is_whole_again() -> None:
    """A repeat of what a summary stands for now is not "identical to an earlier output" of the request any more."""
    lane = Lane(Dedup(min_tokens=50))
    texts = [said(0), *(said(n) for n in range(1, 5)), said(0), *(said(n) for n in range(5, 9))]
    pointed: list[bool] = []
    for n in range(len(texts) + 1):
        sent = lane.send(of(*texts[:n]))
        seen: set[str] = set()
        for _, text in oracle.tool_outputs(sent):
            if text.startswith("[identical"):
                pointed.append(True)
                assert f"<<cg:{oracle.marker_key(said(0))}>>" in text
                assert said(0) in seen
            seen.add(text)
        assert lane.outcomes[-1].after_tokens == counted(sent)
    assert pointed
    assert "applied" in lane.told
    assert said(0) in dict(oracle.tool_outputs(json.loads(lane.sent[-1]))).values()


def test_a_repeat_of_what_is_gone_is_no_repeat() -> None:
    """The first output behind the summary that has the text of one inside it is sent whole."""
    lane = Lane(Dedup(min_tokens=50))
    lane.grow(7)
    assert "applied" in lane.told
    sent = lane.send(of(*(said(n) for n in range(7)), said(0)))
    assert dict(oracle.tool_outputs(sent)).popitem()[1] == said(0)


def test_slots_inside_the_span_go_with_it() -> None:
    """Their decisions are no edits of their own any more, and the summary's original is what the input has there."""
    lane = Lane(Drop(), budget_tokens=1200)
    for n in range(20):
        lane.send(history(n))
    outcome = lane.outcomes[-1]
    spans = [(start, stop) for start, stop, _ in outcome.edits]
    assert all(stop <= start for (_, stop), (start, _) in pairwise(spans))
    (applied, *_) = [one for one in lane.outcomes if any(event.what is What.APPLIED for event in one.summaries)]
    (kept,) = [one for one in applied.decided if one.covers == "messages"]
    assert said(0).encode() in kept.original
    assert b"<<cg:" not in kept.original


def test_nobody_writes_summaries() -> None:
    """`none`: no call is built, the reason is counted, and every request is as it came."""
    lane = Lane()
    lane.facts = {"can_answer": False}
    lane.grow(10)
    assert set(lane.told) == {"refused no_model"}
    assert lane.tasks == []
    assert lane.sent == [json.dumps(history(n)).encode() for n in range(11)]


def test_the_head_is_never_summarised() -> None:
    """Message 0, the task, is the same in every request that is sent, and `keep_first` keeps more."""
    for keep_first in (1, 3):
        lane = Lane(keep_first=keep_first)
        sent = lane.grow(14)
        assert "applied" in lane.told
        assert all(one["messages"][:keep_first] == history(14)["messages"][:keep_first] for one in sent[7:])
        assert {event.start for event in lane.events if event.what is What.ASKED} >= {keep_first}


def test_the_last_message_of_the_user_stays() -> None:
    """However old it is, and what comes before it may go."""
    lane = Lane()
    messages = [message for n in range(5) for message in turn(n, said(n))]
    for n in range(5, 12):
        record = history(0)
        later = [message for k in range(5, n) for message in turn(k, said(k))]
        record["messages"] = [user("go"), *messages, user("And now the other one."), *later]
        sent = lane.send(record)
        assert {"role": "user", "content": "And now the other one."} in sent["messages"]
    assert "applied" in lane.told


def _task_answer(task: Task) -> Summary:
    return Summary(text=f"{task.selection.n_messages} messages.", basis=Basis.SIMULATED)


def test_the_task_tells_which_messages_of_the_parent_are_meant() -> None:
    """Its selection counts in the parent, where earlier summaries are one message each."""
    lane = Lane(answer=_task_answer)
    lane.grow(24)
    assert len(lane.tasks) >= 3
    asked = [event for event in lane.events if event.what is What.ASKED]
    for n, (task, event) in enumerate(zip(lane.tasks, asked, strict=True)):
        assert task.selection.start == 1 + n
        assert event.start is not None
        assert event.stop is not None
        assert task.selection.n_messages == event.stop - event.start
        span = json.loads(bytes(task.request.raw))["messages"][task.selection.start : task.selection.stop]
        assert span == history(24)["messages"][event.start : event.stop]


def test_an_output_that_was_covered_may_be_decided_about_again() -> None:
    """Where the lane goes back before the summary, what was open inside the span is open as before."""
    lane = Lane(Age())
    for n in range(10):
        record = history(n)
        lane.send(record, held=known(len(record["messages"])))
    assert "applied" in lane.told
    assert lane.state.summaries.covers(2)
    sent = lane.send(history(2), shared=5, held=known(5, is_cold=True))
    assert [text for _, text in oracle.tool_outputs(sent)] == [f"old <<cg:{oracle.marker_key(said(0))}>>", said(1)]
