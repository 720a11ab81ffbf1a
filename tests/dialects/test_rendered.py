"""`cg-chain/1`: what counts for a digest and what does not, and what the digests are."""

from __future__ import annotations

import hashlib
import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from tests.dialects.rows import chain, request

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = '{"name":"B","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}'
CALL = '{"type":"tool_use","id":"t1","name":"B","input":{"a":1,"b":"x"}}'
RESULT = '{"type":"tool_result","tool_use_id":"t1","content":"out"}'
BODY = (
    f'{{"model":"claude-x","tools":[{TOOL}],"system":"You are","messages":[{{"role":"user","content":"hi <é>"}},'
    f'{{"role":"assistant","content":[{{"type":"text","text":"do"}},{CALL}]}},{{"role":"user","content":[{RESULT}]}}]}}'
)
MARK = '"cache_control":{"type":"ephemeral"}'


def _swap(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """Replace each first text, which stands there once, by the second."""

    def change(body: str) -> str:
        for old, new in pairs:
            assert body.count(old) == 1, old
            body = body.replace(old, new)
        return body

    return change


EQUAL: dict[str, Callable[[str], str]] = {
    "white space": lambda body: json.dumps(json.loads(body), ensure_ascii=False, indent=3),
    "escapes": lambda body: json.dumps(json.loads(body)).replace("<", "\\u003C").replace("/", "\\/"),
    "keys of the body": lambda body: json.dumps(dict(reversed(json.loads(body).items()))),
    "keys of a message": _swap(('{"role":"user","content":"hi <é>"}', '{"content":"hi <é>","role":"user"}')),
    "keys of a text block": _swap(('{"type":"text","text":"do"}', '{"text":"do","type":"text"}')),
    "keys of a call": _swap((CALL, '{"input":{"a":1,"b":"x"},"name":"B","id":"t1","type":"tool_use"}')),
    "keys of a result": _swap((RESULT, '{"content":"out","tool_use_id":"t1","type":"tool_result"}')),
    "mark on a text": _swap(('"text":"do"}', f'"text":"do",{MARK}}}')),
    "mark first in a text": _swap(('{"type":"text","text":"do"}', f'{{{MARK},"type":"text","text":"do"}}')),
    "mark on a call": _swap(('"b":"x"}}', f'"b":"x"}},{MARK}}}')),
    "mark on a result": _swap(('"content":"out"}', f'"content":"out",{MARK}}}')),
    "mark on a tool": _swap(("}}}}]", f"}}}}}},{MARK}}}]")),
    "mark with an hour": _swap(('"text":"do"}', '"text":"do","cache_control":{"ttl":"1h","type":"ephemeral"}}')),
    "user text as a list": _swap(('"content":"hi <é>"', '"content":[{"type":"text","text":"hi <é>"}]')),
    "marked list": _swap(('"content":"hi <é>"', f'"content":[{{"type":"text","text":"hi <é>",{MARK}}}]')),
    "result as a list": _swap(('"content":"out"', '"content":[{"text":"out","type":"text"}]')),
    "marked text in a result": _swap(('"content":"out"', f'"content":[{{"type":"text","text":"out",{MARK}}}]')),
    "system as a list": _swap(('"You are"', f'[{{"type":"text","text":"You are",{MARK}}}]')),
    "sampling": _swap(('"model"', '"temperature":0,"max_tokens":9,"stream":true,"metadata":{},"model"')),
}
DIFFERENT: dict[str, Callable[[str], str]] = {
    "key order of a tool input": _swap(('{"a":1,"b":"x"}', '{"b":"x","a":1}')),
    "number spelling in a tool input": _swap(('{"a":1,', '{"a":1.0,')),
    "exponent": _swap(('{"a":1,', '{"a":1e0,')),
    "text": _swap(("hi <é>", "hi <e>")),
    "one space more": _swap(("hi <é>", "hi  <é>")),
    "composed character": _swap(("é", "e\u0301")),
    "role": _swap(('{"role":"assistant"', '{"role":"user"')),
    "block order": _swap(('{"type":"text","text":"do"},' + CALL, CALL + ',{"type":"text","text":"do"}')),
    "two blocks for one": _swap(
        ('{"type":"text","text":"do"}', '{"type":"text","text":"d"},{"type":"text","text":"o"}')
    ),
    "message boundary": _swap(
        ('"do"},{"type":"tool_use"', '"do"}]},{"role":"assistant","content":[{"type":"tool_use"')
    ),
    "call id": _swap(('"id":"t1"', '"id":"t2"')),
    "call name": _swap(('"id":"t1","name":"B"', '"id":"t1","name":"C"')),
    "call type": _swap(('"type":"tool_use"', '"type":"server_tool_use"')),
    "result id": _swap(('"tool_use_id":"t1"', '"tool_use_id":"t2"')),
    "is_error": _swap(('"content":"out"', '"is_error":true,"content":"out"')),
    "is_error said to be false": _swap(('"content":"out"', '"is_error":false,"content":"out"')),
    "two texts in a result": _swap(
        ('"content":"out"', '"content":[{"type":"text","text":"ou"},{"type":"text","text":"t"}]')
    ),
    "result content that is no text": _swap(('"content":"out"', '"content":{"out":1}')),
    "no result content": _swap((',"content":"out"', "")),
    "empty result content": _swap(('"content":"out"', '"content":""')),
    "empty result list": _swap(('"content":"out"', '"content":[]')),
    "key order of a schema": _swap(
        (
            '{"type":"object","properties":{"a":{"type":"string"}}}',
            '{"properties":{"a":{"type":"string"}},"type":"object"}',
        )
    ),
    "key order of a tool": _swap((TOOL, TOOL.replace('"name":"B",', "")[:-1] + ',"name":"B"}')),
    "tool description": _swap(('"name":"B","input_', '"name":"B","description":"","input_')),
    "second tool": _swap((f"[{TOOL}]", f"[{TOOL},{TOOL}]")),
    "no tool": _swap((f"[{TOOL}]", "[]")),
    "system text": _swap(("You are", "You aren't")),
    "system in two blocks": _swap(('"You are"', '[{"type":"text","text":"You "},{"type":"text","text":"are"}]')),
    "no system": _swap(('"system":"You are",', "")),
    "model": _swap(("claude-x", "claude-y")),
    "unknown field of a message": _swap(('{"role":"assistant"', '{"x":1,"role":"assistant"')),
    "unknown field of a text": _swap(('"text":"do"', '"text":"do","citations":[]')),
    "unknown field of a call": _swap(('"id":"t1"', '"id":"t1","x":null')),
    "unknown field of a result": _swap(('"content":"out"', '"content":"out","x":1')),
    # A mark is one only where the provider reads it as one.
    "cache_control in a tool input": _swap(('{"a":1,', f'{{{MARK},"a":1,')),
    "cache_control in a schema": _swap(('{"a":{"type":"string"}}', f'{{"a":{{"type":"string",{MARK}}}}}')),
    "message more": _swap((f"[{RESULT}]}}", f'[{RESULT}]}},{{"role":"assistant","content":"end"}}')),
    "thinking more": _swap(('[{"type":"text"', '[{"type":"thinking","thinking":"","signature":"s"},{"type":"text"')),
    "unknown block more": _swap(('[{"type":"text"', '[{"type":"new","x":1},{"type":"text"')),
}


@pytest.mark.parametrize("case", EQUAL)
def test_what_the_provider_does_not_see_does_not_count(case: str) -> None:
    """The same digests before the first message and at each message."""
    other = EQUAL[case](BODY)
    assert other != BODY
    assert chain(other) == chain(BODY)


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_the_provider_sees_counts(case: str) -> None:
    """A digest differs."""
    assert chain(DIFFERENT[case](BODY)) != chain(BODY)


def test_all_different_bodies_differ_from_each_other() -> None:
    """No two of the changes cancel out or collide."""
    bodies = [BODY, *(change(BODY) for change in DIFFERENT.values())]
    chains = [chain(body) for body in bodies]
    assert [(i, j) for i, j in combinations(range(len(bodies)), 2) if chains[i] == chains[j]] == []


@pytest.mark.parametrize(
    ("dialect", "one", "other", "equal"),
    [
        ("chat", {"role": "user", "content": "a"}, {"content": [{"text": "a", "type": "text"}], "role": "user"}, True),
        (
            "chat",
            {"role": "tool", "tool_call_id": "c", "content": "a"},
            {"role": "tool", "tool_call_id": "d", "content": "a"},
            False,
        ),
        (
            "chat",
            {"role": "tool", "tool_call_id": "c", "content": "a"},
            {"tool_call_id": "c", "role": "tool", "content": "a", "cache_control": {}},
            True,
        ),
        ("chat", {"role": "user", "content": "a"}, {"role": "user", "name": "ann", "content": "a"}, False),
        *(
            (
                "chat",
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
                {"role": "user", "content": [{"type": "image_url", key: {}, "image_url": {"url": "u"}}]},
                True,
            )
            for key in ("prompt_cache_breakpoint", "cache_control")
        ),
        ("chat", {"role": "assistant", "content": None}, {"role": "assistant"}, True),
        ("chat", {"role": "assistant", "content": None}, {"role": "assistant", "content": ""}, False),
        (
            "chat",
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{ }"}},
            False,
        ),
        (
            "chat",
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {
                "role": "assistant",
                "tool_calls": [{"function": {"name": "f", "arguments": "{}"}, "type": "function", "id": "c"}],
            },
            True,
        ),
        (
            "chat",
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{ }"}}]},
            False,
        ),
        ("responses", "a", [{"role": "user", "content": "a"}], True),
        (
            "responses",
            "a",
            [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}],
            True,
        ),
        (
            "responses",
            "a",
            [
                {
                    "role": "user",
                    "content": [{"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}}],
                }
            ],
            True,
        ),
        ("responses", "a", [{"role": "developer", "content": "a"}], False),
        (
            "responses",
            [{"type": "function_call_output", "call_id": "c", "output": "o"}],
            [{"output": [{"type": "input_text", "text": "o"}], "call_id": "c", "type": "function_call_output"}],
            True,
        ),
        (
            "responses",
            [{"type": "function_call_output", "call_id": "c", "output": "o"}],
            [{"type": "custom_tool_call_output", "call_id": "c", "output": "o"}],
            False,
        ),
        (
            "responses",
            [{"type": "function_call_output", "call_id": "c", "output": "o"}],
            [{"type": "function_call_output", "call_id": "d", "output": "o"}],
            False,
        ),
        (
            "responses",
            [{"type": "function_call_output", "call_id": "c", "output": {"o": 1}}],
            [{"type": "function_call_output", "call_id": "c", "output": {"o": 2}}],
            False,
        ),
        (
            "responses",
            [{"type": "reasoning", "encrypted_content": "a"}],
            [{"type": "reasoning", "encrypted_content": "b"}],
            False,
        ),
        (
            "responses",
            [{"type": "compaction", "encrypted_content": "a"}],
            [{"type": "compaction", "encrypted_content": "b"}],
            False,
        ),
        (
            "responses",
            [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
            [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{ }"}],
            False,
        ),
    ],
)
def test_the_other_dialects(dialect: str, one: Any, other: Any, equal: bool) -> None:  # noqa: FBT001 - a column of the table
    """Chat and Responses follow the same rules."""
    if dialect == "chat":
        bodies = [{"model": "gpt-4", "messages": [message]} for message in (one, other)]
    else:
        bodies = [{"model": "gpt-5", "input": value} for value in (one, other)]
    assert (chain(bodies[0]) == chain(bodies[1])) is equal


def _sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def test_digests_are_those_of_the_written_rule() -> None:
    """Worked out by hand: canonical bytes, a block, an item, the chain, and what stands before it."""
    tool = _sha(_sha(b"role 4:toolopens 1:1type 4:toolspec %d:%s" % (len(TOOL), TOOL.encode())))
    system = _sha(_sha(b"role 6:systemopens 1:1type 4:texttext 7:You are"))
    first = _sha("role 4:useropens 1:1type 4:texttext 7:hi <é>".encode())
    said = _sha(b"role 9:assistantopens 1:1type 4:texttext 2:do")
    call = _sha(b'role 9:assistantopens 1:0type 8:tool_useid 4:"t1"name 3:"B"input 15:{"a":1,"b":"x"}')
    result = _sha(b"role 4:useropens 1:1type 11:tool_resultid 2:t1content 10:text 3:out")
    read = request(BODY)
    assert [[one.rendered for one in message.blocks] for message in read.messages] == [[first], [said, call], [result]]
    states = [_sha(_sha(b"cg-chain/1") + _sha(first))]
    states.append(_sha(states[-1] + _sha(said + call)))
    states.append(_sha(states[-1] + _sha(result)))
    assert read.states == tuple(states)
    assert read.static == _sha(b"'claude-x'" + b"1:" + tool + b"1:" + system)


def test_digests_never_change_unnoticed() -> None:
    """`cg-chain/1` of a small body, pinned: a change here needs another name for the chain."""
    pinned = ["d273574d5c877ca2", "12ec17f9c354e1fd", "48f780335f7eefca", "17bd9d433a088691"]
    assert [digest.hex()[:16] for digest in chain(BODY)] == pinned


@pytest.mark.parametrize("escaped", [True, False], ids=["ascii", "utf-8"])
@pytest.mark.parametrize("with_more", [True, False], ids=["half of the record", "most of the record"])
def test_a_long_text_has_the_digest_of_its_whole_text(escaped: bool, with_more: bool) -> None:  # noqa: FBT001 - drawn
    """Hashed in pieces, two megabytes have the digest of the frame around all of it; the bytes are as written."""
    text = 'a "boat"\n\\ \u6e2f\U0001f6a2' * 100_000
    message = json.dumps({"role": "user", "content": text}, ensure_ascii=escaped)
    more = json.dumps({"role": "assistant", "content": "b" * len(message) * 2})
    body = f'{{"model":"claude-x","system":"s","messages":[{message}{"," + more if with_more else ""}]}}'
    item = request(body).messages[0]
    said = text.encode()
    framed = b"role 4:useropens 1:1type 4:texttext %d:%b" % (len(said), said)
    assert item.blocks[0].rendered == hashlib.sha256(framed).digest()
    assert item.wire == message.encode()
    assert (item.size_bytes == len(item.within)) == with_more
