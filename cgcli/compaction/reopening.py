"""Why slots stay open, looked at once a turn for each set of reasons: a lane has many slots, and few sets."""

from __future__ import annotations

from sys import maxsize
from typing import TYPE_CHECKING

from cgcli.compaction.component import PASSING_REASONS
from cgcli.compaction.entering import DENIED_REASONS
from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.compaction.component import Waking
    from cgcli.compaction.entering import Entering
    from cgcli.compaction.view import View

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


@unique
class Staying:
    """Which slots stay as they are, for the same reasons as before, and need not be asked about one by one."""

    from_output: int
    """Those of this output and later ones."""
    below_message: int
    """For messages from this one on it must be asked anew."""


class Reopening:
    """The reasons of one turn's slots."""

    def __init__(self, waking: Mapping[tuple[str, str], Waking], entering: Entering) -> None:
        """*waking* are the components that say when a reason of theirs passes, by component and reason."""
        self._waking = waking
        self._entering = entering
        self._told: dict[Skips, _Told] = {}
        self._newer: dict[tuple[Skips, bool], Skips] = {}
        self._staying: dict[tuple[Skips, int], Staying] = {}
        self._bounds: tuple[int, int] | None = None

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
            known = self._newer[key] = tuple((component, newer(component, why, i_message)) for component, why in skips)
        return known

    def staying(self, skips: Skips, i_message: int, view: View) -> Staying:
        """What is left alone for *skips*, in message *i_message* and those behind it, without being asked about again.

        To be asked once it is settled what enters because it pays.
        """
        if self._bounds is None:
            self._bounds = self._entering.n_bound, self._entering.free_from
        bound, free = self._bounds
        key = skips, (i_message >= bound) + 2 * (i_message >= free)
        known = self._staying.get(key)
        if known is None:
            told = self.of(skips)
            is_other = self.newer(skips, i_message) != skips
            may_change = told.passes_unasked or is_other or (told.is_denied and i_message >= free)
            known = self._staying[key] = Staying(
                from_output=maxsize if may_change else max((_wakes_below(one, view) for one in told.asked), default=0),
                below_message=min((at for at in (bound, free) if at > i_message), default=maxsize),
            )
        return known


def _wakes_below(component: Waking, view: View) -> int:
    """Only outputs with a lower number may be worth asking *component* about again."""
    told: Callable[[View], int] | None = getattr(component, "wakes_below", None)
    return told(view) if told is not None else maxsize
