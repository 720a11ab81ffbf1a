"""mini-swe-agent's trajectories (`.traj.json`): one list of messages, alone or with what is known of the run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import Section, unique
from cgcli.readers import chat, spelling, usage
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed, value_at
from cgcli.readers.histories.sound import check_message
from cgcli.readers.records import Record, records
from cgcli.readers.spelling import spell
from cgcli.readers.stamps import number_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_CHAT, _RESPONSES = named("openai-chat"), named("openai-responses")
_FORMAT = "mini-swe-agent"
_BARE = frozenset({"role", "content"})
_BARE_ROLES = frozenset({"system", "user", "assistant"})
_UNSENT_ROLES = frozenset({"exit"})
"""What the agent notes for itself."""


class MiniSweAgent:
    """mini-swe-agent's trajectory."""

    name: ClassVar[str] = "mini-swe-agent"
    known: ClassVar[Known] = Known(tools=False, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record names the format, or the records are plain messages that begin with a system prompt."""
        return any(_is_run(members) for members in sample) or _are_bare(sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer in the list."""
        bare: _Talk | None = None
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
            elif "messages" in record.members:
                yield from _of_run(record)
            else:
                bare = bare or _Talk(model=None)
                found = or_missed(record.line, partial(bare.take, record.node, record.line))
                if found is not None:
                    yield found


def _is_run(members: Mapping[str, Node]) -> bool:
    """The format is named from its second version on; the one before says its own version in `info`."""
    named = string_of(members, "trajectory_format")
    if "messages" not in members:
        return False
    return named.startswith(_FORMAT) if named is not None else "mini_version" in members_of(members.get("info"))


def _are_bare(sample: Sequence[Mapping[str, Node]]) -> bool:
    roles = [string_of(members, "role") for members in sample]
    if len(roles) < len(_BARE_ROLES) or roles[0] != "system" or "assistant" not in roles:
        return False
    return all(members.keys() == _BARE and members["content"].kind == "string" for members in sample) and all(
        role in _BARE_ROLES for role in roles
    )


def _of_run(record: Record) -> Iterator[Derived | Missed]:
    talk = or_missed(record.line, partial(_talk, record))
    messages = or_missed(record.line, lambda: elements_of(record.members.get("messages")))
    if isinstance(talk, Missed) or isinstance(messages, Missed):
        yield next(one for one in (talk, messages) if isinstance(one, Missed))
        return
    lines = Lines(record.node.doc.raw, record.line)
    for node in messages:
        line = lines.of(node)
        found = or_missed(line, partial(talk.take, node, line))
        if found is not None:
            yield found


def _talk(record: Record) -> _Talk:
    config = members_of(members_of(record.members.get("info")).get("config"))
    return _Talk(model=string_of(members_of(config.get("model")), "model_name"))


@unique
class _Noted:
    """What stands beside a message."""

    answer: Mapping[str, Any] | None
    stamp_s: float | None

    @property
    def usage(self) -> Usage | None:
        """What the answer billed."""
        return usage.of_answer(self.answer) if self.answer is not None else None


class _Talk:
    """The messages so far."""

    def __init__(self, *, model: str | None) -> None:
        """Nothing was said yet."""
        self._model = model
        self._said: list[bytes] = []
        self._is_responses = False
        self._has_system = False
        self._last_s: float | None = None

    def take(self, node: Node, line: int) -> Derived | None:
        """The request that the message at *node* tells of, where it is an answer."""
        members = members_of(node)
        role = string_of(members, "role")
        if role in _UNSENT_ROLES:
            return None
        noted = _noted(members)
        is_whole = string_of(members, "object") == "response"
        self._is_responses |= is_whole
        self._has_system |= role == "system"
        written = _items(members) if is_whole else [_message(members)]
        for one in written:
            check_message(one, _RESPONSES if self._is_responses else _CHAT)
        found = None
        if self._said and (role == "assistant" or is_whole):
            answer = spelling.object_of({"output": spelling.array_of(written)}) if is_whole else chat.answer(written[0])
            found = self._derived(line, noted, answer)
        self._said += written
        self._last_s = noted.stamp_s
        return found

    def _derived(self, line: int, noted: _Noted, answer: bytes) -> Derived:
        given = noted.answer.get("model") if noted.answer is not None else None
        model = self._model or (given if isinstance(given, str) else None)
        key = "input" if self._is_responses else "messages"
        missing = {Section.TOOLS} if self._has_system else {Section.TOOLS, Section.SYSTEM}
        return Derived(
            body=spelling.body(self._said, key=key, model=spell(model) if model else None),
            line=line,
            provider="openai",
            sent_s=self._last_s,
            answered_s=noted.stamp_s,
            find_answer=lambda: answer,
            usage=noted.usage,
            unrecorded=frozenset(missing),
        )


def _noted(members: Mapping[str, Node]) -> _Noted:
    extra = members_of(members.get("extra"))
    answer = value_at(extra, "response")
    return _Noted(
        answer=answer if isinstance(answer, dict) else _own_figures(members),
        stamp_s=number_s(value_at(extra, "timestamp")),
    )


def _own_figures(members: Mapping[str, Node]) -> Mapping[str, Any] | None:
    """The message itself, where it is a whole answer of the Responses API."""
    if string_of(members, "object") != "response":
        return None
    return {key: value_at(members, key) for key in ("model", "usage")}


def _message(members: Mapping[str, Node]) -> bytes:
    """A message, or an item of the Responses API, as it is sent."""
    if "role" in members:
        return chat.sent(members)
    return spelling.object_of({key: node.bytes() for key, node in members.items() if key != "extra"})


def _items(members: Mapping[str, Node]) -> list[bytes]:
    return [node.bytes() for node in elements_of(members.get("output"))]
