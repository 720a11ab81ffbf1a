"""What both readers of SWE-agent's trajectories look at: the settings of the run, and what is sent of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import Section, unique
from cgcli.readers import chat
from cgcli.readers.fields import elements_of, members_of
from cgcli.readers.histories.sound import check_message
from cgcli.readers.spelling import spell
from cgcli.wire.spans import Document, Malformed
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.wire.spans import Node

_CHAT = named("openai-chat")
_NO_MODELS = frozenset({"human", "human_thought", "replay", "instant_empty_submit"})
"""Names of what takes the place of a model."""


@unique
class Run:
    """What a trajectory says of the whole run."""

    model: bytes | None
    """Written as JSON."""
    session_id: str | None


def run_of(members: Mapping[str, Node]) -> Run:
    """The run, as `replay_config` tells of it, which is an object or a string that holds one."""
    try:
        node = members.get("replay_config")
        if node is not None and node.kind == "string":
            node = Document(utf8(node.text())).root()
        config = members_of(node)
        model = string_of(members_of(members_of(config.get("agent")).get("model")), "name")
        session_id = string_of(members_of(config.get("problem_statement")), "id")
    except Malformed:
        model = session_id = None
    return Run(model=spell(model) if model and model not in _NO_MODELS else None, session_id=session_id)


class Messages:
    """Messages as they are sent, each distinct one put together once."""

    def __init__(self) -> None:
        """None yet."""
        self._sent: dict[bytes, bytes] = {}

    def sent(self, node: Node) -> bytes:
        """The message at *node* as it is sent.

        Raises:
            Malformed: it is none.
        """
        raw = node.bytes()
        found = self._sent.get(raw)
        if found is None:
            found = _sent(node)
            check_message(found, _CHAT)
            self._sent[raw] = found
        return found


def _sent(node: Node) -> bytes:
    message = members_of(node)
    if string_of(message, "role") is None:
        raise Malformed("bad_shape", f"the message at byte {node.start} has no role")
    ids = elements_of(message.get("tool_call_ids")) if "tool_call_id" not in message else []
    if string_of(message, "role") == "tool" and ids and ids[0].kind == "string":
        return chat.sent(message, tool_call_id=ids[0].bytes())
    return chat.sent(message)


def unrecorded_in(messages: Sequence[Node]) -> frozenset[Section]:
    """The tools, always; the system prompt where no message of that role is among *messages*."""
    has_system = any(string_of(members_of(node), "role") == "system" for node in messages[:2])
    return frozenset({Section.TOOLS} if has_system else {Section.TOOLS, Section.SYSTEM})
