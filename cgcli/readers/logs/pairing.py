"""Requests and answers that stand in different records, brought together.

By their id where they have one; by order only where exactly one request of the session is open. Where several are, no
one knows which one is answered: none of them gets an answer, until as many answers have come as there were requests.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from cgcli.readers.base import Passed
from cgcli.readers.derived import Derived, Missed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.model import Usage

MOST_WAITING = 32
"""So many requests wait for their answers; where more do, the first of them go without, so that memory stays small."""


class Call:
    """A request that waits for its answer."""

    def __init__(self, *, line: int, session: str | None, request_id: str | None = None) -> None:
        """Sent in *session*, told on *line*."""
        self.line = line
        self.session = session
        self.request_id = request_id
        self.provider: str | None = None
        self.body: bytes | None = None
        self.sent_s: float | None = None
        self.answered_s: float | None = None
        self.find_answer: Callable[[], bytes | None] | None = None
        self.usage: Usage | None = None
        self.is_open = True
        """It may still be answered."""
        self.is_done = False
        """Nothing more is told of it."""

    def found(self, why_no_body: str) -> Derived | Missed:
        """The request, or a record that says *why_no_body*."""
        if self.body is None:
            return Missed(line=self.line, passed=Passed(reason="no_body", usable=False, detail=why_no_body))
        return Derived(
            body=self.body,
            line=self.line,
            provider=self.provider,
            session_id=self.session,
            sent_s=self.sent_s,
            answered_s=self.answered_s,
            find_answer=self.find_answer,
            usage=self.usage,
        )


class Pairs:
    """The calls of a file in the order in which they were sent, as far as they wait."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self._waiting: deque[Call] = deque()
        self._owed: dict[str | None, int] = {}
        """By session: how many answers are still to come of which no one can tell whose they are."""

    def ask(self, call: Call) -> None:
        """*call* was sent; while answers are owed in its session, only its id can tell its own."""
        self._waiting.append(call)
        if call.request_id is None and self._owed.get(call.session):
            self._owed[call.session] += 1
            call.is_open, call.is_done = False, True

    def answered(self, session: str | None, request_id: str | None, line: int) -> Call | Missed:
        """The call that an answer on *line* belongs to, or why it belongs to none."""
        if request_id is not None:
            same = [call for call in self._waiting if call.request_id == request_id]
            if len(same) == 1:
                return same[0]
            if same:
                return _passed(line, "ambiguous", "several requests that wait have the id of this answer")
        if self._owed.get(session):
            self._owed[session] -= 1
            return _passed(line, "ambiguous", "which of several requests it answers is not known")
        candidates = self.open_in(session)
        if request_id is not None:
            candidates = [call for call in candidates if call.request_id is None]
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            return _passed(line, "unpaired", "no request waits for this answer")
        self._owed[session] = len(candidates) - 1
        for call in candidates:
            call.is_open, call.is_done = False, True
        return _passed(line, "ambiguous", f"{len(candidates)} requests are open, and nothing says which one it answers")

    def open_in(self, session: str | None) -> list[Call]:
        """The calls of *session* that may still be answered."""
        return [call for call in self._waiting if call.is_open and call.session == session]

    def of(self, session: str | None) -> Iterator[Call]:
        """The calls of *session* of which more may be told, the newest first."""
        return (call for call in reversed(self._waiting) if not call.is_done and call.session == session)

    def end(self, session: str | None) -> None:
        """No answer comes any more in *session*."""
        self._owed.pop(session, None)
        for call in self._waiting:
            if call.session == session:
                call.is_open, call.is_done = False, True

    def ready(self, *, all_of_them: bool = False) -> Iterator[Call]:
        """The first calls, up to one that waits; *all_of_them* at the end of the file."""
        while self._waiting and (all_of_them or self._waiting[0].is_done or len(self._waiting) > MOST_WAITING):
            yield self._waiting.popleft()


def _passed(line: int, reason: str, detail: str) -> Missed:
    return Missed(line=line, passed=Passed(reason=reason, usable=True, detail=detail))
