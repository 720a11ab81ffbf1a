"""pi's sessions: what was sent before each answer, on which branch, and which turns are no answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import FIXTURES

V1, V3 = FIXTURES / "pi" / "v1.jsonl", FIXTURES / "pi" / "v3.jsonl"
HEAD = {"type": "session", "version": 3, "id": "s", "cwd": "/"}
USAGE = {"input": 3, "output": 2, "cacheRead": 1, "cacheWrite": 0}


def entry(identity: str, parent: str | None, **fields: Any) -> Json:
    """An entry of a tree."""
    return {"type": "message", "id": identity, "parentId": parent, **fields}


def user(identity: str, parent: str | None) -> Json:
    """A person's entry; its words are its id."""
    return entry(identity, parent, message={"role": "user", "content": identity})


def said(identity: str, parent: str | None, **more: Any) -> Json:
    """An assistant's entry; its words are its id."""
    content = [{"type": "text", "text": identity}]
    return entry(identity, parent, message={"role": "assistant", "content": content, "usage": USAGE, **more})


def words(body: Json) -> list[str]:
    """The first text of each message."""
    blocks = (message["content"][0] for message in body["messages"])
    return [block.get("text", block["type"]) for block in blocks]


def bodies(*told: Json) -> list[list[str]]:
    """What each request of a session with these entries says."""
    return [words(body) for body in rebuilt(jsonl([HEAD, *told])).bodies]


def test_each_answer_has_the_history_before_it() -> None:
    """One request an answer, on its line; the last words, which have none, make no request."""
    found = of_path(V1)
    assert found.lines == [3, 7, 13, 17, 20, 22]
    assert [len(body["messages"]) for body in found.bodies] == [1, 3, 7, 8, 4, 6]
    assert {one.request.dialect for one in found.exchanges} == {"anthropic"}
    assert {one.session_id for one in found.exchanges} == {"pi-quay"}


def test_turns_broken_off_without_usage_are_no_answers() -> None:
    """An aborted and a failed one, all zeros: counted, and in no sum; what one aborted turn was billed is."""
    found = of_path(V1)
    assert found.reasons == [(11, "aborted_turn", True), (15, "failed_turn", True)]
    assert found.billed == [
        (3, 0, {300: 900}, 40),
        (1, 900, {300: 80}, 12),
        (2, 980, {300: 60}, 3),
        (9, 0, {}, 20),
        (4, 0, {300: 300}, 6),
        (2, 300, {300: 30}, 8),
    ]
    assert [one.answer is not None for one in found.exchanges] == [True, True, False, True, True, True]


def test_what_was_broken_off_is_not_sent_again() -> None:
    """Neither the empty turn nor the half thought stands in the requests after them."""
    texts = [json.dumps(body) for body in of_path(V1).bodies]
    assert ['"The cr"' in text for text in texts] == [False] * 6
    assert texts[3].count('"role": "assistant"') == 2


def test_results_that_follow_one_another_are_one_message() -> None:
    """Two calls at once; a lone text is the content itself, several are a list, a failed one says so."""
    told = of_path(V1).bodies[1]["messages"][2]
    texts = [{"type": "text", "text": "scale b is"}, {"type": "text", "text": "out of order"}]
    assert told == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "12 tons"},
            {"type": "tool_result", "tool_use_id": "call_2", "content": texts, "is_error": True},
        ],
    }


def test_a_call_without_a_result_gets_one() -> None:
    """What pi says in its place stands with the other results, before whatever comes next, and only once."""
    calls: list[Json] = [{"type": "toolCall", "id": name, "name": "bash", "arguments": {}} for name in ("one", "two")]
    told = [
        user("a", None),
        entry("b", "a", message={"role": "assistant", "content": calls, "usage": USAGE}),
        entry("c", "b", message={"role": "toolResult", "toolCallId": "two", "content": "ok"}),
        user("d", "c"),
        said("e", "d"),
        user("f", "e"),
        said("g", "f"),
    ]
    found = rebuilt(jsonl([HEAD, *told])).bodies
    assert found[1]["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "two", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "one", "content": "No result provided", "is_error": True},
    ]
    assert [len(body["messages"]) for body in found] == [1, 4, 6]


def test_an_answer_is_spelled_as_anthropic_does() -> None:
    """Calls, thinking with its signature, and the usage: what is recorded stands in the next request, too."""
    found = of_path(V1)
    assert answer(found.exchanges[1]) == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Only one.", "signature": "sig-one"},
            {"type": "text", "text": "Twelve tons."},
        ],
        "usage": {
            "input_tokens": 1,
            "cache_read_input_tokens": 900,
            "cache_creation_input_tokens": 80,
            "output_tokens": 12,
        },
    }
    call = {"type": "tool_use", "id": "call_1", "name": "bash", "input": {"command": "weigh a"}}
    assert found.bodies[1]["messages"][1]["content"][1] == call
    told = answer(found.exchanges[0])
    assert told is not None
    assert told["content"] == found.bodies[1]["messages"][1]["content"]


def test_commands_of_the_person_are_told_as_pi_does() -> None:
    """Command, output, exit code and where the rest is; one that is kept from the model is left out."""
    told = words(of_path(V1).bodies[3])[4:]
    assert told[0] == (
        "Ran `ls`\n```\nscales\n\n```\n\nCommand exited with code 2\n\n[Output truncated. Full output: /srv/ls.log]"
    )
    assert told[1:] == ["And the crane?", "The crane, please.", "Only its load."]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"command": "ls", "output": "a", "exitCode": 0}, "Ran `ls`\n```\na\n```"),
        ({"command": "ls", "output": "", "exitCode": None}, "Ran `ls`\n(no output)"),
        (
            {"command": "ls", "output": "", "exitCode": 1, "cancelled": True},
            "Ran `ls`\n(no output)\n\n(command cancelled)",
        ),
        ({"command": 7, "output": 7, "exitCode": "1", "truncated": True}, "Ran ``\n(no output)"),
    ],
)
def test_a_command_in_words(fields: Json, text: str) -> None:
    """As it ended; fields of another kind than theirs say nothing."""
    run = entry("a", None, message={"role": "bashExecution", **fields})
    assert bodies(run, said("b", "a")) == [[text]]


def test_the_model_is_that_of_the_answer() -> None:
    """It changes in mid-session and back."""
    found = [body["model"] for body in of_path(V1).bodies]
    assert found == ["claude-opus-4-5"] * 3 + ["claude-3-opus-20240229"] + ["claude-opus-4-5"] * 2


def test_times_are_those_of_the_turn_and_of_its_line() -> None:
    """The message has the time it was asked for, the entry the time it was whole."""
    first = of_path(V1).exchanges[0]
    assert (first.sent_s, first.answered_s) == (1_765_238_402.6, 1_765_238_403.0)


def test_a_compaction_keeps_from_an_index_on() -> None:
    """Version 1: the summary, then the entries from number 13 on, the head being 0; a new epoch of the lane."""
    found = of_path(V1)
    summary = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
    assert words(found.bodies[4]) == [
        summary + "The cargo weighs 12 tons.\n</summary>",
        "Only its load.",
        "Three tons.",
        "And the winch?",
    ]
    assert found.lanes() == [[[1, 2, 3, 4], [5, 6]]]


def test_a_compaction_keeps_from_an_entry_on() -> None:
    """Version 3 names it."""
    told = words(of_path(V3).bodies[6])
    assert told[0].endswith("<summary>\nBerth 7 is free.\n</summary>")
    assert told[1:] == ["Wider.", "Wider.", "Still open?"]


@pytest.mark.parametrize(
    ("kept", "left"),
    [
        ({"firstKeptEntryId": "c"}, ["c", "d", "e"]),
        ({"firstKeptEntryId": "a"}, ["a", "b", "c", "d", "e"]),
        ({"firstKeptEntryId": "elsewhere"}, ["e"]),
        ({"firstKeptEntryId": "x"}, ["e"]),
        ({}, ["e"]),
        ({"firstKeptEntryIndex": 0}, ["e"]),
        ({"firstKeptEntryIndex": 99}, ["e"]),
        ({"firstKeptEntryIndex": True}, ["e"]),
        ({"firstKeptEntryIndex": 2}, ["b", "c", "d", "e"]),
    ],
)
def test_nothing_is_kept_where_what_is_named_is_not_on_the_way(kept: Json, left: list[str]) -> None:
    """An entry of another branch, one that is not there, the head, or none at all."""
    way = [user("a", None), said("b", "a"), user("c", "b"), said("d", "c"), user("x", "b")]
    compaction = {"type": "compaction", "id": "k", "parentId": "d", "summary": "s", **kept}
    assert bodies(*way, compaction, user("e", "k"), said("f", "e"))[-1][1:] == left


def test_a_later_compaction_may_keep_what_an_earlier_one_left_out() -> None:
    """What is kept is counted on the whole way to it, and the earlier summary is gone."""
    first = {"type": "compaction", "id": "k", "parentId": "d", "summary": "first", "firstKeptEntryId": "d"}
    second = {**first, "id": "l", "parentId": "k", "summary": "second", "firstKeptEntryId": "b"}
    way = [user("a", None), said("b", "a"), user("c", "b"), said("d", "c")]
    told = bodies(*way, first, second, user("e", "l"), said("f", "e"))[-1]
    assert (told[0].count("second"), told[1:]) == (1, ["b", "c", "d", "e"])


def test_a_branch_that_was_left_is_a_lane_of_its_own() -> None:
    """Its messages stand in no request of the newest branch, which has its summary instead."""
    found = of_path(V3)
    assert found.lines == [4, 6, 8, 10, 16, 18, 22, 24]
    assert [one.session_id for one in found.exchanges] == ["pi-tree"] * 2 + ["pi-tree/branch-2"] * 2 + ["pi-tree"] * 4
    assert found.lanes() == [[[1, 2], [5, 6], [7, 8]], [[3, 4]]]
    told = words(found.bodies[4])[3:]
    assert "Close it." not in told
    assert told[1].endswith("<summary>\nBerth 7 was closed and painted.</summary>")


def test_branches_of_branches_are_told_apart() -> None:
    """The newest continuation of a branch keeps its lane; the newest of all has the session's."""
    tree = [user("a", None), said("b", "a"), user("c", "b"), said("d", "c"), user("e", "d"), said("f", "e")]
    tree += [user("g", "d"), said("h", "g"), user("i", "b"), said("j", "i")]
    found = rebuilt(jsonl([HEAD, *tree]))
    assert [one.session_id for one in found.exchanges] == ["s", "s/branch-2", "s/branch-3", "s/branch-2", "s"]
    assert [words(body) for body in found.bodies] == [
        ["a"],
        ["a", "b", "c"],
        ["a", "b", "c", "d", "e"],
        ["a", "b", "c", "d", "g"],
        ["a", "b", "i"],
    ]


def test_a_session_may_begin_again_at_its_root() -> None:
    """A second entry without a parent: nothing stands before it."""
    assert bodies(user("a", None), said("b", "a"), user("c", None), said("d", "c")) == [["a"], ["c"]]


def test_an_entry_whose_parent_is_lost_follows_the_one_before_it() -> None:
    """As where a line was cut out of the file."""
    assert bodies(user("a", None), said("b", "a"), user("c", "lost"), said("d", "c"))[-1] == ["a", "b", "c"]


def test_entries_of_extensions() -> None:
    """`custom_message` is sent, `custom` is not; messages nobody was asked for are sent on and make no request."""
    found = of_path(V3)
    assert found.reasons == [(14, "no_model_call", True), (19, "unknown_role", True)]
    assert words(found.bodies[4])[-3:] == ["High at noon.", "A note from the gate.", "Open it."]
    assert dict(found.passed)[19].detail == "orderly"


def test_blocks_of_every_kind() -> None:
    """Hidden thinking, thinking without a signature, a picture, half of a surrogate pair, a blank text."""
    found = of_path(V3)
    messages = found.bodies[3]["messages"]
    assert messages[1]["content"][0] == {"type": "redacted_thinking", "data": "hidden"}
    assert messages[2]["content"][0]["content"] == [
        {"type": "text", "text": "7 \ud83d"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
    ]
    assert messages[5]["content"][0] == {"type": "thinking", "thinking": "No signature."}
    told = answer(found.exchanges[4])
    assert told is not None
    assert told["content"] == [{"type": "text", "text": "Open."}]


@pytest.mark.parametrize(
    ("usage", "billed"),
    [
        (USAGE, (3, 1, {}, 2)),
        ({**USAGE, "cacheWrite": 5}, (3, 1, {300: 5}, 2)),
        ({"input": 3}, (3, None, {}, None)),
        ({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, None),
        ({"output": 3}, None),
        ({"input": "3"}, None),
        ({"input": -3}, None),
        ([3], None),
        (None, None),
    ],
)
def test_usage_is_disjoint_as_it_is_recorded(usage: Any, billed: Any) -> None:
    """Zeros in all of it say that nothing was reported."""
    found = rebuilt(jsonl([HEAD, user("a", None), said("b", "a", usage=usage)]))
    assert found.billed == [billed]


def test_an_answer_with_nothing_before_it_makes_no_request() -> None:
    """Nobody sends an empty list."""
    assert rebuilt(jsonl([HEAD, said("a", None)])).reasons == [(2, "nothing_before", True)]


def test_several_sessions_in_one_file_do_not_mix() -> None:
    """A second head begins anew."""
    told = [HEAD, user("a", None), said("b", "a"), {**HEAD, "id": "t"}, user("c", "b"), said("d", "c")]
    found = rebuilt(jsonl(told))
    assert [(one.session_id, words(body)) for one, body in zip(found.exchanges, found.bodies, strict=True)] == [
        ("s", ["a"]),
        ("t", ["c"]),
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"type":"message","id":"x","parentId":"a","message":{"role":"user","role":"user"}}', "duplicate_key"),
        (b'{"type":"message","id":"x","parentId":"a","message":{"role":"user","content":"\xff"}}', "invalid_utf8"),
        (b'{"type":"message","id":"x","parentId":"a","mess', "cut"),
    ],
)
def test_an_entry_that_cannot_be_used_says_nothing(bad: bytes, reason: str) -> None:
    """The requests after it are put together without it."""
    told = [json.dumps(one).encode() for one in (HEAD, user("a", None), said("b", "x"))]
    found = rebuilt(b"\n".join([*told[:2], bad, told[2]]))
    assert (found.reasons, [words(body) for body in found.bodies]) == ([(3, reason, False)], [["a"]])
