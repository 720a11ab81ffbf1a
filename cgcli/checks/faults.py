"""Findings that are told once: a history repeats its faults in every request."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from cgcli.checks.base import Finding
from cgcli.checks.places import byte_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from cgcli.checks.base import Context
    from cgcli.checks.places import Place
    from cgcli.checks.turn import Turn

MOST_OF_A_KIND = 100
"""How many findings of one kind a thread may have; what comes after is said in one note."""


class Faults:
    """Remembers what was told of each thread."""

    def __init__(self, context: Context) -> None:
        """Nothing was told yet; independent requests count as one thread."""
        self._is_independent = context.is_independent
        self._told: set[tuple[int, str, Hashable]] = set()
        self._counts: Counter[tuple[int, str]] = Counter()

    def once(
        self,
        turn: Turn,
        kind: str,
        key: Hashable,
        message: str,
        *,
        place: Place | str | None = None,
        is_note: bool = False,
    ) -> Iterator[Finding]:
        """A finding of *kind* in *turn*, unless its thread had one with the same *key*.

        Args:
            turn: The request.
            kind: A short name for what is wrong.
            key: What makes it a fault of its own; the same one is told once.
            message: A line for a person.
            place: Where it is; the path alone for a setting.
            is_note: It is no failure.
        """
        told = (0 if self._is_independent else turn.thread, kind, key)
        counted = told[:2]
        if told in self._told or self._counts[counted] > MOST_OF_A_KIND:
            return
        self._told.add(told)
        self._counts[counted] += 1
        if self._counts[counted] > MOST_OF_A_KIND:
            message, place, is_note = f"more than {MOST_OF_A_KIND} of this kind: no more are listed", None, True
        yield Finding(
            message=message,
            line=turn.line,
            i_exchange=turn.i_exchange,
            path=place if place is None or isinstance(place, str) else place.path,
            byte=None if place is None or isinstance(place, str) else byte_of(turn, place),
            kind=kind,
            is_note=is_note,
        )


def named(ids: tuple[str, ...], *, most: int = 5) -> str:
    """The first few of *ids*, and how many more there are."""
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more
