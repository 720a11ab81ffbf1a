"""G-BREAKPOINTS: cache marks are such that the provider takes them, writes at them and finds them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.faults import Faults
from cgcli.checks.minimum import Minimum
from cgcli.checks.places import Place
from cgcli.checks.verdict import settle, without_head
from cgcli.checks.wire_folding import WireFolding
from cgcli.dialects.settings import settings
from cgcli.model import Section, changed, value
from cgcli.prefix.marked import CLAUDE_KEY, Marked, Walk, step
from cgcli.providers.breakpoints import ANTHROPIC, DEFAULT_TTL, OPENAI, OPENAI_IMPLICIT_WRITES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.model import Item

RULE = Rule(
    gate="G-BREAKPOINTS",
    title="Cache marks are taken, written and found again",
    checks=(
        "Each request that sets cache marks. Claude: at most 4 over tools, system prompt and messages, an automatic "
        "one included; no 1h mark behind a 5m one; none on thinking, empty text or a whole message; a lifetime that "
        "exists. A request that goes on from another finds the entry that was written last: from one of its marks, "
        "at most 20 positions back; a run of tool_use blocks is one position, and so is a run of tool_result blocks. "
        "In a lane of several requests the marked prefix reaches the model's minimum. OpenAI: the lifetimes, and how "
        "many marks are written. A growing lane without any mark is a note."
    ),
    why=(
        "Five marks, or a 1h mark behind a 5m one, are answered with 400. A mark below the minimum writes nothing and "
        "says nothing. A turn that adds more than 20 positions is billed as new input whole, and looks like any other."
    ),
    failing=(
        "turn 1  … mark on position 9\n"
        "turn 2  … 25 more blocks (read, think, read, think …), mark on position 34: positions 34 to 15 are looked at"
    ),
    passing="turn 2  … 25 more blocks, marks on positions 24 and 34: from 24, position 9 is found",
    fix=(
        "Keep a mark where the request before had its last one, and set another at most 19 positions further on. Take "
        "old marks away before a fifth is set. Put the marks with the longest lifetime first: tools, then system."
    ),
    proves_not="That the cache was read: the prefix must be the same (G-APPEND) and not lapsed.",
    source=f"{ANTHROPIC.source}; {OPENAI.source}.",
    since="0.2.0",
)
_UNIT = "requests with marks"
_NOTHING = "no request sets a cache mark"


@value
class _Unmarked:
    """A thread that has not set a mark so far: its last request, and how many go on from another."""

    line: int
    i_exchange: int
    n_grown: int


class Breakpoints:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-BREAKPOINTS at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._context = context
        self._walks = WireFolding(Walk(), step)
        self._heads: dict[tuple[Item, ...], Walk] = {}
        self._faults = Faults(context)
        self._last: dict[int, int | None] = {}
        """The position of each request's last mark."""
        self._minimum = Minimum()
        self._checked = 0
        self._unmarked: dict[int, _Unmarked | None] = {}

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Look at the marks of the request."""
        marks, n_marks, automatic = self._marks(turn)
        yield from self._flaws(turn, marks)
        if automatic is not None:
            yield from self._automatic(turn, marks, automatic)
            if not (marks and marks[-1].position == automatic.position):
                marks, n_marks = (*marks, automatic), n_marks + 1
        self._last[turn.i_exchange] = marks[-1].position if marks else None
        if not marks:
            self._without(turn)
            return
        self._unmarked[turn.thread] = None
        self._checked += 1
        if marks[0].key == CLAUDE_KEY:
            yield from self._claude(turn, marks, n_marks)
        else:
            yield from self._openai(turn, marks, n_marks)

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on a mark that is refused, writes nothing, or is not found again."""
        del lanes
        return settle(
            RULE,
            unit=_UNIT,
            checked=self._checked,
            findings=(*findings, *self._minimum.findings(), *self._growing_unmarked()),
            nothing=_NOTHING,
            unknown=without_head(self._context),
        )

    def _marks(self, turn: Turn) -> tuple[tuple[Marked, ...], int, Marked | None]:
        """The marks in cache order, how many there are, and the automatic one."""
        request = turn.request
        head = self._head((*(request.tools or ()), *(request.system or ())), len(request.tools or ()))
        walk = self._walks.advance(turn)
        own = tuple(
            changed(mark, position=mark.position + head.position, prefix_bytes=mark.prefix_bytes + head.prefix_bytes)
            for mark in walk.marks
        )
        automatic = None
        asked = settings(request).get(CLAUDE_KEY) if request.dialect == "anthropic" else None
        if isinstance(asked, dict):
            ttl = asked.get("ttl")
            automatic = Marked(
                key=CLAUDE_KEY,
                ttl=ttl if isinstance(ttl, str) else None,
                section=Section.MESSAGES,
                i_item=max(0, len(request.messages) - 1),
                inner="",
                position=head.position + walk.position,
                prefix_bytes=head.prefix_bytes + walk.prefix_bytes,
                flaw=None,
            )
        return (*head.marks, *own), head.n_marks + walk.n_marks, automatic

    def _head(self, items: tuple[Item, ...], n_tools: int) -> Walk:
        """The marks of tools and system prompt; looked at once for each distinct pair of them."""
        walk = self._heads.get(items)
        if walk is None:
            walk = Walk()
            for i, item in enumerate(items):
                walk = step(walk, item, i if i < n_tools else i - n_tools)
            self._heads[items] = walk
        return walk

    def _automatic(self, turn: Turn, marks: tuple[Marked, ...], automatic: Marked) -> Iterator[Finding]:
        last = marks[-1] if marks else None
        if last is not None and last.position == automatic.position and _ttl(last) != _ttl(automatic):
            yield from self._faults.once(
                turn,
                "automatic_ttl",
                (_ttl(last), _ttl(automatic)),
                f"the last block has a {_ttl(last)} mark, the automatic one {_ttl(automatic)}: answered with 400",
                place=_place(last),
            )

    def _claude(self, turn: Turn, marks: tuple[Marked, ...], n_marks: int) -> Iterator[Finding]:
        if n_marks > ANTHROPIC.most:
            fifth = marks[min(ANTHROPIC.most, len(marks) - 1)]
            yield from self._faults.once(
                turn,
                "too_many_marks",
                None,
                f"{n_marks} marks, {ANTHROPIC.most} may be set: answered with 400",
                place=_place(fifth),
            )
        yield from self._order(turn, marks)
        yield from self._ttls(turn, marks, ANTHROPIC.ttls)
        yield from self._look_back(turn, marks)
        self._minimum.see(turn, marks[-1])

    def _order(self, turn: Turn, marks: tuple[Marked, ...]) -> Iterator[Finding]:
        first_short = next((mark for mark in marks if _ttl(mark) == ANTHROPIC.ttls[-1]), None)
        if first_short is None:
            return
        for mark in marks:
            if mark.position > first_short.position and _ttl(mark) == ANTHROPIC.ttls[0]:
                yield from self._faults.once(
                    turn,
                    "ttl_order",
                    (mark.section, first_short.section),
                    f"a 1h mark behind the 5m mark at {_place(first_short).path}: answered with 400",
                    place=_place(mark),
                )
                return

    def _ttls(self, turn: Turn, marks: tuple[Marked, ...], known: tuple[str, ...]) -> Iterator[Finding]:
        for mark in marks:
            if mark.ttl is not None and mark.ttl not in known:
                yield from self._faults.once(
                    turn,
                    "ttl_unknown",
                    mark.ttl,
                    f"no mark lives {mark.ttl!r}: {' and '.join(reversed(known))} exist",
                    place=_place(mark),
                )

    def _look_back(self, turn: Turn, marks: tuple[Marked, ...]) -> Iterator[Finding]:
        """Is the entry that the request before wrote last found from one of these marks?"""
        if turn.before is None or ANTHROPIC.look_back is None or turn.before.i_exchange not in self._last:
            return
        written = self._last[turn.before.i_exchange]
        if written is None or written > marks[-1].position:
            return
        nearest = min(mark.position for mark in marks if mark.position >= written)
        n_looked_at = nearest - written + 1
        if n_looked_at > ANTHROPIC.look_back and turn.breaks is None:
            yield from self._faults.once(
                turn,
                "look_back",
                turn.i_exchange,
                f"the last mark of the request before stands at position {written}, the nearest mark behind it at "
                f"{nearest}: {ANTHROPIC.look_back} positions are looked at, {n_looked_at} would be needed",
                place=_place(next(mark for mark in marks if mark.position == nearest)),
            )

    def _openai(self, turn: Turn, marks: tuple[Marked, ...], n_marks: int) -> Iterator[Finding]:
        options = settings(turn.request).get("prompt_cache_options")
        is_explicit = isinstance(options, dict) and options.get("mode") == "explicit"
        written = OPENAI.most if is_explicit else OPENAI.most - OPENAI_IMPLICIT_WRITES
        if n_marks > written:
            yield from self._faults.once(
                turn,
                "unwritten_marks",
                None,
                f"{n_marks} marks: only the last {written} are written",
                place=_place(marks[0]),
                is_note=True,
            )
        yield from self._ttls(turn, marks, OPENAI.ttls)

    def _flaws(self, turn: Turn, marks: tuple[Marked, ...]) -> Iterator[Finding]:
        for mark in marks:
            flaw = mark.flaw
            if turn.request.dialect == "anthropic" and mark.section is Section.MESSAGES and not mark.inner:
                flaw = "a message cannot be marked, only its blocks"
            if flaw is not None:
                yield from self._faults.once(turn, "unmarkable", (flaw, mark.i_item), flaw, place=_place(mark))

    def _without(self, turn: Turn) -> None:
        """Remember a lane that has grown and never set a mark."""
        if turn.request.dialect != "anthropic" or self._unmarked.get(turn.thread, 0) is None:
            return
        known = self._unmarked.get(turn.thread)
        n_grown = (known.n_grown if known is not None else 0) + (turn.before is not None)
        self._unmarked[turn.thread] = _Unmarked(line=turn.line, i_exchange=turn.i_exchange, n_grown=n_grown)

    def _growing_unmarked(self) -> Iterator[Finding]:
        for known in self._unmarked.values():
            if known is not None and known.n_grown:
                yield Finding(
                    message=f"nothing is cached without a mark; requests that bill a history again: {known.n_grown}",
                    line=known.line,
                    i_exchange=known.i_exchange,
                    kind="no_marks",
                    is_note=True,
                )


def _ttl(mark: Marked) -> str:
    return mark.ttl or DEFAULT_TTL


def _place(mark: Marked) -> Place:
    return Place(section=mark.section, i_item=mark.i_item, inner=mark.inner)
