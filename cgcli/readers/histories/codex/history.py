"""What a Codex session has told the model so far: items, turns that may be taken back, compactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import value
from cgcli.readers.fields import elements_of
from cgcli.readers.histories.codex.lines import NEVER_SENT, is_made, item_type
from cgcli.readers.histories.sound import check_message
from cgcli.readers.spelling import spell
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.wire.spans import Node

_RESPONSES = named("openai-responses")
_KEPT = frozenset({"user", "developer"})
_OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "function_call_output",
}


@value
class _Item:
    """One item."""

    written: bytes
    role: str | None = None
    is_made: bool = False
    call_id: str | None = None
    no_output: bytes | None = None
    """What Codex sends in the place of an output that never came."""


class History:
    """The items in order."""

    def __init__(self) -> None:
        """Begin with none."""
        self._items: list[bytes] = []
        self._roles: list[str | None] = []
        self._calls: dict[str, tuple[int, bytes]] = {}
        """The calls that have no output yet: where each stands, and what is sent instead."""
        self._summary: int | None = None
        """Which of the items is the summary of a compaction."""
        self._turns: list[int] = []
        """Where each turn of the person begins that may be taken back."""
        self._unmarked: int | None = None
        self._awaits_turn = False

    def add(self, written: bytes, members: Mapping[str, Node]) -> None:
        """Append an item with these *members*.

        Raises:
            Malformed: it cannot be used.
        """
        item = _item(written, members)
        if item.is_made:
            self._unmarked = None
        elif item.role == "user":
            self._unmarked = len(self._items)
            if self._awaits_turn:
                self.turn_begins()
        self._append(item)

    def _append(self, item: _Item) -> None:
        if item.call_id is not None and item.no_output is not None:
            self._calls[item.call_id] = len(self._items), item.no_output
        elif item.call_id is not None:
            self._calls.pop(item.call_id, None)
        self._items.append(item.written)
        self._roles.append(item.role)

    def sent(self) -> Sequence[bytes]:
        """The items as they are sent now: a call without an output has one that says `aborted`."""
        if not self._calls:
            return self._items
        found: list[bytes] = []
        at = 0
        for place, no_output in sorted(self._calls.values()):
            found += [*self._items[at : place + 1], no_output]
            at = place + 1
        return found + self._items[at:]

    def turn_begins(self) -> None:
        """A person's message was told: it is the last one of a user, or the next."""
        self._awaits_turn = self._unmarked is None
        if self._unmarked is not None:
            self._turns.append(self._unmarked)
            self._unmarked = None

    def roll_back(self, n_turns: int) -> None:
        """Take back the last *n_turns* turns; what stands before the first one stays."""
        if n_turns < 1 or not self._turns:
            return
        first = max(0, len(self._turns) - n_turns)
        end = self._turns[first]
        del self._items[end:], self._roles[end:], self._turns[first:]
        self._calls = {call: at for call, at in self._calls.items() if at[0] < end}
        self._unmarked = None

    def compact(self, members: Mapping[str, Node]) -> None:
        """Begin anew with what a `compacted` record with these *members* says.

        Its `replacement_history` is the whole new one. Without it, Codex keeps the messages of persons and of itself,
        and puts the summary behind them.

        Raises:
            Malformed: it says neither, or cannot be used.
        """
        replaced = members.get("replacement_history")
        summary = string_of(members, "message")
        if replaced is not None and replaced.kind == "array":
            told = [(node, node.members()) for node in elements_of(replaced)]
            sent = [one for one in told if string_of(one[1], "type") not in NEVER_SENT]
            self._begin([_item(node.bytes(), keys) for node, keys in sent], has_summary=False)
        elif summary is not None:
            kept = [i for i, role in enumerate(self._roles) if role in _KEPT and i != self._summary]
            items = [_Item(written=self._items[i], role=self._roles[i]) for i in kept]
            items += [_Item(written=_summary(summary), role="user")] if summary else []
            self._begin(items, has_summary=bool(summary))
        else:
            raise Malformed("no_history", "a compaction without a summary and without a new history")

    def _begin(self, items: Iterable[_Item], *, has_summary: bool) -> None:
        """Go on from *items*, of which the last may be a summary."""
        self._items, self._roles, self._calls, self._turns = [], [], {}, []
        for item in items:
            self._append(item)
        self._summary = len(self._items) - 1 if has_summary else None
        self._unmarked = None


def _item(written: bytes, members: Mapping[str, Node]) -> _Item:
    """The item *written*, which has these *members*.

    Raises:
        Malformed: it cannot be used.
    """
    kind = item_type(members)
    if not kind:
        raise Malformed("bad_shape", "an item without a type and without a role")
    check_message(written, _RESPONSES)
    role = string_of(members, "role")
    call_id = string_of(members, "call_id")
    output = _OUTPUTS.get(kind)
    told = {"type": output, "call_id": call_id, "output": "aborted"}
    return _Item(
        written=written,
        role=role,
        is_made=is_made(kind, role),
        call_id=call_id if output is not None or kind.endswith("_output") else None,
        no_output=spell(told) if output is not None else None,
    )


def _summary(text: str) -> bytes:
    content = [{"type": "input_text", "text": text}]
    return spell({"type": "message", "role": "user", "content": content})
