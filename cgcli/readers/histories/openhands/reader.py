"""OpenHands: a run's events, alone (a trajectory, event files) or as the `history` of a benchmark's `output.jsonl`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.readers.derived import HISTORY, Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed, value_at
from cgcli.readers.histories.openhands.events import Event, event, usages_by_response
from cgcli.readers.histories.openhands.talk import Talk
from cgcli.readers.records import Record, records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Known
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_LISTS = ("history", "trajectory")
_RUN_KEYS = frozenset({"instance_id", "instance", "instruction", "git_patch", "test_result", "issue"})
_EVENT_KEYS = frozenset({"source", "args", "extras", "cause"})


class OpenHands:
    """OpenHands' events."""

    name: ClassVar[str] = "openhands"
    known: ClassVar[Known] = HISTORY
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is a run with its events, or an event."""
        return any(_is_event(members) or _is_run(members) for members in sample)

    def is_part(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where the file is a single event: a session's folder has one file an event."""
        return len(sample) == 1 and _is_event(sample[0]) and _list_of(sample[0]) is None

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer of the model."""
        return _derived(pieces, None, is_whole=True)

    def derive_parts(self, pieces: Iterable[Piece], *, session_id: str) -> Iterator[Derived | Missed]:
        """The same, from the events of the session *session_id*."""
        return _derived(pieces, session_id, is_whole=False)


def _derived(pieces: Iterable[Piece], session_id: str | None, *, is_whole: bool) -> Iterator[Derived | Missed]:
    """One request for each answer; events that are in no run are of the session *session_id*.

    *is_whole*: none of them is missing, whatever their ids are.
    """
    alone: list[Event] = []
    for number, record in enumerate(records(pieces), 1):
        if not isinstance(record, Missed) and _list_of(record.members) is not None:
            yield from _of_run(record, number)
            continue
        found = record if isinstance(record, Missed) else _event(record.node, record.line)
        if isinstance(found, Missed):
            is_whole = False
            yield found
        elif found is not None:
            alone.append(found)
    yield from _Run(Talk(session_id=session_id, model=None, billed={})).derived(_in_order(alone), is_whole=is_whole)


def _event(node: Node, line: int) -> Event | Missed | None:
    return or_missed(line, partial(event, node, line))


def _list_of(members: Mapping[str, Node]) -> Node | None:
    found = (members[key] for key in _LISTS if key in members and members[key].kind == "array")
    return next(found, None)


def _is_event(members: Mapping[str, Node]) -> bool:
    return _acts(members) and bool(_EVENT_KEYS & members.keys())


def _acts(members: Mapping[str, Node]) -> bool:
    """True where an action or an observation is named; the newer SDK has an object there."""
    return any(key in members and members[key].kind == "string" for key in ("action", "observation"))


def _is_run(members: Mapping[str, Node]) -> bool:
    listed = _list_of(members)
    if listed is None:
        return False
    events = _flat(listed)[:1]
    acts = [_acts(members_of(node)) for node in events]
    return all(acts) and (bool(acts) or bool(_RUN_KEYS & members.keys()))


def _flat(listed: Node) -> list[Node]:
    """The events in *listed*; older files pair each action with its observation."""
    found: list[Node] = []
    for node in elements_of(listed):
        found += elements_of(node) if node.kind == "array" else [node]
    return found


def _in_order(events: list[Event]) -> list[Event]:
    """*events* by their ids, where each has one: files of single events may come in any order."""
    numbered = [(one.identity, one) for one in events if one.identity is not None]
    if len(numbered) < len(events):
        return events
    return [one for _, one in sorted(numbered, key=lambda pair: pair[0])]


def _of_run(record: Record, number: int) -> Iterator[Derived | Missed]:
    """The requests of the run that *record* is, the *number*-th of its file."""
    lines = Lines(record.node.doc.raw, record.line)
    listed = _list_of(record.members)
    nodes = or_missed(record.line, lambda: _flat(listed) if listed is not None else [])
    talk = or_missed(record.line, partial(_talk, record.members, number))
    if isinstance(nodes, Missed) or isinstance(talk, Missed):
        yield next(one for one in (nodes, talk) if isinstance(one, Missed))
        return
    found = [_event(node, lines.of(node)) for node in nodes]
    missed = [one for one in found if isinstance(one, Missed)]
    yield from missed
    yield from _Run(talk).derived([one for one in found if isinstance(one, Event)], is_whole=not missed)


def _talk(members: Mapping[str, Node], number: int) -> Talk:
    config = members_of(members_of(members.get("metadata")).get("llm_config"))
    issue = value_at(members_of(members.get("issue")), "number")
    named = string_of(members, "instance_id") or (f"issue-{issue}" if isinstance(issue, int) else None)
    return Talk(
        session_id=named or f"run-{number}",
        model=string_of(config, "model"),
        billed=usages_by_response(members_of(members.get("metrics"))),
    )


class _Run:
    """The conversations of one run: the agent's, and inside it those of its delegates."""

    def __init__(self, talk: Talk) -> None:
        self._talks = [talk]
        self._main = talk.session_id
        self._n_delegates = 0

    def derived(self, events: Iterable[Event], *, is_whole: bool) -> Iterator[Derived | Missed]:
        """The requests that *events* tell of; unless *is_whole*, where their ids jump, an answer may be missing."""
        follows: int | None = 0
        for one in events:
            if not is_whole and (one.identity is None or one.identity != follows):
                self._talks[-1].forget_totals()
            follows = one.identity + 1 if one.identity is not None else None
            if one.kind == "delegate" and not one.is_action and len(self._talks) > 1:
                self._talks.pop()
                self._talks[-1].forget_totals()
            found = or_missed(one.line, partial(self._talks[-1].take, one))
            if isinstance(found, Missed):
                self._talks[-1].forget_totals()
            if found is not None:
                yield found
            if one.kind == "delegate" and one.is_action:
                self._delegate()

    def _delegate(self) -> None:
        self._n_delegates += 1
        name = f"{self._main or 'session'}/delegate-{self._n_delegates}"
        inner = Talk(session_id=name, model=None, billed={})
        inner.forget_totals()
        self._talks.append(inner)
