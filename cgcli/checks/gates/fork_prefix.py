"""G-FORK-PREFIX: a fork is a request that was really sent, and one user message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.alignment import Alignment, SentRequests, Shape
from cgcli.checks.appended import EXCERPT_CHARS, resent_chars, scope
from cgcli.checks.base import Finding, Rule
from cgcli.checks.diverging import finding
from cgcli.checks.forks import ALL_STANDALONE, NO_CALLS, REBUILT, SYSTEM_ROLES, Calls
from cgcli.checks.turn import Turn
from cgcli.checks.verdict import INDEPENDENT, settle, without_head
from cgcli.model import Section, changed, value
from cgcli.prefix.chain import common_messages
from cgcli.providers.cache_life import lapses_after_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.forks import Call
    from cgcli.lanes import Lane
    from cgcli.lanes.snapshot import Snapshot

RULE = Rule(
    gate="G-FORK-PREFIX",
    title="A fork is a request that was really sent, and one user message",
    checks=(
        "Each summariser call that keeps its lane's messages: a request that asks for a summary by its wording, or "
        "one that is an earlier request and one user message while the lane goes on without it. Without its last "
        "message it must equal a request of the file that was sent before it: model, tools, system prompt, every "
        "parameter that the provider's cache depends on, and every message, as the provider reads them (`exact`). "
        "It may also be the last request of its lane, that request's recorded answer, and the results of the "
        "answer's tool calls (`extends`); where the answer is not recorded, the verdict is unknown. How many "
        "requests of the lane were sent since is said (`offset`, 0 for the last one), and whether the bytes are "
        f"the same too. The appended message is one, of the user, and repeats no more than {EXCERPT_CHARS} "
        "characters of what stands before it. A call that keeps none of its lane's messages, or less than half of "
        "its own, is standalone: it is noted and not judged, because nothing of it was meant to be read from a "
        "cache. A call that keeps the messages and loses tools, system prompt or a parameter is a fork that fails."
    ),
    why=(
        "A fork is cheap because its prefix is read from the cache. Appended to anything that was not sent it reads "
        "nothing, carries the whole conversation, and costs more than the standalone call that it replaced."
    ),
    failing=(
        'sent  {tools: [17], messages: [user, assistant, tool "120 lines"]}\n'
        'fork  {tools: [],   messages: [user, assistant, tool "120 lines", user "Summarise the conversation so far."]}'
    ),
    passing=(
        'sent  {tools: [17], messages: [user, assistant, tool "120 lines"]}\n'
        'fork  {tools: [17], messages: [user, assistant, tool "120 lines", user "Summarise the conversation so far."]}'
    ),
    fix=(
        "Keep the bytes of the last request that was sent and append to those: its tools, system prompt, model, "
        "thinking, effort and tool choice. Do not build the prefix again from the history, and never put a view that "
        "was not sent in the place of one that was. Put the instruction in the one user message; name the span in it, "
        "do not repeat the span."
    ),
    proves_not=(
        "That the prefix was still in the cache: see G-FORK-CACHED. That the call was worth its price: see "
        "G-FORK-COST. That the summary is about the span that was meant."
    ),
    source=(
        "microsoft/amplifier-module-context-simple, cache-safe fork of the summarization call "
        "(`sha256(fork[:-1]) == sha256(parent)`), and the faults found later in its runs."
    ),
    since="0.2.0",
)


@value
class _Judged:
    """What is said of one call."""

    is_fork: bool
    findings: tuple[Finding, ...]
    unknown: str | None = None


class ForkPrefix:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-FORK-PREFIX at work."""

    def __init__(self, context: Context) -> None:
        """Nothing was sent yet."""
        self._context = context
        self._sent = SentRequests()
        self._calls = Calls(self._judge)
        self._n_forks = 0
        self._n_standalone = 0
        self._unknown = without_head(context)

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Judge the request, if it is a call; what is found comes when it is known that it is one."""
        if self._context.is_independent:
            return
        if turn.exchange.source.reconstructed:
            self._unknown = self._unknown or REBUILT
        self._sent.arrives(turn)
        for judged in self._calls.see(turn):
            yield from self._count(judged)
        self._sent.leaves(turn)

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on a fork that was appended to anything but a request that was sent."""
        del lanes
        late = [finding for judged in self._calls.rest() for finding in self._count(judged)]
        nothing = ALL_STANDALONE if self._n_standalone else NO_CALLS
        return settle(
            RULE,
            unit="forks",
            checked=self._n_forks,
            findings=tuple(sorted((*findings, *late), key=lambda finding: finding.i_exchange)),
            nothing=INDEPENDENT if self._context.is_independent else nothing,
            unknown=self._unknown,
        )

    def _count(self, judged: _Judged) -> tuple[Finding, ...]:
        self._n_forks += judged.is_fork
        self._n_standalone += not judged.is_fork
        self._unknown = self._unknown or judged.unknown
        return judged.findings

    def _judge(self, call: Call) -> _Judged:
        turn = call.turn
        if not call.is_appended:
            return _Judged(is_fork=False, findings=(_standalone(call),))
        aligned = self._sent.align(turn)
        if aligned.shape is Shape.BROKEN:
            return _Judged(is_fork=True, findings=(self._broken(call, aligned),))
        before, appended = turn.request.messages[:-1], turn.request.messages[-1]
        path = f"messages.{len(before)}"
        findings = [_finding(turn, aligned.shape.value, _placed(turn, aligned), path=path, is_note=True)]
        unknown = None
        if aligned.shape is Shape.UNRECORDED:
            unknown = f"the fork at line {turn.line} stands behind an answer that the file does not record"
        resent = resent_chars(before, appended)
        if resent > EXCERPT_CHARS:
            message = f"the appended message repeats {resent:,} characters of what stands before it"
            findings.append(_finding(turn, "span_resent", message, path=path))
        named = scope(before, appended)
        if named is not None and named.n_said != named.n_meant:
            message = (
                f"the instruction says messages {named.i_first} to {named.n_said}, its excerpt is of "
                f"number {named.n_meant}"
            )
            findings.append(_finding(turn, "scope", message, path=path, is_note=True))
        return _Judged(is_fork=True, findings=tuple(findings), unknown=unknown)

    def _broken(self, call: Call, aligned: Alignment) -> Finding:
        """Where the fork leaves the last request of its lane."""
        turn, home = call.turn, call.home
        n = len(turn.request.messages) - 1
        if home is None:
            return _finding(turn, "never_sent", "nothing was sent before the fork")
        moved = Turn(
            turn.exchange,
            changed(turn.placement, before=home),
            i_exchange=turn.i_exchange,
            number=turn.number,
            is_summary_call=turn.is_summary_call,
        )
        found = moved.breaks
        if found is None or (found.section is Section.MESSAGES and found.i_item == n):
            return self._same_so_far(turn, home, aligned)
        return finding(
            moved,
            found,
            f"{found.kind.value} ({found.change.value}) at {found.path} against the request at line "
            f"{home.line}, {found.n_blocks} blocks shared",
            cost=self._context.rebilled(moved),
        )

    def _same_so_far(self, turn: Turn, home: Snapshot, aligned: Alignment) -> Finding:
        """The fork and its lane's last request do not disagree: one is cut short, or more than one message is new."""
        messages = turn.request.messages
        n = len(messages) - 1
        shared = min(common_messages(home.states, turn.request.states), n)
        if shared == n:
            message = (
                f"its first {n} messages are a beginning of the request at line {home.line} and were never sent alone"
            )
            return _finding(turn, "messages_changed", message, path=f"messages.{n}", change="truncated")
        if aligned.parent is not None:
            message = f"what stands behind the request at line {aligned.parent.line} is not what it was answered"
            return _finding(turn, "answer_changed", message, path=f"messages.{shared}", change="edited")
        roles = [item.role for item in messages[shared:]]
        said = ", ".join(roles[:6])
        message = f"what follows the request at line {home.line} is not one message but {len(roles)}: {said}"
        kind = "system_added" if SYSTEM_ROLES & set(roles) else "messages_changed"
        return Finding(
            message=message,
            line=turn.line,
            i_exchange=turn.i_exchange,
            path=f"messages.{shared}",
            byte=turn.byte_of(Section.MESSAGES, shared, 0),
            kind=kind,
            change="inserted",
        )


def _finding(
    turn: Turn, kind: str, message: str, *, path: str | None = None, change: str | None = None, is_note: bool = False
) -> Finding:
    return Finding(
        message=message,
        line=turn.line,
        i_exchange=turn.i_exchange,
        path=path,
        kind=kind,
        change=change,
        is_note=is_note,
    )


def _placed(turn: Turn, aligned: Alignment) -> str:
    """Where in its lane an aligned fork stands, in a line."""
    parent = aligned.parent
    if parent is None:
        return aligned.shape.value
    said = [f"{aligned.shape.value}: appended to the request at line {parent.line}", f"offset {aligned.offset}"]
    if aligned.same_bytes is not None:
        said.append("the same bytes" if aligned.same_bytes else "other bytes that read the same")
    if turn.exchange.sent_s is not None and parent.sent_s is not None:
        age_s = turn.exchange.sent_s - parent.sent_s
        said.append(f"{age_s:,.0f} s later")
        asks_1h = any(
            part.mark is not None and part.mark.ttl == "1h"
            for _, item, _ in turn.request.placed()
            for part in item.parts
        )
        if age_s > lapses_after_s(turn.request.dialect, asks_1h=asks_1h):
            said.append("its cache has lapsed unless it was used since")
    return ", ".join(said)


def _standalone(call: Call) -> Finding:
    """A call that was never meant to share a prefix: how much it shares all the same."""
    shared = _shared_blocks(call.turn, call.home) if call.home is not None else 0
    return _finding(call.turn, "standalone", f"standalone: shares {shared} blocks", is_note=True)


def _shared_blocks(turn: Turn, home: Snapshot) -> int:
    """How many leading blocks *turn* shares with *home*, in cache order."""
    request = turn.request
    if request.model != home.model:
        return 0
    n_blocks = 0
    for mine, theirs in (
        (request.tools or (), home.tools or ()),
        (request.system or (), home.system or ()),
        (request.messages, home.messages),
    ):
        same = 0
        for a, b in zip(mine, theirs, strict=False):
            if a.rendered != b.rendered:
                break
            same += 1
            n_blocks += len(a.blocks)
        if not same == len(mine) == len(theirs):
            break
    return n_blocks
