"""SWE-agent's trajectories whose steps do not have the messages: only the whole history at the end."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.readers import chat, spelling
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, is_true, members_of, or_missed
from cgcli.readers.records import Record, records
from cgcli.readers.swe_agent_file import Messages, run_of, unrecorded_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node


class SweAgentHistory:
    """SWE-agent's trajectories with nothing but the history."""

    name: ClassVar[str] = "swe-agent-history"
    known: ClassVar[Known] = Known(tools=False, system=True, usage=False, response=True, time=False)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a `trajectory` and a `history` with a message in it."""
        return any(
            "trajectory" in members and "role" in members_of(node)
            for members in sample
            for node in elements_of(members.get("history"))[:1]
        )

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer in the history that is not of a demonstration."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            history = or_missed(record.line, partial(_history, record))
            if isinstance(history, Missed):
                yield history
            else:
                yield from _of(record, history)


def _history(record: Record) -> list[Node]:
    return elements_of(record.members.get("history"))


def _of(record: Record, history: Sequence[Node]) -> Iterator[Derived | Missed]:
    run = run_of(record.members)
    lines = Lines(record.node.doc.raw, record.line)
    messages = Messages()
    # Agents of one run share the file, and each is sent its own messages alone.
    talks: dict[str | None, list[Node]] = {}
    sent: dict[str | None, list[bytes]] = {}
    for node in history:
        line = lines.of(node)
        found = or_missed(line, partial(_message, node, messages))
        if isinstance(found, Missed):
            yield found
            continue
        agent, is_answer, written = found
        before = sent.setdefault(agent, [])
        if is_answer and before:
            yield Derived(
                body=spelling.body(before, model=run.model),
                line=line,
                provider="openai",
                session_id=_session(run.session_id, agent, talks),
                find_answer=partial(chat.answer, written),
                unrecorded=unrecorded_in(talks[agent]),
            )
        before.append(written)
        talks.setdefault(agent, []).append(node)


def _message(node: Node, messages: Messages) -> tuple[str | None, bool, bytes]:
    """The agent that *node* is of, whether the model said it in this run, and the message as it is sent."""
    members = members_of(node)
    is_answer = string_of(members, "role") == "assistant" and not is_true(members, "is_demo")
    return string_of(members, "agent"), is_answer, messages.sent(node)


def _session(session_id: str | None, agent: str | None, talks: Mapping[str | None, Sequence[Node]]) -> str | None:
    """The session, and the agent where it is not the one that began."""
    return session_id if agent == next(iter(talks)) else f"{session_id or 'run'}/{agent}"
