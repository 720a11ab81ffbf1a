"""What is found in one text of a file, at any depth of texts inside it."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from cgcli.scrub.finder import find
from cgcli.scrub.finding import EMBEDDED, Finding
from cgcli.scrub.levels import Level, levels
from cgcli.scrub.memory import Memory
from cgcli.scrub.named import Role
from cgcli.scrub.stretch import Stretches, is_container

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.scrub.finder import Known
    from cgcli.scrub.stretch import Stretch

_OPEN = frozenset({Role.TEXT, Role.STRUCTURE, Role.SECRET, Role.TOKEN})
"""Of these a text that is JSON is read as such; a header is a secret whatever it looks like."""
_PLAIN = frozenset({Role.TEXT, Role.STRUCTURE})


class Hit(NamedTuple):
    """Something found: where in the text that was read, and what it says."""

    start: int
    stop: int
    kind: str
    value: str
    spreads: bool
    in_key: bool
    """True in the name of a JSON member."""
    raw: tuple[int, ...]
    """Where each of its characters begins in the text that was read, and the end of the last."""


class Reading:
    """Reads texts; a string of JSON that was read before is not read again."""

    def __init__(self, known: Known) -> None:
        """Look for what is *known*, and for what a text shows by itself."""
        self.known = known
        self._memory: Memory[tuple[Hit, ...]] = Memory()

    def hits(self, text: str, role: Role, *, is_escaped: bool, known_only: bool = False) -> list[Hit]:
        """What is to be replaced in *text* and in the texts inside it, in order and disjoint.

        *role* is what a JSON name says of it. *is_escaped* tells that a backslash of *text* itself is an escape, so
        that it is not read as it stands. With *known_only* nothing else than what is known is looked for.
        """
        if role is Role.OPAQUE:
            return []
        level = Level(text)
        if is_escaped:
            level = level.inner() or level
        if role in _OPEN and is_container(level.text):
            return list(self._in_json(level, known_only=known_only))
        return self._in_text(level, role, known_only=known_only)

    def _in_text(self, level: Level, role: Role, *, known_only: bool) -> list[Hit]:
        r"""What stands in *level* and in what is read out of it.

        The innermost is asked first: the `n` of `\nanna@…` is no letter of the address.
        """
        below = role if role in _PLAIN else Role.TEXT
        asked = [(level, role)] if role is not below else []
        kept: list[Hit] = []
        for one, how in [*asked, *((inner, below) for inner in reversed(list(levels(level))))]:
            found = (_hit(one, what) for what in find(one.text, how, self.known, known_only=known_only))
            kept = sorted([*kept, *(hit for hit in found if not _touches(hit, kept))])
        return kept

    def _in_json(self, level: Level, *, known_only: bool) -> Iterator[Hit]:
        """What stands in the strings of *level*, which is JSON."""
        data = level.text.encode("utf-8", "surrogatepass")
        at_bytes = at = 0
        for stretch in Stretches().of(data):
            content = data[stretch.start : stretch.stop]
            found = self._string(content, stretch, known_only=known_only)
            if not found:
                continue
            at += len(data[at_bytes : stretch.start].decode("utf-8", "surrogatepass"))
            at_bytes = stretch.start
            for hit in found:
                yield Hit(
                    start=level.at(at + hit.start),
                    stop=level.at(at + hit.stop),
                    kind=hit.kind,
                    value=hit.value,
                    spreads=hit.spreads,
                    in_key=hit.in_key or stretch.is_key,
                    raw=tuple(level.at(at + i) for i in hit.raw),
                )

    def _string(self, content: bytes, stretch: Stretch, *, known_only: bool) -> tuple[Hit, ...]:
        key = Memory.key((stretch.role, known_only), content)
        found = self._memory.get(key)
        if found is None:
            text = content.decode("utf-8", "surrogatepass")
            found = tuple(self.hits(text, stretch.role, is_escaped=stretch.is_escaped, known_only=known_only))
            self._memory.keep(key, found, size_bytes=sum(len(hit.value) * 10 for hit in found))
        return found


def _touches(hit: Hit, kept: Sequence[Hit]) -> bool:
    """True where *hit* overlaps one of *kept*, which are disjoint and in order."""
    i = bisect_right(kept, hit.start, key=lambda one: one.start)
    return (i > 0 and kept[i - 1].stop > hit.start) or (i < len(kept) and kept[i].start < hit.stop)


def _hit(level: Level, found: Finding) -> Hit:
    characters = range(found.start, found.stop + 1) if found.kind != EMBEDDED else ()
    return Hit(
        start=level.at(found.start),
        stop=level.at(found.stop),
        kind=found.kind,
        value=level.text[found.start : found.stop],
        spreads=found.spreads,
        in_key=False,
        raw=tuple(map(level.at, characters)),
    )
