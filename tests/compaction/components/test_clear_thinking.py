"""`clear-thinking`: the thinking of old turns is taken out whole, and what is kept stays valid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.components.clear_thinking import ClearThinking
from cgcli.compaction.state import HeldRule
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.captures import capture
from tests.checks.gated import failures, result
from tests.compaction.components.bodies import Edited, Ranges, compact, pretty
from tests.compaction.stepping import NOTHING, known, unknown
from tests.oracle import check_tool_pairs, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.compaction.body import Body
    from cgcli.compaction.state import Held

Json = dict[str, Any]
OLDER, NEWER, BINDING = "claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-5-5"


class Lane(Edited):
    """A lane of which the provider holds something; a character is a token."""

    def __init__(self, component: ClearThinking, *, held: Held = NOTHING, rule: HeldRule = HeldRule.RESPECT) -> None:
        """Nothing was sent yet."""
        super().__init__(component, count=len)
        self.held = held
        self.rule = rule

    def body(self, raw: bytes, taken: Ranges = ()) -> Body:
        """The next request, with what is held of it."""
        return changed(super().body(raw, taken), held=self.held, rule=self.rule)


def thought(name: str, *, words: str = "hm") -> Json:
    """A block of signed thinking; one whose name begins with `x` is redacted."""
    if name.startswith("x"):
        return {"type": "redacted_thinking", "data": name}
    return {"type": "thinking", "thinking": words, "signature": name}


def asked(*said: str, tool: str = "Bash") -> list[Json]:
    """A turn: a user's words, then for each of *said* an answer that begins with that thought, and calls a tool."""
    messages: list[Json] = [{"role": "user", "content": f"wish {said[0]}"}]
    for name in said:
        call = {"type": "tool_use", "id": f"call_{name}", "name": tool, "input": {}}
        messages.append({"role": "assistant", "content": [thought(name), {"type": "text", "text": "so"}, call]})
        output = {"type": "tool_result", "tool_use_id": f"call_{name}", "content": "done"}
        messages.append({"role": "user", "content": [output]})
    return messages


def body(*turns: list[Json], model: str = OLDER, **fields: Any) -> Json:
    """A body of these turns."""
    return {"model": model, "max_tokens": 9, "messages": [one for turn in turns for one in turn], **fields}


def kept(raw: bytes) -> str:
    """The seals of the thinking that is sent."""
    blocks = (block for message in json.loads(raw)["messages"] for block in _content(message))
    return " ".join(block.get("signature") or block["data"] for block in blocks if "thinking" in block["type"])


def _content(message: Json) -> list[Json]:
    content = message["content"]
    return content if isinstance(content, list) else []


TURNS = (asked("a1", "a2"), asked("b1"), asked("c1", "x2", "c3"))


@pytest.mark.parametrize(
    ("keep", "model", "expected", "n_cleared"),
    [
        (None, OLDER, "c1 x2 c3", 3),
        (1, NEWER, "c1 x2 c3", 3),
        (2, OLDER, "b1 c1 x2 c3", 2),
        (3, OLDER, "a1 a2 b1 c1 x2 c3", 0),
        ("all", OLDER, "a1 a2 b1 c1 x2 c3", 0),
        (None, NEWER, "a1 a2 b1 c1 x2 c3", 0),
        (None, "another-model", "a1 a2 b1 c1 x2 c3", 0),
    ],
)
def test_newest_turns_keep_their_thinking(keep: int | str | None, model: str, expected: str, n_cleared: int) -> None:
    """A turn goes from a user's words to the next ones, with all its answers in between."""
    lane = Lane(ClearThinking(keep=keep))
    made = body(*TURNS, model=model)
    assert kept(lane.send(made)) == expected
    assert lane.n_fired == n_cleared
    assert lane.reasons == (
        ["keeps_all"] if keep == "all" or (keep is None and model != OLDER) else ["kept"] * (6 - n_cleared)
    )


def test_turns_without_thinking_do_not_count() -> None:
    """The newest turn that has some is kept, wherever it stands."""
    plain: list[Json] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    lane = Lane(ClearThinking(keep=1))
    assert kept(lane.send(body(asked("a1"), asked("b1"), plain, plain))) == "b1"


TEXT = b'{"type":"text","text":"a"}'


def test_blocks_go_with_their_commas() -> None:
    """Wherever they stand in the content and however it is written; nothing else changes by a byte."""
    think = b'{"type":"thinking","thinking":"\\u00e9","signature":"s"}'
    tail = (
        b',{"role":"user","content":"go"},{"role":"assistant","content":[%s,{"type":"text","text":"b"}]},'
        b'{"role":"user","content":"on"}]}' % think
    )
    for before, after in (
        (b"[%s,{TEXT}]" % think, b"[{TEXT}]"),
        (b"[ %s ,\n {TEXT} ]" % think, b"[ {TEXT} ]"),
        (b"[{TEXT} , %s ]" % think, b"[{TEXT} ]"),
        (b"[%s,%s,{TEXT},%s,{TEXT}]" % (think, think, think), b"[{TEXT},{TEXT}]"),
    ):
        head = b'{"model":"claude-haiku-4-5","max_tokens":9,"messages":[{"role":"user","content":"x"},'
        made, expected = (
            head
            + b'{"role":"assistant","content":'
            + content.replace(b"{TEXT}", b'{"type":"text","text":"a"}')
            + b"}"
            + tail
            for content in (before, after)
        )
        lane = Lane(ClearThinking())
        assert lane.send(made) == expected
        assert lane.n_fired == 1


def test_saved_tokens_are_those_of_the_blocks() -> None:
    """As the whole request is counted: JSON without white space."""
    lane = Lane(ClearThinking())
    made = pretty(body(*TURNS))
    got = lane.send(made)
    gone = [json.dumps(thought(name), separators=(",", ":")) for name in ("a1", "a2", "b1")]
    assert lane.saved_tokens == sum(map(len, gone))
    assert (
        Lane(ClearThinking()).body(got).sent_tokens == lane.body(pretty(body(*TURNS))).sent_tokens - lane.saved_tokens
    )


def test_message_of_nothing_but_thinking_stays() -> None:
    """An empty list would be refused."""
    alone: list[Json] = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": [thought("a1"), thought("x1")]},
    ]
    lane = Lane(ClearThinking())
    assert kept(lane.send(body(alone, asked("b1")))) == "a1 x1 b1"
    assert lane.reasons == ["nothing_would_remain", "kept"]


def test_thinking_beside_a_call_of_an_excluded_tool_stays() -> None:
    """By the tool's name."""
    lane = Lane(ClearThinking(exclude_tools=("Plan",)))
    assert kept(lane.send(body(asked("a1"), asked("b1", tool="Plan"), asked("c1")))) == "b1 c1"
    assert lane.reasons == ["excluded_tool", "kept"]


@pytest.mark.parametrize(("least", "expected"), [(0, "c1"), (104, "c1"), (105, "a1 b1 c1")])
def test_clearing_waits_until_it_is_worth_it(least: int, expected: str) -> None:
    """Two blocks of 52 characters."""
    lane = Lane(ClearThinking(clear_at_least=least))
    assert kept(lane.send(body(asked("a1"), asked("b1"), asked("c1")))) == expected
    assert lane.reasons == (["kept"] if expected == "c1" else ["kept", "below_clear_at_least", "below_clear_at_least"])


@pytest.mark.parametrize(
    ("held", "rule", "expected", "reasons"),
    [
        (known(5), HeldRule.RESPECT, "a1 a2 c1 x2 c3", ["prefix_held"] * 2),
        (known(99), HeldRule.RESPECT, "a1 a2 b1 c1 x2 c3", ["prefix_held"] * 3),
        (unknown(99), HeldRule.RESPECT, "a1 a2 b1 c1 x2 c3", ["prefix_unknown"] * 3),
        (known(99, is_cold=True), HeldRule.RESPECT, "c1 x2 c3", []),
        (known(99), HeldRule.IGNORE, "c1 x2 c3", []),
        (NOTHING, HeldRule.RESPECT, "c1 x2 c3", []),
    ],
)
def test_held_prefix_is_respected(held: Held, rule: HeldRule, expected: str, reasons: list[str]) -> None:
    """A new decision changes no message that the provider holds, unless its cache has lapsed or the rule says so."""
    lane = Lane(ClearThinking(), held=held, rule=rule)
    assert kept(lane.send(body(*TURNS))) == expected
    assert lane.reasons == [*reasons, *["kept"] * 3]


def test_decision_stays_when_the_prefix_is_held() -> None:
    """What was cleared once is cleared on every later turn, byte for byte, and lost where the lane is edited."""
    lane = Lane(ClearThinking())
    first = lane.send(body(*TURNS[:2]))
    assert kept(first) == "b1"
    lane.held = known(99)
    second = lane.send(body(*TURNS))
    assert kept(second) == "b1 c1 x2 c3"
    assert second.startswith(first[:-2])
    edited: Json = json.loads(json.dumps(body(*TURNS)))
    edited["messages"][3]["content"][1]["text"] = "otherwise"
    assert kept(lane.send(edited)) == "a2 b1 c1 x2 c3"


def test_lane_that_goes_back_has_the_thinking_of_its_newest_turn() -> None:
    """Into the middle of a turn that was cleared since: its calls are open again, and Claude wants their thinking."""
    lane = Lane(ClearThinking())
    assert kept(lane.send(body(*TURNS))) == "c1 x2 c3"
    assert kept(lane.send(body(TURNS[0], TURNS[1]))) == "b1"
    assert kept(lane.send(body(TURNS[0][:3]))) == "a1"
    lane.held = known(99)
    assert kept(lane.send(body(*TURNS))) == "a1 a2 b1 c1 x2 c3"


def test_other_models_turn_in_between_changes_nothing() -> None:
    """A request that keeps all, in the same lane: the next one is decided by what stands in it."""
    lane = Lane(ClearThinking())
    lane.send(body(*TURNS[:2]))
    assert kept(lane.send(body(asked("q1"), asked("r1"), model=NEWER))) == "q1 r1"
    assert kept(lane.send(body(asked("q1"), asked("r1"), asked("s1")))) == "s1"


@pytest.mark.parametrize(
    ("turns", "held", "expected", "reasons"),
    [
        (TURNS, NOTHING, "c1 x2 c3", ["kept"] * 3),
        (TURNS, known(3), "a1 a2 b1 c1 x2 c3", ["prefix_held", "thinking_bound", "thinking_bound", *["kept"] * 3]),
        (
            (asked("a1"), asked("b1", tool="Plan"), asked("c1"), asked("d1")),
            NOTHING,
            "b1 c1 d1",
            ["excluded_tool", "thinking_bound", "kept"],
        ),
    ],
)
def test_bound_thinking_goes_from_the_start_only(
    turns: tuple[list[Json], ...], held: Held, expected: str, reasons: list[str]
) -> None:
    """Where it is bound to what stands before, a gap in the middle would be refused."""
    lane = Lane(ClearThinking(keep=1, exclude_tools=("Plan",)), held=held)
    got = lane.send(body(*turns, model=BINDING))
    assert kept(got) == expected
    assert lane.reasons == reasons
    assert failures(result(compact(body(*turns, model=BINDING)) + b"\n" + got, "THINKING")) == []


def test_block_inside_what_an_earlier_step_replaces_is_left_to_it() -> None:
    """A summary stands for the message."""
    made = compact(body(*TURNS))
    start = made.index(b'{"role":"assistant"')
    lane = Lane(ClearThinking())
    edits = lane.edits(made, taken=((start, made.index(b"wish b1")),))
    assert [edit.i_message for edit in edits] == [6]
    assert lane.reasons.count("replaced") == 2
    assert lane.n_fired == 1


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({"model": "gpt-5", "input": [{"type": "reasoning", "id": "r", "summary": []}]}, "unsupported_dialect"),
        (body([{"role": "user", "content": "go"}]), "no_thinking"),
        ({**body(), "system": "x"}, "no_thinking"),
    ],
)
def test_reason_is_given(made: Json, reason: str) -> None:
    """Where there is nothing to clear."""
    lane = Lane(ClearThinking())
    assert lane.send(made) == compact(made)
    assert lane.reasons == [reason]


@pytest.mark.parametrize(
    "params",
    [
        {"keep": 0},
        {"keep": -1},
        {"keep": True},
        {"keep": 1.0},
        {"keep": "none"},
        {"clear_at_least": -1},
        {"exclude_tools": "Bash"},
    ],
)
def test_parameter_that_means_nothing_is_refused(params: dict[str, Any]) -> None:
    """With its name."""
    with pytest.raises(UsageError, match=r"^clear-thinking: \w+ is .*, but must be "):
        ClearThinking(**params)


SHAPES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "turns": st.integers(0, 9),
        "parallel": st.integers(1, 3),
        "moving_marks": st.booleans(),
    }
)


@settings(deadline=None, max_examples=30)
@given(
    shape=SHAPES,
    model=st.sampled_from([OLDER, NEWER, BINDING]),
    keep=st.integers(1, 4),
    held=st.integers(0, 30),
    write=st.sampled_from([compact, pretty]),
)
def test_any_lane_stays_valid(shape: Any, model: str, keep: int, held: int, write: Callable[[Json], bytes]) -> None:
    """Only whole blocks go, the newest turns keep theirs, cleared ones stay so, and the gates pass."""
    lane = Lane(ClearThinking(keep=keep))
    got: list[bytes] = []
    gone: set[str] = set()
    for i, line in enumerate(capture(thinking=True, **shape).splitlines()):
        made = spoken(json.loads(line), model)
        lane.held = known(min(held, max(0, len(made["messages"]) - 2))) if i % 3 else NOTHING
        written = write(made)
        got.append(lane.send(written))
        was, now = kept(written).split(), kept(got[-1]).split()
        sent = loads(got[-1])
        assert without_thinking(sent) == without_thinking(made)
        assert now == [seal for seal in was if seal in now]
        assert gone.isdisjoint(now)
        gone |= set(was) - set(now)
        assert set(was[-keep:]) <= set(now)
        assert check_tool_pairs(sent) == []
        assert lane.saved_tokens == sum(len(block) for block in blocks(made) if block not in blocks(sent))
    file = b"\n".join(json.dumps(loads(line)).encode() for line in got)
    for gate in ("SHAPE", "TOOL-PAIRS", "THINKING"):
        assert failures(result(file, gate)) == []


def spoken(made: Json, model: str) -> Json:
    """A capture's body with a user's words before every second answer, and a seal for each thought."""
    messages: list[Json] = []
    for message in made["messages"]:
        if message["role"] == "assistant":
            number = sum(one["role"] == "assistant" for one in messages)
            if number % 2:
                messages.append({"role": "user", "content": f"wish {number}"})
            message["content"][0]["signature"] = f"s{number}"
        messages.append(message)
    return {**made, "model": model, "messages": messages}


def without_thinking(made: Json) -> list[Any]:
    """The messages without their thinking."""
    return [
        (one["role"], [block for block in _content(one) if "thinking" not in block["type"]] or one["content"])
        for one in made["messages"]
    ]


def blocks(made: Json) -> list[str]:
    """The thinking blocks as they are counted."""
    found = (block for message in made["messages"] for block in _content(message) if block["type"] == "thinking")
    return [json.dumps(block, ensure_ascii=False, separators=(",", ":")) for block in found]
