"""`cachesplit`: the system prompt in two blocks, the same text, so that a second session reads the stable one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.components.cacheinject import Cacheinject
from cgcli.compaction.components.cachesplit import Cachesplit
from cgcli.compaction.components.toolfilter import Toolfilter
from cgcli.compaction.components.toolschema import Toolschema
from cgcli.errors import UsageError
from tests.cachesim.caching import BOUNDLESS, Sent, told, words
from tests.captures import capture
from tests.checks.gated import result
from tests.compaction.components.bodies import Edited, InARow, Json, compact, marks, pretty, sent
from tests.running import CORPUS, NO_CORPUS

MARK: Json = {"cache_control": {"type": "ephemeral"}}
HOUR: Json = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
USER: Json = {"role": "user", "content": "go"}
SPLIT = Cachesplit(min_tokens=1)
STABLE = "Be brief.\n"
TAIL = "gitStatus: clean\nRecent commits:\n1 a"


def text(*pieces: str, **more: Any) -> Json:
    """A text block."""
    return {"type": "text", "text": "".join(pieces), **more}


def said(words_of_it: str, **more: Any) -> Json:
    """A message of one block."""
    return {"role": "user", "content": [text(words_of_it, **more)]}


def body(system: Any, *messages: Json, **fields: Any) -> Json:
    """A body with that system prompt."""
    return {"model": BOUNDLESS, "max_tokens": 9, "system": system, "messages": list(messages or (USER,)), **fields}


def system_of(raw: bytes) -> Any:
    """The system prompt that is sent."""
    return json.loads(raw)["system"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'[{"type":"text","text":"Be brief.\\ngitStatus: x","cache_control":{"type":"ephemeral"}}]',
         (b'[{"type":"text","text":"Be brief.\\n","cache_control":{"type":"ephemeral"}},'
         b'{"type":"text","text":"gitStatus: x","cache_control":{"type":"ephemeral"}}]')),
        (b'[{"cache_control":{"ttl":"1h", "type":"ephemeral"},"text":"Be brief.\\ngitStatus: x","type":"text"}]',
         (b'[{"cache_control":{"ttl":"1h", "type":"ephemeral"},"text":"Be brief.\\n","type":"text"},'
         b'{"cache_control":{"ttl":"1h", "type":"ephemeral"},"text":"gitStatus: x","type":"text"}]')),
        ((b'[ {\n "type" : "text" ,\n "text" : "\\u00e9\\ud83d\\ude00\\u000agitStatus: \\"" ,\n '
         b'"cache_control" : { "type" : "ephemeral" } ,\n "x" : 1.0\n}\n]'),
         (b'[ {\n "type" : "text" ,\n "text" : "\\u00e9\\ud83d\\ude00\\u000a" ,\n '
         b'"cache_control" : { "type" : "ephemeral" } ,\n "x" : 1.0\n},'
         b'{\n "type" : "text" ,\n "text" : "gitStatus: \\"" ,\n '
         b'"cache_control" : { "type" : "ephemeral" } ,\n "x" : 1.0\n}\n]')),
    ],
)  # fmt: skip
def test_block_becomes_two_with_all_of_its_members(before: bytes, after: bytes) -> None:
    """In its own spelling, whatever the order of its members; nothing else changes by a byte."""
    raw = b'{"model":"claude-opus-9","max_tokens":9,"system":%s,"messages":[{"role":"user","content":"go"}]}'
    assert Edited(SPLIT).send(raw % before) == raw % after


def test_string_becomes_two_blocks() -> None:
    """Where a mark behind it caches it: with a mark of the same lifetime on the stable part, since it can have none."""
    raw = b'{"model":"claude-x","max_tokens":9,"system" : "Be \\"brief\\".\\ngitStatus: x" ,"messages":%s}'
    history = (
        b'[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]'
    )
    assert Edited(SPLIT).send(raw % history) == (
        b'{"model":"claude-x","max_tokens":9,"system" : [{"type":"text","text":"Be \\"brief\\".\\n",'
        b'"cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"gitStatus: x"}] ,"messages":%s}'
        % history
    )


@pytest.mark.parametrize(
    ("request_body", "left"),
    [
        (body([text(STABLE, TAIL, **MARK)], said("a", **MARK), said("b", **MARK)),
         [("system.0", "5m"), ("system.1", "5m"), ("messages.0.0", "5m"), ("messages.1.0", "5m")]),
        (body([text("x", **HOUR), text(STABLE, TAIL, **HOUR)], said("a", **MARK), said("b", **MARK)),
         [("system.0", "1h"), ("system.1", "1h"), ("messages.0.0", "5m"), ("messages.1.0", "5m")]),
        (body([text(STABLE, TAIL, **MARK)], said("a", **MARK), said("b", **MARK), cache_control={"type": "ephemeral"}),
         [("system.0", "5m"), ("messages.0.0", "5m"), ("messages.1.0", "5m")]),
        (body([text(STABLE, TAIL)], said("a", **MARK)), [("system.0", "5m"), ("messages.0.0", "5m")]),
        (body([text(STABLE, TAIL), text("y", **HOUR)], said("a", **MARK)),
         [("system.0", "1h"), ("system.2", "1h"), ("messages.0.0", "5m")]),
        (body([text(STABLE, TAIL, cache_control=None)], cache_control={"type": "ephemeral", "ttl": "1h"}),
         [("system.0", "1h")]),
        (body([{"cache_control": None, **text(STABLE, TAIL)}], said("a", **MARK)),
         [("system.0", "5m"), ("messages.0.0", "5m")]),
    ],
)  # fmt: skip
def test_stable_part_is_marked(request_body: Json, left: list[tuple[str, str]]) -> None:
    """At most four marks, the automatic one included: with four, the block's own moves to the stable part."""
    got = json.loads(Edited(SPLIT).send(request_body))
    assert marks(got) == left
    assert "".join(one["text"] for one in got["system"]) == "".join(one["text"] for one in request_body["system"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"type":"text","text":"a\\ngitStatus:","cache_control":{"type":"ephemeral"}}',
         b'{"type":"text","text":"a\\n","cache_control":{"type":"ephemeral"}},{"type":"text","text":"gitStatus:"}'),
        (b'{"cache_control":{"type":"ephemeral"},"type":"text","text":"a\\ngitStatus:"}',
         b'{"cache_control":{"type":"ephemeral"},"type":"text","text":"a\\n"},{"type":"text","text":"gitStatus:"}'),
    ],
)  # fmt: skip
def test_mark_moves_where_no_slot_is_free(before: bytes, after: bytes) -> None:
    """Three others are set."""
    marked = b'{"type":"text","text":"m","cache_control":{"type":"ephemeral"}}'
    raw = b'{"model":"claude-x","max_tokens":9,"system":[%s],"messages":[{"role":"user","content":[%s,%s,%s]}]}'
    assert Edited(SPLIT).send(raw % (before, marked, marked, marked)) == raw % (after, marked, marked, marked)


@pytest.mark.parametrize(
    ("system", "at"),
    [
        ("a b\nRecent commits:\n1", "a b\n"),
        ("a b\nCurrent branch: main\nRecent commits:\n1", "a b\n"),
        ("a\n\nHere is a snapshot of the current directory of x", "a\n\n"),
        ("a\ngitStatus: 1\ngitStatus: 2", "a\n"),
        ("a b <env>volatile", "a b "),
        ("a b\nToday: 1", "a b\n"),
    ],
)
def test_tail_begins_at_the_first_marker(system: str, at: str) -> None:
    """The line break before it stays with the stable part; a parameter adds markers."""
    got = system_of(Edited(Cachesplit(min_tokens=1, markers=["<env>", "\nToday:"])).send(body([text(system, **MARK)])))
    assert [one["text"] for one in got] == [at, system[len(at) :]]


@pytest.mark.parametrize(
    ("request_body", "reason"),
    [
        (body([text("We say gitStatus: and Recent commits: in prose.", **MARK)]), "no_volatile_tail"),
        (body([text("a b c\ngitStatus: 1", **MARK)]), "below_min_tokens"),
        (body("a b c d\ngitStatus: 1"), "not_cached"),
        (body([text("x", **MARK), text("a b c d\ngitStatus: 1")]), "not_cached"),
        (body([text("a b c d\ngitStatus: 1")], *[said("a", **MARK)] * 4), "no_free_slot"),
        (body("a b c d\ngitStatus: 1", *[said("a", **MARK)] * 4), "no_free_slot"),
        (body([]), "no_system_prompt"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [USER]}, "no_system_prompt"),
        ({"model": "gpt-5", "instructions": "a b c d\ngitStatus: 1", "input": "go"}, "other_dialect"),
        ({"model": "gpt-4.1", "messages": [{"role": "system", "content": "a b c d\ngitStatus: 1"}]}, "other_dialect"),
    ],
)
def test_reason_is_given(request_body: Json, reason: str) -> None:
    """Nothing is changed."""
    lane = Edited(Cachesplit(min_tokens=4))
    assert lane.send(request_body) == compact(request_body)
    assert lane.reasons == [reason]


@pytest.mark.parametrize(
    ("params", "told_as"),
    [
        ({"min_tokens": -1}, "min_tokens is -1, but must be a whole number"),
        ({"min_tokens": True}, "min_tokens is True, but must be a whole number"),
        ({"markers": "x"}, "markers is 'x', but must be a list of texts"),
        ({"markers": [" "]}, "markers is"),
    ],
)
def test_wrong_parameter_is_refused(params: Json, told_as: str) -> None:
    """What means nothing is never mended."""
    with pytest.raises(UsageError, match=f"cachesplit: {told_as}"):
        Cachesplit(**params)


def test_text_stays_split_whatever_the_marks_do() -> None:
    """Marks come, move, fill all slots and vanish: from the first split on the blocks read the same on every turn."""
    system = [text("a b\ngitStatus: 1")]
    full = [said("a", **MARK)] * 4
    bodies = [body(system, USER), body(system, said("a", **MARK)), body(system, *full), body(system, USER)]
    got = [[block["text"] for block in system_of(one)] for one in sent(SPLIT, bodies)]
    assert got == [
        ["a b\ngitStatus: 1"],
        ["a b\n", "gitStatus: 1"],
        ["a b\n", "gitStatus: 1"],
        ["a b\n", "gitStatus: 1"],
    ]


def test_head_that_thinking_is_bound_to_stays() -> None:
    """On a model that binds thinking to its prefix, where the lane is seen too late."""
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    thought = {"role": "assistant", "content": [thinking, text("a")]}
    system = [text("a b\ngitStatus: 1", **MARK)]
    grown = body(system, USER, thought, USER, model="claude-opus-5-5")
    late, early = Edited(SPLIT), Edited(SPLIT)
    assert late.send(grown) == compact(grown)
    assert late.reasons == ["thinking_bound"]
    early.send(body(system, USER, model="claude-opus-5-5"))
    assert len(system_of(early.send(grown))) == 2


def test_text_that_was_sent_whole_stays_so_before_bound_thinking() -> None:
    """Nothing caches it on the first turn; a mark that comes later does not split what thinking was signed behind."""
    thought = {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, text("a")]}
    system = [text("a b\ngitStatus: 1")]
    for model, reasons, n_blocks in (("claude-opus-5-5", ["thinking_bound"], 1), ("claude-opus-5", [], 2)):
        lane = Edited(SPLIT)
        lane.send(body(system, USER, model=model))
        assert lane.reasons == ["not_cached"]
        sent = lane.send(body(system, USER, thought, said("more", **MARK), model=model))
        assert (lane.reasons, len(system_of(sent))) == (reasons, n_blocks)


def session(commit: str) -> list[Json]:
    """Two turns of a session: 2,000 stable words, a tail of its own, a mark on the prompt and on the last message."""
    system = [text(words(2000, "stable"), f"\ngitStatus: clean\nRecent commits:\n{commit}", **MARK)]
    first = said(words(100, commit), **MARK)
    return [body(system, first), body(system, said(words(100, commit)), said(words(100, "more"), **MARK))]


def test_second_session_reads_the_stable_part() -> None:
    """Without the split its tail makes all of the prompt new; with it 2,000 words are read on the first turn."""
    lanes = [session("one"), session("two")]
    plain, split = Sent(), Sent()
    assert [told(plain.send(one))[:3] for lane in lanes for one in lane] == [
        (0, {300: 2108}, 0),
        (2108, {300: 103}, 0),
        (0, {300: 2108}, 0),
        (2108, {300: 103}, 0),
    ]
    assert [told(split.send(json.loads(one)))[:3] for lane in lanes for one in sent(SPLIT, lane)] == [
        (0, {300: 2108}, 0),
        (2108, {300: 103}, 0),
        (2000, {300: 108}, 0),
        (2108, {300: 103}, 0),
    ]


def test_it_goes_with_other_steps() -> None:
    """Four marks at most, though each step sees the request as it came: a split prompt, moved and added marks."""
    schema = {"title": "one two three", "type": "object"}
    tools = [{"name": "A", "input_schema": schema}, {"name": "B", "input_schema": schema, **MARK}]
    for n, n_marks in ((1, 3), (60, 4)):
        history = [*(said("m") for _ in range(n - 1)), said("m", **MARK)]
        for system, n_more in (([text("a b\ngitStatus: 1", **MARK)], 1), ("a b\ngitStatus: 1", 0)):
            one = body(system, *history, tools=tools)
            for raw in (compact(one), pretty(one)):
                row = InARow(Toolschema(), Toolfilter(remove=["B"]), SPLIT, Cacheinject())
                got = json.loads(row.send(raw))
                assert [block["text"] for block in got["system"]] == ["a b\n", "gitStatus: 1"]
                assert len(marks(got)) == min(4, n_marks + n_more)
                assert result(compact(got), "SHAPE").verdict == "pass"


def test_what_earlier_steps_replace_is_left_alone() -> None:
    """A prompt that another step has changed is not the one that was looked at."""
    raw = compact(body([text("a b\ngitStatus: 1", **MARK)]))
    lane = Edited(SPLIT)
    at = raw.index(b"a b")
    assert lane.edits(raw, ((at, at + 1),)) == ()
    assert lane.reasons == ["replaced"]


@pytest.mark.parametrize("container", ["bodies", "ascii-bodies"])
def test_captures_stay_valid(container: Any) -> None:
    """Every turn of a lane is split alike, and the gates find nothing."""
    raw = capture(turns=5, moving_marks=True, parallel=2, container=container)
    tailed = b"\n".join(
        line.replace(b"what you wrote. Read", b"what you wrote.\\nCurrent branch: x Read", 1)
        for line in raw.splitlines()
    )
    lane = Edited(SPLIT)
    got = [lane.send(line) for line in tailed.splitlines()]
    assert len({json.dumps(system_of(one)) for one in got}) == 1
    assert len(system_of(got[0])) == 2
    for gate in ("SYSTEM", "APPEND", "SHAPE", "BREAKPOINTS"):
        assert result(b"\n".join(got), gate).verdict == result(raw, gate).verdict


PIECES = st.text(max_size=8) | st.sampled_from(
    ["\ngitStatus:", "\nCurrent branch: ", '"', "\\", "\n", "\U0001f6a2", "é"]
)


@settings(deadline=None)
@given(
    pieces=st.lists(PIECES, max_size=8),
    kind=st.sampled_from(["string", "marked", "unmarked", "mark_first"]),
    n_others=st.integers(0, 3),
    is_pretty=st.booleans(),
)
def test_any_text_reads_the_same(pieces: list[str], kind: str, n_others: int, *, is_pretty: bool) -> None:
    """The two texts are the one, at most four marks are set and none is lost, and nothing else changes."""
    whole = "".join(pieces)
    systems: dict[str, Any] = {
        "string": whole,
        "marked": [text("first"), text(whole, **MARK)],
        "unmarked": [text(whole, citations=[{"a": 1}]), text("last")],
        "mark_first": [{**MARK, "text": whole, "type": "text"}],
    }
    one = body(systems[kind], *(said("m", **MARK) for _ in range(n_others)), USER)
    lane = Edited(SPLIT)
    got = json.loads(lane.send((pretty if is_pretty else compact)(one)))
    before = one["system"] if isinstance(one["system"], list) else [text(whole)]
    after = got["system"] if isinstance(got["system"], list) else [text(got["system"])]
    assert "".join(block["text"] for block in after) == "".join(block["text"] for block in before)
    assert len(after) == len(before) + lane.n_fired
    assert len(marks(one)) <= len(marks(got)) <= max(4, len(marks(one)))
    assert {**got, "system": 0} == {**one, "system": 0}
    if lane.n_fired:
        assert result(compact(got), "SHAPE").findings == result(compact(one), "SHAPE").findings


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_real_prompt_is_split() -> None:
    """A saved request of a coding agent has such a tail: its text stays, in one block more."""
    assert CORPUS is not None
    (path,) = CORPUS.glob("anthropic-request-body/*anthropic_tool_use.json")
    before = pretty(json.loads(path.read_bytes())["body"])
    lane = Edited(Cachesplit())
    after = lane.send(before)
    assert lane.n_fired == 1
    old, new = system_of(before), system_of(after)
    assert len(new) == len(old) + 1
    assert "".join(block["text"] for block in new) == "".join(block["text"] for block in old)
    assert len(marks(json.loads(after))) <= 4
