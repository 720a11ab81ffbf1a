"""Threads: which request goes on from which."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cgcli.readers import read
from tests import oracle
from tests.lanes.placing import (
    OTHER_TOOLS,
    Json,
    body,
    called,
    lines,
    of_bodies,
    output,
    placed,
    said,
    turn,
    user,
)

GO = user("go")


def test_the_same_tools_and_system_join_nothing() -> None:
    """Two conversations with one head and other first messages are two threads."""
    relations, _ = of_bodies([body(user("one")), body(user("two"))])
    assert relations == [("new", 0, 0), ("new", 1, 0)]


def test_a_title_call_with_the_same_first_message_stays_out() -> None:
    """A side call that repeats the main line's first message under another head joins nothing and breaks nothing."""
    title = body(GO, model="claude-haiku-4-5", system="Name the topic.", tools=[])
    relations, lanes = of_bodies([title, body(GO), title, body(GO, *turn(1)), title, body(GO, *turn(1), *turn(2))])
    assert [thread for _, thread, _ in relations] == [0, 1, 0, 1, 0, 1]
    assert relations[3] == ("extends", 1, 1)
    assert lanes == [("side", [("side", [1, 3, 5])]), ("main", [("main", [2, 4, 6])])]


def test_two_runs_with_the_same_first_request_part_where_they_differ() -> None:
    """The second run branches off behind the first message, and each run goes on with its own."""
    one = [body(GO), body(GO, *turn(1, "a")), body(GO, *turn(1, "a"), *turn(2, "b"))]
    two = [body(GO), body(GO, *turn(3, "c")), body(GO, *turn(3, "c"), *turn(4, "d"))]
    relations, lanes = of_bodies([one[0], two[0], one[1], two[1], one[2], two[2]])
    assert relations == [
        ("new", 0, 0),
        ("extends", 0, 1),
        ("extends", 0, 1),
        ("branches", 1, 1),
        ("extends", 0, 3),
        ("extends", 1, 3),
    ]
    assert lanes == [("main", [("main", [1, 2, 3, 5])]), ("main", [("main", [4, 6])])]


def test_a_side_call_and_its_retry_are_taken_out_together() -> None:
    """The main line goes on from before both."""
    main = (GO, *turn(1))
    call = body(*main, user("Name the topic."))
    relations, lanes = of_bodies([body(*main), call, call, body(*main, *turn(2))])
    assert relations[3] == ("returns", 0, 3)
    assert lanes == [("main", [("main", [1, 4])]), ("side", [("side", [2, 3])])]


def test_a_side_call_that_is_sent_again_later_goes_on_from_itself() -> None:
    """After the main line went on, a repeat of the side call does not disturb it."""
    main = (GO, *turn(1))
    call = body(*main, user("Name the topic."))
    later = body(*main, *turn(2))
    relations, lanes = of_bodies([body(*main), call, later, call, body(*main, *turn(2), *turn(3))])
    assert relations[2:] == [("returns", 0, 3), ("extends", 1, 4), ("extends", 0, 5)]
    assert lanes == [("main", [("main", [1, 3, 5])]), ("side", [("side", [2, 4])])]


def test_a_side_call_that_becomes_a_conversation_is_a_lane_of_its_own() -> None:
    """What extends a side call extends it, not the main line."""
    main, asked = (GO, *turn(1)), user("And meanwhile?")
    bodies = [
        body(*main),
        body(*main, asked),
        body(*main, *turn(2)),
        body(*main, asked, said("Nothing."), user("Sure?")),
        body(*main, *turn(2), *turn(3)),
    ]
    relations, lanes = of_bodies(bodies)
    assert relations[3:] == [("extends", 1, 4), ("extends", 0, 5)]
    assert lanes == [("main", [("main", [1, 3, 5])]), ("main", [("main", [2, 4])])]


def test_a_side_call_under_another_head_is_taken_out_too() -> None:
    """A summary call that drops the tools shares the messages; the main line's own prefix is known as sent before."""
    main = (GO, *turn(1))
    bodies = [body(*main), body(*main, user("Summarise the session."), tools=[]), body(*main, *turn(2))]
    placements, _ = placed(read(BytesIO(lines(bodies)), file="made.jsonl"))
    assert [(one.relation.value, one.shared, one.sent, one.same_static) for one in placements] == [
        ("new", 0, 0, False),
        ("extends", 3, 0, False),
        ("returns", 3, 3, True),
    ]
    assert of_bodies(bodies)[1] == [("main", [("main", [1, 3])]), ("compaction", [("compaction", [2])])]


def test_two_models_in_turn_hold_a_prefix_each() -> None:
    """A request is compared with what its own model, tools and system were sent last."""
    history: list[Json] = [GO]
    bodies = []
    for i in range(4):
        bodies.append(body(*history, model=("claude-opus-4-5", "claude-sonnet-4-5")[i % 2]))
        history += turn(i)
    placements, _ = placed(read(BytesIO(lines(bodies)), file="made.jsonl"))
    assert [(one.shared, one.sent) for one in placements] == [(0, 0), (1, 0), (3, 1), (5, 3)]


def test_what_was_edited_away_is_no_longer_the_threads() -> None:
    """After an edit, a request with the older content shares only what stands before the edit."""
    older = (GO, *turn(1, "old"), *turn(2))
    newer = (GO, *turn(1, "new"), *turn(2), *turn(3))
    relations, _ = of_bodies([body(*older), body(*newer), body(*older, *turn(3), *turn(4))])
    assert relations == [("new", 0, 0), ("edits", 0, 2), ("edits", 0, 2)]


def test_fewer_than_half_again_is_a_thread_of_its_own() -> None:
    """A request that keeps one of three later messages branches off; with two of four it is an edit."""
    first = (GO, *turn(1, "a"), *turn(2, "b"))
    kept_two = body(GO, called(1), output(1, "other"), called(2), output(2, "changed"))
    kept_none = body(GO, *turn(8), *turn(9))
    assert of_bodies([body(*first), kept_two])[0][1] == ("branches", 1, 2)
    assert of_bodies([body(*first), body(GO, called(3), output(1, "x"), *turn(2, "b"))])[0][1] == ("edits", 0, 1)
    assert of_bodies([body(*first), kept_none])[0][1] == ("branches", 1, 1)


def test_a_rewritten_last_message_branches_off() -> None:
    """Another last message after the same answer is another way, not a side call of it."""
    shared = (GO, *turn(1), said("done"))
    relations, _ = of_bodies([body(*shared, user("one")), body(*shared, user("two"))])
    assert relations == [("new", 0, 0), ("branches", 1, 4)]


def test_other_tools_part_what_shares_no_answer() -> None:
    """A lone first message under other tools joins only where the request goes on with an answer."""
    assert of_bodies([body(GO), body(GO, tools=OTHER_TOOLS)])[0][1] == ("new", 1, 0)
    assert of_bodies([body(GO), body(GO, *turn(1), tools=OTHER_TOOLS)])[0][1] == ("extends", 0, 1)
    assert of_bodies([body(GO, *turn(1)), body(GO, *turn(1), *turn(2), tools=OTHER_TOOLS)])[0][1] == ("extends", 0, 3)


def test_a_window_of_constant_length_is_a_conversation() -> None:
    """A window that only slides grows by no message and is no side call."""
    history = [message for i in range(12) for message in turn(i, f"output {i}")]
    window = [body(GO, *history[2 * i : 2 * i + 4]) for i in range(5)]
    other = [body(user("else"), *history[: 2 * i], tools=OTHER_TOOLS) for i in range(3)]
    _, lanes = of_bodies([*window, *other])
    assert lanes == [("main", [("main", [1, 2, 3, 4, 5])]), ("main", [("main", [6, 7, 8])])]


Edits = st.lists(
    st.sampled_from(["grow", "grow", "grow", "retry", "side", "fork", "elide", "tools", "other"]), max_size=25
)


@given(steps=Edits, seed=st.integers(0, 9))
def test_what_is_called_shared_is_shared(steps: list[str], seed: int) -> None:
    """Whatever a client does, the shared messages of a request are the last ones of its thread, compared as a whole."""
    bodies = _walk(steps, seed)
    placements, lanes = placed(read(BytesIO(lines(bodies)), file="made.jsonl"))
    last: dict[int, list[str]] = {}
    under: dict[int, dict[str, list[str]]] = {}
    for one, placement in zip(bodies, placements, strict=True):
        told, head, thread = oracle.rendered_messages(one), one["tools"][0]["name"], placement.thread
        if placement.split is not None:
            last[placement.split.identity] = last[thread.identity]
            under[placement.split.identity] = dict(under[thread.identity])
        owner = thread.branch[0].identity if placement.relation == "branches" and thread.branch else thread.identity
        assert last.get(owner, [])[: placement.shared] == told[: placement.shared]
        before = under.get(owner, {}).get(head)
        assert placement.same_static == (before is not None)
        assert placement.sent == _common(before or [], told)
        last[thread.identity] = told
        under.setdefault(thread.identity, {})[head] = told
    numbers = sorted(turn.i_exchange for lane in lanes for epoch in lane.epochs for turn in epoch.thread.turns)
    assert numbers == list(range(len(bodies)))


def _common(one: list[str], other: list[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _walk(steps: list[str], seed: int) -> list[Json]:
    """The requests of a client that does these things."""
    history: list[Json] = [GO]
    fields: dict[str, Any] = {}
    bodies = [body(*history)]
    for i, step in enumerate(steps, seed * 100):
        sent = history
        if step in {"grow", "other"}:
            history = sent = [*history, *turn(i, f"{step} {i}")]
        elif step == "side":
            sent = [*history, user("Name the topic.")]
        elif step == "fork":
            history = sent = [*history[: max(1, len(history) // 2 // 2 * 2 + 1)], *turn(i, "another way")]
        elif step == "elide":
            history = sent = [
                _elided(message) if k == len(history) // 2 else message for k, message in enumerate(history)
            ]
        elif step == "tools":
            fields = {} if fields else {"tools": OTHER_TOOLS}
        bodies.append(body(*sent, **fields))
    return bodies


def _elided(message: Json) -> Json:
    if message["role"] != "user" or isinstance(message["content"], str):
        return message
    return {**message, "content": [{**message["content"][0], "content": "[gone]"}]}
