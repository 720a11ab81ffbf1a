"""`clear-thinking`: what Anthropic's `clear_thinking_20251015` does on the server, done by the client."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from cgcli.calls.cuts import bound_messages
from cgcli.compaction.body import BodyEdit, BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.components.parameters import check_names, check_whole
from cgcli.compaction.components.removal import removed
from cgcli.compaction.components.taken import touching
from cgcli.compaction.entering import PREFIX_HELD, PREFIX_UNKNOWN, THINKING_BOUND
from cgcli.compaction.state import HeldKind
from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.canonical import free_json
from cgcli.errors import UsageError
from cgcli.model import Digest, Kind, changed, value
from cgcli.providers.kept_thinking import kept_turns
from cgcli.wire.spans import Document
from cgcli.wire.strings import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.body import Body
    from cgcli.model import Item, Request

ALL = "all"
BELOW_CLEAR_AT_LEAST = "below_clear_at_least"
EXCLUDED_TOOL = "excluded_tool"
KEPT = "kept"
NOTHING_WOULD_REMAIN = "nothing_would_remain"
REPLACED = "replaced"
_MOST_KEPT = 2048


@value
class _Thought:
    """A message with thinking."""

    i_message: int
    i_turn: int
    """Counted from the first message; a turn begins where a user says something."""


@value
class _Memory:
    """What was seen of the lane, and what was cleared."""

    n_messages: int = 0
    """So many were looked at."""
    state: Digest | None = None
    """`Request.states` at the last of them."""
    n_turns: int = 0
    thoughts: tuple[_Thought, ...] = ()
    """Those that are still there: the newest turns are always among them."""
    cleared: tuple[tuple[int, Digest, int], ...] = ()
    """(message, `Request.states` there, counted tokens that went)."""


@value
class ClearThinking:
    """Takes the thinking out of all but the newest turns that have some; a message keeps all else that it says.

    No marker says so, since only the model may write in its own turns.
    """

    name: ClassVar[str] = "clear-thinking"
    loss: ClassVar[Loss] = Loss.STASHED

    keep: int | str | None = None
    """So many turns with thinking stay, or `all`; None for what the model does by itself."""
    clear_at_least: int = 0
    """The tokens that one clearing must remove, else it waits."""
    exclude_tools: Sequence[str] = ()
    """Thinking stays in a message that calls one of these."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        is_number = isinstance(self.keep, int) and not isinstance(self.keep, bool) and self.keep > 0
        if not (is_number or self.keep in (None, ALL)):
            raise UsageError(
                f"{self.name}: keep is {self.keep!r}, but must be a whole number, 1 or more, or {ALL!r}",
                hint=f"see docs/reference/components.md for the parameters of {self.name}",
            )
        check_whole(self.name, "clear_at_least", self.clear_at_least)
        check_names(self.name, "exclude_tools", self.exclude_tools)

    def plan(self, body: Body) -> BodyPlan | Skip:
        """Take the thinking out of each old turn, as far as messages may change."""
        request = body.request
        if request.dialect != "anthropic":
            return Skip(reason="unsupported_dialect")
        keep = kept_turns(request.model) if self.keep is None else self.keep
        if not isinstance(keep, int):
            return Skip(reason="keeps_all")
        seen = _seen(body.memory if body.memory is not None else _Memory(), request, keep)
        if not seen.thoughts and not seen.cleared:
            return BodyPlan(memory=seen, skips=(Skip(reason="no_thinking"),))
        found, reasons = self._cleared_now(body, seen, keep)
        if found:
            cleared = (*seen.cleared, *((i, request.states[i], tokens) for i, tokens in found.items()))
            thoughts = tuple(one for one in seen.thoughts if one.i_message not in found)
            seen = changed(seen, cleared=tuple(sorted(cleared)), thoughts=thoughts)
        edits, n_replaced = _edits(body, seen)
        return BodyPlan(
            edits=edits,
            memory=seen,
            skips=tuple(Skip(reason=reason) for reason in (*reasons, *(REPLACED,) * n_replaced)),
            n_fired=len(seen.cleared) - n_replaced,
        )

    def _cleared_now(self, body: Body, seen: _Memory, keep: int) -> tuple[dict[int, int], list[str]]:
        """The messages that lose their thinking from now on, with its tokens; and why others keep theirs."""
        turns = sorted({one.i_turn for one in seen.thoughts})
        old = set(turns[:-keep])
        is_bound = bound_messages(body.request) > 0
        found: dict[int, int] = {}
        reasons: list[str] = []
        has_kept = False
        for one in seen.thoughts:
            i = one.i_message
            reason = KEPT if one.i_turn not in old else self._reason(body, i)
            # Thinking may be dropped from the start, and not from the middle, where it is bound to what stands before.
            if reason is None and is_bound and has_kept:
                reason = THINKING_BOUND
            has_kept |= reason is not None
            if reason is None:
                found[i] = _tokens(body, i)
            else:
                reasons.append(reason)
        if sum(found.values()) < self.clear_at_least:
            reasons += [BELOW_CLEAR_AT_LEAST] * len(found)
            found = {}
        return found, reasons

    def _reason(self, body: Body, i_message: int) -> str | None:
        """Why an old message keeps its thinking."""
        item = body.request.messages[i_message]
        if any(part.kind is Kind.TOOL_CALL and part.name in self.exclude_tools for part in item.parts):
            return EXCLUDED_TOOL
        if all(part.kind is Kind.THINKING for part in item.parts):
            return NOTHING_WOULD_REMAIN
        if body.may_enter(i_message):
            return None
        if body.waits is not None:
            return body.waits
        return PREFIX_UNKNOWN if body.held.kind is HeldKind.UNKNOWN else PREFIX_HELD


def _seen(memory: _Memory, request: Request, keep: int) -> _Memory:
    """*memory* and what is new in *request*; a lane that was edited, or went back, is looked at anew."""
    states = request.states
    n = memory.n_messages
    if n > len(states) or (n and states[n - 1] != memory.state):
        return _anew(memory, request, keep)
    n_turns = memory.n_turns
    thoughts: list[_Thought] = []
    for i in range(n, len(states)):
        item = request.messages[i]
        n_turns += _speaks(item)
        if _thinks(item):
            thoughts.append(_Thought(i_message=i, i_turn=n_turns))
    return changed(
        memory,
        n_messages=len(states),
        state=states[-1] if states else None,
        n_turns=n_turns,
        thoughts=(*memory.thoughts, *thoughts),
    )


def _anew(memory: _Memory, request: Request, keep: int) -> _Memory:
    """The same for all of *request*; what was cleared stays so, but for the turns that are the newest ones now."""
    states = request.states
    seen = _seen(_Memory(), request, keep)
    newest = set(sorted({one.i_turn for one in seen.thoughts})[-keep:])
    old = {one.i_message for one in seen.thoughts if one.i_turn not in newest}
    cleared = tuple(one for one in memory.cleared if one[0] in old and states[one[0]] == one[1])
    gone = {i for i, _, _ in cleared}
    return changed(seen, cleared=cleared, thoughts=tuple(one for one in seen.thoughts if one.i_message not in gone))


def _speaks(item: Item) -> bool:
    """True where a turn begins: a user's message with anything but tools' results (Claude docs, thinking)."""
    return item.role == "user" and any(
        part.kind is not Kind.TOOL_RESULT and part.pair_id is None for part in item.parts
    )


def _thinks(item: Item) -> bool:
    return item.role == "assistant" and any(part.kind is Kind.THINKING for part in item.parts)


def _tokens(body: Body, i_message: int) -> int:
    """Counted tokens of the thinking in a message, as the whole request's are."""
    item = body.request.messages[i_message]
    written = (item.wire[part.span.start : part.span.stop] for part in item.parts if part.kind is Kind.THINKING)
    return sum(body.count(text(free_json(Document(one).root(), without=MARK_KEYS))) for one in written)


def _edits(body: Body, seen: _Memory) -> tuple[tuple[BodyEdit, ...], int]:
    """What takes the thinking out of the cleared messages, and in how many of them something else stands by now."""
    edits: list[BodyEdit] = []
    n_replaced = 0
    starts, messages, taken = body.request.starts, body.request.messages, body.taken
    for i, _, tokens in seen.cleared:
        base, ranges = starts[i], _ranges(messages[i])
        if taken and any(_is_overlapped(taken, base + start, base + stop) for start, stop in ranges):
            n_replaced += 1
            continue
        saved = tokens
        for start, stop in ranges:
            edits.append(BodyEdit(start=base + start, stop=base + stop, new=b"", saved_tokens=saved, i_message=i))
            saved = 0
    return tuple(edits), n_replaced


def _is_overlapped(taken: Sequence[tuple[int, int]], start: int, stop: int) -> bool:
    """True where an earlier step replaces something in bytes `start:stop`."""
    return any(a < stop and start < b for a, b in touching(taken, start, stop))


@lru_cache(maxsize=_MOST_KEPT)
def _ranges(item: Item) -> tuple[tuple[int, int], ...]:
    """The bytes of a message's thinking, with the commas that go too."""
    spans = [(part.span.start, part.span.stop) for part in item.parts]
    return tuple(removed(spans, {k for k, part in enumerate(item.parts) if part.kind is Kind.THINKING}))
