"""The answers of a Claude Code session, each with the request that it answers."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from cgcli.readers.histories.claude_code.lines import Kind
from cgcli.readers.histories.claude_code.messages import Answer, user_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.readers.histories.claude_code.lines import Line
    from cgcli.readers.histories.claude_code.links import Tree

_TOLD = (Kind.ANSWER, Kind.SAID)


class Turn:
    """An answer, which takes several rows, and what was said before it."""

    __slots__ = (
        "answer",
        "answered_s",
        "asked",
        "before",
        "first",
        "is_restart",
        "key",
        "line",
        "reopens",
        "results",
        "said",
        "sent_s",
    )

    def __init__(self, line: Line, before: Turn | None, first: Line, told_s: float) -> None:
        """The turn that *line* is the first row of, after the turn *before*, in the conversation from *first* on.

        *told_s*: the row's time, or else that of the row before.
        """
        self.line = line
        self.first = first
        self.before = before
        self.answer = Answer()
        self.answered_s = line.time_s
        self.asked: bytes | None = None
        """The user message between `before` and this answer."""
        self.said: bytes | None = None
        """The answer as a message."""
        self.sent_s: float | None = None
        """The time of the newest row before the answer."""
        self.results: list[Line] = []
        """The rows with the results of its calls, wherever they hang."""
        self.is_restart = False
        """It is the first after a compaction."""
        self.reopens: Turn | None = None
        """The last turn before that compaction, where the file says which."""
        older = before.key if before is not None else (0.0, 0)
        self.key: tuple[float, int] = (max(told_s, older[0]), max(line.line, older[1]))
        """By when it was sent, but never before what it goes on from."""

    @property
    def is_answer(self) -> bool:
        """True where a model gave it."""
        return self.line.kind is Kind.ANSWER

    @property
    def identity(self) -> str | None:
        """What tells that an answer is the same one: a resumed session copies rows under new uuids."""
        return _identity(self.line)

    def history(self, earlier: Histories) -> Sequence[bytes]:
        """The messages of the request, in order; *earlier* knows those of the turn before, as a rule."""
        before = earlier.before(self)
        return [*before, self.asked] if self.asked is not None else before


class Histories:
    """What was said up to the last turn that was asked about: mostly the next one goes on from it."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._upto: Turn | None = None
        self._said: list[bytes] = []

    def before(self, turn: Turn) -> Sequence[bytes]:
        """What was said before *turn* and its question; good until the next one is asked about."""
        new: list[Turn] = []
        one = turn.before
        while one is not None and one is not self._upto:
            new.append(one)
            one = one.before
        if one is None:
            self._said.clear()
        self._upto = turn.before
        self._said += (said for each in reversed(new) for said in (each.asked, each.said) if said is not None)
        return self._said


def turns_of(tree: Tree) -> list[Turn]:
    """Every turn of *tree*, in the order in which they were sent."""
    talk = _Talk(tree)
    for place in tree.order:
        talk.place(place)
    for turn, anchor in talk.begun:
        talk.ask(turn, anchor)
        turn.said = turn.answer.message()
    for turn, _ in talk.begun:
        turn.results.clear()
    return sorted((turn for turn, _ in talk.begun), key=lambda turn: (*turn.key, turn.line.line))


class _Talk:
    """What is known of each row while the tree is walked from its roots."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.begun: list[tuple[Turn, int | None]] = []
        """The turns, each with the place that it hangs on."""
        self.owners: list[Turn | None] = [None] * len(tree.lines)
        """The newest turn at or above each row."""
        self.stops: list[int | None] = [None] * len(tree.lines)
        """The nearest row, at or above each, that is no tool result and not without a say."""
        self.solid: list[int | None] = [None] * len(tree.lines)
        """The nearest row, at or above each, that says something."""
        self.roots: list[int] = [0] * len(tree.lines)
        """The first row of each one's conversation."""
        self.times_s = list(accumulate((line.time_s for line in tree.lines), _newer_time))
        """When each row was written, as far as rows tell: a row without a time comes at that of the row before."""
        self.by_anchor: dict[tuple[str, int | None], Turn] = {}

    def place(self, place: int) -> None:
        """Take the next row; its parent was taken before."""
        line, parent = self.tree.lines[place], self.tree.parents[place]
        self.roots[place] = self.roots[parent] if parent is not None else place
        above = self.owners[parent] if parent is not None else None
        stop = self.stops[parent] if parent is not None else None
        if line.kind in _TOLD and line.part is not None:
            turn = self._turn(line, place, stop)
            turn.answer.add(line.part)
            turn.answered_s = max(line.time_s or 0.0, turn.answered_s or 0.0) or None
            self.owners[place] = turn
        else:
            self.owners[place] = above
            if line.is_result and above is not None and stop is not None and self.tree.lines[stop].kind in _TOLD:
                above.results.append(line)
        passes = line.is_result or line.kind is Kind.LINK
        self.stops[place] = stop if passes and parent is not None else place
        is_link = line.kind is Kind.LINK and parent is not None
        self.solid[place] = self.solid[parent] if is_link and parent is not None else place

    def _turn(self, line: Line, place: int, stop: int | None) -> Turn:
        """The turn that *line* is a row of: that of the rows above with its id, or a new one."""
        identity = _identity(line)
        parent = self.tree.parents[place]
        above = self.owners[parent] if parent is not None else None
        hangs_on = self.solid[parent] if parent is not None else None
        if identity is not None:
            is_next = above is not None and stop is not None and self.tree.lines[stop].kind in _TOLD
            if is_next and above is not None and above.identity == identity:
                return above
            if (sibling := self.by_anchor.get((identity, hangs_on))) is not None:
                return sibling
        turn = Turn(line, above, self.tree.lines[self.roots[place]], self.times_s[place] or 0.0)
        self.begun.append((turn, parent))
        if identity is not None:
            self.by_anchor[identity, hangs_on] = turn
        return turn

    def ask(self, turn: Turn, anchor: int | None) -> None:
        """Put together what was said between *turn* and the one before, down from *anchor*."""
        said: list[Line] = []
        times_s = [line.time_s for line in turn.before.results] if turn.before is not None else []
        at = anchor
        while at is not None and self.tree.lines[at].kind not in _TOLD:
            line = self.tree.lines[at]
            times_s.append(line.time_s)
            if line.content is not None:
                said.append(line)
            turn.is_restart |= line.is_summary or line.kind is Kind.BOUNDARY
            if (logical := self.tree.logical[at]) is not None:
                turn.reopens = self.owners[logical]
            at = self.tree.parents[at]
        said.reverse()
        results = [line for line in said if line.is_result]
        if turn.before is not None:
            results += _elsewhere(turn.before, said)
        results.sort(key=lambda line: (line.time_s or 0.0, line.line))
        lines = results + [line for line in said if not line.is_result]
        turn.asked = user_message([line.content for line in lines if line.content is not None])
        known_s = [time_s for time_s in times_s if time_s is not None]
        if known_s and turn.line.time_s is not None:
            turn.sent_s = min(max(known_s), turn.line.time_s)


def _newer_time(before_s: float | None, time_s: float | None) -> float | None:
    return before_s if time_s is None else time_s


def _identity(line: Line) -> str | None:
    return (line.part.message_id if line.part is not None else None) or line.request


def _elsewhere(before: Turn, said: list[Line]) -> Iterator[Line]:
    """Results of the calls of *before* that hang on another row of it than what was *said*."""
    calls = before.answer.calls
    answered = {block.answers for line in said if line.content is not None for block in line.content.blocks}
    for line in before.results:
        ids = {block.answers for block in line.content.blocks if block.answers} if line.content is not None else set()
        if ids & calls and not ids & answered:
            answered |= ids
            yield line
