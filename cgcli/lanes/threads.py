"""Threads: append-only runs of requests, told while the file streams by and never from a later request.

A request extends the thread whose last request it contains whole. Sharing only a part of its leading messages it is an
edit of that thread if at least half of the thread's remaining messages reappear in order (where the request goes on, an
output reappears that has other words under the same call), or if it goes on with the answer to what it words otherwise
or leaves out; the main line again if the thread's last request was a side call appended to an earlier one; else it is a
new thread that knows its branch point. Where the system prompt is sent as the first messages, a conversation that goes
on under another one is an edit too; so is one that opens with other words under the same tools and system, and goes on
with the same answers. Shared tools and system alone never join. A history knows its branches: what it says to be of
another session, or of another branch of one, is never put in the thread that it shares messages with.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.lanes.rewording import first_answer, is_answered, is_left_out, reappearing, told
from cgcli.lanes.snapshot import Snapshot, snapshot
from cgcli.model import changed, value
from cgcli.prefix import common_messages

if TYPE_CHECKING:
    from cgcli.model import Digest, Exchange, Item, Request

MOST_HEADS = 4
"""For how many models, tools and systems a thread remembers what was sent under them."""


class Relation(StrEnum):
    """What a request is to the thread it was put in."""

    NEW = "new"
    EXTENDS = "extends"
    EDITS = "edits"
    RETURNS = "returns"
    """The thread's last request was a side call; this one goes on from before it."""
    BRANCHES = "branches"
    """The first of a new thread that shares leading messages with another one."""


@value
class Turn:
    """One request as its thread remembers it: no bytes."""

    i_exchange: int
    line: int
    n_messages: int
    static: Digest
    model: str | None
    session_id: str | None
    has_head: bool
    """It has tools or a system prompt."""
    is_summary_call: bool
    knows_branches: bool = False
    """It was put together from a history, whose `session_id` tells branches apart."""

    def is_elsewhere(self, last: Turn) -> bool:
        """True where its history says that it does not go on from *last*."""
        return self.knows_branches and last.knows_branches and self.session_id != last.session_id


class Thread:
    """An append-only run of requests."""

    __slots__ = (
        "before_last",
        "branch",
        "changes",
        "ends",
        "heads",
        "identity",
        "last",
        "messages",
        "states",
        "static",
        "turns",
    )

    def __init__(self, identity: int, branch: tuple[Thread, int] | None) -> None:
        """Thread number *identity*; *branch* is the thread and the number of messages it shares with it."""
        self.identity = identity
        self.branch = branch
        self.turns: list[Turn] = []
        self.messages: tuple[Item, ...] = ()
        self.states: tuple[Digest, ...] = ()
        self.static: Digest | None = None
        self.last: Snapshot | None = None
        self.before_last: Snapshot | None = None
        self.ends: Counter[int] = Counter()
        """How many of its requests ended after so many messages."""
        self.heads: dict[Digest, tuple[Digest, ...]] = {}
        """What was sent last under each of the newest few model, tools and system; the newest comes last."""
        self.changes = False
        """Its requests do not all have the same messages: a conversation, no call that was only sent again."""

    @property
    def grows(self) -> bool:
        """True where it is a conversation: more than one request, and not only repeats."""
        return self.changes and len(self.turns) > 1

    def has(self, state: Digest, depth: int) -> bool:
        """True where the first *depth* messages of its last request have that *state*."""
        return depth <= len(self.states) and self.states[depth - 1] == state

    def take(self, request: Request, turn: Turn) -> None:
        """Make *request* the last one."""
        self.changes |= bool(self.turns) and request.states[-1:] != self.states[-1:]
        self.turns.append(turn)
        self.messages = request.messages
        self.states = request.states
        self.static = request.static
        self.ends[turn.n_messages] += 1
        self.heads.pop(request.static, None)
        self.heads[request.static] = request.states
        if len(self.heads) > MOST_HEADS:
            del self.heads[next(iter(self.heads))]


@value
class Placement:
    """Where a request was put."""

    thread: Thread
    relation: Relation
    shared: int
    """How many leading messages it has in common with what the thread (or the one it branches from) sent before."""
    sent: int
    """How many leading messages were sent before under the same model, tools and system: fewer than `shared` where the
    request before had others."""
    same_static: bool
    """Something was sent before under the same model, tools and system."""
    before: Snapshot | None = None
    """The request that it is compared with: the thread's last one, or the one that a side call was appended to."""
    split: Thread | None = None
    """The side call that was taken out of the thread by this request; what is known of the thread is true of it."""


class Threads:
    """The threads of one file, in the order in which they began."""

    def __init__(self) -> None:
        """Begin with none."""
        self.threads: list[Thread] = []
        self._known: dict[Digest, Thread] = {}
        self._under: dict[tuple[Digest, Digest], Thread] = {}
        self._opened: dict[Digest, Thread] = {}
        self._answered: dict[tuple[Digest, Digest], Thread] = {}

    def place(self, exchange: Exchange, i_exchange: int, *, alone: bool, is_summary_call: bool) -> Placement:
        """Put *exchange*, the *i_exchange*-th of its file, in a thread; *alone* requests never join one."""
        request = exchange.request
        turn = Turn(
            i_exchange=i_exchange,
            line=exchange.source.line,
            n_messages=len(request.messages),
            static=request.static,
            model=request.model,
            session_id=exchange.session_id,
            has_head=bool(request.tools or request.system),
            is_summary_call=is_summary_call,
            knows_branches=exchange.source.reconstructed,
        )
        found, depth = (None, 0) if alone else self._find(request)
        if found is None and not alone and not is_summary_call:
            found = self._worded_otherwise(request)
        last, before_last = (found.last, found.before_last) if found is not None else (None, None)
        placement = self._put(found, depth, request, turn)
        if not alone:
            self._register(placement.thread, request, depth)
        before = last
        if placement.split is not None:
            placement.split.last = last
            before = before_last if before_last is not None and len(before_last.messages) == depth else last
        placement.thread.before_last = before if placement.thread is found else None
        placement.thread.last = snapshot(exchange, i_exchange)
        return changed(placement, before=before)

    def _find(self, request: Request) -> tuple[Thread | None, int]:
        """The thread that has the longest run of the leading messages, and how many."""
        states, static = request.states, request.static
        for depth in range(len(states), 0, -1):
            state = states[depth - 1]
            known = self._known.get(state)
            if known is None:
                continue
            for thread in (self._under.get((static, state), known), known):
                # Edited since, a thread no longer has what it once sent: what is kept of it is not this request's.
                if thread.has(state, depth) and (thread.static == static or _goes_on(thread, depth, request)):
                    return thread, depth
        return self._prompted_otherwise(request), 0

    def _prompted_otherwise(self, request: Request) -> Thread | None:
        """The thread that *request*, which begins with system messages, goes on with under others than before."""
        mine = told(request.messages)
        thread = self._opened.get(mine[0].rendered) if mine and len(mine) < len(request.messages) else None
        if thread is None:
            return None
        theirs = told(thread.messages)
        answered = len(theirs) > 1 and [item.rendered for item in mine[:2]] == [item.rendered for item in theirs[:2]]
        goes_on = len(theirs) == 1 and len(mine) > 1 and mine[1].role == "assistant"
        same = reappearing(thread.messages, request.messages)
        return thread if (answered or goes_on) and same * 2 >= len(thread.messages) else None

    def _worded_otherwise(self, request: Request) -> Thread | None:
        """The thread that *request*, which opens with other words than before, goes on with: same head and answers.

        Two tasks may well begin with the same call, so it must be longer than what was sent before.
        """
        first = first_answer(request.messages)
        thread = self._answered.get((request.static, first)) if first is not None else None
        if thread is None or thread.static != request.static or first != first_answer(thread.messages):
            return None
        if len(request.messages) <= len(thread.messages):
            return None
        same = reappearing(thread.messages, request.messages)
        return thread if same * 2 >= len(thread.messages) else None

    def _put(self, found: Thread | None, depth: int, request: Request, turn: Turn) -> Placement:
        if found is None:
            return self._new(request, turn, None, None)
        before = found.heads.get(request.static)
        if turn.is_elsewhere(found.turns[-1]):
            return self._new(request, turn, (found, depth), before)
        split = None
        tail = found.messages[depth:]
        if not tail:
            relation = Relation.EXTENDS
        elif depth in found.ends and not any(item.role == "assistant" for item in tail):
            relation = Relation.RETURNS
            split = self._split(found, depth)
        elif (
            reappearing(tail, rest := request.messages[depth:]) * 2 >= len(tail)
            or is_answered(tail, rest)
            or (depth and not found.turns[-1].is_summary_call and is_left_out(tail, rest))
        ):
            relation = Relation.EDITS
        else:
            return self._new(request, turn, (found, depth), before)
        found.take(request, turn)
        return _placement(found, relation, depth, before, split)

    def _new(
        self,
        request: Request,
        turn: Turn,
        branch: tuple[Thread, int] | None,
        before: tuple[Digest, ...] | None,
    ) -> Placement:
        thread = Thread(len(self.threads), branch)
        self.threads.append(thread)
        thread.take(request, turn)
        if branch is None:
            return _placement(thread, Relation.NEW, 0, None)
        return _placement(thread, Relation.BRANCHES, branch[1], before)

    def _split(self, found: Thread, depth: int) -> Thread:
        """Take the last request of *found*, and its repeats, into a thread that branches off at *depth*."""
        side = Thread(len(self.threads), (found, depth))
        self.threads.append(side)
        while found.turns[-1].n_messages > depth:
            turn = found.turns.pop()
            side.turns.insert(0, turn)
            side.ends[turn.n_messages] += 1
        found.ends -= side.ends
        found.changes = len(found.ends) > 1
        side.changes = len(side.ends) > 1
        side.messages, side.states, side.static = found.messages, found.states, found.static
        side.heads = dict(found.heads)
        found.messages, found.states = found.messages[:depth], found.states[:depth]
        for state in side.states[depth:]:
            if self._known.get(state) is found:
                self._known[state] = side
        return side

    def _register(self, thread: Thread, request: Request, depth: int) -> None:
        """Remember the states beyond *depth*, which no thread had before, and how the conversation opens."""
        mine = told(request.messages)
        if mine and len(mine) < len(request.messages):
            self._opened[mine[0].rendered] = thread
        first = first_answer(request.messages)
        if first is not None:
            self._answered[request.static, first] = thread
        for i, state in enumerate(request.states[depth:], depth + 1):
            owner = self._known.setdefault(state, thread)
            if not owner.has(state, i):
                self._known[state] = thread
            elif owner is not thread and owner.static != request.static:
                self._under[request.static, state] = thread


def _placement(
    thread: Thread,
    relation: Relation,
    shared: int,
    before: tuple[Digest, ...] | None,
    split: Thread | None = None,
) -> Placement:
    """*before*: what was sent last under the request's model, tools and system, before *thread* took the request."""
    return Placement(
        thread=thread,
        relation=relation,
        shared=shared,
        sent=common_messages(before, thread.states) if before is not None else 0,
        same_static=before is not None,
        split=split,
    )


def _goes_on(thread: Thread, depth: int, request: Request) -> bool:
    """True where the shared messages tell a conversation even under other tools, system or model.

    A sampled answer among them does; a lone first message does only where this request goes on with the answer.
    """
    messages = request.messages
    if any(item.role == "assistant" for item in messages[:depth]):
        return True
    return depth == len(thread.messages) and len(messages) > depth and messages[depth].role == "assistant"
