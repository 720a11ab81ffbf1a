"""`toolschema`: annotation keywords leave the schemas of tools, and nothing else changes by a byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.components.schema_annotations import Stripped, stripped
from cgcli.compaction.components.toolschema import Toolschema
from cgcli.readers.single import parse_body
from tests.captures import capture
from tests.checks.gated import result
from tests.compaction.components.bodies import Edited, Json, compact, pretty
from tests.running import CORPUS, CORPUS_CAPTURES, NO_CORPUS

HEAD = b'{"model":"claude-sonnet-4-5","max_tokens":64,"tools":['
BEHIND = b'],"messages":[{"role":"user","content":"go"}]}'


def lane_of() -> Edited:
    """A lane in which a character is a token."""
    return Edited(Toolschema(), count=len)


def tool(schema: bytes) -> bytes:
    """A tool with that schema, in a body."""
    return HEAD + b'{"name":"Read","description":"Reads.","input_schema":' + schema + b"}" + BEHIND


def schema_of(sent: bytes) -> bytes:
    """The bytes of that schema."""
    start = len(HEAD) + len(b'{"name":"Read","description":"Reads.","input_schema":')
    return sent[start : -len(BEHIND) - 1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"title":"Args","type":"object"}', b'{"type":"object"}'),
        (b'{"type":"object","title":"Args"}', b'{"type":"object"}'),
        (b'{"$schema":"x","title":"Args"}', b"{}"),
        (b'{"type":"object","title":"A","$comment":"c","required":["a"],"deprecated":false}',
         b'{"type":"object","required":["a"]}'),
        (b'{"readOnly":true,"writeOnly":false,"examples":[1,{"title":"t"}],"type":"string"}', b'{"type":"string"}'),
        (b'{"description":"d","default":{"title":"t"},"title":"T"}', b'{"description":"d","default":{"title":"t"}}'),
        (b'{ "type" : "object" ,\n  "title" : "A" ,\n  "properties" : { } }',
         b'{ "type" : "object" ,\n  "properties" : { } }'),
        (b'{\n  "type": "object",\n  "title": "A"\n}', b'{\n  "type": "object"\n}'),
        (b'{"\\u0074itle":"escaped key","type":"object"}', b'{"type":"object"}'),
        (b'{"type":"object","title":"quote \\" } , { \\ud83d"}', b'{"type":"object"}'),
        (b'{"example":{"a":1},"markdownDescription":"**d**","description":"d"}', b'{"description":"d"}'),
    ],
)  # fmt: skip
def test_keyword_leaves_with_its_comma(before: bytes, after: bytes) -> None:
    """Key order, white space, escapes and numbers of all that stays are as they were."""
    assert schema_of(lane_of().send(tool(before))) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"properties":{"title":{"type":"string","title":"Title"},"examples":{"title":"E"}}}',
         b'{"properties":{"title":{"type":"string"},"examples":{}}}'),
        (b'{"items":{"title":"I","type":"string"},"anyOf":[{"title":"A","const":1},true]}',
         b'{"items":{"type":"string"},"anyOf":[{"const":1},true]}'),
        (b'{"$defs":{"deprecated":{"title":"D"}},"not":{"readOnly":true},"if":{"$comment":"c"}}',
         b'{"$defs":{"deprecated":{}},"not":{},"if":{}}'),
        (b'{"patternProperties":{"^title$":{"title":"x"}},"additionalProperties":{"title":"y","type":"null"}}',
         b'{"patternProperties":{"^title$":{}},"additionalProperties":{"type":"null"}}'),
    ],
)  # fmt: skip
def test_keyword_leaves_schemas_inside_schemas(before: bytes, after: bytes) -> None:
    """Wherever JSON Schema has a schema; a property may have a keyword's name."""
    assert schema_of(lane_of().send(tool(before))) == after


@pytest.mark.parametrize(
    "schema",
    [
        b'{"properties":{"title":{"type":"string"},"examples":{"type":"array"},"$schema":{"type":"string"}}}',
        b'{"enum":[{"title":"a"}],"const":{"examples":[1]},"default":{"deprecated":true}}',
        b'{"type":"object","title":{"type":"string"},"examples":{"type":"array"},"readOnly":"no"}',
        b'{"x-ui":{"title":"data of an extension"},"required":["title","examples"]}',
        b'{"markdownDescription":"the only description"}',
        b'{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}}',
        b'{"$id":"https://x/y","properties":{"a":{"$ref":"y#/z"}}}',
        b'{"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":true,"minimum":1}',
        b'{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}]}',
        b"true",
        b"null",
        b'"title"',
    ],
)
def test_what_is_no_annotation_stays(schema: bytes) -> None:
    """Names, data, values of a wrong kind, identities that references need, and dialects that change the meaning."""
    raw = tool(schema)
    lane = lane_of()
    assert lane.send(raw) == raw
    assert lane.reasons == ["nothing_to_strip"]


def test_tools_of_every_dialect_are_stripped() -> None:
    """The schema stands under `function.parameters` (Chat), `parameters` (Responses), and in a namespace's tools."""
    schema: Json = {"title": "T", "type": "object"}
    chat: Json = {"type": "function", "function": {"name": "a", "title": "kept", "parameters": schema}}
    bare: Json = {"type": "function", "name": "a", "parameters": schema}
    space: Json = {"type": "namespace", "name": "n", "title": "kept", "tools": [bare]}
    user = [{"role": "user", "content": "go"}]
    stripped_chat = lane_of().send({"model": "gpt-4.1", "tools": [chat], "messages": user})
    stripped_responses = lane_of().send({"model": "gpt-5", "tools": [bare, space], "input": user})
    inner: Json = {"type": "function", "name": "a", "parameters": {"type": "object"}}
    assert json.loads(stripped_chat)["tools"] == [
        {"type": "function", "function": {"name": "a", "title": "kept", "parameters": {"type": "object"}}}
    ]
    assert json.loads(stripped_responses)["tools"] == [
        inner,
        {"type": "namespace", "name": "n", "title": "kept", "tools": [inner]},
    ]


def test_account_says_what_was_saved() -> None:
    """One edit a tool, and the tokens of the words that left."""
    lane = Edited(Toolschema())
    lane.send(tool(b'{"title":"one two three","$comment":"four five","type":"object"}'))
    assert (lane.n_fired, lane.saved_tokens, lane.reasons) == (1, 3, [])


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (HEAD + BEHIND, "no_tools"),
        (tool(b'{"title":"a","type":"object","type":"string"}'), "duplicate_key"),
        (tool(b'{"not":' * 300 + b'{"title":"one two"}' + b"}" * 300), "too_deep"),
        (tool(b'{"title":"a","type":"object"}'), "not_smaller"),
    ],
)
def test_reason_is_given(raw: bytes, reason: str) -> None:
    """Nothing is changed, and the report says why; `title` alone is no word less here."""
    lane = Edited(Toolschema())
    assert lane.send(raw) == raw
    assert lane.reasons == [reason]


def test_edits_are_the_same_on_every_turn() -> None:
    """A grown history, a moved mark, an appended warning in another tool's description: what was sent stays sent."""
    schema: Json = {"title": "one two three four", "type": "object"}
    user = {"role": "user", "content": "go"}
    lane = lane_of()

    def tools(sent: bytes) -> list[Any]:
        return [{k: v for k, v in one.items() if k != "cache_control"} for one in json.loads(sent)["tools"]]

    first = lane.send({"model": "claude-x", "tools": [{"name": "A", "input_schema": schema}], "messages": [user]})
    marked = {"name": "A", "input_schema": schema, "cache_control": {"type": "ephemeral"}}
    second = lane.send({"model": "claude-x", "tools": [marked], "messages": [user] * 3})
    warned = {"name": "B", "description": "new warning", "input_schema": schema}
    third = lane.send({"model": "claude-x", "messages": [user] * 5, "tools": [marked, warned]})
    assert tools(first) == tools(second) == [{"name": "A", "input_schema": {"type": "object"}}]
    assert tools(third) == [*tools(first), {**warned, "input_schema": {"type": "object"}}]


def test_head_that_thinking_is_bound_to_stays() -> None:
    """On a model that binds thinking to its prefix a lane that is seen too late is left alone, on every turn of it."""
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    history: list[Json] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "a"}]},
        {"role": "user", "content": "on"},
    ]
    tools = [{"name": "A", "input_schema": {"title": "one two three", "type": "object"}}]
    late = lane_of()
    body: Json = {"model": "claude-opus-5-5", "tools": tools, "messages": history}
    grown: Json = {"model": "claude-opus-5-5", "tools": tools, "messages": [*history, *history[1:]]}
    assert [late.send(one) == compact(one) for one in (body, grown)] == [True, True]
    assert late.reasons == ["thinking_bound"]
    early = lane_of()
    early.send({"model": "claude-opus-5-5", "tools": tools, "messages": history[:1]})
    assert b"title" not in early.send(body)


def test_tool_that_an_earlier_step_took_out_is_left_alone() -> None:
    """Its edit would stand inside what is gone."""
    lane = lane_of()
    raw = tool(b'{"title":"one two three","type":"object"}')
    assert lane.edits(raw, ((len(HEAD), len(raw) - len(BEHIND)),)) == ()
    assert lane.reasons == ["replaced"]


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
KEYWORDS = ["title", "examples", "$comment", "$schema", "deprecated", "type", "default", "enum", "const", "$ref"]
HOLDERS = ["properties", "items", "anyOf", "$defs", "not", "x-other", "allOf", "additionalProperties"]
KEYS = st.sampled_from([*KEYWORDS, *HOLDERS]) | st.text(max_size=4)
SCHEMAS = st.recursive(
    LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=5) | st.lists(inner, max_size=3), max_leaves=30
)


def without(node: Any) -> Any:
    """The schema without annotations, worked out on objects."""
    if not isinstance(node, dict):
        return node
    kinds: dict[str, type] = {"title": str, "examples": list, "$comment": str, "deprecated": bool}
    kept: Json = {}
    for key, member in node.items():
        if key in kinds and isinstance(member, kinds[key]):
            continue
        if key in ("properties", "$defs") and isinstance(member, dict):
            kept[key] = {name: without(one) for name, one in member.items()}
        elif key in ("anyOf", "allOf", "items") and isinstance(member, list):
            kept[key] = [without(one) for one in member]
        elif key in ("items", "not", "additionalProperties"):
            kept[key] = without(member)
        else:
            kept[key] = member
    return kept


@settings(deadline=None)
@given(schema=st.dictionaries(KEYS, SCHEMAS, max_size=6), is_pretty=st.booleans())
def test_any_schema_loses_its_annotations_only(schema: Json, *, is_pretty: bool) -> None:
    """In every spelling, what is left reads as the schema without them; keys keep their order."""
    schema = {**schema, "title": "t", "$ref": "#"}
    body = {"model": "claude-x", "tools": [{"name": "A", "input_schema": schema}], "messages": []}
    raw = pretty(body) if is_pretty else compact(body)
    request = parse_body(raw)
    assert request.tools is not None
    found = stripped(request.tools[0])
    assert isinstance(found, Stripped)
    assert json.loads(found.wire, object_pairs_hook=list) == json.loads(
        json.dumps({"name": "A", "input_schema": without(schema)}), object_pairs_hook=list
    )


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_captures_stay_valid(dialect: Any) -> None:
    """The gates of tools, prefix and shape find nothing that they did not find before."""
    raw = capture(dialect=dialect, turns=4, moving_marks=True)
    annotated = raw.replace(b'{"type":"object"', b'{"title":"one two three four","type":"object"')
    assert annotated != raw
    lane = lane_of()
    lines = [lane.send(line) for line in annotated.splitlines()]
    assert b"".join(line + b"\n" for line in lines) == raw
    for gate in ("TOOLS", "APPEND", "SHAPE"):
        assert result(b"\n".join(lines), gate).verdict == result(annotated, gate).verdict


def test_hostile_schemas_take_linear_time() -> None:
    """A megabyte in one string, thousands of members and of properties, schemas inside each other."""
    for schema in (
        b'{"title":"' + b"x" * 1_000_000 + b'","type":"object"}',
        b"{" + b",".join(b'"k%d":{"title":"a b c"}' % i for i in range(9_000)) + b"}",
        b'{"properties":{' + b",".join(b'"k%d":{"title":"a b c"}' % i for i in range(6_000)) + b"}}",
        b'{"not":' * 150 + b"{}" + b"}" * 150,
    ):
        assert json.loads(lane_of().send(tool(schema)).split(b',"tools"')[0] + b"}")


def test_it_goes_with_itself() -> None:
    """A second one in the policy finds its work done, and what was sent has none left."""
    raw = tool(b'{"title":"one two three","type":"object"}')
    once = lane_of().send(raw)
    assert lane_of().send(once) == once


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_real_tools_read_as_before_without_annotations() -> None:
    """Every saved body that is one file still parses, and its tools keep names and descriptions."""
    n_bodies = 0
    for path in CORPUS_CAPTURES:
        if path.parent.name != "anthropic-request-body":
            continue
        raw = path.read_bytes()
        before = json.loads(raw)
        if isinstance(before, dict) and before.get("tools"):
            after = json.loads(lane_of().send(raw))
            assert [(one.get("name"), one.get("description")) for one in after["tools"]] == [
                (one.get("name"), one.get("description")) for one in before["tools"]
            ]
            n_bodies += 1
    assert n_bodies > 0
