"""SWE-agent's trajectories (`.traj`) that repeat the message list in every step."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import unique
from cgcli.readers import chat, spelling
from cgcli.readers.base import Known, Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed
from cgcli.readers.records import Record, records
from cgcli.readers.swe_agent_file import Messages, Run, run_of, unrecorded_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_LISTS = ("query", "messages")
_LOOKED_AT = 8
_CALLS = re.compile(rb'"tool_calls"\s*:\s*\[\s*\{')


class SweAgent:
    """SWE-agent's trajectories with the messages of every step."""

    name: ClassVar[str] = "swe-agent"
    known: ClassVar[Known] = Known(tools=False, system=True, usage=False, response=True, time=False)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a `trajectory` with a message list in its steps."""
        steps = (step for members in sample for step in elements_of(members.get("trajectory"))[:_LOOKED_AT])
        return any(_list_of(members_of(step))[1] for step in steps)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request a step: the list that the step has, up to its own answer."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
            else:
                yield from _of(record)


@unique
class _Step:
    line: int
    members: Mapping[str, Node]
    key: str
    messages: Sequence[Node]


def _of(record: Record) -> Iterator[Derived | Missed]:
    steps = or_missed(record.line, partial(_steps, record))
    if isinstance(steps, Missed):
        yield steps
        return
    history = or_missed(record.line, lambda: elements_of(record.members.get("history")))
    file = _File(record, [] if isinstance(history, Missed) else history)
    for i, step in enumerate(steps):
        following = steps[i + 1].messages if i + 1 < len(steps) and not isinstance(steps[i + 1], Missed) else []
        yield step if isinstance(step, Missed) else or_missed(step.line, partial(file.derived, step, following))


def _steps(record: Record) -> list[_Step]:
    lines = Lines(record.node.doc.raw, record.line)
    found = []
    for node in elements_of(record.members.get("trajectory")):
        members = members_of(node)
        key, messages = _list_of(members)
        found.append(_Step(line=lines.of(node), members=members, key=key, messages=messages))
    return found


def _list_of(step: Mapping[str, Node]) -> tuple[str, list[Node]]:
    """The messages of *step*, and the key they stand under."""
    for key in _LISTS:
        messages = elements_of(step.get(key))
        if messages:
            return key, messages
    return "", []


class _File:
    """One trajectory."""

    def __init__(self, record: Record, history: Sequence[Node]) -> None:
        self._run: Run = run_of(record.members)
        self._history = history
        self._messages = Messages()
        self._has_calls = _CALLS.search(record.node.bytes()) is not None

    def derived(self, step: _Step, following: Sequence[Node]) -> Derived | Missed:
        """The request of *step*; *following* is the list of the next one."""
        own = _own_answer(step)
        messages = step.messages if own is None else step.messages[:own]
        if not messages:
            return Missed(line=step.line, passed=Passed(reason="no_messages", usable=True, detail="no message is sent"))
        answer = step.messages[own] if own is not None else _answer_in((following, self._history), step)
        written = self._messages.sent(answer) if answer is not None else self._plain_answer(step)
        return Derived(
            body=spelling.body((self._messages.sent(node) for node in messages), model=self._run.model),
            line=step.line,
            provider="openai",
            session_id=self._run.session_id,
            find_answer=partial(chat.answer, written) if written is not None else None,
            unrecorded=unrecorded_in(messages),
        )

    def _plain_answer(self, step: _Step) -> bytes | None:
        """The answer as `response` has it; where the agent calls tools it would not be whole."""
        response = string_of(step.members, "response")
        return chat.text("assistant", response) if response and not self._has_calls else None


def _own_answer(step: _Step) -> int | None:
    """Where in `messages`, which is saved when the step is done, the step's own answer stands.

    Nothing of it is in `query`, which is what was asked.
    """
    if step.key != "messages":
        return None
    for i in range(len(step.messages) - 1, -1, -1):
        message = members_of(step.messages[i])
        if string_of(message, "role") == "assistant":
            return i if string_of(message, "content") == string_of(step.members, "response") else None
    return None


def _answer_in(lists: Iterable[Sequence[Node]], step: _Step) -> Node | None:
    """The message that follows those of *step* in one of *lists*, where it is what the model said."""
    i = len(step.messages)
    for messages in lists:
        if i < len(messages):
            message = members_of(messages[i])
            says = string_of(message, "content") == string_of(step.members, "response")
            if says and string_of(message, "role") == "assistant":
                return messages[i]
    return None
