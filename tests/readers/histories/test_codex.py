"""Codex rollouts: which items are one answer, what was sent before it, and whose the usage is."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from cgcli.model import Section
from cgcli.readers import read
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import FIXTURES

NEW, EARLY, OLD, FORK = (FIXTURES / "codex" / f"{name}.jsonl" for name in ("new", "early", "old", "fork"))


def line(kind: str, payload: Any, second: int = 0) -> Json:
    """A line of a rollout."""
    return {"timestamp": f"2026-08-09T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def item(**fields: Any) -> Json:
    """A line with an item."""
    return line("response_item", fields)


def said(role: str, text: str) -> Json:
    """A line with a message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text}])


def event(kind: str, **fields: Any) -> Json:
    """A line with an event."""
    return line("event_msg", {"type": kind, **fields})


def count(total: int, last: int) -> Json:
    """Usage, as input tokens in all and of the last answer."""
    told = {"total_token_usage": {"input_tokens": total}, "last_token_usage": {"input_tokens": last}}
    return event("token_count", info=told)


def words(body: Json) -> list[str]:
    """The texts of a body's messages, and the types of its other items."""
    return [one["content"][0]["text"] if one["type"] == "message" else one["type"] for one in body["input"]]


def test_each_run_of_the_models_items_is_an_answer() -> None:
    """One request a run, on the line of its first item; the last words, which have no answer, make none."""
    found = of_path(NEW)
    assert found.lines == [9, 18, 25, 29, 34, 42, 46]
    assert [len(body["input"]) for body in found.bodies] == [3, 9, 12, 14, 17, 4, 6]
    assert {one.request.dialect for one in found.exchanges} == {"openai-responses"}


def test_an_answer_is_recorded_whole() -> None:
    """Its items in order as the provider's output, with the sealed reasoning."""
    told = answer(of_path(NEW).exchanges[0])
    assert told is not None
    assert [one["type"] for one in told["output"]] == ["reasoning", "message", "function_call", "function_call"]
    assert told["output"][0]["encrypted_content"] == "sealed-one"


def test_the_next_request_holds_the_answer_byte_for_byte() -> None:
    """What the model made and what came back stand behind the request before it, as the file spells them."""
    first, second = of_path(NEW).exchanges[:2]
    lines = NEW.read_bytes().splitlines()
    items = [text[text.index(b'"payload":') + 10 : -1] for text in (lines[i - 1] for i in (9, 11, 12, 13, 14, 15))]
    assert bytes(second.request.raw)[:-2].endswith(b",".join(items))
    assert second.shared == len(first.request.messages) == 3


def test_an_answer_that_was_broken_off_is_not_whole() -> None:
    """The items of the fourth answer stand before the abort, and no usage does: nobody knows what is missing."""
    found = of_path(NEW)
    assert [one.answer is not None for one in found.exchanges] == [True, True, True, False, True, True, True]
    assert found.billed[3] is None


def test_usage_is_that_of_the_last_answer_and_told_once() -> None:
    """Input includes what was read and written; totals are never summed, and a repeat of them counts once."""
    assert of_path(NEW).billed == [
        (5000, 4000, {}, 120),
        (100, 9000, {1800: 200}, 40),
        (9500, 0, {}, 30),
        None,
        (200, 9500, {}, 10),
        (500, 2500, {}, 20),
        (100, 3000, {}, 10),
    ]


def test_usage_of_a_call_for_a_summary_is_nobodys() -> None:
    """It stands between an answer that has its own and the compaction: counted, and given to no request."""
    assert of_path(NEW).reasons == [(36, "usage_without_answer", True)]


def test_usage_before_the_items_of_its_answer() -> None:
    """Versions of autumn 2025 wrote it first: the second one is the second answer's, not the first's once more."""
    found = of_path(EARLY)
    assert found.lines == [9, 13, 17, 24, 28]
    assert found.billed == [
        (5000, 0, {}, 50),
        (200, 4900, {}, 10),
        (200, 5000, {}, 10),
        (200, 800, {}, 5),
        (100, 1000, {}, 6),
    ]
    assert found.reasons == [(20, "usage_without_answer", True)]


def test_a_new_history_stands_for_the_old_one() -> None:
    """Requests go on from `replacement_history`, in a new epoch of the same lane."""
    found = of_path(NEW)
    assert words(found.bodies[5]) == ["Ask first.", "List the berths.", "compaction", "And berth 7?"]
    assert found.lanes() == [[[1, 2, 3, 4, 5], [6, 7]]]
    assert {one.session_id for one in found.exchanges} == {"rollout-quay"}


def test_a_summary_alone_stands_behind_what_persons_said() -> None:
    """The model's own words go, the persons' stay; a turn that was taken back is gone before that."""
    found = of_path(EARLY)
    assert words(found.bodies[3])[1:] == ["How deep is berth 3?", "Berth 3 is four metres deep.", "And berth 5?"]
    assert found.lanes() == [[[1, 2, 3], [4, 5]]]


def test_an_earlier_summary_is_not_kept() -> None:
    """After a second compaction only the newest summary is left."""
    summary = [line("compacted", {"message": f"Summary {i}."}) for i in (1, 2)]
    told = [said("user", "a"), summary[0], said("user", "b"), summary[1], said("assistant", "c")]
    assert words(rebuilt(jsonl(told)).bodies[0]) == ["a", "b", "Summary 2."]


@pytest.mark.parametrize(
    ("payload", "left"),
    [
        ({"message": "", "replacement_history": []}, ["b"]),
        ({"message": "", "replacement_history": None}, ["a", "b"]),
        ({"replacement_history": [{"type": "ghost_snapshot"}]}, ["b"]),
    ],
)
def test_an_empty_history_is_one(payload: Json, left: list[str]) -> None:
    """An empty list is a new history; null is none, and an empty summary is not sent."""
    told = [said("user", "a"), line("compacted", payload), said("user", "b"), said("assistant", "c")]
    assert words(rebuilt(jsonl(told)).bodies[0]) == left


def test_a_compaction_that_says_nothing_is_reported() -> None:
    """Neither a summary nor a history: the old one goes on."""
    told = [said("user", "a"), line("compacted", {}), said("assistant", "b")]
    found = rebuilt(jsonl(told))
    assert (found.reasons, [words(body) for body in found.bodies]) == ([(2, "no_history", False)], [["a"]])


@pytest.mark.parametrize(
    ("n_turns", "left"),
    [
        (1, ["<environment_context/>", "a", "x", "d"]),
        (2, ["<environment_context/>", "d"]),
        (9, ["<environment_context/>", "d"]),
        (0, ["<environment_context/>", "a", "x", "b", "c", "d"]),
        ("1", ["<environment_context/>", "a", "x", "b", "c", "d"]),
    ],
)
def test_turns_are_taken_back(n_turns: Any, left: list[str]) -> None:
    """As many as the event says; what stood before the first turn stays, however many it says."""
    told = [
        said("user", "<environment_context/>"),
        said("user", "a"),
        event("user_message", message="a"),
        said("assistant", "x"),
        event("user_message", message="b"),
        said("user", "b"),
        said("assistant", "c"),
        event("thread_rolled_back", num_turns=n_turns),
        said("user", "d"),
        said("assistant", "e"),
    ]
    assert words(rebuilt(jsonl(told)).bodies[-1]) == left


def test_a_call_without_an_output_gets_one() -> None:
    """Codex says `aborted` right behind it; where the output comes later, it stands in its place."""
    calls = [item(type="function_call", call_id="one"), item(type="custom_tool_call", call_id="two")]
    late = item(type="function_call_output", call_id="one", output="late")
    told = [said("user", "a"), *calls, said("user", "b"), said("assistant", "c"), late, said("assistant", "d")]
    first, second = (body["input"] for body in rebuilt(jsonl(told)).bodies[1:])
    aborted = [
        {"type": f"{kind}_output", "call_id": call, "output": "aborted"}
        for kind, call in (("function_call", "one"), ("custom_tool_call", "two"))
    ]
    payloads = [one["payload"] for one in told]
    assert first == [*payloads[:2], aborted[0], payloads[2], aborted[1], payloads[3]]
    assert second == [*payloads[:3], aborted[1], *payloads[3:6]]


def test_base_instructions_are_the_system_prompt() -> None:
    """Where the head has them; the person's own instructions are none. The tools are never recorded."""
    found, early = of_path(NEW).exchanges[0].request, of_path(EARLY).exchanges[0].request
    assert found.system is not None
    assert [json.loads(one.wire) for one in found.system] == ["You are a harbour clerk who may run commands."]
    assert (found.tools, early.tools, early.system) == (None, None, None)


def test_what_is_not_recorded_is_said() -> None:
    """The lines that are made of it name the sections that the file does not have."""
    entries = read(io.BytesIO(NEW.read_bytes()), file="f"), read(io.BytesIO(EARLY.read_bytes()), file="f")
    new, early = (json.loads(next(iter(capture)).raw) for capture in entries)
    assert (new["unrecorded"], early["unrecorded"]) == ([Section.TOOLS.value], ["tools", "system"])
    assert (new["reconstructed"], new["from"], new["provider"]) == (True, "codex", "openai")
    assert "provider" not in early


def test_the_model_and_the_effort_change_in_mid_session() -> None:
    """Each request has those of the turn it is in."""
    found = [(body["model"], body["reasoning"]["effort"]) for body in of_path(NEW).bodies]
    assert found == [("gpt-5.2-codex", "medium")] * 2 + [("gpt-5.2", "high")] * 5


def test_times_are_those_of_the_lines_around() -> None:
    """A request was sent when the last thing before its answer was written down; the answer ends with its last item."""
    found = of_path(NEW).exchanges
    assert [(one.sent_s, one.answered_s) for one in found[:2]] == [
        (1_786_269_606.0, 1_786_269_613.0),
        (1_786_269_615.0, 1_786_269_619.0),
    ]


def test_events_are_no_messages() -> None:
    """What a person or the model said stands in an item already; CR LF in it stays."""
    texts = words(of_path(NEW).bodies[-1])
    assert texts.count("And berth 7?") == 1
    assert words(of_path(NEW).bodies[0])[-1] == "List the berths.\r\nOnly the free ones."


def test_old_rollouts_are_read() -> None:
    """A head without a type, bare items, state lines between them; the half line at the end is reported."""
    found = of_path(OLD)
    assert (found.lines, found.billed) == ([5, 10], [None, None])
    assert [one["type"] for one in found.bodies[1]["input"]] == [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
    ]
    assert {one.session_id for one in found.exchanges} == {"rollout-old"}
    assert found.reasons == [(12, "half_written", False)]
    assert found.exchanges[0].sent_s is None


def test_items_beside_their_time_are_read_without_it() -> None:
    """The payload's keys may stand on the line itself."""
    head = {"timestamp": "2026-08-09T10:00:00Z", "type": "session_meta", "id": "s"}
    messages = [said(role, "a")["payload"] for role in ("user", "assistant")]
    flat = [{"timestamp": "2026-08-09T10:00:01Z", "ordinal": 7, **message} for message in messages]
    told = [line("turn_context", {"model": "gpt-5.2"}), head, *flat]
    found = rebuilt(jsonl(told))
    assert found.bodies == [{"model": "gpt-5.2", "input": [said("user", "a")["payload"]]}]
    assert (found.exchanges[0].session_id, found.exchanges[0].sent_s) == ("s", 1_786_269_601.0)


def test_what_a_fork_copied_is_not_asked_again() -> None:
    """Lines older than the session itself are its parent's: history, and no requests of this one."""
    found = of_path(FORK)
    assert found.reasons == [(6, "copied_from_parent", True)]
    assert (found.lines, found.billed, found.exchanges[0].session_id) == ([11], [(200, 9000, {}, 15)], "rollout-agent")
    assert words(found.bodies[0]) == ["List the berths.", "Berths 7 and 9.", "Check berth 7."]


def test_usage_ends_an_answer() -> None:
    """Two answers without anything between them are told apart by their usage."""
    told = [said("user", "a"), said("assistant", "b"), count(10, 10), said("assistant", "c"), count(30, 20)]
    found = rebuilt(jsonl(told))
    assert [words(body) for body in found.bodies] == [["a"], ["a", "b"]]
    assert found.billed == [(10, 0, {}, None), (20, 0, {}, None)]


def test_an_answer_with_nothing_before_it_makes_no_request() -> None:
    """Nobody sends an empty list."""
    assert rebuilt(jsonl([said("assistant", "a")])).reasons == [(1, "nothing_before", True)]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"timestamp":"t","type":"response_item","payload":7}', "not_an_object"),
        (b'{"timestamp":"t","type":"response_item","payload":{}}', "bad_shape"),
        (
            b'{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":7}}',
            "bad_shape",
        ),
        (b'{"timestamp":"t","type":"response_item","payload":{"type":"x","type":"y"}}', "duplicate_key"),
        (b'{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"\xff"}}', "invalid_utf8"),
        (b'{"timestamp":"t","type":"response_item","payload":{"type":"mess', "cut"),
        (b"[]", "not_an_object"),
    ],
)
def test_an_item_that_cannot_be_used_is_left_out_alone(bad: bytes, reason: str) -> None:
    """The requests after it are put together without it."""
    told = [json.dumps(one).encode() for one in (said("user", "a"), said("assistant", "b"))]
    found = rebuilt(b"\n".join([told[0], bad, told[1]]))
    assert (found.reasons, found.lines, [words(body) for body in found.bodies]) == ([(2, reason, False)], [3], [["a"]])
