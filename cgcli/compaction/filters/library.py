"""The filters of a run: the built-in ones, those of its own, and what they make of an output together."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.document import read_file, read_text
from cgcli.compaction.filters.engine import filtered
from cgcli.compaction.filters.filter import Agent, FilterLoss
from cgcli.compaction.filters.select import FilterSet
from cgcli.errors import UsageError
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.filters.filter import Filter

AGENT_SETS = {
    "off": frozenset({None}),
    "safe": frozenset({None, Agent.SAFE}),
    "lossy": frozenset({None, Agent.SAFE, Agent.LOSSY}),
}
"""Which filters each value of `agent_filters` brings."""

_MOST_ROUNDS = 4


@lru_cache(maxsize=8)
def library(own: tuple[str, ...] = (), *, disable_builtins: bool = False, agent_filters: str = "off") -> FilterSet:
    """The filters in *own*, each a YAML file's path or a YAML document, before the built-in ones.

    Raises:
        UsageError: a file cannot be read, a filter is wrong, or two have one name.
    """
    found: dict[str, Filter] = {}
    for i, said in enumerate(own):
        text = said if "\n" in said else None
        read = read_file(Path(said)) if text is None else read_text(text, file=f"filters[{i}]")
        for one in read:
            _add(found, one)
    for one in () if disable_builtins else builtins():
        if one.name in found:
            raise UsageError(
                f"a built-in filter is called {one.name!r} too",
                where=found[one.name].where,
                hint="rename it, or set disable_builtins",
            )
        _add(found, one)
    return FilterSet(one for one in found.values() if one.agent in AGENT_SETS[agent_filters])


def _add(found: dict[str, Filter], one: Filter) -> None:
    if one.name in found:
        raise UsageError(
            f"two filters are called {one.name!r}",
            where=one.where,
            hint=f"the other stands at {found[one.name].where}: rename one of them",
        )
    found[one.name] = one


@value
class Applied:
    """What became of a text."""

    text: str
    asked: tuple[Filter, ...]
    """The filters that it was for."""
    fired: tuple[Filter, ...]
    """Those of them that changed it."""

    @property
    def loss(self) -> FilterLoss:
        """What the filters together took away; a line's number means nothing where another changed lines, too."""
        losses = {one.loss for one in self.fired}
        if losses <= {FilterLoss.NONE}:
            return FilterLoss.NONE
        return FilterLoss.TAIL if len(self.fired) == 1 and FilterLoss.TAIL in losses else FilterLoss.WHOLE


def applied(filters: FilterSet, text: str, command: str | None) -> Applied:
    """What *filters* make of *text*, printed by *command* (None where that is not known).

    Each filter that the text is for acts on what the one before left: a build prints what its compiler prints. Then
    all over again until nothing changes, so that a second time changes nothing; a text that goes on changing is left
    as it is.
    """
    asked: list[Filter] = []
    fired: list[Filter] = []
    now = text
    for _ in range(_MOST_ROUNDS):
        before = now
        now = _once(filters, now, command, asked, fired)
        if now == before:
            return Applied(text=now, asked=_each_once(asked), fired=_each_once(fired))
    return Applied(text=text, asked=_each_once(asked), fired=())


def _once(filters: FilterSet, text: str, command: str | None, asked: list[Filter], fired: list[Filter]) -> str:
    used: list[Filter] = []
    while (one := filters.select(text, command, besides=used)) is not None:
        used.append(one)
        shorter = filtered(one, text)
        if shorter != text:
            fired.append(one)
        text = shorter
    asked += used
    return text


def _each_once(filters: Sequence[Filter]) -> tuple[Filter, ...]:
    return tuple({one.name: one for one in filters}.values())
