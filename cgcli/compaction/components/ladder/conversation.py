"""Who said what in a request, and which of its messages may never be left out."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from cgcli.calls.cuts import bound_messages
from cgcli.compaction.components.tool_names import loads_tools
from cgcli.compaction.view import EDITABLE_ROLES
from cgcli.model import Kind, unique
from cgcli.select.joined import Joined, joined
from cgcli.select.selection import SpanOptions
from cgcli.select.staying import SYSTEM_ROLES, Why, staying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.compaction.body import Body
    from cgcli.model import Item

LOADS_TOOLS = "loads_tools"
PINNED = "pinned"
UNPAIRED = "unpaired"
_ALONE = SpanOptions(keep_first=0, keep_last=0)
_ENDS = SpanOptions(keep_first=1, keep_last=1)
_BLOCKS, _LOADING, _OF_USER = "ladder blocks", "ladder loading", "ladder of user"
"""Keys of what is found out about each message once for as long as the lane has it."""
_UNJOINED = Joined(links=(), lone=frozenset(), answering=frozenset())


@unique
class Result:
    """One tool result: a message of its own, or a block of a user's message."""

    i_message: int
    i_outputs: tuple[int, ...]
    """Its texts, as `View.outputs` has them; none where it is an image."""


class Conversation:
    """One request's messages; what is dear is looked at when it is asked for."""

    def __init__(self, body: Body) -> None:
        """See *body*."""
        self._body = body
        self._messages = body.request.messages

    @cached_property
    def absent(self) -> frozenset[int]:
        """Messages that an earlier step replaces whole."""
        return absent(self._body)

    @cached_property
    def systems(self) -> tuple[int, ...]:
        """System messages in the list."""
        return tuple(i for i, item in enumerate(self._messages) if item.role in SYSTEM_ROLES)

    @cached_property
    def n_bound(self) -> int:
        """How many leading messages may not change, because kept thinking behind them is bound to them."""
        return bound_messages(self._body.request)

    @cached_property
    def users(self) -> tuple[int, ...]:
        """Messages in which a user says or shows something."""
        return tuple(i for i, is_one in enumerate(self._of_user) if is_one and i not in self.absent)

    @cached_property
    def last_user(self) -> int | None:
        """The last one of them."""
        return self.users[-1] if self.users else None

    @property
    def _of_user(self) -> Sequence[bool]:
        return self._body.view.per_message(_OF_USER, lambda i: is_of_user(self._messages[i]))

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """Every tool result, in order."""
        blocks = self._body.view.per_message(_BLOCKS, self._blocks)
        return tuple(
            Result(i_message=i, i_outputs=texts)
            for i, found in enumerate(blocks)
            if i not in self.absent
            for texts in found
        )

    def _blocks(self, i: int) -> tuple[tuple[int, ...], ...]:
        """The texts of each tool result in message *i*."""
        item = self._messages[i]
        if item.role not in EDITABLE_ROLES:
            return ()
        slots = {output.i_part: output.i_output for output in self._body.view.outputs_in(i)}
        found: dict[str, list[int]] = {}
        for k, part in enumerate(item.parts):
            if part.kind is not Kind.TOOL_RESULT and part.pair_id is None:
                continue
            block = ".".join(part.path.split(".")[:2]) if item.role == "user" else ""
            texts = found.setdefault(block, [])
            if k in slots:
                texts.append(slots[k])
        return tuple(map(tuple, found.values()))

    @cached_property
    def unmovable(self) -> Mapping[int, str]:
        """Messages that are never left out, each with its reason; what a user said is not among them."""
        why = staying(self._messages, _ENDS, self._joined)
        loading = self._body.view.per_message(_LOADING, lambda i: loads_tools(self._messages[i]))
        return {
            **dict.fromkeys(self.absent, PINNED),
            **{i: UNPAIRED if reason is Why.LONE else PINNED for i, reason in why.items() if reason is not Why.JOINED},
            **{i: LOADS_TOOLS for i, loads in enumerate(loading) if loads and i not in why},
        }

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Messages that only make sense together, oldest first; neither system messages nor a user's words alone."""
        own = {*self.users, *self.systems}
        neighbours: dict[int, int] = {i: i for i in range(len(self._messages))}

        def root(i: int) -> int:
            while neighbours[i] != i:
                neighbours[i] = neighbours[neighbours[i]]
                i = neighbours[i]
            return i

        for a, b in self._joined.links:
            one, other = sorted((root(a), root(b)))
            neighbours[other] = one
        found: dict[int, list[int]] = {}
        for i in range(len(self._messages)):
            found.setdefault(root(i), []).append(i)
        return tuple(tuple(group) for group in found.values() if not own.issuperset(group))

    @cached_property
    def _joined(self) -> Joined:
        return joined(self._body.request)

    def live(self, removed: set[int]) -> Sequence[int]:
        """The messages that are sent, but for system messages."""
        gone = {*removed, *self.absent, *self.systems}
        return [i for i in range(len(self._messages)) if i not in gone]


def absent(body: Body) -> frozenset[int]:
    """Messages that an earlier step replaces whole."""
    request = body.request
    found = set()
    for start, stop in body.taken:
        i = bisect_left(request.starts, start)
        while i < len(request.starts) and request.starts[i] + request.messages[i].size_bytes <= stop:
            found.add(i)
            i += 1
    return frozenset(found)


def is_of_user(item: Item) -> bool:
    """True where a user says or shows something; tools' results and an agent's own reminders are neither."""
    if item.role != "user" or all(part.kind is Kind.TOOL_RESULT or part.pair_id is not None for part in item.parts):
        return False
    # On its own the message is the user's last word, or none.
    return staying((item,), _ALONE, _UNJOINED).get(0) is Why.LAST_USER
