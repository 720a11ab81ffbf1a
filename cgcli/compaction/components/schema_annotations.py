"""The annotation keywords of a tool's JSON Schema: where they stand, and the tool without them.

Keywords count where JSON Schema has a schema, and nowhere else: a property that is called `title` or `examples` is a
name under `properties`, and what stands in `default`, `enum` and `const` is data.

Sources: JSON Schema 2020-12, core 8.3 (`$comment`) and validation 9 ("Basic Meta-Data Annotations"); OpenAPI 3.0
(`example`) and VS Code (`markdownDescription`), which no validator reads; context-guru, toolschema.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.compaction.components.removal import members_spans, removed
from cgcli.model import value
from cgcli.wire.spans import Document, Malformed
from cgcli.wire.splice import splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.model import Item
    from cgcli.wire.spans import Node

MOST_LEVELS = 200
"""Schemas inside schemas; what is nested deeper is left alone."""
_MOST_KEPT = 1024

ANNOTATIONS: Mapping[str, str] = MappingProxyType(
    {
        "$comment": "string",
        "title": "string",
        "markdownDescription": "string",
        "examples": "array",
        "deprecated": "bool",
        "readOnly": "bool",
        "writeOnly": "bool",
    }
)
"""Each with the kind of its value: one of another kind is not the keyword. `description` and `default` stay."""
_OF_ANY_KIND = "example"
IDENTITIES: Mapping[str, str] = MappingProxyType({"$schema": "string", "$id": "string"})
"""What references are resolved against, and what the dialect is told by: taken out where neither is needed."""

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
_SINGLE = frozenset(
    {
        *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
        *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
    }
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_REFERENCES = (b"$ref", b"$dynamicRef", b"$recursiveRef", b'nchor"', b"\\u0024")
"""In a schema's bytes: something may refer to an identity, or is spelled so that it cannot be told."""


@value
class Stripped:
    """What is to be done to one tool: bytes `start:stop` of it become `new`."""

    start: int
    stop: int
    new: bytes
    wire: bytes
    """The whole tool, afterwards."""


@lru_cache(maxsize=_MOST_KEPT)
def stripped(item: Item) -> Stripped | str:
    """The tool *item* without the annotations of its schemas, or why not: a short name."""
    try:
        tool = Document(item.wire).root()
        ranges = sorted(one for schema in _schemas(tool) for one in _annotations(schema))
    except Malformed as error:
        return error.reason
    if not ranges:
        return "nothing_to_strip"
    start, stop = ranges[0][0], ranges[-1][1]
    new = splice(item.wire[:stop], [(a, b, b"") for a, b in ranges])[start:]
    return Stripped(start=start, stop=stop, new=new, wire=item.wire[:start] + new + item.wire[stop:])


def _schemas(tool: Node) -> Iterator[Node]:
    """The schemas of a tool spec, in any of the dialects' shapes; of the tools in a namespace, too."""
    members = tool.members()
    function = members.get("function")
    if function is not None and function.kind == "object":
        members = {**members, **function.members()}
    for name in ("input_schema", "parameters"):
        found = members.get(name)
        if found is not None and found.kind == "object":
            yield found
    inner = members.get("tools")
    for one in inner.elements() if inner is not None and inner.kind == "array" else ():
        if one.kind == "object":
            yield from _schemas(one)


def _annotations(schema: Node) -> Iterator[tuple[int, int]]:
    """The byte ranges that are to go.

    Raises:
        Malformed: a key stands twice, or it is nested too deeply.
    """
    found: list[tuple[list[tuple[int, int]], list[str], dict[str, Node]]] = []
    needs_identity = any(mark in schema.bytes() for mark in _REFERENCES)
    waiting = [(schema, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > MOST_LEVELS:
            raise Malformed("too_deep", f"more than {MOST_LEVELS} schemas inside each other")
        members = node.members()
        needs_identity = needs_identity or _is_of_old_dialect(members)
        found.append((list(members_spans(node).values()), list(members), members))
        waiting += [(inner, level + 1) for inner in _subschemas(members)]
    for spans, names, members in found:
        gone = {i for i, name in enumerate(names) if _may_go(name, members, needs_identity=needs_identity)}
        yield from removed(spans, gone)


def _may_go(name: str, members: Mapping[str, Node], *, needs_identity: bool) -> bool:
    if name == _OF_ANY_KIND:
        return True
    if name == "markdownDescription" and "description" not in members:
        return False
    kind = ANNOTATIONS.get(name) or (None if needs_identity else IDENTITIES.get(name))
    return kind is not None and members[name].kind == kind


def _is_of_old_dialect(members: Mapping[str, Node]) -> bool:
    """True for what means something else, or nothing, without a `$schema` that names an earlier draft."""
    items = members.get("items")
    if items is not None and items.kind == "array":
        return True
    bounds = (members.get("exclusiveMinimum"), members.get("exclusiveMaximum"))
    return any(bound is not None and bound.kind == "bool" for bound in bounds) or (
        "additionalItems" in members or "dependencies" in members
    )


def _subschemas(members: Mapping[str, Node]) -> Iterator[Node]:
    for name, node in members.items():
        inner: list[Node] = []
        if name in _MAPS and node.kind == "object":
            inner = list(node.members().values())
        elif name in _LISTS and node.kind == "array":
            inner = node.elements()
        elif name in _SINGLE:
            inner = [node]
        yield from (one for one in inner if one.kind == "object")
