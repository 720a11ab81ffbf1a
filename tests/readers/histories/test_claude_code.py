"""Claude Code's session files: what was sent is rebuilt from a tree of rows."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.rebuilt import billed, fixture, is_sound, passed, requests, said
from tests.running import CORPUS, NO_CORPUS

if TYPE_CHECKING:
    from tests.readers.histories.rebuilt import Json

FOLDER = "claude-code-session"
NAMES = ["parallel", "rewound", "compacted", "sidechains", "agent-a1b2c3", "resumed", "broken"]

# File, then requests by lane, then fresh, read, written and output tokens.
REAL: dict[str, tuple[dict[str | None, int], tuple[int, int, int, int]]] = {
    "Dicklesworthstone__html_export__edge_cases__unicode_heavy.jsonl": ({"unicode-001": 4}, (0, 0, 0, 0)),
    "Dicklesworthstone__html_export__malformed__invalid_json.jsonl": ({"invalid-001": 2}, (0, 0, 0, 0)),
    "Dicklesworthstone__html_export__malformed__truncated.jsonl": ({"truncated-001": 1}, (0, 0, 0, 0)),
    "anhadjaisingh__fixtures__sessions__malformed-lines.jsonl": ({"test-session-003": 1}, (0, 0, 0, 0)),
    "anhadjaisingh__fixtures__sessions__multi-turn-nav.jsonl": ({"test-session-nav": 7}, (0, 0, 0, 0)),
    "anhadjaisingh__fixtures__sessions__simple-chat.jsonl": ({"test-session-001": 3}, (0, 0, 0, 0)),
    "anhadjaisingh__fixtures__sessions__tool-calls.jsonl": ({"test-session-002": 4}, (0, 0, 0, 0)),
    "d-kimuson__projects__sample-project__5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl": (
        {
            "5c0375b4-57a5-4f26-b12d-d022ee4e51b7": 10,
            "5c0375b4-57a5-4f26-b12d-d022ee4e51b7/sidechain-1": 3,
            "5c0375b4-57a5-4f26-b12d-d022ee4e51b7/sidechain-2": 7,
        },
        (129, 324_259, 47_747, 3_629),
    ),
    "d-kimuson__projects__sample-project__fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl": (
        {
            "fe5e1c67-53e7-4862-81ae-d0e013e3270b": 9,
            "fe5e1c67-53e7-4862-81ae-d0e013e3270b/sidechain-1": 9,
            "fe5e1c67-53e7-4862-81ae-d0e013e3270b/sidechain-2": 34,
            "fe5e1c67-53e7-4862-81ae-d0e013e3270b/sidechain-3": 40,
            "fe5e1c67-53e7-4862-81ae-d0e013e3270b/sidechain-4": 25,
            "fe5e1c67-53e7-4862-81ae-d0e013e3270b/sidechain-5": 53,
        },
        (818, 3_647_854, 137_976, 51_933),
    ),
    "daaain__test__test_data__edge_cases.jsonl": ({"edge_cases": 3, "todowrite_session": 1}, (488, 0, 0, 435)),
    "daaain__test__test_data__representative_messages.jsonl": ({"test_session": 5}, (218, 0, 0, 445)),
    "daaain__test__test_data__session_b.jsonl": ({"session_b": 1}, (20, 0, 0, 35)),
    "daaain__test__test_data__todowrite_examples.jsonl": ({"todowrite_session": 6}, (883, 0, 0, 328)),
    "moredip__INTEGRATION__fixtures__edit-tool-variants.jsonl": (
        {"1656b075-7af5-4b06-a123-1330c620f60c": 4},
        (19, 84_393, 1_894, 24),
    ),
    "moredip__INTEGRATION__fixtures__general-tool-calls.jsonl": (
        {"88f04c6a-d128-40bf-96b3-6b2aa787f62c": 54},
        (2_908, 2_980_648, 366_948, 105),
    ),
    "moredip__INTEGRATION__fixtures__images-in-user-messages.jsonl": (
        {"47bf5f5c-9e11-4f51-8a29-7ad38ecdf17c": 3},
        (22, 20_166, 56_250, 16),
    ),
    "moredip__samples__claude-code-projects__0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl": (
        {"0ccf1a04-1b4c-43b6-8aa5-79e41db43a68": 11},
        (70, 194_395, 46_482, 32),
    ),
    "moredip__samples__claude-code-projects__4b2030ed-5563-49ea-b703-6a002f2d3cc8.jsonl": (
        {"4b2030ed-5563-49ea-b703-6a002f2d3cc8": 2},
        (18, 32_772, 6_682, 4),
    ),
}


def _row(kind: str, content: Any, **members: Any) -> bytes:
    message = {"role": kind, "content": content}
    return json.dumps({"type": kind, "sessionId": "s", "message": message, **members}).encode() + b"\n"


def _answers(data: bytes) -> list[Json]:
    """The assistant rows of *data*, errors and synthetic ones left out, read with the standard library alone."""
    rows = []
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if row.get("type") == "assistant" and row["message"].get("model") != "<synthetic>":
            rows.append(row)
    return rows


def test_results_of_parallel_calls_are_one_message_wherever_they_hang() -> None:
    """Both results, in the order in which they came, then what Claude Code adds; no note, error or attachment."""
    found = requests(fixture("claude-code/parallel.jsonl"))
    first = ["user: Weigh the two anchors."]
    second = [
        *first,
        "assistant: Two scales. | Both at once. | !call_1 | !call_2",
        "user: ?call_2: right: 310 | ?call_1: left: 290 | A reminder that is sent.",
    ]
    third = [
        *second,
        "assistant: The right one is heavier.",
        "user: <command-name>/cost</command-name>",
        "assistant: No response requested.",
        "user: And the chain?",
    ]
    fourth = [*third, "assistant: !call_3", "user: ?call_3: chain: 95"]
    assert [said(request) for request in found] == [first, second, third, fourth]
    assert [request["line"] for request in found] == [7, 17, 22, 24]
    assert not any(b"again:" in json.dumps(request["body"]).encode() for request in found)


def test_an_answer_over_several_rows_is_counted_once() -> None:
    """The usage of its last row: input once, the whole output, writes by their lifetime."""
    data = fixture("claude-code/parallel.jsonl")
    found = requests(data)
    assert len(_answers(data)) == 8
    assert [request["usage"] for request in found] == [
        {"fresh": 9, "read": 4000, "output": 120, "write_by_ttl_s": {"300": 400, "3600": 200}},
        {"fresh": 7, "read": 4600, "output": 40, "write_by_ttl_s": {"300": 300}},
        {"fresh": 6, "read": 4900, "output": 30, "write_by_ttl_s": {"300": 200}},
        {"fresh": 5, "read": 5100, "output": 25, "write_by_ttl_s": {"300": 90}},
    ]


def test_the_answer_is_put_together_whole() -> None:
    """All of its blocks, with the id, the model and the usage of the last row."""
    answer = requests(fixture("claude-code/parallel.jsonl"))[0]["answer"]
    assert [block["type"] for block in answer["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert (answer["id"], answer["role"], answer["usage"]["output_tokens"]) == ("msg_1", "assistant", 120)


def test_a_request_says_when_it_was_sent_and_what_is_not_recorded() -> None:
    """Sent at the newest row before the answer (here an error that was tried again), answered at its last row."""
    second = requests(fixture("claude-code/parallel.jsonl"))[1]
    at_s = 1_772_438_400.25  # 2026-03-02T08:00:00.250Z
    assert (second["sent_s"] - at_s, second["answered_s"] - at_s) == (13, 14)
    assert second["unrecorded"] == ["tools", "system"]
    assert (second["reconstructed"], second["provider"], second["session_id"]) == (True, "anthropic", "session-a")
    assert list(second["body"]) == ["model", "messages"]


def test_rewound_prompts_are_branches_of_their_own() -> None:
    """A linear reading would send what was taken back; the trunk leads to the newest answer without it."""
    data = fixture("claude-code/rewound.jsonl")
    found = requests(data)
    start = ["user: Count the crates.", "assistant: Forty crates."]
    dead = [*start, "user: Burn the crates."]
    assert [(request["session_id"], said(request)) for request in found] == [
        ("session-a", ["user: Count the crates."]),
        ("session-a/branch-2", dead),
        ("session-a/branch-2", [*dead, "assistant: I would rather not.", "user: Burn them anyway."]),
        ("session-a", [*start, "user: Stack the crates."]),
    ]
    linear = [json.loads(line)["message"]["content"] for line in data.splitlines()[:-1]]
    assert [text for text in linear if isinstance(text, str)] == [
        "Count the crates.",
        "Burn the crates.",
        "Burn them anyway.",
        "Sell the crates.",
        "Stack the crates.",
    ]


def test_a_compaction_begins_anew_with_its_summary() -> None:
    """In the same lane; what it keeps word for word follows the summary, and counts as answered before."""
    found = requests(fixture("claude-code/compacted.jsonl"))
    summary = "Summary: the north is fourteen deep. | Chart the south channel."
    kept = ["user: Summary: north fourteen, south nine. | And the east?", "assistant: Six deep."]
    assert [said(request) for request in found[1:5]] == [
        ["user: Chart the north channel.", "assistant: !call_1", "user: ?call_1: depth: 14"],
        [f"user: {summary}"],
        [f"user: {summary}", "assistant: Nine deep.", "user: And the east?"],
        [*kept, "user: And the west?"],
    ]
    assert said(found[5]) == [*kept, "user: And the west?", "assistant: Dry.", "user: Then sail north."]
    assert {request["session_id"] for request in found} == {"session-a"}
    assert billed(found) == (30, 6_720, 990, 62)


def test_kept_rows_are_found_by_their_ends_too() -> None:
    """Older boundaries name the first and the last row alone."""
    listed = fixture("claude-code/compacted.jsonl")
    without = listed.replace(b'"preservedMessages"', b'"unknown"')
    assert without != listed
    assert [said(request) for request in requests(without)] == [said(request) for request in requests(listed)]


def test_what_was_kept_was_answered_once_wherever_the_boundary_leads() -> None:
    """An answer that is kept counts where it was given, here on what has become a branch."""
    data = fixture("claude-code/compacted.jsonl").replace(b'"logicalParentUuid":"msg_4-1"', b'"logicalParentUuid":"p3"')
    found = requests(data)
    assert [(request["line"], request["session_id"]) for request in found] == [
        (2, "session-a"),
        (4, "session-a"),
        (8, "session-a"),
        (10, "session-a/branch-2"),
        (14, "session-a"),
        (16, "session-a"),
    ]


def test_sub_agents_are_lanes_of_their_own() -> None:
    """Inside the main file by the row they begin with, in their own file by their id; in the order of the answers."""
    found = requests(fixture("claude-code/sidechains.jsonl"))
    assert [(request["session_id"], len(request["body"]["messages"])) for request in found] == [
        ("session-a", 1),
        ("session-a/sidechain-1", 1),
        ("session-a/sidechain-2", 1),
        ("session-a/sidechain-1", 3),
        ("session-a", 3),
    ]
    assert said(found[4])[2] == "user: ?call_1: Port is hollow. | ?call_2: Starboard is sound."
    agent = requests(fixture("claude-code/agent-a1b2c3.jsonl"))
    assert [request["session_id"] for request in agent] == ["session-a/a1b2c3"] * 2


def test_a_resumed_session_counts_nothing_twice() -> None:
    """Rows under known uuids are left out; an answer copied under new ones is the same answer."""
    data = fixture("claude-code/resumed.jsonl")
    found = requests(data)
    assert len(_answers(data)) == 9
    assert [said(request)[-1] for request in found] == [
        "user: Name the pilot.",
        "user: Name the crew.",
        "user: Name the ship.",
    ]
    assert said(found[2])[:4] == [
        "user: Name the pilot.",
        "assistant: The pilot is | on board.",
        "user: Name the crew.",
        "assistant: Four hands.",
    ]
    assert billed(found) == (15, 980, 70, 20)
    assert passed(data) == [(4, "repeated", True), (5, "repeated", True), (6, "repeated", True)]


def test_a_broken_tree_is_mended_and_bad_rows_are_told() -> None:
    """Rows out of order, a lost parent (the row before stands for it), a circle (it is cut), wrong types, bad lines."""
    data = fixture("claude-code/broken.jsonl")
    start = ["user: Mend the winch.", "assistant: Mended.", "user: Oil it."]
    assert [said(request) for request in requests(data)] == [
        start[:1],
        start,
        [*start, "assistant: Oiled.", "user: Test it."],
        ["user: In a circle. | Round and round."],
    ]
    assert passed(data) == [
        (7, "not_json", False),
        (8, "no_message", False),
        (9, "no_content", False),
        (10, "no_content", False),
        (17, "half_written", False),
        (12, "parent_not_in_file", True),
        (14, "parent_circle", True),
    ]


def test_rows_without_parents_are_a_list() -> None:
    """As viewers' examples have them: no uuid, a tool result that is a row by itself, strings, no usage."""
    call = {"type": "tool_use", "id": "c", "name": "Read", "input": {}}
    found = requests(
        _row("user", "one")
        + _row("assistant", [call])
        + b'{"type":"tool_result","tool_use_id":"c","content":"two","sessionId":"s"}\n'
        + _row("assistant", "three")
        + _row("user", ["four", 5, {"type": "text", "text": "six"}])
        + _row("assistant", "seven")
    )
    assert [said(request) for request in found] == [
        ["user: one"],
        ["user: one", "assistant: !c", "user: ?c: two"],
        ["user: one", "assistant: !c", "user: ?c: two", "assistant: three", "user: four | six"],
    ]
    assert not any("usage" in request for request in found)


def test_rows_of_one_answer_are_told_by_the_request_where_there_is_no_message_id() -> None:
    """Two rows of one request are one answer, two of two requests are two."""
    rows = [
        _row("user", "one", uuid="u"),
        _row("assistant", "two", uuid="a", parentUuid="u", requestId="r1"),
        _row("assistant", "three", uuid="b", parentUuid="a", requestId="r1"),
        _row("assistant", "four", uuid="c", parentUuid="b", requestId="r2"),
    ]
    assert [said(request) for request in requests(b"".join(rows))] == [
        ["user: one"],
        ["user: one", "assistant: two | three"],
    ]


def test_an_answer_goes_on_over_results_that_come_early() -> None:
    """A call that is answered while the answer still streams splits neither of the two."""

    def answer(uuid: str, on: str, call: str) -> bytes:
        block = {"type": "tool_use", "id": call, "name": "Bash", "input": {}}
        message = {"id": "m", "role": "assistant", "content": [block]}
        return _row("assistant", [], uuid=uuid, parentUuid=on, message=message)

    def result(uuid: str, on: str, call: str) -> bytes:
        return _row("user", [{"type": "tool_result", "tool_use_id": call, "content": call}], uuid=uuid, parentUuid=on)

    rows = [
        _row("user", "go", uuid="u", parentUuid=None),
        answer("a1", "u", "c1"),
        result("r1", "a1", "c1"),
        answer("a2", "r1", "c2"),
        result("r2", "a2", "c2"),
        _row("assistant", "done", uuid="z", parentUuid="r2"),
    ]
    assert [said(request) for request in requests(b"".join(rows))] == [
        ["user: go"],
        ["user: go", "assistant: !c1 | !c2", "user: ?c1: c1 | ?c2: c2"],
    ]


def test_a_sub_agent_that_hangs_on_the_call_for_it_begins_anew() -> None:
    """Its requests have nothing of the main agent's, and the main agent's nothing of them."""
    rows = [
        _row("user", "one", uuid="u", parentUuid=None),
        _row("assistant", "two", uuid="a", parentUuid="u"),
        _row("user", "inner", uuid="x", parentUuid="a", isSidechain=True),
        _row("assistant", "done", uuid="y", parentUuid="x", isSidechain=True),
        _row("user", "another", uuid="z", parentUuid="a", isSidechain=True),
        _row("assistant", "done", uuid="w", parentUuid="z", isSidechain=True),
        _row("user", "three", uuid="v", parentUuid="w"),
        _row("assistant", "four", uuid="b", parentUuid="v"),
    ]
    assert [(request["session_id"], said(request)) for request in requests(b"".join(rows))] == [
        ("s", ["user: one"]),
        ("s/sidechain-1", ["user: inner"]),
        ("s/sidechain-2", ["user: another"]),
        ("s", ["user: one", "assistant: two", "user: three"]),
    ]


def test_rows_of_one_answer_need_not_hang_on_each_other() -> None:
    """Siblings with one message id are one answer, also where a note stands between them."""

    def answer(uuid: str, on: str, text: str) -> bytes:
        message = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": text}]}
        return _row("assistant", [], uuid=uuid, parentUuid=on, message=message)

    rows = [
        _row("user", "go", uuid="u", parentUuid=None),
        answer("a1", "u", "one"),
        b'{"type":"progress","sessionId":"s","uuid":"n","parentUuid":"u"}\n',
        answer("a2", "n", "two"),
    ]
    (found,) = requests(b"".join(rows))
    assert [block["text"] for block in found["answer"]["content"]] == ["one", "two"]


def test_results_come_first_in_a_row_that_says_more() -> None:
    """The provider takes no text before the results of the calls that it asked for."""
    calls: list[Json] = [{"type": "tool_use", "id": call, "name": "Bash", "input": {}} for call in ("c1", "c2")]
    first, second = ({"type": "tool_result", "tool_use_id": call, "content": call} for call in ("c1", "c2"))
    rows = [
        _row("user", "go"),
        _row("assistant", calls),
        _row("user", [{"type": "text", "text": "early"}, first]),
        _row("user", "between"),
        _row("user", [second]),
        _row("assistant", "done"),
    ]
    assert said(requests(b"".join(rows))[1])[-1] == "user: ?c1: c1 | ?c2: c2 | early | between"


def test_clocks_that_go_back_change_no_order() -> None:
    """An answer never comes before what it goes on from, nor is it sent after it was given."""

    def at(second: int) -> str:
        return f"1970-01-01T00:00:{second:02d}Z"

    rows = [
        _row("user", "one", uuid="u", parentUuid=None, timestamp=at(20)),
        _row("assistant", "two", uuid="a", parentUuid="u", timestamp=at(30)),
        _row("user", "three", uuid="v", parentUuid="a", timestamp=at(25)),
        _row("assistant", "four", uuid="b", parentUuid="v", timestamp=at(10)),
    ]
    found = requests(b"".join(rows))
    assert [(request["line"], request["sent_s"], request["answered_s"]) for request in found] == [
        (2, 20, 30),
        (4, 10, 10),
    ]


def test_an_unusable_row_spoils_no_other() -> None:
    """Bytes that are not UTF-8, a key twice and a tool input nested too deeply cost that row alone."""
    bad = [
        _row("user", "x", uuid="b", parentUuid="a").replace(b'"x"', b'"\xff"'),
        _row("user", [{"type": "text", "text": "x"}], uuid="b", parentUuid="a").replace(b'"x"', b'"x", "text": "y"'),
        _row("user", [{"type": "text", "text": "x"}], uuid="b", parentUuid="a").replace(
            b'"x"', b"[" * 5000 + b"]" * 5000
        ),
        _row("user", [{"type": "tool_result", "tool_use_id": "c", "content": [1]}], uuid="b", parentUuid="a"),
    ]
    for row in bad:
        rows = [
            _row("user", "one", uuid="u", parentUuid=None),
            _row("assistant", "two", uuid="a", parentUuid="u"),
            row,
            _row("user", "three", uuid="c", parentUuid="b"),
            _row("assistant", "four", uuid="d", parentUuid="c"),
        ]
        assert said(requests(b"".join(rows))[-1]) == ["user: one", "assistant: two", "user: three"]
        assert [(line, usable) for line, _, usable in passed(b"".join(rows)) if not usable] == [(3, False)]


def test_a_row_with_the_uuid_of_an_unusable_one_is_read() -> None:
    """Only a row that says something makes a later one with its uuid a repetition."""
    rows = [
        _row("user", "x", uuid="u", parentUuid=None, message="broken"),
        _row("user", "one", uuid="u", parentUuid=None),
        _row("assistant", "two", uuid="a", parentUuid="u"),
    ]
    assert [said(request) for request in requests(b"".join(rows))] == [["user: one"]]


def test_a_long_chain_of_rows_is_no_deep_recursion() -> None:
    """3,000 prompts hanging on each other before one answer are one message of as many blocks."""
    rows = [_row("user", "go", uuid="0", parentUuid=None)]
    rows += [_row("user", "more", uuid=str(i), parentUuid=str(i - 1)) for i in range(1, 3000)]
    found = requests(b"".join([*rows, _row("assistant", "done", uuid="z", parentUuid="2999")]))
    assert [len(request["body"]["messages"][0]["content"]) for request in found] == [3000]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("name", REAL)
def test_real_sessions(name: str) -> None:
    """Requests by lane and the sums of their usage, counted beforehand by another program."""
    assert CORPUS is not None
    found = requests(CORPUS / FOLDER / name)
    lanes: dict[str | None, int] = {}
    for request in found:
        lanes[request.get("session_id")] = lanes.get(request.get("session_id"), 0) + 1
    assert (lanes, billed(found)) == REAL[name]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_266_assistant_rows_of_a_real_session_are_54_answers() -> None:
    """56 message ids, two of them synthetic; counted by row, reads alone would be 14.5 million tokens, not 3."""
    assert CORPUS is not None
    data = (CORPUS / FOLDER / "moredip__INTEGRATION__fixtures__general-tool-calls.jsonl").read_bytes()
    rows = _answers(data)
    by_row = sum(row["message"]["usage"]["cache_read_input_tokens"] for row in rows)
    assert (len(rows) + 2, len({row["message"]["id"] for row in rows}), by_row) == (266, 54, 14_483_104)
    found = requests(data)
    assert (len(found), billed(found)[1]) == (54, 2_980_648)
    assert [line for line, reason, _ in passed(data) if reason == "synthetic"] == [544, 559]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("name", [name for name in REAL if name.startswith("d-kimuson")])
def test_each_request_of_a_real_session_reads_what_the_one_before_wrote(name: str) -> None:
    """The provider's own figures say that lanes and order are right: read(n) = read(n-1) + write(n-1), always."""
    assert CORPUS is not None
    held: dict[str, int] = {}
    for request in requests(CORPUS / FOLDER / name):
        lane, usage = request["session_id"], request["usage"]
        assert usage["read"] == held.get(lane, usage["read"])
        held[lane] = usage["read"] + sum(usage["write_by_ttl_s"].values())
    assert len(held) > 2


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_a_real_prompt_that_was_taken_back_is_in_no_request() -> None:
    """It hangs on an old row and was interrupted; the answer two rows further down goes on without it."""
    assert CORPUS is not None
    path = CORPUS / FOLDER / "moredip__samples__claude-code-projects__0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl"
    prompt = json.loads(path.read_bytes().splitlines()[81])["message"]["content"]
    found = requests(path)
    assert found[-1]["line"] == 84
    assert len(said(found[-1])) == 21
    assert not any(prompt in text for request in found for text in said_all(request))


def said_all(request: Json) -> list[str]:
    """Every text of *request*."""
    return [json.dumps(message, ensure_ascii=False) for message in request["body"]["messages"]]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("name", [name for name in REAL if "todowrite" not in name])
def test_every_call_of_a_real_session_is_answered_by_the_next_message(name: str) -> None:
    """Roles alternate, and a user message has the results of exactly the calls before it, as the provider wants it."""
    assert CORPUS is not None
    for request in requests(CORPUS / FOLDER / name):
        messages = request["body"]["messages"]
        for before, after in pairwise(messages):
            assert before["role"] != after["role"]
            if before["role"] == "assistant":
                assert _ids(before, "tool_use", "id") == _ids(after, "tool_result", "tool_use_id")


def _ids(message: Json, kind: str, key: str) -> set[str]:
    content = message["content"]
    return {block[key] for block in content if block["type"] == kind} if isinstance(content, list) else set()


_VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1.5, 10**30, "", "a", "\ud800", "\x00", [], {}, [1], ["b"], [[]], [{}], {"a": [None]}, {"type": 1}]
)
_IDS = st.sampled_from(["a", "b", "c", "d"])
_BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "tool_use", "tool_result", "thinking"]) | _VALUES,
        "text": _VALUES,
        "id": _IDS | _VALUES,
        "tool_use_id": _IDS | _VALUES,
        "content": _VALUES,
        "input": _VALUES,
    },
)
_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant"]) | _VALUES,
        "content": st.lists(_BLOCKS | _VALUES, max_size=3) | st.text(max_size=5) | _VALUES,
        "id": _IDS | _VALUES,
        "model": st.sampled_from(["m", "<synthetic>"]) | _VALUES,
        "usage": st.dictionaries(st.sampled_from(["input_tokens", "output_tokens"]), _VALUES) | _VALUES,
    },
)
_KEPT = st.fixed_dictionaries(
    {},
    optional={
        "preservedMessages": st.fixed_dictionaries({}, optional={"uuids": st.lists(_IDS | _VALUES), "anchorUuid": _IDS})
        | _VALUES,
        "preservedSegment": st.fixed_dictionaries({"headUuid": _IDS, "tailUuid": _IDS}) | _VALUES,
    },
)
_ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "system", "tool_result", "summary"]) | _VALUES},
    optional={
        "message": _MESSAGES | _VALUES,
        "uuid": _IDS | _VALUES,
        "parentUuid": _IDS | st.none() | _VALUES,
        "logicalParentUuid": _IDS | _VALUES,
        "sessionId": st.sampled_from(["s", "t"]) | _VALUES,
        "agentId": _IDS | _VALUES,
        "isSidechain": st.booleans() | _VALUES,
        "isCompactSummary": st.booleans() | _VALUES,
        "isApiErrorMessage": st.booleans() | _VALUES,
        "subtype": st.sampled_from(["compact_boundary", "local_command"]) | _VALUES,
        "compactMetadata": _KEPT | _VALUES,
        "content": _VALUES,
        "timestamp": st.just("2026-03-02T08:00:00Z") | _VALUES,
        "requestId": _IDS | _VALUES,
    },
)


@given(st.lists(_ROWS, max_size=12))
@settings(max_examples=30, deadline=None)
def test_whatever_stands_in_the_rows_is_no_crash(rows: list[Json]) -> None:
    """Any value under any key: an error of `cg`'s own, or requests that can be read."""
    data = b'{"type":"user","sessionId":"s","message":{"content":"hi"}}\n'
    assert is_sound(data + "\n".join(json.dumps(row) for row in rows).encode())


@given(st.sampled_from(NAMES), st.data())
@settings(max_examples=30, deadline=None)
def test_whatever_happens_to_a_file_is_no_crash(name: str, data: st.DataObject) -> None:
    """Bytes changed, lines dropped, doubled and swapped, the end cut off."""
    lines = fixture(f"claude-code/{name}.jsonl").splitlines(keepends=True)
    order = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=len(lines) + 3))
    changed = bytearray(b"".join(lines[i] for i in order))
    for at in data.draw(st.lists(st.integers(0, max(0, len(changed) - 1)), max_size=4)) if changed else []:
        changed[at] = data.draw(st.integers(0, 255))
    assert is_sound(bytes(changed[: data.draw(st.integers(0, len(changed)))]))
