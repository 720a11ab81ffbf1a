"""G-APPEND: a lane grows only at its end."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from cgcli.checks.allowing import Allowing
from cgcli.checks.base import Finding, Rule
from cgcli.checks.diverging import finding
from cgcli.checks.parents import Parents
from cgcli.checks.verdict import INDEPENDENT, settle, without_head
from cgcli.lanes import Label, Relation
from cgcli.model import Section
from cgcli.prefix.divergence import divergence, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

RULE = Rule(
    gate="G-APPEND",
    title="A lane grows only at its end",
    checks=(
        "Each request of a conversation contains the one before it whole: model, tools, system prompt, the parameters "
        "that the provider's cache depends on, and every message, as the provider reads them. White space, escapes, "
        "moved cache marks and a string against a one-block list do not count; they are notes. So is what a compaction "
        "call of its own shares with the conversation that it is about. A lane that begins anew counts as a break in a "
        "recorded session and after a compaction call; elsewhere it may be another conversation, and is a note."
    ),
    why=(
        "A provider's cache reads a prefix up to the first difference. Whatever stands behind an edit is billed again "
        "as new input: at the usual rates ten times the price of reading it, and more where it is written again."
    ),
    failing=(
        'turn 1  [user "fix the test", assistant call, tool "120 lines"]\n'
        'turn 2  [user "fix the test", assistant call, tool "(old output omitted)", assistant …]'
    ),
    passing=(
        'turn 1  [user "fix the test", assistant call, tool "120 lines"]\n'
        'turn 2  [user "fix the test", assistant call, tool "120 lines", assistant …]'
    ),
    fix=(
        "Change content before it is first sent, never after. Put what changes (a date, a counter, a reminder) behind "
        "what stays. Where the lane is meant to begin anew, declare it: --allow-epoch N, or --allow-epoch "
        "after-compaction."
    ),
    proves_not="That the cache was read: lifetime, minimum size and look-back decide that too.",
    source="Provider documentation on prompt caching; the byte-prefix tests that agents' repositories write by hand.",
    since="0.2.0",
)


class Append:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-APPEND at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._context = context
        self._checked = 0
        self._allowing = Allowing(context)
        self._parents = Parents()

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Compare the request with the one before it in its thread."""
        if self._context.is_independent:
            return
        self._allowing.see(turn)
        self._parents.see(turn)
        if turn.before is None or turn.placement.relation is Relation.BRANCHES:
            if turn.is_summary_call:
                yield from self._call(turn)
            return
        self._checked += 1
        for i_message, how in turn.respelled():
            yield Finding(
                message=f"message {i_message} reads as before and is other bytes: {how.value}",
                line=turn.line,
                i_exchange=turn.i_exchange,
                path=path_of(turn.request, Section.MESSAGES, i_message),
                kind=how.value,
                is_note=True,
            )
        found = turn.breaks
        if found is None:
            return
        same = "; it means the same" if found.is_same_in_meaning else ""
        yield finding(
            turn,
            found,
            f"{found.kind.value} ({found.change.value}) at {found.path}, {found.n_blocks} blocks shared{same}",
            cost=self._context.rebilled(turn),
            is_note=self._allowing.allows(turn),
        )

    def _call(self, turn: Turn) -> Iterator[Finding]:
        """What a compaction call of its own shares with the conversation that it is about: a note, no break."""
        parent = self._parents.parent_of(turn)
        found = divergence(parent, turn.request) if parent is not None else None
        if parent is None or found is None:
            return
        message = f"compaction call shares {found.n_blocks} blocks with line {parent.line}: {found.kind.value}"
        yield finding(turn, found, message, is_note=True)

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on any break, and on any new beginning of a lane, that was not allowed."""
        restarts = [] if self._context.is_independent else [one for lane in lanes for one in self._restarts(lane)]
        return settle(
            RULE,
            unit="pairs of requests",
            checked=self._checked,
            findings=(*findings, *restarts),
            nothing=INDEPENDENT
            if self._context.is_independent
            else "no request follows another one of its conversation",
            unknown=without_head(self._context),
        )

    def _restarts(self, lane: Lane) -> Iterator[Finding]:
        """Where *lane* begins anew, at the first request of a later epoch.

        It counts as a break where both epochs are of one recorded session, or where a compaction call stands between
        them; else the two may be conversations that only look alike, and it is a note.
        """
        number = 0
        for before, after in pairwise(lane.epochs):
            number += len(before.thread.turns)
            last, first = before.thread.turns[-1], after.thread.turns[0]
            if lane.label is not Label.MAIN or after.thread.branch is not None:
                continue
            session_id = first.session_id
            thread = before.thread.identity
            is_break = session_id is not None or self._allowing.has_call_between(
                since=last.i_exchange, until=first.i_exchange, thread=thread, session_id=session_id
            )
            self._checked += is_break
            is_allowed = self._allowing.allows_between(
                number=number + 1, since=last.i_exchange, until=first.i_exchange, thread=thread, session_id=session_id
            )
            yield Finding(
                message=f"lane {lane.name} begins anew at turn {number + 1}: no message of line {last.line} is left",
                line=first.line,
                i_exchange=first.i_exchange,
                path="messages.0",
                kind="restart",
                is_note=is_allowed or not is_break,
            )
