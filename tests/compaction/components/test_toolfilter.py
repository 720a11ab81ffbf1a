"""`toolfilter`: listed tools leave the request whole, as far as nothing in it needs them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Skip
from cgcli.compaction.components.cacheinject import Cacheinject
from cgcli.compaction.components.cachesplit import Cachesplit
from cgcli.compaction.components.tool_names import is_meant
from cgcli.compaction.components.toolfilter import Toolfilter
from cgcli.compaction.components.toolschema import Toolschema
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.captures import capture
from tests.checks.gated import result
from tests.compaction.components.bodies import Edited, InARow, Json, compact, marks, pretty, sent

MARK = {"cache_control": {"type": "ephemeral"}}
USER: Json = {"role": "user", "content": "go"}


def tool(name: str, **more: Any) -> Json:
    """A tool of two words."""
    return {"name": name, "description": "does things", "input_schema": {}, **more}


def body(*tools: Json, **fields: Any) -> Json:
    """A body with these tools."""
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": list(tools), "messages": [USER], **fields}


def names(raw: bytes) -> list[str]:
    """The tools that are sent."""
    return [one["name"] for one in json.loads(raw)["tools"]]


def turn(name: str, number: int) -> list[Json]:
    """A call of the tool *name*, and its result."""
    call = {"type": "tool_use", "id": f"c{number}", "name": name, "input": {}}
    return [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{number}", "content": "ok"}]},
    ]


@pytest.mark.parametrize(
    ("tools", "remove", "left"),
    [
        (b'[{"name":"A"},{"name":"B"},{"name":"C"}]', ["A"], b'[{"name":"B"},{"name":"C"}]'),
        (b'[{"name":"A"},{"name":"B"},{"name":"C"}]', ["B"], b'[{"name":"A"},{"name":"C"}]'),
        (b'[{"name":"A"},{"name":"B"},{"name":"C"}]', ["C"], b'[{"name":"A"},{"name":"B"}]'),
        (b'[{"name":"A"},{"name":"B"},{"name":"C"}]', ["A", "C"], b'[{"name":"B"}]'),
        (b'[{"name":"A"},{"name":"B"},{"name":"C"}]', ["B", "C"], b'[{"name":"A"}]'),
        (b'[ {"name":"A"} ,\n {"name":"B" , "z":1.0} ,\n {"name":"C"}\n]', ["C"],
         b'[ {"name":"A"} ,\n {"name":"B" , "z":1.0}\n]'),
        (b'[ {"name":"A"} ,\n {"name":"B"} ,\n {"name":"\\u0043"}\n]', ["A", "C"], b'[ {"name":"B"}\n]'),
        (b'[{"name":"x{}]"},{"name":"B"}]', ["x{}]"], b'[{"name":"B"}]'),
    ],
)  # fmt: skip
def test_listed_tools_leave_with_their_commas(tools: bytes, remove: list[str], left: bytes) -> None:
    """Nothing else of the body changes by a byte."""
    raw = b'{"max_tokens":9,"tools":%s,"messages":[{"role":"user","content":"go"}],"system":"Be brief."}'
    assert Edited(Toolfilter(remove=remove)).send(raw % tools) == raw % left


@pytest.mark.parametrize(
    ("name", "pattern", "meant"),
    [
        ("Read", "Read", True),
        ("Read", "read", False),
        ("ReadMcp", "Read", False),
        ("ReadMcp", "Read*", True),
        ("ReadMcp", "*Mcp", True),
        ("ReadMcp", "*d*c*", True),
        ("ReadMcp", "R*M", False),
        ("aa", "a*a*a", False),
        ("Read", "*", True),
        ("mcp__hub__open", "mcp__hub", True),
        ("mcp__hubs__open", "mcp__hub", False),
        ("mcp__hub__open", "mcp__hub__open", True),
        ("a.b", "a?b", False),
        ("a.b", "a[.]b", False),
    ],
)
def test_pattern_means_tools(name: str, pattern: str, meant: bool) -> None:  # noqa: FBT001 - a parameter of the case
    """A `*` is any run; a server's name stands for all of its tools; nothing else is special."""
    assert is_meant(name, pattern) is meant


@given(name=st.text("ab.", max_size=9), pattern=st.text("ab.*", max_size=7))
def test_pattern_means_what_a_regular_expression_would(name: str, pattern: str) -> None:
    """Worked out a second time."""
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert is_meant(name, pattern) == (re.fullmatch(expression, name) is not None)


def test_hostile_pattern_takes_linear_time() -> None:
    """A megabyte of one letter against many stars."""
    assert not is_meant("a" * 1_000_000, "a*" * 500 + "b")
    assert is_meant("a" * 1_000_000 + "b", "a*" * 500 + "b")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"system": "Prefer Read over all else."}, "named_in_system_prompt"),
        ({"system": [{"type": "text", "text": "(Read, Bash)"}]}, "named_in_system_prompt"),
        ({"tool_choice": {"type": "tool", "name": "Read"}}, "forced"),
        ({"messages": [USER, *turn("Read", 1)]}, "called"),
        ({"messages": [USER, *turn("Bash", 1), *turn("Read", 2)]}, "called"),
        (
            {"messages": [{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "s",
                 "content": [{"type": "tool_reference", "tool_name": "Read"}]}]}]},
            "called",
        ),
    ],
)  # fmt: skip
def test_needed_tool_stays(fields: Json, reason: str) -> None:
    """One that the system prompt names, that is forced, or that the history has calls of."""
    lane = Edited(Toolfilter(remove=["Read", "Grep"]))
    assert names(lane.send(body(tool("Bash"), tool("Read"), tool("Grep"), **fields))) == ["Bash", "Read"]
    assert (lane.reasons, lane.n_fired) == ([reason], 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"system": "It was already Reading, reader, READ, ReadMcp, re_Read2."},
        {"system": "Go.\ngitStatus: clean\nRecent commits:\n1 Read the manual"},
        {"system": [{"type": "text", "text": "x-anthropic-billing-header: Read"}]},
        {"messages": [{"role": "user", "content": "Use Read and say tool_reference Read."}]},
        {"tool_choice": {"type": "any"}},
    ],
)
def test_mention_that_is_none_does_not_keep_it(fields: Json) -> None:
    """A piece of a word, the volatile tail, a header that is no prose, what the user says."""
    assert names(Edited(Toolfilter(remove=["Read"])).send(body(tool("Bash"), tool("Read"), **fields))) == ["Bash"]


@pytest.mark.parametrize(
    ("request_body", "left"),
    [
        ({"model": "gpt-4.1", "tools": [{"type": "function", "function": {"name": name}} for name in "ABC"],
          "messages": [{"role": "developer", "content": "Use B."}, USER],
          "tool_choice": {"type": "function", "function": {"name": "C"}}}, ["B", "C"]),
        ({"model": "gpt-4.1", "tools": [{"type": "function", "function": {"name": name}} for name in "ABC"],
          "messages": [USER, {"role": "assistant", "content": None, "tool_calls": [
              {"id": "1", "type": "function", "function": {"name": "A", "arguments": "{}"}}]},
              {"role": "tool", "tool_call_id": "1", "content": "B"}]}, ["A"]),
        ({"model": "gpt-5", "tools": [{"type": "function", "name": name} for name in "ABC"],
          "instructions": "Use A.", "input": [{"type": "function_call", "call_id": "1", "name": "B", "arguments": ""},
          {"type": "function_call_output", "call_id": "1", "output": "C"}]}, ["A", "B"]),
        ({"model": "gpt-5", "tools": [{"type": "web_search"}, {"type": "function", "name": "A"},
          {"type": "function", "name": "B"}], "input": "go", "tool_choice": {"type": "allowed_tools", "mode": "auto",
          "tools": [{"type": "function", "name": "B"}]}}, ["B"]),
    ],
)  # fmt: skip
def test_other_dialects(request_body: Json, left: list[str]) -> None:
    """System prompts that are messages, calls in their own fields, tools that the provider runs."""
    got = json.loads(Edited(Toolfilter(remove=["*"])).send(request_body))["tools"]
    assert [one.get("name") or one.get("function", one)["name"] for one in got] == left


def test_all_tools_are_never_taken() -> None:
    """An empty list is another request, and some providers refuse it: then all stay, for as long as the lane goes."""
    lane = Edited(Toolfilter(remove=["*"]))
    first = body(tool("A"), tool("B"))
    assert lane.send(first) == compact(first)
    assert lane.reasons == ["would_empty", "would_empty"]
    later = body(tool("A"), tool("B"), messages=[USER, *turn("A", 1)])
    assert lane.send(later) == compact(later)


def test_a_tool_that_is_loaded_at_once_is_left() -> None:
    """Claude refuses a list in which every tool is deferred."""
    lane = Edited(Toolfilter(remove=["A"]))
    lane.send(body(tool("A"), tool("B", defer_loading=True)))
    assert lane.reasons == ["would_empty"]


def test_set_of_tools_that_a_server_needs_stays() -> None:
    """Each of `mcp_servers` must have its set."""
    servers = [{"type": "url", "name": "hub", "url": "https://hub"}]
    toolset = {"type": "mcp_toolset", "mcp_server_name": "hub"}
    lane = Edited(Toolfilter(remove=["hub", "B"]))
    got = json.loads(lane.send(body(tool("A"), tool("B"), toolset, mcp_servers=servers)))
    assert got["tools"] == [tool("A"), toolset]
    assert lane.reasons == ["server_declared"]


@pytest.mark.parametrize(
    ("tools", "remove", "left", "reasons"),
    [
        ([tool("A"), tool("B"), tool("C", **MARK)], ["C"], [tool("A"), tool("B", **MARK)], []),
        ([tool("A"), tool("B"), tool("C", **MARK)], ["B", "C"], [tool("A", **MARK)], []),
        ([tool("A"), tool("B", cache_control=None), tool("C", **MARK)], ["C"], [tool("A"), tool("B", **MARK)], []),
        ([tool("A", **MARK), tool("B")], ["A"], [tool("A", **MARK), tool("B")], ["carries_mark"]),
        ([tool("A"), tool("B", **MARK), tool("C", **MARK)], ["C"],
         [tool("A"), tool("B", **MARK), tool("C", **MARK)], ["carries_mark"]),
        ([tool("A"), tool("B", **MARK), tool("C", **MARK)], ["B", "C"],
         [tool("A", **MARK), tool("C", **MARK)], ["carries_mark"]),
        ([tool("A"), tool("B", defer_loading=True), tool("C", **MARK)], ["C"],
         [tool("A"), tool("B", defer_loading=True), tool("C", **MARK)], ["carries_mark"]),
    ],
)  # fmt: skip
def test_mark_moves_to_the_tool_before(
    tools: list[Json], remove: list[str], left: list[Json], reasons: list[str]
) -> None:
    """Or its tool stays: no mark of the caller's is lost, and none is set where it would be refused."""
    lane = Edited(Toolfilter(remove=remove))
    assert json.loads(lane.send(body(*tools)))["tools"] == left
    assert lane.reasons == reasons


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'[{"name":"A"},{"name":"C","cache_control":{"ttl":"1h", "type":"ephemeral"}}]',
         b'[{"name":"A","cache_control":{"ttl":"1h", "type":"ephemeral"}}]'),
        (b'[ { "name" : "A"\n } , { "cache_control" : {"type":"ephemeral"} , "name" : "C" } ]',
         b'[ { "name" : "A","cache_control":{"type":"ephemeral"}\n } ]'),
    ],
)  # fmt: skip
def test_mark_moves_as_it_is_written(before: bytes, after: bytes) -> None:
    """Behind the last member of the tool before."""
    raw = b'{"max_tokens":9,"tools":%s,"messages":[{"role":"user","content":"go"}]}'
    assert Edited(Toolfilter(remove=["C"])).send(raw % before) == raw % after


def test_a_kept_tool_stays_kept() -> None:
    """A forced choice of one turn, a shortened history or a moved mark must not make the tools flicker."""
    tools = [tool("A"), tool("B"), tool("C")]
    bodies = [
        body(*tools),
        body(*tools, messages=[USER, *turn("B", 1)]),
        body(*tools, messages=[USER, *turn("B", 1), USER], tool_choice={"type": "tool", "name": "C"}),
        body(*tools, messages=[USER, *turn("A", 1), USER, USER]),
        body(*tools, messages=[USER]),
    ]
    assert [names(one) for one in sent(Toolfilter(remove=["B", "C"]), bodies)] == [
        ["A"],
        ["A", "B"],
        ["A", "B", "C"],
        ["A", "B", "C"],
        ["A", "B", "C"],
    ]


def test_called_tool_stays_away_where_thinking_is_bound() -> None:
    """Taking it back would change what signed thinking is bound to: a sure refusal against a possible one."""
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    thought = {"role": "assistant", "content": [thinking, {"type": "text", "text": "a"}]}
    tools = [tool("A"), tool("B")]
    grown = body(*tools, messages=[USER, thought, USER, *turn("B", 1)], model="claude-opus-5-5")
    lane = Edited(Toolfilter(remove=["B"]))
    assert names(lane.send(body(*tools, model="claude-opus-5-5"))) == ["A"]
    assert names(lane.send(grown)) == ["A"]
    late = Edited(Toolfilter(remove=["B"]))
    assert names(late.send(grown)) == ["A", "B"]
    assert late.reasons == ["thinking_bound"]


def test_account_says_what_was_saved() -> None:
    """Two tools of one blank between words each, which is two tokens here."""
    lane = Edited(Toolfilter(remove=["B", "C", "Z"]))
    lane.send(body(tool("A"), tool("B"), tool("C")))
    assert (lane.n_fired, lane.saved_tokens, lane.reasons) == (2, 4, [])


@pytest.mark.parametrize(
    ("request_body", "reason"),
    [(body(), "none_declared"), (body(tool("A")), "none_declared"), (body(tool("B")), "would_empty")],
)
def test_reason_is_given(request_body: Json, reason: str) -> None:
    """Nothing is changed."""
    lane = Edited(Toolfilter(remove=["B"]))
    assert lane.send(request_body) == compact(request_body)
    assert lane.reasons == [reason]


@pytest.mark.parametrize("component", [Toolfilter(remove=["*"]), Cachesplit(), Cacheinject()])
@pytest.mark.parametrize("field", ["tools", "system"])
def test_head_that_is_not_recorded_is_not_an_empty_one(component: Any, field: str) -> None:
    """What the system prompt names and how many marks the head has cannot be known then."""
    seen = Edited(component).body(compact(body(tool("A"), tool("B"), system="x")))
    unrecorded = changed(seen, request=changed(seen.request, **{field: None}))
    assert component.plan(unrecorded) == Skip(reason="head_not_recorded")


@pytest.mark.parametrize("remove", ["Read", [1], [""], ["A", " "], {"A": 1}, None])
def test_wrong_parameter_is_refused(remove: Any) -> None:
    """A list of names, and nothing that could be taken for one."""
    with pytest.raises(UsageError, match=r"toolfilter: remove is .*, but must be a list of texts"):
        Toolfilter(remove=remove)


def test_what_earlier_steps_replace_is_not_cut() -> None:
    """A range inside a tool goes with it; one that sticks out, or has taken a tool, keeps all as it is."""
    raw = compact(body(tool("A"), tool("B"), tool("C")))
    start, stop = raw.index(b'{"name":"B"'), raw.index(b',{"name":"C"')
    lane = Edited(Toolfilter(remove=["B"]))
    assert len(lane.edits(raw, ((start + 10, stop - 10),))) == 1
    for taken in ((start - 5, start + 5), (start, stop), (start - 1, stop)):
        assert lane.edits(raw, (taken,)) == ()
        assert lane.reasons == ["replaced"]


def test_it_goes_with_other_steps() -> None:
    """Stripped schemas inside the tools that leave, a mark that moves, and marks in the slots that are free."""
    schema = {"title": "one two three", "type": "object"}
    tools = [{"name": name, "input_schema": schema} for name in "ABC"]
    marked = {**tools[2], **MARK}
    raw = body(tools[0], tools[1], marked, system="Be brief.", model="claude-opus-9")
    got = json.loads(InARow(Toolschema(), Toolfilter(remove=["B", "C"]), Cacheinject()).send(raw))
    assert got["tools"] == [{"name": "A", "input_schema": {"type": "object"}, **MARK}]
    assert marks(got) == [("tools.0", "5m"), ("messages.0.0", "5m")]


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_captures_stay_valid(dialect: Any) -> None:
    """Only the added tool leaves; the gates of tools, prefix, pairs and shape find nothing."""
    raw = capture(dialect=dialect, turns=4, moving_marks=True, parallel=2)
    added = []
    for line in raw.splitlines():
        one = json.loads(line)
        one["tools"].append(json.loads(json.dumps(one["tools"][0]).replace('"Bash"', '"Unused"')))
        added.append(one)
    got = sent(Toolfilter(remove=["Un*"]), added)
    assert [one + b"\n" for one in got] == raw.splitlines(keepends=True)
    assert result(b"\n".join(got), "TOOLS").verdict == "pass"
    for gate in ("APPEND", "TOOL-PAIRS", "SHAPE"):
        assert result(b"\n".join(got), gate).verdict == result(raw, gate).verdict


FLAGS = st.tuples(st.sampled_from("ABCDE"), st.sampled_from([None, "mark", "later", "null"]))


@settings(deadline=None)
@given(
    tools=st.lists(FLAGS, min_size=1, max_size=6, unique_by=lambda one: one[0]),
    remove=st.sets(st.sampled_from("ABCDE")),
    called=st.sets(st.sampled_from("ABCDE")),
    is_pretty=st.booleans(),
)
def test_any_list_stays_valid(
    tools: list[tuple[str, str | None]], remove: set[str], called: set[str], *, is_pretty: bool
) -> None:
    """In order, only listed ones gone, none that was called, no fewer places marked, and nothing else changed."""
    flags: dict[str | None, Json] = {
        None: {}, "mark": MARK, "later": {"defer_loading": True}, "null": {"cache_control": None}
    }  # fmt: skip
    made = [tool(name, **flags[flag]) for name, flag in tools]
    history = [USER, *(message for i, name in enumerate(sorted(called)) for message in turn(name, i))]
    raw = (pretty if is_pretty else compact)(body(*made, messages=history))
    lane = Edited(Toolfilter(remove=sorted(remove)))
    got = json.loads(lane.send(raw))
    left = [one["name"] for one in got["tools"]]
    assert [name for name, _ in tools if name in left] == left
    gone = {name for name, _ in tools} - set(left)
    assert gone <= remove - called
    assert left
    assert len(marks(got)) == len(marks(json.loads(raw)))
    assert {**got, "tools": 0} == {**json.loads(raw), "tools": 0}
    assert lane.n_fired == len(gone)
