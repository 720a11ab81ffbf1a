"""Why slots stay open, looked at once a turn for each set of reasons: a lane has many slots, and few sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.component import PASSING_REASONS
from cgcli.compaction.entering import DENIED_REASONS
from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.component import Waking
    from cgcli.compaction.entering import Entering

Skips = tuple[tuple[str, str], ...]


@unique
class _Told:
    """What follows from one set of reasons."""

    passes_unasked: bool
    """A reason may pass whose component does not say when."""
    asked: tuple[Waking, ...]
    """The components that say when their reasons pass."""
    is_denied: bool
    """A step was kept from acting by the held prefix, and nothing else keeps it on this turn."""


class Reopening:
    """The reasons of one turn's slots."""

    def __init__(self, waking: Mapping[tuple[str, str], Waking], entering: Entering) -> None:
        """*waking* are the components that say when a reason of theirs passes, by component and reason."""
        self._waking = waking
        self._entering = entering
        self._told: dict[Skips, _Told] = {}
        self._newer: dict[tuple[Skips, bool], Skips] = {}

    def of(self, skips: Skips) -> _Told:
        """What follows from *skips*."""
        known = self._told.get(skips)
        if known is None:
            waits = self._entering.waits
            known = self._told[skips] = _Told(
                passes_unasked=any(skip[1] in PASSING_REASONS and skip not in self._waking for skip in skips),
                asked=tuple(self._waking[skip] for skip in skips if skip in self._waking),
                is_denied=any(why in DENIED_REASONS and waits.of(component) is None for component, why in skips),
            )
        return known

    def newer(self, skips: Skips, i_message: int) -> Skips:
        """The reasons of this turn for what was left alone for *skips* in message *i_message*."""
        key = skips, self._entering.is_bound(i_message)
        known = self._newer.get(key)
        if known is None:
            newer = self._entering.newer
            known = tuple((component, newer(component, why, i_message)) for component, why in skips)
            self._newer[key] = known = skips if known == skips else known
        return known
