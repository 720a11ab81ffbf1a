"""G-TOOL-PAIRS: every tool call is answered, and every result was called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Rule
from cgcli.checks.faults import Faults, named
from cgcli.checks.folding import Folding
from cgcli.checks.places import Place
from cgcli.checks.verdict import settle
from cgcli.dialects.pairing import Fault, Group, stepper
from cgcli.dialects.settings import settings
from cgcli.model import Kind, Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Finding, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.model import Item

RULE = Rule(
    gate="G-TOOL-PAIRS",
    title="Every tool call is answered once, and every result was called",
    checks=(
        "Each request: a call has exactly one result in the run of results right behind it (Claude: the user messages, "
        "Chat: the tool messages; Responses: anywhere behind it), a result has a call there, no id is called or "
        "answered twice (OpenAI: an id that comes again in a later run is a note). A request that ends on unanswered "
        "or partly answered calls fails too. Tools that the provider "
        "runs itself are not looked at. The old function_call is paired by its name."
    ),
    why=(
        "Providers answer such a request with 400, and go on doing so: the history that holds the half pair is sent "
        "again with every retry. It is the commonest damage that a cut in a history does."
    ),
    failing=(
        "[assistant: calls A and B] [user: result of A] [user: next question]      B is never answered\n"
        "[user: (older turns removed)] [user: result of C]                          C was cut away with its turn"
    ),
    passing="[assistant: calls A and B] [user: results of A and B] [user: next question]",
    fix=(
        "Cut between turns, never between a call and its result; drop or keep both. Where a run was interrupted, "
        "answer what is open with an error result before the next request."
    ),
    proves_not="That a result is the right one for its call.",
    source=(
        "Claude docs, tool use; OpenAI guides, function calling; the errors `tool_use ids were found without "
        "tool_result blocks`, `unexpected tool_use_id`, `No tool output found for function call`."
    ),
    since="0.2.0",
    holds_for_histories=True,
)
_SAYS = {
    "unanswered": "called and never answered: {ids}",
    "partly_answered": "some calls of the run are answered, these are not: {ids}",
    "pending": "the request ends on calls without a result: {ids}",
    "pending_partly": "the request ends on a run that is partly answered; without a result: {ids}",
    "uncalled": "a result without a call: {ids}",
    "late": "a result outside the run behind its call: {ids}",
    "answered_twice": "answered twice: {ids}",
    "called_twice": "called twice: {ids}",
    "call_without_id": "a call without an id",
    "result_without_id": "a result without the id of its call",
}


class ToolPairs:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-TOOL-PAIRS at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._groups: dict[str, Folding[Group]] = {}
        self._called: dict[int, dict[str, int]] = {}
        """For each thread, the message in which an id was called first; a message may have gone since."""
        self._faults = Faults(context)
        self._checked = 0

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Pair the calls and results of the messages that are new."""
        dialect = turn.request.dialect
        folding = self._groups.get(dialect)
        if folding is None:
            folding = self._groups[dialect] = Folding(Group(), stepper(dialect))
        last, new = folding.advance(turn)
        called = self._called_in(turn)
        for i, group in new:
            yield from self._calls(turn, group, i, called)
            for fault in group.faults:
                yield from self._report(turn, self._told(turn, fault, group, called))
        missing = last.missing
        if missing:
            kind = "pending_partly" if last.answered else "pending"
            ids = tuple(call.id for call in missing)
            yield from self._report(
                turn, Fault(kind=kind, ids=ids, i_message=missing[0].i_message, inner=missing[0].inner)
            )

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on any half pair."""
        del lanes
        return settle(
            RULE, unit="tool calls", checked=self._checked, findings=findings, nothing="no request has a tool call"
        )

    def _called_in(self, turn: Turn) -> dict[str, int]:
        called = self._called.get(turn.thread)
        if called is None:
            branch = turn.placement.thread.branch
            called = dict(self._called.get(branch[0].identity, {})) if branch is not None else {}
            self._called[turn.thread] = called
        return called

    def _calls(self, turn: Turn, group: Group, i: int, called: dict[str, int]) -> Iterator[Finding]:
        """Remember the calls of message *i*; a legacy name may come again."""
        seen_here: set[str] = set()
        for event in group.events:
            if not event.is_call or event.id is None:
                continue
            first = called.get(event.id)
            stands = event.id in seen_here or (first is not None and first < i and _calls(turn, first, event.id))
            seen_here.add(event.id)
            if first is None:
                self._checked += 1
            if not stands:
                called[event.id] = i
            elif "function_call" not in event.inner:
                fault = Fault(kind="called_twice", ids=(event.id,), i_message=i, inner=event.inner)
                # Only Anthropic wants ids to be unique in the whole history.
                may_be = turn.request.dialect != "anthropic" and not (first is None or first == i)
                yield from self._report(turn, fault, is_note=may_be)

    def _told(self, turn: Turn, fault: Fault, group: Group, called: dict[str, int]) -> Fault | None:
        """*fault* as it is to be told: a result may answer late, or a call that the provider keeps."""
        if fault.kind != "uncalled":
            return fault
        first = called.get(fault.ids[0])
        if first is not None and first < fault.i_message and _calls(turn, first, fault.ids[0]):
            kind = "answered_twice" if turn.request.dialect == "openai-responses" else "late"
            return Fault(kind=kind, ids=fault.ids, i_message=fault.i_message, inner=fault.inner)
        if turn.request.dialect == "openai-responses":
            outside = settings(turn.request)
            if group.has_reference or outside.get("previous_response_id") or outside.get("conversation"):
                return None
        return fault

    def _report(self, turn: Turn, fault: Fault | None, *, is_note: bool = False) -> Iterator[Finding]:
        if fault is None:
            return
        says = _SAYS[fault.kind].format(ids=named(fault.ids))
        place = Place(section=Section.MESSAGES, i_item=fault.i_message, inner=fault.inner)
        yield from self._faults.once(turn, fault.kind, fault.ids, says, place=place, is_note=is_note)


def _calls(turn: Turn, i_message: int, call_id: str) -> bool:
    """True where message *i_message* still makes that call."""
    messages = turn.request.messages
    return i_message < len(messages) and _has_call(messages[i_message], call_id)


def _has_call(item: Item, call_id: str) -> bool:
    return any(part.kind is Kind.TOOL_CALL and part.pair_id == call_id for part in item.parts)
