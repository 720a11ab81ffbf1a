"""ATIF, the trajectory format that Harbor's agents share (`agent/trajectory.json`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import Section, unique
from cgcli.readers import chat, spelling
from cgcli.readers.derived import HISTORY, Derived, Missed
from cgcli.readers.fields import Lines, count_at, elements_of, members_of, or_missed, utf8_text, value_at
from cgcli.readers.histories.sound import check_message
from cgcli.readers.records import Record, records
from cgcli.readers.spelling import spell
from cgcli.readers.stamps import iso_s
from cgcli.readers.usage import inclusive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.readers.base import Known
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_CHAT = named("openai-chat")
_VERSION = "ATIF-v"
_ROLES = {"user": "user", "system": "system"}
_WRITTEN = ("cache_creation_tokens", "cache_creation_input_tokens", "cache_write_tokens")


class Atif:
    """An ATIF trajectory."""

    name: ClassVar[str] = "atif"
    known: ClassVar[Known] = HISTORY
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record names the format and has steps."""
        return any(
            "steps" in members and (string_of(members, "schema_version") or "").startswith(_VERSION)
            for members in sample
        )

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each step that the agent's model took."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
            else:
                yield from _of_record(record)


def _of_record(record: Record) -> Iterator[Derived | Missed]:
    """The trajectory, then those of its sub-agents that stand in the same record."""
    lines = Lines(record.node.doc.raw, record.line)
    waiting: list[tuple[Node, str | None]] = [(record.node, None)]
    while waiting:
        node, above = waiting.pop(0)
        found = or_missed(record.line, partial(_trajectory, node, above))
        if isinstance(found, Missed):
            yield found
            continue
        for step in found.steps:
            line = lines.of(step)
            derived = or_missed(line, partial(found.talk.take, step, line))
            if derived is not None:
                yield derived
        waiting += [(one, found.talk.session_id) for one in found.inner]


@unique
class _Trajectory:
    talk: _Talk
    steps: Sequence[Node]
    inner: Sequence[Node]
    """Those of its sub-agents."""


def _trajectory(node: Node, above: str | None) -> _Trajectory:
    """The trajectory at *node*; *above* is the session of the one that it is a sub-agent's of."""
    members = members_of(node)
    agent = members_of(members.get("agent"))
    own = string_of(members, "trajectory_id") or string_of(members, "session_id")
    tools = agent.get("tool_definitions")
    talk = _Talk(
        session_id=string_of(members, "session_id") or own if above is None else f"{above}/{own or 'subagent'}",
        model=string_of(agent, "model_name"),
        tools=tools.bytes() if tools is not None and tools.kind == "array" else None,
    )
    inner = elements_of(members.get("subagent_trajectories"))
    return _Trajectory(talk=talk, steps=elements_of(members.get("steps")), inner=inner)


class _Talk:
    """The messages of one trajectory so far."""

    def __init__(self, *, session_id: str | None, model: str | None, tools: bytes | None) -> None:
        """Nothing was said yet; *tools* are the specs, written as JSON."""
        self.session_id = session_id
        self._model = model
        self._tools = tools
        self._said: list[bytes] = []
        self._has_system = False
        self._last_s: float | None = None

    def take(self, node: Node, line: int) -> Derived | None:
        """The request that the step at *node* tells of, where the model took it."""
        step = members_of(node)
        source = string_of(step, "source")
        stamp_s = iso_s(string_of(step, "timestamp"))
        content = step.get("message")
        if source == "agent":
            message = chat.assistant(content.bytes() if content is not None else None, _calls(step))
            said = [message, *_results(step)]
            check_message(message, _CHAT)
            found = self._derived(step, line, message, stamp_s)
        else:
            role = _ROLES.get(source or "")
            has_words = role is not None and content is not None and content.kind in ("string", "array")
            words = content.bytes() if content is not None else b'""'
            said = [spelling.object_of({"role": spell(role), "content": words})] if has_words else []
            said += _results(step)
            found = None
            self._has_system |= role == "system" and not self._said
        for one in said:
            check_message(one, _CHAT)
        self._said += said
        self._last_s = stamp_s if stamp_s is not None else self._last_s
        return found

    def _derived(self, step: Mapping[str, Node], line: int, message: bytes, stamp_s: float | None) -> Derived | None:
        n_calls = count_at(step, "llm_call_count")
        if not self._said or n_calls == 0 or value_at(step, "is_copied_context") is True:
            return None
        model = string_of(step, "model_name") or self._model
        missing = set() if self._tools is not None else {Section.TOOLS}
        return Derived(
            body=spelling.body(self._said, model=spell(model) if model else None, tools=self._tools),
            line=line,
            provider="openai",
            session_id=self.session_id,
            sent_s=self._last_s,
            answered_s=stamp_s,
            find_answer=partial(chat.answer, message),
            # Of several calls in one step only the sum is known.
            usage=_usage(members_of(step.get("metrics"))) if n_calls in (None, 1) else None,
            unrecorded=frozenset(missing if self._has_system else missing | {Section.SYSTEM}),
        )


def _calls(step: Mapping[str, Node]) -> Iterator[bytes]:
    for node in elements_of(step.get("tool_calls")):
        call = members_of(node)
        arguments = call.get("arguments")
        yield chat.call(
            string_of(call, "tool_call_id") or "",
            string_of(call, "function_name") or "",
            _as_text(arguments) if arguments is not None else "{}",
        )


def _as_text(arguments: Node) -> str:
    return arguments.text() if arguments.kind == "string" else utf8_text(arguments.bytes())


def _results(step: Mapping[str, Node]) -> Iterator[bytes]:
    """What the calls of *step* gave; what answers none of them comes as a user's message."""
    called = {string_of(members_of(call), "tool_call_id") for call in elements_of(step.get("tool_calls"))}
    for node in elements_of(members_of(step.get("observation")).get("results")):
        result = members_of(node)
        content = result.get("content")
        words = content.bytes() if content is not None and content.kind in ("string", "array") else b'""'
        call_id = string_of(result, "source_call_id")
        if call_id is not None and call_id in called:
            yield chat.result(call_id, words)
        elif words != b'""':
            yield spelling.object_of({"role": spell("user"), "content": words})


def _usage(metrics: Mapping[str, Node]) -> Usage | None:
    """What the step billed; `prompt_tokens` includes what was read and written."""
    total = count_at(metrics, "prompt_tokens")
    if not total:
        return None
    extra = members_of(metrics.get("extra"))
    return inclusive(
        total=total,
        read=count_at(metrics, "cached_tokens") or 0,
        written=next((n for key in _WRITTEN if (n := count_at(extra, key)) is not None), 0),
        output=count_at(metrics, "completion_tokens"),
    )
