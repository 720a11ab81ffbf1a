"""Gemini CLI's sessions: one object with all messages, or since 2026 a log with a message a line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import changed
from cgcli.readers import chat, spelling
from cgcli.readers.derived import HISTORY, NEITHER, Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed
from cgcli.readers.histories.gemini_cli.turns import Turn, turn
from cgcli.readers.records import Record, records
from cgcli.readers.spelling import spell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Known
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node


class GeminiCli:
    """Gemini CLI's session."""

    name: ClassVar[str] = "gemini-cli"
    known: ClassVar[Known] = HISTORY
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has the session's id and its project's hash."""
        return any("sessionId" in members and "projectHash" in members for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer of the model, once the whole file is read."""
        session = _Session()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            if "sessionId" in record.members and "messages" in record.members:
                yield from session.derived()
                session = _Session()
            missed = or_missed(record.line, partial(_take, session, record))
            yield from [missed] if isinstance(missed, Missed) else missed
        yield from session.derived()


def _take(session: _Session, record: Record) -> list[Missed]:
    """Put one record into *session*."""
    members = record.members
    if (back_to := string_of(members, "$rewindTo")) is not None:
        session.rewind(back_to)
        return []
    if "$set" in members:
        now = elements_of(members_of(members["$set"]).get("messages"))
        return session.replace(now, record.line) if now else []
    session.named(string_of(members, "sessionId"))
    if "messages" in members:
        lines = Lines(record.node.doc.raw, record.line)
        tries = [(lines.of(node), node) for node in elements_of(members["messages"])]
        return [one for line, node in tries if (one := or_missed(line, partial(session.add, node, line))) is not None]
    if "type" in members:
        session.add(record.node, record.line)
    return []


class _Link:
    """A message and all that stand before it; branches share what they have in common."""

    __slots__ = ("above", "turn")

    def __init__(self, above: _Link | None, turn: Turn) -> None:
        self.above = above
        self.turn = turn


class _Answer:
    """What the model said at one time, in one record or in several that follow each other."""

    __slots__ = ("above", "branch", "turns")

    def __init__(self, above: _Link, turn: Turn) -> None:
        self.above = above
        self.turns = [turn]
        self.branch: int | None = None
        """Which of the branches that were left it is in; None where it is in the one that goes on."""


class _Session:
    """One session, read record by record."""

    def __init__(self) -> None:
        self._session_id: str | None = None
        self._links: list[_Link] = []
        self._places: dict[str, int] = {}
        """By the message's id."""
        self._answers: list[_Answer] = []
        self._by_id: dict[str, _Answer] = {}
        self._answered: set[str] = set()
        self._n_branches = 0

    def named(self, session_id: str | None) -> None:
        """The session's id, as a record says it; the first one counts."""
        self._session_id = self._session_id or session_id

    def add(self, node: Node, line: int) -> None:
        """Take a message; one with the id of another says the same one anew."""
        found = turn(node, line, self._answered)
        if found is None:
            return
        at = self._places.get(found.identity) if found.identity is not None else None
        if at is not None:
            self._renew(at, found)
            return
        if found.is_answer and self._links:
            self._answer(self._links[-1], found)
        self._append(found)

    def _answer(self, above: _Link, found: Turn) -> None:
        """A new answer, or more of the one before, to whose calls nothing was said yet."""
        last = self._answers[-1] if self._answers else None
        goes_on = last is not None and above.turn is last.turns[-1] and not above.turn.has_results
        if last is not None and goes_on and (found.usage is None or last.turns[-1].usage is None):
            last.turns.append(found)
        else:
            last = _Answer(above, found)
            self._answers.append(last)
        if found.identity is not None:
            self._by_id[found.identity] = last

    def _renew(self, at: int, said_anew: Turn) -> None:
        found = changed(said_anew, line=self._links[at].turn.line)
        answer = self._by_id.get(found.identity or "")
        if answer is not None:
            answer.turns = [found if one.identity == found.identity else one for one in answer.turns]
        elif found.is_answer and at:
            self._answer(self._links[at - 1], found)
        self._relink(at, [found, *(link.turn for link in self._links[at + 1 :])])

    def _append(self, found: Turn) -> None:
        if found.identity is not None:
            self._places[found.identity] = len(self._links)
        self._links.append(_Link(self._links[-1] if self._links else None, found))

    def _cut(self, at: int) -> None:
        for link in self._links[at:]:
            self._places.pop(link.turn.identity or "", None)
        del self._links[at:]

    def _relink(self, at: int, turns: Iterable[Turn]) -> None:
        self._cut(at)
        for one in turns:
            self._append(one)

    def rewind(self, identity: str) -> None:
        """Leave the message of that id, and all after it; all where there is none, as the client does."""
        at = self._places.get(identity, 0)
        gone = {link.turn.identity for link in self._links[at:]} - {None}
        left = [one for key in gone if (one := self._by_id.get(key or "")) is not None]
        if left:
            self._n_branches += 1
        for one in left:
            one.branch = self._n_branches
        self._cut(at)

    def replace(self, nodes: Sequence[Node], line: int) -> list[Missed]:
        """The messages from now on, as a compression or a masking left them: none of them is an answer anew."""
        self._answered = set()
        tries = [or_missed(line, partial(turn, node, line, self._answered)) for node in nodes]
        self._relink(0, [one for one in tries if isinstance(one, Turn)])
        return [one for one in tries if isinstance(one, Missed)]

    def derived(self) -> Iterator[Derived]:
        """The requests, in the order of their answers."""
        for answer in self._answers:
            yield self._derived(answer)

    def _derived(self, answer: _Answer) -> Derived:
        said: list[tuple[bytes, ...]] = []
        link: _Link | None = answer.above
        while link is not None:
            said.append(link.turn.said)
            link = link.above
        turns = answer.turns
        message = chat.assistant(
            spell("".join(one.text for one in turns)), [call for one in turns for call in one.calls]
        )
        model = next((one.model for one in turns if one.model), None)
        session_id = self._session_id
        if answer.branch is not None:
            session_id = f"{session_id or 'session'}/branch-{answer.branch}"
        return Derived(
            body=spelling.body(
                [one for words in reversed(said) for one in words], model=spell(model) if model else None
            ),
            line=turns[0].line,
            provider="openai",
            session_id=session_id,
            sent_s=answer.above.turn.stamp_s,
            answered_s=turns[-1].stamp_s,
            find_answer=partial(chat.answer, message),
            usage=next((one.usage for one in turns if one.usage is not None), None),
            unrecorded=NEITHER,
        )
