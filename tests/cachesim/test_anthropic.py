"""Anthropic's documented examples, with every number written out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cachesim.caching import BOUNDLESS, SONNET, Json, Sent, lane, mark, message, request, text, told, tool

ALL_NEW = "first_request"
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
EMPTY = {"type": "text", "text": ""}


@pytest.mark.parametrize(
    ("marks", "n", "expected"),
    [
        ({15: None}, 15, (2000, {300: 1000}, 0, None)),
        ({35: None}, 35, (0, {300: 7000}, 0, "out_of_lookback")),
        ({29: None}, 29, (2000, {300: 3800}, 0, None)),
        ({30: None}, 30, (0, {300: 6000}, 0, "out_of_lookback")),
        ({20: None, 35: None}, 35, (2000, {300: 5000}, 0, None)),
        ({9: None, 35: None}, 35, (0, {300: 7000}, 0, "out_of_lookback")),
        ({11: None, 24: None, 35: None}, 36, (2000, {300: 5000}, 200, None)),
        ({}, 15, (0, {}, 3000, "no_breakpoint")),
        ({9: None}, 15, (0, {300: 1800}, 1200, "no_breakpoint")),
    ],
)
def test_twenty_positions_are_looked_at_from_each_mark(
    marks: dict[int, str | None], n: int, expected: tuple[int, dict[int, int], int, str | None]
) -> None:
    """An entry at position 10 is found from 15 and 29, not from 30 or 35, and from 35 with another mark in reach."""
    sent = Sent()
    assert told(sent.send(lane(10, {10: None}))) == (0, {300: 2000}, 0, ALL_NEW)
    assert told(sent.send(lane(n, marks))) == expected


def test_look_back_finds_written_places_only() -> None:
    """The request before had 15 positions and its mark on 10: nothing stands at 11 to 15."""
    sent = Sent()
    assert told(sent.send(lane(15, {10: None}))) == (0, {300: 2000}, 1000, ALL_NEW)
    assert told(sent.send(lane(16, {16: None}))) == (2000, {300: 1200}, 0, None)


def _calls(n: int, kind: str) -> Json:
    return message("assistant", *({"type": kind, "id": f"t{i}", "name": "B", "input": {}} for i in range(n)))


def _results(n: int, last: Json) -> Json:
    results = [{"type": "tool_result", "tool_use_id": f"t{i}", "content": "w"} for i in range(n)]
    return message("user", *results[:-1], {**results[-1], **last})


@pytest.mark.parametrize(
    ("added", "read"),
    [
        ([message("user", *(text(1) for _ in range(20)), text(1, **mark()))], 0),
        ([message("user", *(text(1) for _ in range(18)), text(1, **mark()))], 2000),
        ([_calls(21, "tool_use"), _results(21, mark())], 2000),
        ([_calls(21, "server_tool_use"), message("user", text(1, **mark()))], 0),
    ],
)
def test_a_run_of_calls_or_results_is_one_position(added: list[Json], read: int) -> None:
    """21 texts are too many positions, 19 are not; 21 calls and their results are two; server tools are in no run."""
    sent = Sent()
    first = lane(10, {10: None})
    sent.send(first)
    found = sent.send({**first, "messages": [*lane(10)["messages"], *added]})
    assert (found.read_tokens, found.why) == (read, None if read else "out_of_lookback")


def test_an_entry_inside_a_run_is_found() -> None:
    """The mark stood on the first of 30 results; from the last, all of them are one position."""
    sent = Sent()
    first = message("user", {"type": "tool_result", "tool_use_id": "t", "content": "w", **mark()})
    rest = [message("user", {"type": "tool_result", "tool_use_id": "t", "content": "w"}) for _ in range(28)]
    ahead = [message("user", text(1997))]
    assert sent.send({"model": SONNET, "messages": [*ahead, first]}).written_tokens == 2004
    plain = message("user", {"type": "tool_result", "tool_use_id": "t", "content": "w"})
    found = sent.send({"model": SONNET, "messages": [*ahead, plain, *rest, first]})
    assert told(found) == (2004, {300: 29 * 4}, 0, None)


@pytest.mark.parametrize(
    ("marks", "n", "expected"),
    [
        # A = 2,000, B = 2,400, C = 2,800 of 3,000
        ({12: "1h", 14: "5m"}, 15, (2000, {3600: 400, 300: 400}, 200)),
        # B is A: the 1h mark stands where the hit is
        ({10: "1h", 14: None}, 15, (2000, {300: 800}, 200)),
        # C is B
        ({12: "1h"}, 12, (2000, {3600: 400}, 0)),
        # C is A: nothing is written
        ({10: None}, 15, (2000, {}, 1000)),
        # two of each: B and C are the last ones
        ({11: "1h", 13: "1h", 15: "5m", 16: "5m"}, 17, (2000, {3600: 600, 300: 600}, 200)),
    ],
)
def test_mixed_lifetimes_are_billed_in_three_parts(
    marks: dict[int, str | None], n: int, expected: tuple[int, dict[int, int], int]
) -> None:
    """Read up to the hit, one hour up to the last 1h mark, five minutes up to the last mark, then fresh."""
    sent = Sent()
    sent.send(lane(10, {10: None}))
    assert told(sent.send(lane(n, marks)))[:3] == expected


@pytest.mark.parametrize(
    ("model", "floor"),
    [
        ("claude-fable-5-1", 512),
        ("claude-opus-5-5", 512),
        (SONNET, 1024),
        ("claude-opus-4-7", 2048),
        ("claude-haiku-4-5-20251001", 4096),
        (BOUNDLESS, 4),
    ],
)
def test_below_the_floor_nothing_is_cached(model: str, floor: int) -> None:
    """A token less than the model's minimum is fresh, sent twice or not; at the minimum it is written and read."""
    for size, expected in ((floor - 1, (0, {}, floor - 1, "below_minimum")), (floor, (floor, {}, 0, None))):
        if size < 4:
            continue
        body = {"model": model, "messages": [message("user", text(size - 3, **mark()))]}
        sent = Sent()
        sent.send(body)
        assert told(sent.send(body)) == expected


def test_a_mark_below_the_floor_writes_nothing_and_those_above_do() -> None:
    """At 1,000 tokens of sonnet's 1,024 nothing stands; at 1,200 it does."""
    sent = Sent()
    assert told(sent.send(lane(6, {5: None, 6: None}))) == (0, {300: 1200}, 0, ALL_NEW)
    other = lane(7, {7: None})
    other["messages"][5] = message("assistant", text(197, "other"))
    assert told(sent.send(other)) == (0, {300: 1400}, 0, "messages_changed")


def test_parallel_cold_requests_all_miss() -> None:
    """An entry is readable when the answer to the request that writes it begins, not when that is sent."""
    sent = Sent()
    bodies = [lane(10, {10: None}) for _ in range(4)]
    assert sent.send(bodies[0], 0.0, readable_s=5.0).written_tokens == 2000
    assert told(sent.send(bodies[1], 1.0, readable_s=4.0)) == (0, {300: 2000}, 0, "not_yet_readable")
    assert told(sent.send(bodies[2], 3.9, readable_s=9.0)) == (0, {300: 2000}, 0, "not_yet_readable")
    found = sent.send(bodies[3], 4.0, readable_s=9.0)
    assert (told(found), found.read_from) == ((2000, {}, 0, None), 0)


@pytest.mark.parametrize(("ttl", "life_s"), [(None, 300.0), ("5m", 300.0), ("1h", 3600.0)])
def test_time_runs_from_the_start_of_the_request(ttl: str | None, life_s: float) -> None:
    """Not from its answer, which began 100 s later; reading begins it anew, and is free."""
    body = lane(10, {10: ttl})
    sent = Sent()
    sent.send(body, 0.0, readable_s=100.0)
    assert told(sent.send(body, life_s)) == (2000, {}, 0, None)
    assert told(sent.send(body, 2 * life_s)) == (2000, {}, 0, None)
    assert told(sent.send(body, 3 * life_s + 1))[0] == 0
    assert sent.simulator.what_if(request(body), sent_s=3 * life_s + 1 + life_s) == sent.send(body, 4 * life_s + 1)


def test_an_entry_that_lapsed_is_written_again() -> None:
    """At the price of its mark; the reason says so."""
    sent = Sent()
    sent.send(lane(10, {10: None}), 0.0)
    assert told(sent.send(lane(11, {11: None}), 301.0)) == (0, {300: 2200}, 0, "expired")


def test_a_longer_mark_on_what_is_read_does_not_prolong_it() -> None:
    """Nothing is written there and nothing billed: the entry keeps its five minutes."""
    sent = Sent()
    sent.send(lane(10, {10: None}), 0.0)
    assert told(sent.send(lane(10, {10: "1h"}), 100.0)) == (2000, {}, 0, None)
    assert told(sent.send(lane(10, {10: "1h"}), 401.0)) == (0, {3600: 2000}, 0, "expired")


def test_of_parallel_writers_the_longest_life_stays() -> None:
    """Both pay for their writes."""
    sent = Sent()
    for ttl, life_s in ((None, 300), ("1h", 3600), ("5m", 300)):
        assert told(sent.send(lane(10, {10: ttl}), 0.0, readable_s=5.0))[1] == {life_s: 2000}
    assert sent.send(lane(10, {10: None}), 3600.0).read_tokens == 2000


def test_without_times_nothing_lapses() -> None:
    """An entry whose last use has no time stays; those that have one lapse."""
    sent = Sent()
    sent.send(lane(10, {10: None}), 0.0, readable_s=5.0)
    assert sent.send(lane(11, {11: None})).read_tokens == 2000
    assert sent.send(lane(12, {12: None}), 9e9).read_tokens == 2200
    assert told(sent.send(lane(13, {13: None}), 9e9 + 301)) == (2000, {300: 600}, 0, "expired")


HEAD: Json = {
    "model": SONNET,
    "tools": [tool(1500), {"name": "Read", "description": "x", "input_schema": {}, **mark()}],
    "system": [text(999, **mark())],
    "messages": [message("user", text(997, **mark()))],
}
"""Tools end at 1,501 tokens, the system prompt at 2,500, the message at 3,500; an entry stands at each."""


@pytest.mark.parametrize(
    ("change", "read", "why"),
    [
        ({}, 3500, None),
        ({"max_tokens": 9, "temperature": 1.0, "metadata": {"user_id": "u"}, "stream": True}, 3500, None),
        ({"tools": [tool(1500, "v"), HEAD["tools"][1]]}, 0, "tools_changed"),
        ({"tools": HEAD["tools"][::-1]}, 0, "tools_changed"),
        ({"tools": []}, 0, "tools_changed"),
        ({"model": "claude-sonnet-4"}, 0, "model_changed"),
        ({"system": [text(999, "v", **mark())]}, 1501, "system_changed"),
        ({"speed": "fast"}, 1501, "params_changed"),
        ({"speed": "fast", "system": [text(999, "v", **mark())]}, 1501, "params_changed"),
        ({"tool_choice": {"type": "any"}}, 2500, "params_changed"),
        ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, 2500, "params_changed"),
        ({"tool_choice": {"type": "auto"}}, 3500, None),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, 2500, "params_changed"),
        ({"output_config": {"effort": "low"}}, 2500, "params_changed"),
        ({"output_config": {"effort": "high"}}, 3500, None),
    ],
)
def test_a_change_breaks_what_the_table_says(change: Json, read: int, why: str | None) -> None:
    """Tools break all, the system prompt and speed what follows the tools, thinking and tool choice the messages."""
    sent = Sent()
    assert told(sent.send(HEAD)) == (0, {300: 3500}, 0, ALL_NEW)
    found = sent.send({**HEAD, **change})
    assert (found.read_tokens, found.why) == (read, why)


def test_another_conversation_reads_tools_and_system() -> None:
    """A restart finds the entry at the end of the system prompt, and nothing was lost."""
    sent = Sent()
    sent.send(HEAD)
    found = sent.send({**HEAD, "messages": [message("user", text(97, "other", **mark()))]})
    assert told(found) == (2500, {300: 100}, 0, None)


AUTO: Json = {"cache_control": {"type": "ephemeral"}}


def test_automatic_caching_moves_along() -> None:
    """A top-level `cache_control` marks the last block of each request; the next one finds it."""
    sent = Sent()
    assert told(sent.send(lane(10, **AUTO))) == (0, {300: 2000}, 0, ALL_NEW)
    assert told(sent.send(lane(12, **AUTO))) == (2000, {300: 400}, 0, None)
    assert told(sent.send(lane(14, cache_control={"type": "ephemeral", "ttl": "1h"}))) == (2400, {3600: 400}, 0, None)


@pytest.mark.parametrize("last", [THINKING, EMPTY])
def test_the_automatic_mark_walks_back_to_a_block_that_can_take_it(last: Json) -> None:
    """Behind thinking or an empty text; these are cached along only by the next entry."""
    body = lane(10, **AUTO)
    body["messages"].append(message("assistant", last))
    behind = 3 + (1 if last is THINKING else 0)
    assert told(Sent().send(body)) == (0, {300: 2000}, behind, ALL_NEW)


def test_an_explicit_mark_on_the_last_block_makes_the_automatic_one_a_no_op() -> None:
    """Four marks, the last of them there: no fifth."""
    body = lane(10, {7: None, 8: None, 9: None, 10: None}, **AUTO)
    assert told(Sent().send(body)) == (0, {300: 2000}, 0, ALL_NEW)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (lane(10, {10: "1h"}, **AUTO), "the last block has a 1h mark, the automatic one asks for 5m"),
        (lane(10, {6: None, 7: None, 8: None, 9: None}, **AUTO), "5 cache marks, 4 may be set"),
        (lane(10, dict.fromkeys(range(6, 11))), "5 cache marks, 4 may be set"),
        (lane(10, {8: "5m", 9: "1h"}), "a 1h mark in message 8 behind a 5m mark in message 7"),
        (lane(10, {8: None, 10: "1h"}), "a 1h mark in message 9 behind a 5m mark in message 7"),
        (lane(10, {8: "2h"}), "no mark lives '2h': 5m and 1h exist"),
    ],
)
def test_what_the_provider_refuses_has_no_outcome(body: Json, detail: str) -> None:
    """The request is answered with 400 and leaves nothing behind."""
    sent = Sent()
    found = sent.refused(body)
    assert (found.reason, found.detail) == ("bad_breakpoints", f"{detail}: answered with 400")
    assert told(sent.send(lane(10, {10: None}))) == (0, {300: 2000}, 0, ALL_NEW)


@pytest.mark.parametrize("block", [THINKING, EMPTY])
def test_a_mark_where_none_can_stand_is_none(block: Json) -> None:
    """On thinking and on an empty text nothing is written."""
    body = lane(10)
    body["messages"].append(message("assistant", {**block, **mark()}))
    found = Sent().send(body)
    assert (found.written_tokens, found.why) == (0, "no_breakpoint")


def test_a_string_reads_like_a_list_of_one_text() -> None:
    """The marked text of one turn is a plain string in the next, and is found."""
    marked = lane(10, {10: None})
    sent = Sent()
    sent.send(marked)
    later = lane(11, {11: None})
    for told_as_list in later["messages"][:10]:
        told_as_list["content"] = told_as_list["content"][0]["text"]
    assert told(sent.send(later)) == (2000, {300: 200}, 0, None)


def test_a_message_that_grows_keeps_its_old_end() -> None:
    """A block is appended to the last message: the entry stands at the end of a block, not of a message."""
    sent = Sent()
    sent.send(lane(10, {10: None}))
    body = lane(10)
    body["messages"][9]["content"].append(text(50, **mark()))
    assert told(sent.send(body)) == (2000, {300: 50}, 0, None)


def test_a_fork_reads_what_its_parent_wrote() -> None:
    """The parent's bytes and one message, without a mark of its own: the message is fresh. The main line goes on."""
    sent = Sent()
    sent.send(lane(10, {10: None}))
    fork = lane(10, {10: None})
    fork["messages"].append(message("user", text(97, "summarise")))
    found = sent.send(fork)
    assert (told(found), found.read_from) == ((2000, {}, 100, None), 0)
    found = sent.send(lane(12, {12: None}))
    assert (told(found), found.read_from) == ((2000, {300: 400}, 0, None), 0)


def test_a_question_on_the_side_is_not_what_the_main_line_goes_on_from() -> None:
    """Two forks that cache themselves, each sent twice: the main line lost nothing by them."""
    sent = Sent()
    sent.send(lane(10, **AUTO))
    for word in ("one", "two"):
        fork = lane(10, **AUTO)
        fork["messages"].append(message("user", text(97, word)))
        assert told(sent.send(fork)) == (2000, {300: 100}, 0, None)
        assert told(sent.send(fork)) == (2100, {}, 0, None)
    assert told(sent.send(lane(12, **AUTO))) == (2000, {300: 400}, 0, None)


@pytest.mark.parametrize(
    ("edited", "n", "read"),
    [(0, 10, 0), (4, 10, 0), (8, 12, 1600), (11, 12, 2000)],
)
def test_an_edit_reads_up_to_the_last_entry_before_it(edited: int, n: int, read: int) -> None:
    """Entries stand at 8 and 10."""
    sent = Sent()
    sent.send(lane(10, {8: None, 10: None}))
    body: dict[str, Any] = lane(n, {8: None, n: None})
    body["messages"][edited]["content"][0]["text"] = "changed"
    found = sent.send(body)
    why = {0: "first_request", 11: None}.get(edited, "messages_changed")
    assert (found.read_tokens, found.why) == (read, why)


def test_a_truncation_reads_what_look_back_finds() -> None:
    """Cut at message 9, marked there: 8 is found, written by an earlier request."""
    sent = Sent()
    sent.send(lane(8, {8: None}))
    sent.send(lane(12, {12: None}))
    assert told(sent.send(lane(9, {9: None}))) == (1600, {300: 200}, 0, "messages_changed")


def test_marks_before_the_hit_are_held_too() -> None:
    """A mark at 6 on a request that reads up to 10 leaves an entry, for which nothing is billed."""
    sent = Sent()
    sent.send(lane(10, {10: None}))
    assert told(sent.send(lane(10, {6: None, 10: None}))) == (2000, {}, 0, None)
    other = lane(7, {7: None})
    other["messages"][6]["content"][0]["text"] = "changed"
    assert sent.send(other).read_tokens == 1200
