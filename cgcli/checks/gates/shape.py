"""G-SHAPE: no request has a shape that the provider answers with 400."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.checks.base import Rule
from cgcli.checks.faults import Faults
from cgcli.checks.places import Place
from cgcli.checks.verdict import settle, without_head
from cgcli.checks.wire_folding import WireFolding
from cgcli.dialects.content import content_blocks, decoded
from cgcli.dialects.settings import settings
from cgcli.model import Kind, Section
from cgcli.prefix.marked import CLAUDE_KEY, Tally, tally
from cgcli.providers.breakpoints import ANTHROPIC
from cgcli.providers.compaction_support import ITEM
from cgcli.providers.request_rules import ROLES, RULES, Fault, takes_system_in_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Finding, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.model import Item, Part

RULE = Rule(
    gate="G-SHAPE",
    title="No request has a shape that the provider refuses",
    checks="Each request, by the table of refused shapes: "
    + "; ".join(f"{rule.says} ({', '.join(rule.dialects)})" for rule in RULES.values())
    + ". Several messages of one role in a row are legal. Whether calls and results pair is G-TOOL-PAIRS' matter.",
    why=(
        "A compaction step that leaves a blank text or moves a system message makes requests that are answered with "
        "400. The history is sent again with every retry, so the session does not get out of it by itself."
    ),
    failing='[user "fix the test", assistant call, user result, system "be brief", user "go on"]      sonnet-4-5',
    passing='system: "… be brief", [user "fix the test", assistant call, user result, user "go on"]',
    fix=(
        "Put instructions in the system prompt, or in the user's next text. Leave out what became empty instead of "
        "sending it blank. Put tool results first in their user message."
    ),
    proves_not="That the request is accepted: sizes, parameters and contents are not looked at.",
    source="; ".join(dict.fromkeys(rule.source for rule in RULES.values())) + ".",
    since="0.2.0",
)
_BLANK = re.compile(rb'"(?:[ \t\n\r]|\\[ntrf]|\\u00(?:20|0[9aAcCdD]))*"')


class Shape:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-SHAPE at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._context = context
        self._faults = Faults(context)
        self._checked = 0
        self._tallies = WireFolding(Tally(), tally)
        self._heads: set[tuple[Item, ...]] = set()

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Look at what is new in the request, and at the message before that."""
        request = turn.request
        if request.dialect not in ROLES:
            return
        self._checked += 1
        if not request.messages:
            yield from self._fault(turn, Fault.NO_MESSAGES, None, None)
        yield from self._head(turn)
        is_claude = request.dialect == "anthropic"
        if is_claude:
            yield from self._marks(turn)
            yield from self._first(turn)
        for i in range(max(0, turn.fresh.start - 1), len(request.messages)):
            yield from self._role(turn, i)
            yield from self._no_content(turn, i)
            if is_claude:
                yield from self._blank(turn, i)
                yield from self._system(turn, i)
                yield from self._results_first(turn, i)

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on any shape that is refused."""
        del lanes
        return settle(
            RULE,
            unit="requests",
            checked=self._checked,
            findings=findings,
            nothing="no request of a dialect that the table of refused shapes has",
            unknown=without_head(self._context),
        )

    def _fault(self, turn: Turn, fault: Fault, key: object, place: Place | None, more: str = "") -> Iterator[Finding]:
        says = RULES[fault].says + more
        yield from self._faults.once(turn, fault.value, repr(key), says, place=place)

    def _head(self, turn: Turn) -> Iterator[Finding]:
        """Tools and system prompt, once for each distinct pair."""
        tools, system = turn.request.tools or (), turn.request.system or ()
        head = (*tools, *system)
        if head in self._heads or turn.request.dialect != "anthropic":
            return
        self._heads.add(head)
        names: set[str] = set()
        for i, item in enumerate(tools):
            name = item.parts[0].name
            if name is not None and name in names:
                yield from self._fault(
                    turn, Fault.SAME_TOOL_NAME, name, Place(section=Section.TOOLS, i_item=i, inner="name"), f": {name}"
                )
            names.add(name or "")
        for i, item in enumerate(system):
            part = item.parts[0]
            if part.path and _is_blank(item, part):
                yield from self._fault(
                    turn,
                    Fault.BLANK_TEXT,
                    ("system", i),
                    Place(section=Section.SYSTEM, i_item=i, inner=part.path),
                )

    def _marks(self, turn: Turn) -> Iterator[Finding]:
        request = turn.request
        found = self._tallies.advance(turn)
        n_marks, section = found.n_marks, Section.MESSAGES
        for of_head, items in ((Section.SYSTEM, request.system or ()), (Section.TOOLS, request.tools or ())):
            head = Tally()
            for i, item in enumerate(items):
                head = tally(head, item, i)
            if head.n_marks and not n_marks:
                found, section = head, of_head
            n_marks += head.n_marks
        if n_marks == ANTHROPIC.most and isinstance(settings(request).get(CLAUDE_KEY), dict):
            n_marks += not (section is Section.MESSAGES and _is_at_end(found, request.messages))
        if n_marks > ANTHROPIC.most:
            place = Place(section=section, i_item=found.i_item, inner=found.inner)
            yield from self._fault(turn, Fault.TOO_MANY_MARKS, None, place, f": {n_marks}")

    def _first(self, turn: Turn) -> Iterator[Finding]:
        messages = turn.request.messages
        if not messages or messages[0].role != "assistant":
            return
        blocks = content_blocks(messages[0])
        if not (blocks and blocks[0].get("type") == ITEM):
            yield from self._fault(turn, Fault.FIRST_NOT_USER, None, _place(0))

    def _role(self, turn: Turn, i: int) -> Iterator[Finding]:
        item = turn.request.messages[i]
        if item.role not in ROLES[turn.request.dialect]:
            yield from self._fault(turn, Fault.UNKNOWN_ROLE, item.role, _place(i, "role"), f": {item.role!r}")

    def _no_content(self, turn: Turn, i: int) -> Iterator[Finding]:
        messages = turn.request.messages
        item = messages[i]
        if turn.request.dialect == "anthropic":
            is_last_answer = i == len(messages) - 1 and item.role == "assistant"
            if not is_last_answer and _has_nothing(item):
                yield from self._fault(turn, Fault.NO_CONTENT, _content_key(item, i), _place(i))
        elif _chat_says_nothing(item):
            yield from self._fault(turn, Fault.NO_CONTENT, _content_key(item, i), _place(i))

    def _blank(self, turn: Turn, i: int) -> Iterator[Finding]:
        item = turn.request.messages[i]
        for part in item.parts:
            if part.path.startswith("content.") and _is_blank(item, part):
                key = (item.rendered.hex(), part.path)
                yield from self._fault(turn, Fault.BLANK_TEXT, key, _place(i, part.path))

    def _system(self, turn: Turn, i: int) -> Iterator[Finding]:
        messages = turn.request.messages
        item = messages[i]
        if item.role != "system" or i == 0:
            return
        key = item.rendered.hex()
        taken = takes_system_in_list(turn.request.model)
        if taken is False:
            yield from self._fault(turn, Fault.SYSTEM_IN_LIST, key, _place(i))
            return
        follows_user = messages[i - 1].role in ("user", "system")
        leads_on = i + 1 == len(messages) or messages[i + 1].role in ("assistant", "system")
        if not (follows_user and leads_on):
            yield from self._fault(turn, Fault.SYSTEM_MISPLACED, key, _place(i))
        elif taken is None:
            yield from self._faults.once(
                turn,
                "system_in_list_unknown",
                turn.request.model,
                f"a system message in the list: whether {turn.request.model or 'the model'} takes one is not known",
                place=_place(i),
                is_note=True,
            )

    def _results_first(self, turn: Turn, i: int) -> Iterator[Finding]:
        """A result behind other content, in its message or in the user message before that (they are one turn)."""
        messages = turn.request.messages
        item = messages[i]
        results = _results(item) if item.role == "user" else []
        if True not in results:
            return
        before = _results(messages[i - 1]) if i and messages[i - 1].role == "user" else []
        run = [*before[-1:], *results]
        at = next((k for k in range(1, len(run)) if run[k] and not run[k - 1]), None)
        if at is not None:
            inner = f"content.{at - len(before[-1:])}"
            yield from self._fault(turn, Fault.RESULT_NOT_FIRST, (item.rendered.hex(), inner), _place(i, inner))


def _place(i_message: int, inner: str = "") -> Place:
    return Place(section=Section.MESSAGES, i_item=i_message, inner=inner)


def _is_at_end(found: Tally, messages: tuple[Item, ...]) -> bool:
    """True where the last mark is on the last block of all: the automatic one adds nothing to it."""
    last = len(messages) - 1
    return found.i_item == last and found.inner == f"content.{len(content_blocks(messages[last])) - 1}"


def _is_blank(item: Item, part: Part) -> bool:
    """True for a text that is empty or white space; inside a tool result, only for one that is empty."""
    if part.slot is None:
        return False
    literal = item.view()[part.slot.start : part.slot.stop]
    if part.kind is Kind.TOOL_RESULT:
        return len(literal) == len('""') and part.path.endswith(".text")
    return _BLANK.fullmatch(literal) is not None


def _has_nothing(item: Item) -> bool:
    """True where the content is missing, an empty list, or a blank string."""
    part = item.parts[0]
    return part.path == "" if part.path != "content" else len(item.parts) == 1 and _is_blank(item, part)


def _content_key(item: Item, i: int) -> object:
    return item.rendered.hex() or i


def _chat_says_nothing(item: Item) -> bool:
    """True for a Chat message without content that is not an answer made of something else."""
    if item.parts[0].path:
        return False
    message = decoded(item)
    if not isinstance(message, dict) or message.get("content") not in (None, []):
        return False
    return not (item.role == "assistant" and any(message.get(key) for key in ("tool_calls", "refusal", "audio")))


def _results(item: Item) -> list[bool]:
    """For each content block of a user message, whether it is a client tool's result."""
    found: dict[str, bool] = {}
    for part in item.parts:
        block = ".".join(part.path.split(".")[:2])
        found.setdefault(block, part.pair_id is not None or part.kind is Kind.TOOL_RESULT)
    return list(found.values())
