"""`cacheinject`: marks in the slots that the caller left free, so that the prompt cache is written and found again."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.body import BodyPlan
from cgcli.compaction.components.cacheinject import Cacheinject
from cgcli.errors import FormatError, UsageError
from cgcli.model import changed
from cgcli.prefix.keys import keys
from cgcli.readers import open_bytes, read
from cgcli.readers.single import parse_body
from cgcli.wire.splice import splice
from tests.cachesim.caching import BOUNDLESS, MESSAGE, SONNET, Sent, told, words
from tests.captures import capture
from tests.checks.gated import result
from tests.compaction.components.bodies import Edited, Json, compact, marks, pretty, sent
from tests.compaction.stepping import NOTHING
from tests.running import CORPUS, CORPUS_CAPTURES, NO_CORPUS

if TYPE_CHECKING:
    from cgcli.model import Request

MARK: Json = {"cache_control": {"type": "ephemeral"}}
HOUR: Json = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
THINKING: Json = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
TOOL: Json = {"name": "A", "input_schema": {}}


def text(words_of_it: str, **more: Any) -> Json:
    """A text block."""
    return {"type": "text", "text": words_of_it, **more}


def message(*blocks: Json, role: str = "user") -> Json:
    """A message of these blocks."""
    return {"role": role, "content": list(blocks)}


def body(*messages: Json, **fields: Any) -> Json:
    """A body of a Claude whose minimum is not known."""
    return {"model": BOUNDLESS, "max_tokens": 9, "messages": list(messages), **fields}


def lane(n: int, **more: Any) -> list[Json]:
    """So many messages of one block, one position and 200 tokens each."""
    roles = ("user", "assistant")
    return [message(text(words(MESSAGE - 3, f"m{i}"), **more), role=roles[i % 2]) for i in range(n)]


def placed(request_body: Json, component: Cacheinject | None = None) -> list[tuple[str, str]]:
    """The marks of the first turn of a lane."""
    return marks(json.loads(Edited(component or Cacheinject()).send(request_body)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b'{"model":"claude-opus-9","max_tokens":9,"messages":[{"role":"user","content":"a \\"b\\" \\u00e9"}]}',
            (
                b'{"model":"claude-opus-9","max_tokens":9,"messages":[{"role":"user","content":'
                b'[{"type":"text","text":"a \\"b\\" \\u00e9","cache_control":{"type":"ephemeral"}}]}]}'
            ),
        ),
        (
            b'{"max_tokens":9,"system":"s","messages":[{"content":[{"text":"a","type":"text"}],"role":"user"}]}',
            (
                b'{"max_tokens":9,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":'
                b'[{"content":[{"text":"a","type":"text","cache_control":{"type":"ephemeral"}}],"role":"user"}]}'
            ),
        ),
        (
            (
                b'{ "messages" : [ { "role" : "user" , "content" : [ {\n "type" : "text" , "text" : "a"\n} ] } ] ,'
                b' "max_tokens" : 9 , "system" : [ ] , "tools" : [ { "name" : "A" , "input_schema" : { } } ] }'
            ),
            (
                b'{ "messages" : [ { "role" : "user" , "content" : [ {\n "type" : "text" , "text" : "a"'
                b',"cache_control":{"type":"ephemeral"}\n} ] } ] , "max_tokens" : 9 , "system" : [ ] , '
                b'"tools" : [ { "name" : "A" , "input_schema" : { },"cache_control":{"type":"ephemeral"} } ] }'
            ),
        ),
        (
            (
                b'{"max_tokens":9,"system":"","messages":[{"role":"user","content":'
                b'[{"type":"text","cache_control":null,"text":"a"}]}]}'
            ),
            (
                b'{"max_tokens":9,"system":"","messages":[{"role":"user","content":'
                b'[{"type":"text","cache_control":{"type":"ephemeral"},"text":"a"}]}]}'
            ),
        ),
    ],
)
def test_mark_is_put_behind_the_last_member(before: bytes, after: bytes) -> None:
    """Of the last message and of the head; a string becomes the list of one text that it stands for."""
    assert Edited(Cacheinject()).send(before) == after


@pytest.mark.parametrize(
    ("last", "at"),
    [
        ([message(text("a"), text("b"))], "messages.1.1"),
        ([message(text("a"), text(""))], "messages.1.0"),
        ([message(text("a"), text(" \n"))], "messages.1.0"),
        ([message(text("a"), THINKING, {"type": "redacted_thinking", "data": "x"}, role="assistant")], "messages.1.0"),
        ([message(THINKING, role="assistant")], "messages.0.0"),
        ([message({"type": "tool_use", "id": "t", "name": "A", "input": {}}, role="assistant")], "messages.1.0"),
        ([message({"type": "tool_result", "tool_use_id": "t", "content": [text("a")]})], "messages.1.0"),
        ([message({"type": "web_search_tool_result", "tool_use_id": "t", "content": []})], "messages.1.0"),
        ([message({"type": "image", "source": {}}, {"type": "from_the_future"})], "messages.1.0"),
        ([message(), message()], "messages.0.0"),
        ([message(text("a")), {"role": "system", "content": [text("s")]}], "messages.1.0"),
        ([{"role": "assistant", "content": ""}], "messages.0.0"),
    ],
)
def test_last_markable_block_is_marked(last: list[Json], at: str) -> None:
    """Not thinking, blank texts or unknown blocks, and no system message in the list; a message of calls alone is."""
    assert placed(body(message(text("first")), *last)) == [(at, "5m")]


@pytest.mark.parametrize(
    ("fields", "head"),
    [
        ({"system": [text("a"), text("b")], "tools": [TOOL]}, ["system.1"]),
        ({"system": [text("a"), text("")], "tools": [TOOL]}, ["system.0"]),
        ({"system": "", "tools": [TOOL, {**TOOL, "defer_loading": True}]}, ["tools.0"]),
        ({"system": [text("a", **MARK), text("b")], "tools": [TOOL]}, ["system.0"]),
        ({"system": "a", "tools": [{**TOOL, **MARK}]}, ["tools.0"]),
        ({"system": "a", "cache_control": {"type": "ephemeral"}}, ["system.0"]),
        ({}, []),
    ],
)
def test_head_is_marked_where_it_has_no_mark(fields: Json, head: list[str]) -> None:
    """At the end of the system prompt, else of the tools that are loaded at once."""
    found = [at for at, _ in placed(body(message(text("go")), **fields)) if not at.startswith("messages")]
    assert found == head


@pytest.mark.parametrize(
    ("n", "anchored"),
    [
        (1, []),
        (19, []),
        (20, ["messages.18.0"]),
        (38, ["messages.18.0"]),
        (39, ["messages.18.0", "messages.37.0"]),
        (100, ["messages.56.0", "messages.75.0", "messages.94.0"]),
    ],
)
def test_anchors_stand_every_nineteen_positions(n: int, anchored: list[str]) -> None:
    """Counted from the start, so that they stay where they are as the lane grows; the latest ones, as slots allow."""
    assert [at for at, _ in placed(body(*lane(n)))] == [*anchored, f"messages.{n - 1}.0"]


def test_run_of_calls_is_one_position() -> None:
    """Parallel calls count as one, and their results too: position 19 is the first message's 17th text's fan-out."""
    calls = [{"type": "tool_use", "id": f"t{i}", "name": "A", "input": {}} for i in range(30)]
    results = [{"type": "tool_result", "tool_use_id": f"t{i}", "content": "ok"} for i in range(30)]
    history = [
        message(*(text("a") for _ in range(17))),
        message(*calls, role="assistant"),
        message(*results),
        message(text("b"), role="assistant"),
        message(text("c")),
    ]
    assert [at for at, _ in placed(body(*history))] == ["messages.2.29", "messages.4.0"]


def test_last_message_of_the_request_before_is_marked() -> None:
    """So that what it wrote is found, however much came behind it."""
    component = Edited(Cacheinject())
    history = lane(40)
    component.send(body(*history[:10]))
    assert [at for at, _ in marks(json.loads(component.send(body(*history[:18]))))] == ["messages.9.0", "messages.17.0"]


def test_message_before_a_divergence_is_marked() -> None:
    """The agent rewrote its last two messages: the mark stands on the last one that is the same."""
    component = Edited(Cacheinject())
    history = lane(12)
    component.send(body(*history[:10]))
    edited = [*history[:7], message(text("x"), role="assistant"), *history[8:]]
    assert [at for at, _ in marks(json.loads(component.send(body(*edited))))] == ["messages.6.0", "messages.11.0"]


@pytest.mark.parametrize(("rewritten_from", "marked"), [(None, ["9", "17"]), (6, ["5", "17"]), (0, ["17"])])
def test_message_before_what_is_rewritten_is_marked(rewritten_from: int | None, marked: list[str]) -> None:
    """Earlier steps may change on this turn what was sent: the provider has it only up to there."""
    component = Edited(Cacheinject())
    history = lane(40)
    component.send(body(*history[:10]))
    raw = compact(body(*history[:18]))
    plan = component.component.plan(changed(component.body(raw), rewritten_from=rewritten_from))
    assert isinstance(plan, BodyPlan)
    sent_so = splice(raw, [(edit.start, edit.stop, edit.new) for edit in plan.edits])
    assert [at for at, _ in marks(json.loads(sent_so))] == [f"messages.{i}.0" for i in marked]


def test_under_another_head_nothing_was_sent_before() -> None:
    """Nothing is held of it, so a mark where the last request ended would find nothing."""
    component = Edited(Cacheinject())
    history = lane(40)
    component.send(body(*history[:10]))
    plan = component.component.plan(changed(component.body(compact(body(*history[:18]))), held=NOTHING))
    assert isinstance(plan, BodyPlan)
    assert plan.n_fired == 1


@pytest.mark.parametrize(
    ("marked", "n_added"),
    [([], 4), ([3], 3), ([3, 5], 2), ([3, 5, 7], 1), ([3, 5, 7, 9], 0)],
)
def test_at_most_four_marks(marked: list[int], n_added: int) -> None:
    """Over tools, system prompt and messages together; the caller's stay where they are."""
    history = lane(80)
    for i in marked:
        history[i] = message(text("m", **MARK), role=history[i]["role"])
    request_body = body(*history, system="s", tools=[TOOL])
    component = Edited(Cacheinject())
    got = json.loads(component.send(request_body))
    assert {f"messages.{i}.0" for i in marked} <= {at for at, _ in marks(got)}
    assert len(marks(got)) == len(marked) + n_added
    assert component.n_fired == n_added
    assert ("no_free_slot" in component.reasons) == (n_added < 2)


def test_automatic_mark_is_one_of_the_four() -> None:
    """The provider sets it on the last block, which gets none of ours: another lifetime there is refused."""
    got = placed(body(*lane(38), system="s", cache_control={"type": "ephemeral", "ttl": "1h"}))
    assert got == [("system.0", "1h"), ("messages.18.0", "1h")]


@pytest.mark.parametrize(
    ("ttl", "fields", "history", "expected"),
    [
        ("5m", {"system": [text("s")]}, [text("a", **HOUR), text("b")],
         [("system.0", "1h"), ("messages.0.0", "1h"), ("messages.0.1", "5m")]),
        ("1h", {"system": [text("s")]}, [text("a", **MARK), text("b")],
         [("system.0", "1h"), ("messages.0.0", "5m"), ("messages.0.1", "5m")]),
        ("1h", {"tools": [{**TOOL, **MARK}]}, [text("a"), text("b")], [("tools.0", "5m"), ("messages.0.1", "5m")]),
        ("1h", {"tools": [{**TOOL, **HOUR}]}, [text("a"), text("b")], [("tools.0", "1h"), ("messages.0.1", "1h")]),
        ("1h", {}, [text("a")], [("messages.0.0", "1h")]),
    ],
)  # fmt: skip
def test_long_lifetimes_stand_first(ttl: str, fields: Json, history: list[Json], expected: list[Any]) -> None:
    """Never a mark for an hour behind one for five minutes: before one for an hour all is written for an hour."""
    request_body = body(message(*history), **fields)
    assert placed(request_body, Cacheinject(ttl=ttl)) == expected
    got = Edited(Cacheinject(ttl=ttl)).send(request_body)
    assert result(got, "BREAKPOINTS").verdict == "pass"


@pytest.mark.parametrize(
    ("request_body", "reason"),
    [
        ({"model": "gpt-4.1", "messages": [{"role": "user", "content": "go"}]}, "other_dialect"),
        ({"model": "gpt-5", "input": "go"}, "other_dialect"),
        (body(*lane(2), model=SONNET), "below_minimum"),
        (body(message(text("a", cache_control={"type": "ephemeral", "ttl": "2h"}))), "marks_refused"),
        (body(message(text("a", **MARK), text("b", **HOUR), text("c"))), "marks_refused"),
        (body(*lane(6, **MARK)), "marks_refused"),
        (body(message(THINKING, role="assistant")), "unmarkable"),
        (body(message(text("a", **MARK))), "already_marked"),
    ],
)
def test_reason_is_given(request_body: Json, reason: str) -> None:
    """Nothing is changed, and what the provider refuses anyway is left to it."""
    component = Edited(Cacheinject())
    assert component.send(request_body) == compact(request_body)
    assert component.reasons == [reason]


def test_small_head_is_not_marked() -> None:
    """Below the model's minimum of 1,024 tokens nothing is kept of it; the whole request is above it."""
    component = Edited(Cacheinject())
    got = component.send(body(*lane(20), model=SONNET, system=words(20)))
    assert marks(json.loads(got)) == [("messages.18.0", "5m"), ("messages.19.0", "5m")]
    assert component.reasons == ["below_minimum"]


@pytest.mark.parametrize("ttl", ["10m", "", 5, None, True])
def test_wrong_parameter_is_refused(ttl: Any) -> None:
    """The two lifetimes that exist."""
    with pytest.raises(UsageError, match=r"cacheinject: ttl is .*, but must be one of 1h, 5m"):
        Cacheinject(ttl=ttl)


def test_mark_in_what_others_replace_does_not_count() -> None:
    """Messages 5 to 30 have given way to a summary: the anchor in them is not set, and not said to be."""
    raw = compact(body(*lane(37)))
    request = parse_body(raw)
    component = Edited(Cacheinject())
    edits = component.edits(raw, ((request.starts[5], request.starts[31]),))
    assert [edit.start for edit in edits] == [request.starts[36] + request.messages[36].size_bytes - 3]
    assert (component.n_fired, component.reasons) == (1, ["replaced"])


def test_mark_stands_behind_a_replaced_output() -> None:
    """A tool output that another step has shortened can still be marked; a string that it replaced cannot."""
    output = {"type": "tool_result", "tool_use_id": "t", "content": "long long long"}
    raw = compact(body({"role": "user", "content": "words"}, message(output)))
    component = Edited(Cacheinject())
    at = raw.index(b'"long')
    (edit,) = component.edits(raw, ((at, at + len(b'"long long long"')),))
    assert (edit.start, edit.stop, edit.new) == (at + 16, at + 16, b',"cache_control":{"type":"ephemeral"}')
    alone = compact(body({"role": "user", "content": "words"}))
    at = alone.index(b'"words"')
    assert component.edits(alone, ((at, at + 7),)) == ()
    assert component.reasons == ["replaced"]


def test_marks_that_other_steps_may_have_put_in_are_counted() -> None:
    """An edit that replaces nothing may be a mark: two of them leave two slots."""
    raw = compact(body(*lane(80), system="s"))
    at = raw.index(b'"system"')
    component = Edited(Cacheinject())
    component.edits(raw, ((at, at), (at + 1, at + 1), (at + 2, at + 5)))
    assert component.n_fired == 2


def test_unmarked_lane_reads_what_it_wrote() -> None:
    """Three turns of 600 tokens: without marks each is billed whole, with them what the turn before had is read."""
    bodies = [body(*lane(n), system=words(50)) for n in (3, 6, 9)]
    plain, marked = Sent(), Sent()
    assert [told(plain.send(one)) for one in bodies] == [(0, {}, 50 + 200 * n, "no_breakpoint") for n in (3, 6, 9)]
    assert [told(marked.send(json.loads(one))) for one in sent(Cacheinject(), bodies)] == [
        (0, {300: 650}, 0, "first_request"),
        (650, {300: 600}, 0, None),
        (1250, {300: 600}, 0, None),
    ]


def test_turn_that_adds_twenty_one_blocks_reads_the_one_before() -> None:
    """A caller that marks its last message only loses all of it: look-back ends at 20 positions."""
    history = lane(10)
    fan_out = [text("x", cache_control=None) for _ in range(21)]
    first = body(*history[:-1], message(text(words(197), **MARK), role="assistant"))
    second = body(*history[:-1], message(text(words(197)), role="assistant"), message(*fan_out, text("y", **MARK)))
    plain, marked = Sent(), Sent()
    assert [told(plain.send(one))[0] for one in (first, second)] == [0, 0]
    assert [told(marked.send(json.loads(one)))[0] for one in sent(Cacheinject(), [first, second])] == [0, 2000]


def test_another_session_reads_the_head() -> None:
    """The same tools and system prompt before another conversation."""
    bodies = [body(message(text(words(9, task))), system=words(500), tools=[TOOL]) for task in ("one", "two")]
    marked = Sent()
    assert [told(marked.send(json.loads(Edited(Cacheinject()).send(one))))[:2] for one in bodies] == [
        (0, {300: 513}),
        (501, {300: 12}),
    ]


def test_edit_in_the_middle_still_reads_what_stands_before() -> None:
    """The agent elides an old output at message 25 of 40: an anchor before it was written, and is found."""
    history = lane(41)
    elided = [*history[:25], message(text("elided"), role="assistant"), *history[26:]]
    bodies = [body(*history[:n]) for n in range(19, 41, 2)] + [body(*elided)]
    marked = Sent()
    assert told(marked.send(json.loads(sent(Cacheinject(), bodies)[0])))[0] == 0
    found = [told(marked.send(json.loads(one)))[0] for one in sent(Cacheinject(), bodies)]
    assert found[-1] == 25 * 200


@pytest.mark.parametrize("shape", [{}, {"thinking": True, "parallel": 3}, {"elide": 2}, {"tools_last": True}])
def test_captures_stay_valid(shape: Any) -> None:
    """Every prefix reads as it did, at most four marks are set, and the gates find nothing that they did not before."""
    raw = capture(turns=12, **shape)
    component = Edited(Cacheinject())
    got = [component.send(line) for line in raw.splitlines()]
    for before, after in zip(raw.splitlines(), got, strict=True):
        assert keys(parse_body(before)) == keys(parse_body(after))
        assert len(marks(json.loads(after))) <= 4
    assert result(b"\n".join(got), "BREAKPOINTS").verdict == "pass"
    for gate in ("APPEND", "TOOLS", "SYSTEM", "SHAPE", "TOOL-PAIRS", "THINKING"):
        assert result(b"\n".join(got), gate).verdict == result(raw, gate).verdict


BLOCKS = st.sampled_from(
    [
        text("a b"),
        text("a", **MARK),
        text("a", **HOUR),
        text("a", cache_control=None),
        text(""),
        THINKING,
        {"type": "tool_result", "tool_use_id": "t", "content": [text("r", **MARK)]},
        {"type": "unknown"},
    ]
)
CONTENTS = st.lists(BLOCKS, max_size=4) | st.sampled_from(["", "words", 'q"\\\n', "\U0001f6a2"])
HISTORIES = st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), CONTENTS), max_size=30)
SYSTEMS = st.sampled_from(["", "s", [], [text("s")], [text("s", **HOUR), text("t")]])


@settings(deadline=None, max_examples=60)
@given(
    history=HISTORIES,
    system=SYSTEMS,
    cuts=st.lists(st.integers(0, 30), max_size=3),
    ttl=st.sampled_from(["5m", "1h"]),
    is_pretty=st.booleans(),
)
def test_any_lane_reads_the_same(
    history: list[tuple[str, Any]], system: Any, cuts: list[int], ttl: str, *, is_pretty: bool
) -> None:
    """No block reads otherwise, no mark is moved or lost, the limits hold, and a bad order is not made worse."""
    made = [{"role": role, "content": content} for role, content in history]
    component = Edited(Cacheinject(ttl=ttl))
    for cut in [*sorted(cuts), len(made)]:
        one = body(*made[:cut], system=system, tools=[TOOL])
        raw = (pretty if is_pretty else compact)(one)
        after = component.send(raw)
        got = json.loads(after)
        assert keys(parse_body(raw)) == keys(parse_body(after))
        before, now = all_marks(one), all_marks(got)
        assert [mark for mark in now if mark in before] == before
        assert len(now) <= max(4, len(before))
        assert len(now) == len(before) + component.n_fired
        if _is_ordered(before):
            assert _is_ordered(now)


def all_marks(request_body: Json) -> list[tuple[str, str]]:
    """Each mark in cache order, those inside tool results too."""
    found = marks(request_body)
    for i, one in enumerate(request_body["messages"]):
        for k, block in enumerate(one["content"] if isinstance(one["content"], list) else ()):
            for inner in block.get("content", ()):
                if isinstance(inner, dict) and isinstance(inner.get("cache_control"), dict):
                    found.append((f"messages.{i}.{k}", "5m"))
    return sorted(
        found, key=lambda mark: (mark[0][0] != "t", mark[0][0] == "m", [int(n) for n in mark[0].split(".")[1:]])
    )


def _is_ordered(found: list[tuple[str, str]]) -> bool:
    return [ttl for _, ttl in found] == sorted(ttl for _, ttl in found)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_real_requests_read_the_same() -> None:
    """Every saved Claude request: the same keys, the caller's marks where they were, and at most four."""
    n_marked = 0
    saved: list[tuple[Edited, Request]] = []
    for path in CORPUS_CAPTURES:
        if path.parent.name != "anthropic-request-body":
            continue
        component = Edited(Cacheinject(), count=lambda words_of_it: len(words_of_it) // 4)
        with open_bytes(str(path)) as stream, suppress(FormatError):
            saved += [(component, one.exchange.request) for one in read(stream, file="x") if one.exchange is not None]
    for component, request in saved:
        raw = bytes(request.raw)
        got = component.send(raw)
        assert keys(parse_body(raw)) == keys(parse_body(got))
        if request.dialect == "anthropic":
            before, after = all_marks(json.loads(raw)), all_marks(json.loads(got))
            assert [mark for mark in after if mark in before] == before
            assert len(after) <= max(4, len(before))
        n_marked += component.n_fired
    assert n_marked > 0
