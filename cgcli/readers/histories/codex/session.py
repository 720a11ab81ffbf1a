"""A Codex session as its lines come in: which items are one answer, and what the request before it was."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from cgcli.dialects.base import string_of
from cgcli.model import Section
from cgcli.readers.base import Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import count_at, members_of, value_at
from cgcli.readers.histories.codex.history import History
from cgcli.readers.histories.codex.lines import COMPACTED, EVENT, HEAD, NEVER_SENT, TURN, is_made
from cgcli.readers.histories.codex.usage import Meter
from cgcli.readers.spelling import array_of, body, object_of, spell
from cgcli.readers.stamps import iso_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.model import Usage
    from cgcli.readers.histories.codex.lines import Line


class _Answer:
    """An answer that is being recorded, or waits for its usage."""

    __slots__ = ("answered_s", "body", "is_copied", "is_whole", "items", "line", "sent_s", "usage")

    def __init__(self, line: int, request: tuple[bytes, ...] | None, sent_s: float | None, usage: Usage | None) -> None:
        self.line = line
        self.body = request
        self.sent_s = sent_s
        self.usage = usage
        self.answered_s: float | None = None
        self.items: list[bytes] = []
        self.is_whole = True
        self.is_copied = False


class Session:
    """The state of one rollout."""

    def __init__(self) -> None:
        """Nothing read yet."""
        self._history = History()
        self._meter = Meter()
        self._ready: list[Derived | Missed] = []
        self._after: list[Missed] = []
        """What comes after the answer, which is not ready."""
        self._answer: _Answer | None = None
        self._grows = False
        """The last item was the answer's."""
        self._head_seen = False
        self._session_id: str | None = None
        self._instructions: bytes | None = None
        self._provider: str | None = None
        self._copied_until_s: float | None = None
        self._model: bytes | None = None
        self._reasoning: bytes | None = None
        self._last_s: float | None = None

    def ready(self) -> Iterator[Derived | Missed]:
        """What is known by now; each is given once."""
        yield from self._ready
        self._ready.clear()

    def take(self, line: Line) -> None:
        """Go on with *line*.

        Raises:
            Malformed: it cannot be used.
        """
        if line.kind == HEAD:
            self._head(line)
        elif line.kind == TURN:
            self._settings(line)
        elif line.kind == EVENT:
            self._event(line)
        elif line.kind == COMPACTED:
            self._input_comes(line)
            self.finish()
            self._history.compact(line.members)
            self._last_s = line.at_s
        elif line.item not in NEVER_SENT:
            self._item(line)

    def finish(self) -> None:
        """Nothing more comes for the answer."""
        answer, self._answer, self._grows = self._answer, None, False
        if answer is not None:
            self._ready.append(self._found(answer))
        self._ready += self._after
        self._after.clear()

    def miss(self, line: int, passed: Passed) -> None:
        """Tell that a record is no request, in the order of the lines."""
        found = Missed(line=line, passed=passed)
        if self._answer is None:
            self._ready.append(found)
        else:
            self._after.append(found)

    def _found(self, answer: _Answer) -> Derived | Missed:
        if answer.is_copied or answer.body is None:
            reason = "copied_from_parent" if answer.is_copied else "nothing_before"
            return Missed(line=answer.line, passed=Passed(reason=reason, usable=True))
        return Derived(
            body=answer.body,
            line=answer.line,
            provider=self._provider,
            session_id=self._session_id,
            sent_s=answer.sent_s,
            answered_s=answer.answered_s,
            find_answer=partial(_output, answer.items) if answer.is_whole else None,
            usage=answer.usage,
            unrecorded=frozenset({Section.TOOLS} if self._instructions else {Section.TOOLS, Section.SYSTEM}),
        )

    def _head(self, line: Line) -> None:
        """The first one is the session's; those that follow were copied from the session that it was forked from."""
        if self._head_seen:
            return
        self._head_seen = True
        members = line.members
        self._session_id = string_of(members, "id")
        self._provider = "openai" if string_of(members, "model_provider") == "openai" else None
        base = members_of(members.get("base_instructions")).get("text")
        self._instructions = base.bytes() if base is not None and base.kind == "string" and base.text() else None
        if string_of(members, "forked_from_id") or string_of(members, "parent_thread_id"):
            self._copied_until_s = iso_s(value_at(members, "timestamp"))

    def _settings(self, line: Line) -> None:
        self._input_comes(line)
        model = string_of(line.members, "model")
        effort = string_of(line.members, "effort")
        self._model = spell(model) if model else self._model
        self._reasoning = spell({"effort": effort}) if effort else None

    def _item(self, line: Line) -> None:
        role = string_of(line.members, "role")
        if is_made(line.item, role):
            self._made(line)
            return
        self._history.add(line.written, line.members)
        self._input_comes(line)
        self._grows = False
        self._last_s = line.at_s
        if line.item == "message":
            self.finish()

    def _made(self, line: Line) -> None:
        """An item of the model: one more of the answer, or the first of a new one."""
        request = self._request() if not self._grows else None
        self._history.add(line.written, line.members)
        if not self._grows or self._answer is None:
            self.finish()
            self._answer = _Answer(line.line, request, self._last_s, self._meter.answer_begins())
            self._answer.is_copied = self._is_copied(line)
            self._grows = True
        self._answer.items.append(line.written)
        self._answer.answered_s = self._last_s = line.at_s

    def _request(self) -> tuple[bytes, ...] | None:
        """The body as it stands, in pieces; None where nothing was said yet."""
        items = self._history.sent()
        if not items:
            return None
        head = {"model": self._model, "instructions": self._instructions, "reasoning": self._reasoning}
        return body(items, key="input", **head)

    def _is_copied(self, line: Line) -> bool:
        return self._copied_until_s is not None and line.at_s is not None and line.at_s < self._copied_until_s

    def _input_comes(self, line: Line) -> None:
        if self._meter.input_comes():
            self.miss(line.line, Passed(reason="usage_without_answer", usable=True))

    def _event(self, line: Line) -> None:
        """Events tell what items say already, but for these."""
        kind = line.item
        if kind == "token_count":
            self._count(line)
        elif kind == "user_message":
            self._history.turn_begins()
        elif kind == "turn_aborted" and self._answer is not None and self._answer.usage is None:
            self._answer.is_whole = False
        elif kind == "thread_rolled_back":
            self.finish()
            self._history.roll_back(count_at(line.members, "num_turns") or 0)

    def _count(self, line: Line) -> None:
        """Usage ends the items of its answer, or stands before those of the next one."""
        answer = self._answer
        told = self._meter.told(line.members, unbilled=answer is not None and answer.usage is None)
        if told.usage is not None and answer is not None:
            answer.usage = told.usage
        if told.is_new:
            self._grows = False
        if told.is_lost:
            self.miss(line.line, Passed(reason="usage_without_answer", usable=True))


def _output(items: Iterable[bytes]) -> bytes:
    """An answer as Responses spells it."""
    return object_of({"output": array_of(items)})
