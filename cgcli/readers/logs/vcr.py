"""Cassettes: HTTP calls that a test suite replays, in YAML or JSON, from vcrpy, go-vcr and Ruby's VCR.

A body is a string, bytes, or an object around one; some suites store it parsed (`parsed_body`), and then its spelling
and the order of its keys are the cassette's.
"""

from __future__ import annotations

import json
import re
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.readers.base import Known, Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed
from cgcli.readers.logs import calls
from cgcli.readers.records import records
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_KNOWN = Known(tools=True, system=True, usage=True, response=True, time=False)
_LISTS = ("interactions", "http_interactions")
_BEGINS = re.compile(rb"^(?:http_)?interactions:", re.MULTILINE)
_STRINGS = ("string", "base64_string")
_LOOKED_AT = 8
_MOST_GROWTH = 8
"""A body may be so many times as large as its file: references to one value in YAML could make it anything."""


class Vcr:
    """Cassettes in YAML."""

    name: ClassVar[str] = "vcr"
    known: ClassVar[Known] = _KNOWN
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def recognises(self, head: bytes) -> bool:
        """True where a line begins with `interactions:` or `http_interactions:`."""
        return _BEGINS.search(head) is not None

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each call of a model, in the order in which they stand."""
        yaml = import_module("yaml")  # late: it takes longer to load than most files take to read
        for piece in pieces:
            loader = _loader(yaml)(piece.raw)
            try:
                for node in _interactions(yaml, loader):
                    line = piece.line + node.start_mark.line
                    try:
                        interaction = loader.construct_object(node, deep=True)
                    except (yaml.YAMLError, RecursionError, ValueError) as error:
                        yield _not_yaml(error, line)
                    else:
                        yield or_missed(line, partial(_call, interaction, line, len(piece.raw)))
            except (yaml.YAMLError, RecursionError) as error:
                mark = getattr(error, "problem_mark", None)
                yield _not_yaml(error, piece.line + (mark.line if mark is not None else 0))
            finally:
                loader.dispose()


class VcrJson:
    """Cassettes in JSON."""

    name: ClassVar[str] = "vcr-json"
    known: ClassVar[Known] = _KNOWN
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a list of `interactions`, which have requests."""
        found = (one for members in sample for key in _LISTS for one in elements_of(members.get(key))[:_LOOKED_AT])
        return any("request" in members_of(one) for one in found)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each call of a model, in the order in which they stand."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            key = next((key for key in _LISTS if key in record.members), "")
            found = or_missed(record.line, partial(elements_of, record.members.get(key)))
            if isinstance(found, Missed):
                yield found
                continue
            lines = Lines(record.node.doc.raw, record.line)
            for node in found:
                line = lines.of(node)
                yield or_missed(line, partial(_parsed_call, node, line))


def _interactions(yaml: Any, loader: Any) -> Sequence[Any]:
    """The nodes of the list of interactions."""
    root = loader.get_single_node()
    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    found = next((node for key, node in pairs if key.value in _LISTS), None)
    nodes: Sequence[Any] = found.value if isinstance(found, yaml.SequenceNode) else ()
    return nodes


def _not_yaml(error: Exception, line: int) -> Missed:
    said = str(getattr(error, "problem", None) or "it cannot be read as a cassette")
    return Missed(line=line, passed=Passed(reason="not_yaml", usable=False, detail=said))


def _loader(yaml: Any) -> Any:
    """A safe loader, in C where it is there, that leaves a date the text that it is."""
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in base.yaml_implicit_resolvers.items()
    }
    return type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})


def _parsed_call(node: Node, line: int) -> Derived | Missed:
    return _call(node.value(), line, len(node.doc.raw))


def _call(interaction: Any, line: int, size_bytes: int) -> Derived | Missed:
    """The call in one *interaction* of a file of *size_bytes*.

    Raises:
        Malformed: it is a model's, and its body cannot be used.
    """
    request = _object(interaction).get("request")
    asked = _object(request)
    if not calls.is_model_call(_text(asked.get("method")), _text(asked.get("uri", asked.get("url")))):
        return Missed(line=line, passed=calls.NOT_A_CALL)
    body = calls.checked_body(_content(asked, size_bytes))
    try:
        found = calls.answered(_content(_object(_object(interaction).get("response")), size_bytes))
    except Malformed:
        found = calls.NOT_ANSWERED
    return Derived(body=body, line=line, find_answer=found.find, usage=found.usage)


def _content(side: Mapping[Any, Any], size_bytes: int) -> bytes:
    """The content of one side of a call.

    Raises:
        Malformed: none is recorded, or it cannot be used.
    """
    body = side.get("body")
    if not body and "parsed_body" in side:
        return _spelled(side["parsed_body"], _MOST_GROWTH * size_bytes)
    if isinstance(body, dict):
        key = next((key for key in _STRINGS if key in body), None)
        if key is None:
            return _spelled(body, _MOST_GROWTH * size_bytes)
        body = body[key]
        if key == "base64_string" and isinstance(body, str):
            body = calls.from_base64(body)
    if isinstance(body, str):
        body = calls.utf8(body)
    if not isinstance(body, bytes):
        raise Malformed("no_body", "the cassette does not have the body")
    return calls.unpacked(body)


def _spelled(parsed: Any, most: int) -> bytes:
    """*parsed* as JSON of at most about *most* bytes.

    Raises:
        Malformed: it is larger, or has what JSON has not.
    """
    try:
        if _size(parsed, {}) > most:
            raise Malformed("too_large", "references in the cassette make the body many times as large as the file")
        return json.dumps(parsed, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, Malformed):
            raise
        raise Malformed("not_json", f"the parsed body is no JSON: {error}") from error


def _size(parsed: Any, known: dict[int, int]) -> int:
    """About how long *parsed* is as JSON; what stands in several places is measured once, and counts each time."""
    if isinstance(parsed, str):
        return len(parsed)
    if not isinstance(parsed, dict | list):
        return 1
    found = known.get(id(parsed))
    if found is None:
        inner = parsed.values() if isinstance(parsed, dict) else parsed
        found = known[id(parsed)] = 1 + sum(_size(one, known) for one in inner)
    return found


def _object(given: Any) -> Mapping[Any, Any]:
    return given if isinstance(given, dict) else {}


def _text(given: Any) -> str | None:
    return given if isinstance(given, str) else None
