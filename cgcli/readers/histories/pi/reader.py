"""Sessions of pi and OpenClaw: a tree of entries, one a line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.readers.base import Passed, unusable
from cgcli.readers.derived import HISTORY, NEITHER, Derived, Missed
from cgcli.readers.histories.pi.entries import Entries
from cgcli.readers.histories.pi.paths import History, branches
from cgcli.readers.records import records
from cgcli.readers.spelling import array_of, body, object_of, spell
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.readers.base import Known
    from cgcli.readers.histories.pi.entries import Answered, Entry
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node


class Pi:
    """A session of pi or OpenClaw."""

    name: ClassVar[str] = "pi"
    known: ClassVar[Known] = HISTORY
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is the head of a session: its type is `session`, and it has an `id` and a `cwd`."""
        return any(_is_head(members) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """A request for each answer that was billed, or that says nothing of its bill."""
        session_id: str | None = None
        entries = Entries()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            try:
                if record.string("type") == "session" and entries.all:
                    yield from _requests(entries.all, session_id)
                    entries, session_id = Entries(), None
                entries.add(record)
                if len(entries.all) == 1 and record.string("type") == "session":
                    session_id = record.string("id")
            except Malformed as error:
                yield Missed(line=record.line, passed=unusable(error))
        yield from _requests(entries.all, session_id)


def _is_head(members: Mapping[str, Node]) -> bool:
    kind = members.get("type")
    return kind is not None and kind.string() == "session" and "id" in members and "cwd" in members


def _requests(entries: Sequence[Entry], session_id: str | None) -> Iterator[Derived | Missed]:
    """The requests of one session in the order of its lines; the newest branch has the session's own lane."""
    history = History(entries)
    numbers = branches(entries)
    lanes: dict[int, str | None] = {1: session_id}
    for number, entry in zip(numbers, entries, strict=True):
        if entry.unknown_role is not None:
            yield _passed(entry, "unknown_role", entry.unknown_role)
        if entry.answered is None:
            continue
        messages = history.at(entry.parent)
        if entry.answered.no_request is not None:
            yield _passed(entry, entry.answered.no_request)
        elif not messages:
            yield _passed(entry, "nothing_before")
        else:
            lane = lanes.setdefault(number, f"{session_id or 'session'}/branch-{len(lanes) + 1}")
            yield _derived(entry, entry.answered, messages, lane)


def _passed(entry: Entry, reason: str, detail: str = "") -> Missed:
    return Missed(line=entry.line, passed=Passed(reason=reason, usable=True, detail=detail))


def _derived(entry: Entry, answered: Answered, messages: Iterable[bytes], lane: str | None) -> Derived:
    whole = entry.said if answered.is_whole else None
    return Derived(
        body=body(messages, model=spell(answered.model) if answered.model is not None else None),
        line=entry.line,
        provider="anthropic",
        session_id=lane,
        sent_s=answered.sent_s,
        answered_s=answered.answered_s,
        find_answer=partial(_answer, whole.blocks, answered.usage) if whole is not None else None,
        usage=answered.usage,
        unrecorded=NEITHER,
    )


def _answer(blocks: Iterable[bytes], usage: Usage | None) -> bytes:
    """An answer as Anthropic spells it."""
    billed = spell(_billed(usage)) if usage is not None else None
    return object_of({"role": spell("assistant"), "content": array_of(blocks), "usage": billed})


def _billed(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.fresh,
        "cache_read_input_tokens": usage.read,
        "cache_creation_input_tokens": sum((usage.write_by_ttl_s or {}).values()),
        "output_tokens": usage.output,
    }
