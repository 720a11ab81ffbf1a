"""`ladder`: the provider takes what is left, and earlier steps' edits are respected."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.body import BodyPlan
from cgcli.readers.single import parse_body
from cgcli.wire.splice import splice
from tests.captures import Dialect, capture
from tests.checks.gated import failures, result
from tests.compaction.components.bodies import compact, pretty
from tests.compaction.components.ladder.lanes import DIALECTS, Json, Lane, body, ladder, shown, size, turn, user
from tests.oracle import check_tool_pairs, loads

if TYPE_CHECKING:
    from collections.abc import Callable

BINDING = "claude-opus-5-5"
THOUGHT: Json = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def thinking_lane(n_turns: int, *, thoughts: set[int], **fields: Any) -> Json:
    """A lane of a model, whose turns *thoughts* begin with thinking."""
    history = [user("task " * 40)]
    for i in range(n_turns):
        made = turn("anthropic", (f"call_{i}", f"{i}" * 1000))
        if i in thoughts:
            made[0]["content"].insert(0, {**THOUGHT, "signature": f"c2ln{i:04d}"})
        history += made
    return body([*history, user("go on")], **fields)


def test_nothing_changes_before_bound_thinking() -> None:
    """A model that binds thinking to its prefix: what stands before the last of it stays; that may go with its turn."""
    made = thinking_lane(8, thoughts={0, 5}, model=BINDING)
    lane = Lane(ladder(2000, budget=12_000))
    assert shown(lane.send(made)) == "U A R A R A R A R A R N4 A T U"
    assert lane.reasons.count("thinking_bound") >= 5


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "claude-opus-4-5"},
        {
            "model": BINDING,
            "thinking": {"type": "enabled", "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
        },
    ],
)
def test_thinking_that_is_not_bound_holds_nothing_back(fields: Json) -> None:
    """Other models, and a request that asks for mismatching blocks to be dropped; thinking goes with its message."""
    lane = Lane(ladder(3000, budget=12_000))
    assert shown(lane.send(thinking_lane(8, thoughts={0, 5}, **fields))).startswith("U N")
    assert "thinking_bound" not in lane.reasons


def test_old_decisions_stay_before_new_bound_thinking() -> None:
    """Thinking that came after them was signed behind what was sent, not behind what was left out."""
    lane = Lane(ladder(5000, at=8000, budget=12_000))
    first = shown(lane.send(thinking_lane(6, thoughts=set(), model=BINDING)))
    assert first.startswith("U N")
    second = thinking_lane(6, thoughts=set(), model=BINDING)["messages"]
    later = turn("anthropic", ("late", "ok"))
    later[0]["content"].insert(0, THOUGHT)
    assert shown(lane.send(body([*second, *later], model=BINDING))) == f"{first} A R"


def system_lane(*, before_user: bool) -> Json:
    """Two turns behind a system message in the list (Claude); behind them the user's word, or another turn."""
    turns = [*turn("anthropic", ("a", "x" * 1000)), *turn("anthropic", ("b", "y" * 1000))]
    rest = [user("go on")] if before_user else [*turn("anthropic", ("c", "z" * 100)), user("go on")]
    return body([user("task"), {"role": "system", "content": "be brief"}, *turns, *rest], model="claude-opus-5")


def test_no_note_stands_behind_a_system_message() -> None:
    """Claude takes no user's message there: nothing stands in the run's place, and the way back is the undo record."""
    lane = Lane(ladder(900, budget=4000))
    made = system_lane(before_user=False)
    got = lane.send(made)
    assert shown(got) == "U Y A R U"
    assert json.loads(got)["messages"] == [*made["messages"][:2], *made["messages"][6:]]
    assert failures(result(got, "SHAPE")) == []


def test_system_message_keeps_an_answer_behind_it() -> None:
    """The turn right behind it goes; the last one would leave it before a user's message, and is truncated only."""
    lane = Lane(ladder(900, budget=4000))
    got = lane.send(system_lane(before_user=True))
    assert shown(got) == "U Y A T U"
    assert "system_misplaced" in lane.reasons
    assert failures(result(got, "SHAPE")) == []


def reference(name: str) -> Json:
    """What stands for a tool that was found."""
    return {"type": "tool_reference", "tool_name": name}


def test_messages_that_load_tools_stay() -> None:
    """Without what a search found, its tools are not declared any more; quoting the words loads nothing."""
    found = turn("anthropic", ("search", ""))
    found[1]["content"][0]["content"] = [reference("mcp__hub__open")]
    told = turn("anthropic", ("read", json.dumps(reference("mcp__hub__open"))))
    rest = [*turn("anthropic", ("b", "y" * 1000)), user("go on")]
    lane = Lane(ladder(300, budget=4000))
    got = lane.send(body([user("task"), *found, *told, *rest]))
    assert shown(got) == "U A R N4 U"
    assert json.loads(got)["messages"][1:3] == found
    # Tools that the provider searched, and a block that adds one: messages of their own.
    server = {"type": "tool_search_tool_result", "tool_use_id": "s", "content": {"tool_references": [reference("x")]}}
    for role, block in (("assistant", server), ("user", {"type": "tool_addition", "tool": {"name": "x"}})):
        loading = {"role": role, "content": [block]}
        got = lane_of(loading, *told, *rest)
        assert loading in json.loads(got)["messages"]


def test_items_that_load_tools_stay() -> None:
    """Responses: the item with what a search found, and the call that asked for it; all else goes."""
    search = {"type": "tool_search_call", "call_id": "s", "status": "completed", "arguments": {"query": "open"}}
    found = {"type": "tool_search_output", "call_id": "s", "status": "completed", "tools": [{"name": "open"}]}
    before, after = turn("responses", ("a", "x" * 1000)), turn("responses", ("b", "tool_search_output " * 60))
    made = body([user("task"), *before, search, found, user("now"), *after, user("go on")], "responses")
    got = json.loads(Lane(ladder(300, budget=4000)).send(made))["input"]
    assert [one for one in got if "tool_search" in str(one.get("type"))] == [search, found]
    assert not any(one.get("call_id") in ("a", "b") for one in got)


def lane_of(*messages: Json) -> bytes:
    """What is sent of a task and these messages, as small as it gets."""
    return Lane(ladder(300, budget=4000)).send(body([user("task"), *messages]))


def test_message_with_words_and_results_stays() -> None:
    """A user's words beside a result: the result's call stays, too; an agent's reminder is none, whatever its tag."""
    for words, expected in (
        ("please", "U A T N2 U"),
        ("<system-reminder>x</system-reminder>", "U N4 U"),
        ('<system-reminder source="hook">x</system-reminder>', "U N4 U"),
    ):
        mixed = turn("anthropic", ("a", "x" * 1000))
        mixed[1]["content"].append({"type": "text", "text": words})
        made = body([user("task"), *mixed, *turn("anthropic", ("b", "y" * 1000)), user("go on")])
        got = json.loads(Lane(ladder(300, budget=4000)).send(made))
        assert shown(compact(got)) == expected
        assert check_tool_pairs(got) == []


def test_summary_is_not_touched() -> None:
    """It stands for messages already."""
    summary = user("=== History Summary ===\n" + "s" * 500)
    made = body([user("task"), summary, *turn("anthropic", ("a", "x" * 1000)), user("go on")])
    got = json.loads(Lane(ladder(700, budget=4000)).send(made))["messages"]
    assert got[1] == summary


def test_unpaired_call_stays() -> None:
    """A call without its result, or with one of two, in the middle of the history."""
    for n, reason in ((1, "unpaired"), (2, "protected_sibling")):
        torn = turn("chat", ("a", "x" * 200), ("b", "y"))[:n]
        made = body([user("task"), *torn, user("hm"), *turn("chat", ("c", "z" * 1000)), user("go on")], "chat")
        lane = Lane(ladder(300, budget=4000))
        assert shown(lane.send(made)) == f"Y U {'A R'[: 2 * n - 1]} U N2 U"
        assert reason in lane.reasons


def taken_slot(raw: bytes, text: str) -> tuple[int, int]:
    """Where a text stands, its quotes included."""
    literal = json.dumps(text).encode()
    return raw.index(literal), raw.index(literal) + len(literal)


def test_size_is_that_of_what_is_sent() -> None:
    """An earlier step makes the request small enough: the history as it is recorded does not count."""
    made = compact(thinking_lane(8, thoughts=set()))
    lane = Lane(ladder(8000, at=8500))
    lane.saved_before = 900
    assert lane.edits(made, taken=(taken_slot(made, "0" * 1000),)) == ()
    assert lane.reasons == ["below_threshold"]


def test_output_that_an_earlier_step_reduced_is_not_truncated() -> None:
    """It may be left out whole."""
    made = compact(thinking_lane(8, thoughts=set()))
    taken = (taken_slot(made, "0" * 1000),)
    lane = Lane(ladder(7000, at=7500))
    lane.saved_before = 600
    edits = lane.edits(made, taken=taken)
    assert "already_reduced" in lane.reasons
    assert not any(edit.start <= taken[0][0] < edit.stop for edit in edits)
    out = Lane(ladder(3000))
    out.saved_before = 600
    first = out.edits(made, taken=taken)[0]
    assert first.start < taken[0][0] < taken[0][1] < first.stop


def test_run_frees_what_is_sent_of_it() -> None:
    """An earlier step took 900 of 1,000 tokens out of the first result: leaving it out frees the rest."""
    made = thinking_lane(8, thoughts=set())
    raw = compact(made)
    lane = Lane(ladder(3000))
    lane.saved_before = 900
    edits = lane.edits(raw, taken=(taken_slot(raw, "0" * 1000),))
    after = splice(raw, [(edit.start, edit.stop, edit.new) for edit in edits])
    assert size(made) - 900 - lane.saved_tokens == size(after)


def test_decision_outlives_a_later_one_about_the_same_output() -> None:
    """An earlier step reduces an output that the ladder truncated: what was sent stays, and replaces it whole."""
    made = compact(thinking_lane(8, thoughts=set()))
    lane = Lane(ladder(size(made) - 500))
    (first,) = lane.edits(made)
    lane.saved_before = 700
    (again,) = lane.edits(made, taken=((first.start, first.stop),))
    assert (again.start, again.stop, again.new) == (first.start, first.stop, first.new)
    assert again.saved_tokens == first.saved_tokens - 700


@pytest.mark.parametrize("n", [(0, 1), (-1, 0), (0, -4)])
def test_edit_never_cuts_what_an_earlier_step_replaces(n: tuple[int, int]) -> None:
    """A range that begins or ends elsewhere, such as the quote before a mark: the text stays as it is."""
    made = compact(thinking_lane(8, thoughts=set()))
    start, stop = taken_slot(made, "0" * 1000)
    lane = Lane(ladder(8000))
    for edit in lane.edits(made, taken=((start + n[0], stop + n[1]),)):
        assert edit.stop <= start + n[0] or stop + n[1] <= edit.start


def test_messages_that_are_replaced_whole_are_no_candidates() -> None:
    """A summary stands for messages 1 to 6: the rest is decided about, and no run reaches into it."""
    made = thinking_lane(8, thoughts=set())
    raw = compact(made)
    start = raw.index(b'{"role":"assistant"')
    stop = raw.index(json.dumps(made["messages"][7], separators=(",", ":")).encode()) - 1
    lane = Lane(ladder(1500))
    lane.saved_before = 3000
    edits = lane.edits(raw, taken=((start, stop),))
    assert edits
    assert all(edit.stop <= start or stop < edit.start for edit in edits)


def spoken(raw: bytes, dialect: Dialect) -> list[Json]:
    """The bodies of a capture, with a wish of the user's before every third answer, and a seal for each thought."""
    bodies: list[Json] = [json.loads(line) for line in raw.splitlines()]
    for one in bodies:
        key = "input" if dialect == "responses" else "messages"
        found: list[Json] = []
        n_answers = 0
        for before, message in pairwise([{}, *one[key]]):
            if _answers(message) and not _answers(before):
                n_answers += 1
                if n_answers % 3 == 0:
                    found.append(user(f"wish {n_answers}: " + "please " * (n_answers % 4 * 12)))
            blocks = message.get("content")
            for block in blocks if isinstance(blocks, list) else ():
                if block.get("type") == "thinking":
                    block["signature"] = f"c2ln{n_answers:04d}"
            found.append(message)
        one[key] = found
    return bodies


def _answers(message: Json) -> bool:
    return message.get("role") == "assistant" or message.get("type") in ("function_call", "reasoning")


def words_of_users(one: Json) -> list[str]:
    """The texts that a user says, notes apart."""
    found: list[str] = []
    history: list[Json] = one["messages"] if "messages" in one else one["input"]
    for message in history:
        if message.get("role") == "user":
            content: Any = message["content"]
            blocks: list[Json] = [{"text": content}] if isinstance(content, str) else content
            found += [block["text"] for block in blocks if "text" in block and " left out] <<cg:" not in block["text"]]
    return found


SHAPES = st.fixed_dictionaries(
    {
        "dialect": st.sampled_from(DIALECTS),
        "seed": st.integers(0, 10_000),
        "turns": st.integers(0, 9),
        "parallel": st.integers(1, 3),
        "thinking": st.booleans(),
        "moving_marks": st.booleans(),
    }
)
SETTINGS = st.fixed_dictionaries(
    {
        "protected_tool_results": st.integers(-1, 6),
        "protected_recent": st.sampled_from([0.0, 0.3, 1.0]),
        "truncate_chars": st.sampled_from([0, 1, 250, 2000]),
    }
)


@settings(deadline=None, max_examples=25)
@given(shape=SHAPES, given_settings=SETTINGS, target=st.integers(300, 20_000), write=st.sampled_from([compact, pretty]))
def test_any_lane_stays_valid(shape: Any, given_settings: Any, target: int, write: Callable[[Json], bytes]) -> None:
    """Groups whole, users' words there, never larger, markers that tell what they replace, and the gates pass."""
    lane = Lane(ladder(target, at=target * 2, budget=target * 3, **given_settings))
    got = []
    for one in spoken(capture(**shape), shape["dialect"]):
        written = write(one)
        got.append(lane.send(written))
        assert len(got[-1]) <= len(written)
        sent = loads(got[-1])
        assert check_tool_pairs(sent) == []
        assert len(words_of_users(sent)) == len(words_of_users(one))
        check_markers(lane, written)
        if lane.n_fired:
            assert size(written) - size(got[-1]) == lane.saved_tokens > 0
    file = b"\n".join(json.dumps(loads(line)).encode() for line in got)
    for gate in ("SHAPE", "TOOL-PAIRS", "THINKING"):
        assert failures(result(file, gate)) == []


def check_markers(lane: Lane, written: bytes) -> None:
    """Each edit's marker is for the text that it replaces, or for the bytes of whole messages when they went."""
    for edit in lane.plan.edits if isinstance(lane.plan, BodyPlan) else ():
        replaced = written[edit.start : edit.stop]
        text = json.loads(replaced).encode("utf-8", "surrogatepass") if replaced[:1] == b'"' else replaced
        is_marked = b"<<cg:" + sha256(text).hexdigest()[:16].encode() + b">>" in edit.new
        has_marks = b'"cache_control"' in b"".join(item.wire for item in parse_body(written).messages)
        assert is_marked or (has_marks and b" left out] <<cg:" in edit.new)
