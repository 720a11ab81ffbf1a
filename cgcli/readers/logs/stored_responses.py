"""Responses that OpenAI stores: objects as `GET /responses/{id}` gives them, a list of them or one a line.

Each has its answer, and what it was asked with. Where it goes on from a `previous_response_id`, what the model read is
the whole chain: it is put together where every response of it is in the file, with its input.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import unique
from cgcli.readers import usage as usages
from cgcli.readers.base import Known, Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed, value_at
from cgcli.readers.logs.parameters import body_parameters
from cgcli.readers.records import records
from cgcli.readers.spelling import array_of, object_of, spell
from cgcli.readers.stamps import number_s
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_CHAINED = frozenset({"previous_response_id", "conversation", "store", "background"})
"""Not taken over: the body has the whole history itself."""


class StoredResponses:
    """Stored responses."""

    name: ClassVar[str] = "stored-responses"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is a response object, or a list that has one."""
        return any(_is_response(members) or any(map(_is_response, _listed(members))) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each response, by the time at which it was made."""
        stored = _Stored()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            yield from stored.take(record)
        yield from stored.requests()


def _is_response(members: Mapping[str, Node]) -> bool:
    return string_of(members, "object") == "response" and "output" in members


def _listed(members: Mapping[str, Node]) -> list[Mapping[str, Node]]:
    found = (or_missed(0, partial(members_of, one)) for one in elements_of(members.get("data")))
    return [one for one in found if not isinstance(one, Missed)]


@unique
class _Response:
    line: int
    key: str
    made_s: float
    node: Node
    members: Mapping[str, Node]
    previous: str | None


@unique
class _Chain:
    """What was read and answered up to and with a response; the first one's id names the lane."""

    items: tuple[bytes, ...]
    output_ids: frozenset[bytes]
    """Of what was answered: an input that has one of these has the chain in it."""
    first: str


class _Stored:
    def __init__(self) -> None:
        self._found: dict[str, _Response] = {}
        self._chains: dict[str, _Chain] = {}

    def take(self, record: Record) -> Iterator[Missed]:
        """Take the response, or the responses, of *record*; what cannot be used is given back."""
        lines = Lines(record.node.doc.raw, record.line)
        listed = or_missed(record.line, partial(elements_of, record.members.get("data")))
        if isinstance(listed, Missed):
            yield listed
            return
        for node in listed or [record.node]:
            line = lines.of(node)
            trouble = or_missed(line, partial(self._keep, node, line))
            if isinstance(trouble, Missed):
                yield trouble

    def _keep(self, node: Node, line: int) -> None:
        members = members_of(node)
        if not _is_response(members):
            return
        key = string_of(members, "id") or f"line {line}"
        made_s = number_s(value_at(members, "created_at")) or 0.0
        previous = string_of(members, "previous_response_id")
        self._found[key] = _Response(line=line, key=key, made_s=made_s, node=node, members=members, previous=previous)

    def requests(self) -> Iterator[Derived | Missed]:
        """What can be said of each, the oldest first."""
        depths: dict[str, int] = {}
        for key in self._found:
            self._measure(key, depths)
        for response in sorted(self._found.values(), key=lambda one: (one.made_s, depths[one.key])):
            yield or_missed(response.line, partial(self._request, response))

    def _measure(self, key: str, depths: dict[str, int]) -> None:
        """Put into *depths* how many responses of the file each one of the chain up to *key* goes on from."""
        chain: list[str] = []
        at: str | None = key
        while at is not None and at in self._found and at not in depths:
            depths[at] = 0  # a chain that bites its tail ends here
            chain.append(at)
            at = self._found[at].previous
        depth = depths[at] + 1 if at is not None and at in depths and at not in chain else 0
        for passed in reversed(chain):
            depths[passed] = depth
            depth += 1

    def _request(self, response: _Response) -> Derived | Missed:
        members = response.members
        own = _input(members.get("input"))
        if own is None:
            return _refused(response, "the response does not have its `input`: GET /responses/{id}/input_items has it")
        if members.get("conversation") is not None and members["conversation"].kind != "null":
            return _refused(response, "it belongs to a conversation, whose items are not in it")
        previous = response.previous
        before = (
            self._chains.get(previous)
            if previous is not None
            else _Chain(items=(), output_ids=frozenset(), first=response.key)
        )
        if before is None:
            return _refused(response, f"what it goes on from is not in the file, with its input: {previous}")
        has_chain = before.output_ids & _ids(own) or own[: len(before.items)] == before.items
        items = own if has_chain else before.items + own
        output = _items(members.get("output"))
        ids = before.output_ids | _ids(output)
        self._chains[response.key] = _Chain(items=items + output, output_ids=ids, first=before.first)
        return Derived(
            body=_body(members, items),
            line=response.line,
            provider="openai",
            session_id=before.first,
            sent_s=response.made_s or None,
            answered_s=number_s(value_at(members, "completed_at")),
            find_answer=response.node.bytes,
            usage=usages.of_answer(_with_details(value_at(members, "usage"))),
        )


def _input(given: Node | None) -> tuple[bytes, ...] | None:
    """The items of an input; a text is a user's message."""
    if given is None or given.kind not in ("array", "string"):
        return None
    if given.kind == "string":
        return (object_of({"role": spell("user"), "content": given.bytes()}),)
    return _items(given)


def _items(given: Node | None) -> tuple[bytes, ...]:
    return tuple(item.bytes() for item in elements_of(given))


def _ids(items: Iterable[bytes]) -> frozenset[bytes]:
    found = (members_of(Document(item).root()).get("id") for item in items)
    return frozenset(node.bytes() for node in found if node is not None and node.kind == "string")


def _body(members: Mapping[str, Node], items: Iterable[bytes]) -> bytes:
    parameters = {key: told for key, told in body_parameters(members).items() if key not in _CHAINED}
    model = members.get("model")
    return object_of(
        {
            "model": model.bytes() if model is not None and model.kind == "string" else None,
            **parameters,
            "input": array_of(items),
        }
    )


def _with_details(usage: object) -> dict[str, object]:
    """*usage* as that of an OpenAI answer, even where it says nothing of what was read."""
    return {"usage": {"input_tokens_details": {}, **usage} if isinstance(usage, dict) else None}


def _refused(response: _Response, why: str) -> Missed:
    return Missed(line=response.line, passed=Passed(reason="history_not_recorded", usable=False, detail=why))
