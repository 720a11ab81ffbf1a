"""What new answers need of what was not sent: a fragment that they cite, an output that they fetch again."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.model import Kind, value
from cgcli.replay.paired.regret_fragments import answered
from cgcli.replay.paired.regret_words import MIN_LINE_CHARS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cgcli.model import Item, Request
    from cgcli.replay.paired.regret_drops import Drop
    from cgcli.replay.paired.regret_fragments import Fragments, Place
    from cgcli.replay.paired.regret_seen import Hidden

COMES_BACK_SHARE = 0.8
"""Of the lines that are not sent any more: so many of them again in one output are the same output again."""
MIN_BACK_CHARS = 100
"""Less than that comes again by chance: a status line, a count of files."""
_AROUND_CHARS = 200
"""Of a longer line so much on each side of a fragment counts with it."""


class RegretKind(StrEnum):
    """How later turns show that they needed something."""

    CITE = "cite"
    """An answer names something that it was not sent."""
    REFETCH = "refetch"
    """A tool gives it again."""


@value
class Regret:
    """Something that was dropped, and needed."""

    kind: RegretKind
    component: str
    """Which one dropped it."""
    dropped_line: int
    """The line of the request in the file in which it was first missing."""
    dropped_path: str
    """Where it stood, as `messages.5.content.0.content`."""
    needed_line: int
    """The line of the request in whose history the answer stands that needed it."""
    needed_path: str
    fragment: str
    """Of the dropped text, not in what was sent: at most 160 characters."""
    tokens: int
    """Counted: what came back; for a cite the lines that have the fragment. Never more than the edit saved."""


class Needs:
    """Looks at the answers to one request."""

    def __init__(
        self,
        hidden: Hidden,
        fragments: Fragments,
        counted: set[tuple[RegretKind, Place]],
        count: Callable[[str], int],
    ) -> None:
        """*hidden* is what the request did not say; what is *counted* is not counted again, and added to."""
        self._hidden = hidden
        self._dropped = hidden.seen.dropped
        self._fragments = fragments
        self._counted = counted
        self._count = count

    def cites(self, request: Request, line: int, new: Sequence[int]) -> Iterator[Regret]:
        """The drops that the answers among messages *new* of *request*, which stands on *line*, name something of."""
        said: set[str] = set()
        before: list[Item] = []
        for i in new:
            item = request.messages[i]
            words = self._words(item) if item.role == "assistant" else {}
            if any(words.values()):
                self._fragments.read_words()
                said.update(*(found for one in before for found in self._words(one).values()))
                before.clear()
                for k, found in words.items():
                    # The longest says most.
                    for word in sorted(found - said, key=lambda one: (-len(one), one)):
                        yield from self._cite(word, line, _path(i, item, k))
            before.append(item)

    def _words(self, item: Item) -> dict[int, frozenset[str]]:
        return {k: self._fragments.words((item.rendered, k)) for k in range(len(item.parts))}

    def _cite(self, word: str, line: int, path: str) -> Iterator[Regret]:
        drop = self._hidden.drop(word)
        if drop is None or self._is_counted(RegretKind.CITE, drop) or self._hidden.is_sent(word):
            return
        held = [_around(held, word) for held in drop.text.splitlines() if word in held]
        yield self._regret(RegretKind.CITE, drop, (line, path), word, "\n".join(held))

    def refetches(self, request: Request, line: int, new: Sequence[int]) -> Iterator[Regret]:
        """The drops that calls in messages *new* of *request* fetch again, or that outputs of such calls have again."""
        made: set[str] = set()
        back: dict[str, set[str]] = {}
        for i in new:
            item = request.messages[i]
            if item.role == "assistant":
                for k, call in self._fragments.calls(item).items():
                    made.add(call.joins)
                    yield from self._same_call(call.asks, back.setdefault(call.joins, set()), line, _path(i, item, k))
            for k, part in enumerate(item.parts):
                joins = answered(item, part) if part.kind is Kind.TOOL_RESULT else None
                if joins is not None and joins in made:
                    yield from self._same_lines((item.rendered, k), back[joins], line, _path(i, item, k))

    def _same_call(self, asks: str, back: set[str], line: int, path: str) -> Iterator[Regret]:
        """The newest output of the same call, where it was dropped; its lines are added to what came *back*."""
        place = self._dropped.by_call.get(asks)
        if place is None:
            return
        drop = self._dropped.by_place[place]
        lost = self._lost(drop)
        fragment = self._first_hidden(lost)
        if fragment is None or self._is_asked_behind(place, asks):
            return
        back.update(self._fragments.lines(place))
        if not self._is_counted(RegretKind.REFETCH, drop):
            yield self._regret(RegretKind.REFETCH, drop, (line, path), fragment, "\n".join(lost))

    def _is_asked_behind(self, place: Place, asks: str) -> bool:
        """True where the same call was made again behind *place*, and what it gave was sent."""
        for item in reversed(self._hidden.seen.messages):
            if item.rendered == place[0]:
                return False
            if any(call.asks == asks for call in self._fragments.calls(item).values()):
                return True
        return False

    def _same_lines(self, place: Place, back: set[str], line: int, path: str) -> Iterator[Regret]:
        """The drops whose lines the output at *place* has again, but for those that came *back* with another one."""
        lost_by = self._hidden.drop
        hidden = {one for one in self._fragments.again(place) if one not in back and lost_by(one) is not None}
        if sum(map(len, hidden)) < MIN_BACK_CHARS:
            return
        holders = set().union(*map(self._fragments.holders, hidden))
        here = self._fragments.lines(place)
        for other, drop in self._dropped.newest_first(holders):
            lines = self._fragments.lines(other)
            returned = (lines & hidden) - drop.kept - back
            if sum(map(len, returned)) < MIN_BACK_CHARS:
                continue
            missing = (one for one in lines if one not in here and one not in drop.kept)
            if not self._comes_back(missing, len(returned)):
                continue
            again = [one for one in self._lost(drop) if one.strip() in returned]
            fragment = self._first_hidden(again)
            if fragment is None:
                continue
            back |= returned
            if not self._is_counted(RegretKind.REFETCH, drop):
                yield self._regret(RegretKind.REFETCH, drop, (line, path), fragment, "\n".join(again))

    def _comes_back(self, missing: Iterable[str], n_returned: int) -> bool:
        """True where *n_returned* lines of a dropped part are enough beside its *missing* ones that were not sent."""
        allowed = n_returned / COMES_BACK_SHARE - n_returned
        n_hidden = 0
        elsewhere = []
        for one in missing:
            if self._fragments.is_repeated(one):
                elsewhere.append(one)
            else:  # it stands in the dropped part alone
                n_hidden += 1
                if n_hidden > allowed:
                    return False
        for one in elsewhere:
            n_hidden += self._hidden.drop(one) is not None
            if n_hidden > allowed:
                return False
        return True

    def _lost(self, drop: Drop) -> list[str]:
        """The lines of the dropped text that do not stand in what took its place."""
        return [one for one in drop.text.splitlines() if one.strip() and one.strip() not in drop.kept]

    def _first_hidden(self, lost: Sequence[str]) -> str | None:
        """A piece of the first line that was not sent; None where all were."""
        hidden = (one.strip() for one in lost if len(one.strip()) >= MIN_LINE_CHARS)
        pieces = (self._hidden.piece(one) for one in hidden if self._hidden.drop(one) is not None)
        return next((piece for piece in pieces if piece is not None), None)

    def _is_counted(self, kind: RegretKind, drop: Drop) -> bool:
        return (kind, (drop.item.rendered, drop.i_part)) in self._counted

    def _regret(self, kind: RegretKind, drop: Drop, needed: tuple[int, str], fragment: str, text: str) -> Regret:
        self._counted.add((kind, (drop.item.rendered, drop.i_part)))
        line, path = needed
        return Regret(
            kind=kind,
            component=drop.component,
            dropped_line=drop.line,
            dropped_path=drop.path,
            needed_line=line,
            needed_path=path,
            fragment=fragment,
            tokens=min(self._count(text), max(0, drop.decision.saved_tokens)),
        )


def _path(i_message: int, item: Item, i_part: int) -> str:
    inner = item.parts[i_part].path
    return f"messages.{i_message}.{inner}" if inner else f"messages.{i_message}"


def _around(line: str, word: str) -> str:
    at = line.find(word)
    return line[max(0, at - _AROUND_CHARS) : at + len(word) + _AROUND_CHARS]
