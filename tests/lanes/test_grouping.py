"""Lanes: what threads become at the end of a file."""

from __future__ import annotations

from tests.lanes.placing import OTHER_TOOLS, Json, body, of_bodies, turn, user

GO = user("go")


def _conversation(opening: str, n_requests: int, **fields: object) -> list[Json]:
    messages = [user(opening)]
    bodies = [body(*messages, **fields)]
    for i in range(n_requests - 1):
        messages += turn(i, f"{opening} {i}")
        bodies.append(body(*messages, **fields))
    return bodies


def _in_session(session: str, bodies: list[Json]) -> list[Json]:
    return [{"session_id": session, "request": {"body": one}} for one in bodies]


def _in_turn(one: list[Json], other: list[Json]) -> list[Json]:
    return [record for pair in zip(one, other, strict=True) for record in pair]


def test_a_conversation_after_another_under_one_head_is_its_next_epoch() -> None:
    """Two that do not overlap are one lane in two epochs."""
    _, lanes = of_bodies([*_conversation("one", 2), *_conversation("two", 3)])
    assert lanes == [("main", [("main", [1, 2]), ("restart", [3, 4, 5])])]


def test_overlapping_conversations_are_lanes_of_their_own() -> None:
    """Two that take turns cannot be epochs of one lane."""
    _, lanes = of_bodies(_in_turn(_conversation("one", 3), _conversation("two", 3)))
    assert lanes == [("main", [("main", [1, 3, 5])]), ("main", [("main", [2, 4, 6])])]


def test_another_head_is_another_lane() -> None:
    """One after another, but with other tools."""
    _, lanes = of_bodies([*_conversation("one", 2), *_conversation("two", 2, tools=OTHER_TOOLS)])
    assert lanes == [("main", [("main", [1, 2])]), ("main", [("main", [3, 4])])]


def test_without_tools_and_system_nothing_is_an_epoch_of_another() -> None:
    """A head that is empty says nothing about who speaks."""
    bare: Json = {"tools": [], "system": []}
    _, lanes = of_bodies([*_conversation("one", 2, **bare), *_conversation("two", 2, **bare)])
    assert lanes == [("main", [("main", [1, 2])]), ("main", [("main", [3, 4])])]


def test_a_session_id_joins_what_the_head_would_part() -> None:
    """One session that changes its tools and starts anew is one lane."""
    records = _in_session("s", [*_conversation("one", 2), *_conversation("two", 2, tools=OTHER_TOOLS)])
    assert of_bodies(records)[1] == [("main", [("main", [1, 2]), ("restart", [3, 4])])]


def test_a_session_id_parts_what_the_head_would_join() -> None:
    """Two sessions one after another under one head are two lanes."""
    records = [*_in_session("s", _conversation("one", 2)), *_in_session("t", _conversation("two", 2))]
    assert of_bodies(records)[1] == [("main", [("main", [1, 2])]), ("main", [("main", [3, 4])])]


def test_side_calls_of_two_sessions_are_two_lanes() -> None:
    """Calls with one head are pooled by session."""
    records = [
        *_in_session("s", _conversation("one", 2)),
        *_in_session("s", [body(user("topic?"), tools=[])]),
        *_in_session("t", [body(user("topic?!"), tools=[])]),
    ]
    labels = [label for label, _ in of_bodies(records)[1]]
    assert labels == ["main", "side", "side"]


def test_side_calls_are_pooled_by_head() -> None:
    """Calls that never grow are one lane for each model, tools and system."""
    titles = [body(user(f"title {i}"), system="Name it.") for i in range(2)]
    topics = [body(user(f"topic {i}"), system="New topic?") for i in range(2)]
    _, lanes = of_bodies([*_conversation("one", 2), *_in_turn(titles, topics)])
    assert lanes == [
        ("main", [("main", [1, 2])]),
        ("side", [("side", [3]), ("side", [5])]),
        ("side", [("side", [4]), ("side", [6])]),
    ]


def test_where_nothing_grows_nothing_is_a_side_call() -> None:
    """A file of single requests has main lanes."""
    _, lanes = of_bodies([body(user("one")), body(user("two"), tools=OTHER_TOOLS)])
    assert lanes == [("main", [("main", [1])]), ("main", [("main", [2])])]


def test_each_summary_call_is_a_lane_of_its_own() -> None:
    """Two calls that ask for a summary are not pooled, and are no part of a main line."""
    one = _conversation("one", 4)
    _, lanes = of_bodies([*one[:2], _summary_of(one[1]), one[2], _summary_of(one[2]), one[3]])
    assert lanes == [
        ("main", [("main", [1, 2, 4, 6])]),
        ("compaction", [("compaction", [3])]),
        ("compaction", [("compaction", [5])]),
    ]


def test_a_summary_call_that_nothing_follows_stays_with_its_line() -> None:
    """Only a main line that goes on from before it tells that an appended call was none of its turns."""
    one = _conversation("one", 2)
    assert of_bodies([*one, _summary_of(one[1])])[1] == [("main", [("main", [1, 2, 3])])]


def _summary_of(last: Json) -> Json:
    asked = user("Write a detailed summary of the conversation so far.")
    return {**last, "messages": [*last["messages"], asked]}
