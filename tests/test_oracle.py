"""The oracle itself, on literals small enough to check by eye."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from typing import Any

import pytest

from tests import captures, oracle

BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}]}'
CALL = {"type": "tool_use", "id": "a", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "out"}


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(BODY, [1], id="one-body"),
        pytest.param(f"{BODY}\n\n// note\n{BODY}", [1, 4], id="lines"),
        pytest.param(f"{BODY}\r\n{BODY}\r\n", [1, 2], id="crlf"),
        pytest.param(f"[{BODY},\n{BODY}]", [1, 1], id="array"),
        pytest.param(f'{{"turn1":{BODY},"turn2":{BODY}}}', [1, 1], id="object-of-bodies"),
        pytest.param(f'{{"raw":{{"request":{BODY}}}}}', [1], id="envelope"),
        pytest.param(json.dumps({"id": 1, "body": BODY}), [1], id="string"),
        pytest.param('{"model":"m","input":"hi"}', [1], id="responses"),
        pytest.param(f'{{"request":{{"url":"x/v1/messages/count_tokens","body":{BODY}}}}}', [], id="count-tokens"),
        pytest.param(f'{{"request":{{"url":"x/v1/messages?beta=true","body":{BODY}}}}}', [1], id="claude-trace"),
        pytest.param('{"question":"?","messages":[]}', [], id="dataset"),
        pytest.param(BODY[:-1] + ',"model":"n"}', [], id="duplicate-key"),
        pytest.param(BODY[:-1] + ',"top_p":NaN}', [], id="nan"),
        pytest.param(BODY[:-1] + f',"x":{"[" * 20_000}{"]" * 20_000}}}', [], id="too-deep"),
        pytest.param(BODY[:-5], [], id="cut"),
        pytest.param("", [], id="empty"),
    ],
)
def test_bodies_says_on_which_lines_requests_stand(data: str, lines: list[int]) -> None:
    """Every container shape gives the body, and what is no request gives nothing."""
    found = oracle.bodies(data.encode())
    assert [line for line, _ in found] == lines
    assert all(body["model"] == "m" for _, body in found)


@pytest.mark.parametrize(
    "data",
    [gzip.compress(BODY.encode(), mtime=0), b"\xef\xbb\xbf" + BODY.encode(), ("\ufeff" + BODY).encode("utf-16-le")],
)
def test_bodies_undoes_gzip_and_byte_order_marks(data: bytes) -> None:
    """The same body comes out of gzip, UTF-8 with a mark and UTF-16."""
    assert oracle.bodies(data) == [(1, json.loads(BODY))]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"messages": [{"role": "user", "content": [RESULT]}]}, [("messages.0.content.0.content", "out")]),
        (
            {"messages": [{"role": "user", "content": [{**RESULT, "content": [{"type": "text", "text": "t"}]}]}]},
            [("messages.0.content.0.content.0.text", "t")],
        ),
        (
            {"messages": [{"role": "tool", "tool_call_id": "a", "content": "out"}]},
            [("messages.0.content", "out")],
        ),
        (
            {"input": [{"type": "function_call_output", "call_id": "a", "output": "out"}]},
            [("input.0.output", "out")],
        ),
        ({"input": "hi"}, []),
        ({"messages": [{"role": "user", "content": "out"}]}, []),
    ],
)
def test_tool_outputs_gives_path_and_text(body: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    """Only the texts of tool outputs are listed, in each dialect."""
    assert oracle.tool_outputs(body) == expected


def _messages(*contents: list[dict[str, Any]]) -> dict[str, Any]:
    roles = ["assistant", "user"] * len(contents)
    return {
        "messages": [{"role": role, "content": list(content)} for role, content in zip(roles, contents, strict=False)]
    }


CHAT_CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]}
CHAT_A, CHAT_B = ({"role": "tool", "tool_call_id": call_id, "content": ""} for call_id in "ab")
ITEM_CALL = {"type": "function_call", "call_id": "a"}
ITEM_RESULT = {"type": "function_call_output", "call_id": "a", "output": ""}
ITEM_TEXT = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("body", "n_wrong"),
    [
        pytest.param(_messages([CALL], [RESULT]), 0, id="anthropic"),
        pytest.param(_messages([CALL]), 1, id="anthropic-open"),
        pytest.param(_messages([], [RESULT]), 1, id="anthropic-not-called"),
        pytest.param(_messages([CALL], [RESULT, RESULT]), 1, id="anthropic-answered-twice"),
        pytest.param(_messages([CALL], [], [], [RESULT]), 2, id="anthropic-late"),
        pytest.param({"messages": [CHAT_CALL, CHAT_B, CHAT_A]}, 0, id="chat"),
        pytest.param({"messages": [CHAT_CALL, CHAT_A, ITEM_TEXT]}, 1, id="chat-half-answered"),
        pytest.param({"input": [ITEM_CALL, {"type": "reasoning"}, ITEM_RESULT]}, 0, id="responses"),
        pytest.param({"input": [ITEM_CALL, ITEM_TEXT, ITEM_RESULT]}, 2, id="responses-late"),
        pytest.param({"input": "hi"}, 0, id="responses-string"),
    ],
)
def test_tool_pairs_are_checked_in_their_run(body: dict[str, Any], n_wrong: int) -> None:
    """A call that is open, late or answered twice is found, and so is a result that nothing called."""
    assert len(oracle.check_tool_pairs(body)) == n_wrong


def test_rendering_ignores_marks_key_order_and_string_against_one_block() -> None:
    """The same text in three spellings is one rendering; another text is another."""
    one, two, three, other = (
        {"messages": [message]}
        for message in (
            {"role": "user", "content": "hi"},
            {"content": [{"text": "hi", "type": "text"}], "role": "user"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
            },
            {"role": "user", "content": "ho"},
        )
    )
    assert oracle.rendered_messages(one) == oracle.rendered_messages(two) == oracle.rendered_messages(three)
    assert oracle.rendered_messages(one) != oracle.rendered_messages(other)


def test_rendering_keeps_what_stands_in_a_tool_input() -> None:
    """Key order and a field named `cache_control` inside a tool's input do count."""
    inputs: list[dict[str, Any]] = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2, "cache_control": 3}]
    rendered = [oracle.rendered_messages(_messages([{**CALL, "input": value}]))[0] for value in inputs]
    assert len(set(rendered)) == 3


def test_append_needs_the_same_head_and_all_messages() -> None:
    """A longer history appends; another system, another model or a lost message does not."""
    first = {"model": "m", "system": "s", "messages": [{"role": "user", "content": "hi"}]}
    second = {**first, "messages": [*first["messages"], {"role": "assistant", "content": "ho"}]}
    assert oracle.is_append(first, second)
    assert oracle.is_append(first, {**second, "system": [{"type": "text", "text": "s"}]})
    assert not oracle.is_append(second, first)
    assert not oracle.is_append(first, {**second, "system": "t"})
    assert not oracle.is_append(first, {**second, "model": "n"})
    assert not oracle.is_append(first, {**second, "tools": [{"name": "Bash"}]})


def test_lanes_are_told_by_the_first_message_after_system() -> None:
    """Three interleaved requests of two conversations give two lanes."""
    system = {"role": "system", "content": "s"}
    found = [(i, {"messages": [system, {"role": "user", "content": text}]}) for i, text in enumerate("aba", 1)]
    assert oracle.lanes_by_first_message(found) == [[1, 3], [2]]


def test_marker_key_is_sixteen_digits_of_sha256() -> None:
    """The digits of a published test value, and a lone surrogate does not raise."""
    assert oracle.marker_key("abc") == "ba7816bf8f01cfea"
    assert oracle.marker_key("\ud83d") != oracle.marker_key("\ud83e")


def test_tokens_have_paths_and_cover_the_text() -> None:
    """Joined tokens are the text; values stand at their paths."""
    data = rb'{ "a" : [1, {"b\"":"x\\"}, true] }'
    tokens = oracle.json_tokens(data)
    assert b"".join(data[t.start : t.stop] for t in tokens) == data
    values = [(t.path, data[t.start : t.stop]) for t in tokens if t.kind in {"string", "bare"}]
    assert values == [("a.0", b"1"), ('a.1.b"', rb'"x\\"'), ("a.2", b"true")]


def test_diff_lists_the_values_that_differ() -> None:
    """Changed values are listed by path, equal texts give nothing."""
    assert oracle.diff_paths(b'{"a":[1,"x"]}', b'{"a":[2,"yy"]}') == ["a.0", "a.1"]
    assert oracle.diff_paths(b'{"a":1}', b'{"a":1}') == []


@pytest.mark.parametrize("other", [b'{"b":1}', b'{"a": 1}', b'{"a":[1]}', b'{"a":1,"b":2}', b'{"a":"1"}'])
def test_diff_refuses_other_structure(other: bytes) -> None:
    """Another key, other whitespace or another shape is no difference in values."""
    with pytest.raises(ValueError, match="differs"):
        oracle.diff_paths(b'{"a":1}', other)


def test_masks_are_equal_where_only_tool_outputs_differ() -> None:
    """An edit in a tool output leaves the mask; one byte anywhere else does not."""
    line = json.dumps({"body": {"model": "m", **_messages([CALL], [RESULT])}, "model": "m"}).encode()
    mask = oracle.mask_slots(line)
    assert mask.count(b"<slot>") == 1
    assert oracle.mask_slots(line.replace(b'"out"', b'"<<cg:1>>"')) == mask
    assert oracle.mask_slots(line.replace(b'"input": {}', b'"input":{}')) != mask
    array = b"[" + line + b",\n" + line + b"]"
    assert oracle.mask_slots(array) == b"[" + mask + b",\n" + mask + b"]"
    inside = json.dumps({"body": json.dumps({"model": "m", **_messages([CALL], [RESULT])})}).encode()
    assert oracle.mask_slots(inside.replace(b'\\"out\\"', b'\\"in\\"')) == oracle.mask_slots(inside)
    assert oracle.mask_slots(inside.replace(b'\\"Bash\\"', b'\\"Cash\\"')) != oracle.mask_slots(inside)


@pytest.mark.parametrize(
    "container", ["bodies", "ascii-bodies", "context-guru", "envelope", "string-envelope", "array"]
)
@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_generated_captures_hold_what_was_asked_for(dialect: captures.Dialect, container: captures.Container) -> None:
    """Two lanes of five requests, each an append, all pairs whole, and the same bytes again."""
    made = captures.capture(
        dialect=dialect,
        container=container,
        turns=4,
        seed=3,
        parallel=2,
        thinking=True,
        moving_marks=True,
        side_lanes=1,
    )
    found = [body for _, body in oracle.bodies(made)]
    assert len(found) == 10
    for lane in (found[0::2], found[1::2]):
        assert [len(oracle.tool_outputs(body)) for body in lane] == [0, 2, 4, 6, 8]
        assert all(oracle.is_append(a, b) for a, b in pairwise(lane))
    assert not oracle.is_append(found[0], found[1])
    assert [oracle.check_tool_pairs(body) for body in found] == [[]] * 10
    again = captures.capture(
        dialect=dialect,
        container=container,
        turns=4,
        seed=3,
        parallel=2,
        thinking=True,
        moving_marks=True,
        side_lanes=1,
    )
    assert made == again


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_generated_elision_breaks_the_prefix(dialect: captures.Dialect) -> None:
    """With one output kept, the third request changes what the second had sent."""
    found = [body for _, body in oracle.bodies(captures.capture(dialect=dialect, turns=3, elide=1))]
    assert [oracle.is_append(a, b) for a, b in pairwise(found)] == [True, False, False]
    assert [text for _, text in oracle.tool_outputs(found[-1])][:-1] == [captures.ELIDED] * 2


def test_other_seeds_give_other_captures() -> None:
    """The seed decides the text; `tools_last` the order of the fields."""
    assert captures.capture(seed=1) != captures.capture(seed=2)
    _, body = oracle.bodies(captures.capture(tools_last=True))[0]
    assert list(body)[-2:] == ["messages", "tools"]
