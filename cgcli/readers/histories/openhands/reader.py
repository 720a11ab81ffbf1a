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

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer of the model."""
        alone: list[Event] = []
        for number, record in enumerate(records(pieces), 1):
            if isinstance(record, Missed):
                yield record
            elif _list_of(record.members) is not None:
                yield from _of_run(record, number)
            else:
                found = or_missed(record.line, partial(event, record.node, record.line))
                if isinstance(found, Missed):
                    yield found
                elif found is not None:
                    alone.append(found)
        yield from _Run(Talk(session_id=None, model=None, billed={})).derived(_in_order(alone))


def _list_of(members: Mapping[str, Node]) -> Node | None:
    found = (members[key] for key in _LISTS if key in members and members[key].kind == "array")
    return next(found, None)


def _is_event(members: Mapping[str, Node]) -> bool:
    return ("action" in members or "observation" in members) and bool(_EVENT_KEYS & members.keys())


def _is_run(members: Mapping[str, Node]) -> bool:
    listed = _list_of(members)
    if listed is None:
        return False
    events = _flat(listed)[:1]
    acts = [{"action", "observation"} & members_of(node).keys() for node in events]
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
    events: list[Event] = []
    for node in nodes:
        line = lines.of(node)
        found = or_missed(line, partial(event, node, line))
        if isinstance(found, Missed):
            yield found
        elif found is not None:
            events.append(found)
    yield from _Run(talk).derived(events)


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

    def derived(self, events: Iterable[Event]) -> Iterator[Derived | Missed]:
        """The requests that *events* tell of."""
        for one in events:
            if one.kind == "delegate" and not one.is_action and len(self._talks) > 1:
                self._talks.pop()
                self._talks[-1].forget_totals()
            found = or_missed(one.line, partial(self._talks[-1].take, one))
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
