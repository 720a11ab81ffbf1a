"""Where a request stops being a continuation of an earlier one: section, item, path, byte, kind, and why probably."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from cgcli.dialects import named
from cgcli.model import Section, value
from cgcli.prefix.chain import common_messages
from cgcli.prefix.culprit import culprit
from cgcli.prefix.difference import Change, Difference, first_difference
from cgcli.prefix.digests import semantic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Digest, Item, Param


class BreakKind(StrEnum):
    """What changed first, in the words of the providers' own diagnostics."""

    MODEL = "model_changed"
    TOOLS = "tools_changed"
    SYSTEM = "system_changed"
    PARAMS = "params_changed"
    MESSAGES = "messages_changed"


_OF_SECTION = {
    Section.TOOLS: BreakKind.TOOLS,
    Section.SYSTEM: BreakKind.SYSTEM,
    Section.MESSAGES: BreakKind.MESSAGES,
}


class Side(Protocol):
    """A request, or what is kept of one."""

    @property
    def dialect(self) -> str:
        """The name of its body shape."""

    @property
    def model(self) -> str | None:
        """The model."""

    @property
    def tools(self) -> tuple[Item, ...] | None:
        """The tool specs; None where they are not recorded."""

    @property
    def system(self) -> tuple[Item, ...] | None:
        """The system prompt; None where it is not recorded."""

    @property
    def messages(self) -> tuple[Item, ...]:
        """The messages."""

    @property
    def states(self) -> tuple[Digest, ...]:
        """The chain over them."""

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters that the cache depends on."""


@value
class Divergence:
    """The first place at which a request reads otherwise than the one before it, in cache order."""

    kind: BreakKind
    change: Change
    section: Section
    """The first section whose cached prefix is lost."""
    i_item: int
    """The item in that section; the number of items where one is missing at the end."""
    path: str
    """Where in the body, as `messages.3.content.0.text`; a parameter's own path."""
    byte: int | None
    """The first differing byte, counted from the item's first one; None where the item is not there."""
    n_blocks: int
    """Blocks that both share before it, in cache order."""
    culprit: str | None
    """What probably changes there: a date, a uuid, a counter, a path, a reordered map."""
    was: str
    """An excerpt of what stood there; transcript text, so hostile."""
    now: str
    is_same_in_meaning: bool = False
    """With all keys sorted the item says the same: no program sees the difference, the provider's cache does."""


def divergence(before: Side, after: Side) -> Divergence | None:
    """Where *after* breaks with *before*; None where it contains all of it, or is a beginning of it.

    Model, tools, parameters of all sections, system, its parameters, then messages: the earliest in cache order.
    Sections that either side does not record are not compared.
    """
    if before.model != after.model:
        return _plain(BreakKind.MODEL, Section.TOOLS, 0, "model", str(before.model), str(after.model))
    shared: list[tuple[Item, ...]] = []
    for section in Section:
        changed = _params(before, after, section, shared) if before.params != after.params else None
        if changed is not None:
            return changed
        a, b = items_of(before, section), items_of(after, section)
        if a is None or b is None:
            continue
        i = _agreeing(before, after, section)
        shared.append(a[:i])
        is_beginning = section is Section.MESSAGES and i in (len(a), len(b))
        if not is_beginning and not i == len(a) == len(b):
            return changed_at(after, section, a, b, i, n_blocks=_n_blocks(shared))
    return None


def path_of(side: Side, section: Section, i_item: int) -> str:
    """Where an item stands in the body: `messages.3`, `input.3`, `system`, `instructions`, as its dialect has it.

    In Chat Completions the system prompt is a message, and stands there.
    """
    dialect = named(side.dialect)
    name = {
        Section.TOOLS: dialect.static[0],
        Section.SYSTEM: dialect.static[1] or dialect.history,
        Section.MESSAGES: dialect.history,
    }[section]
    items = items_of(side, section) or ()
    is_string = len(items) == 1 and items[0].wire.startswith(b'"')
    return name if is_string and i_item == 0 else f"{name}.{i_item}"


def items_of(side: Side, section: Section) -> tuple[Item, ...] | None:
    """The items of a section; None where they are not recorded."""
    return {Section.TOOLS: side.tools, Section.SYSTEM: side.system, Section.MESSAGES: side.messages}[section]


def common_items(a: Sequence[Item], b: Sequence[Item]) -> int:
    """How many leading items of *a* and *b* read the same."""
    if a is b:
        return len(a)
    same = 0
    for x, y in zip(a, b, strict=False):
        if x.rendered != y.rendered:
            break
        same += 1
    return same


def _agreeing(before: Side, after: Side, section: Section) -> int:
    """How many leading items of *section* both share."""
    if section is Section.MESSAGES:
        return common_messages(before.states, after.states)
    return common_items(items_of(before, section) or (), items_of(after, section) or ())


def _n_blocks(shared: Sequence[tuple[Item, ...]]) -> int:
    return sum(len(item.blocks) for items in shared for item in items)


def _params(before: Side, after: Side, section: Section, shared: Sequence[tuple[Item, ...]]) -> Divergence | None:
    """The first parameter whose change breaks *section* and none before it."""
    a = {param.path: param for param in before.params if param.breaks[0] is section}
    b = {param.path: param for param in after.params if param.breaks[0] is section}
    for path in [*a, *(path for path in b if path not in a)]:
        was = a[path].written if path in a else b""
        now = b[path].written if path in b else b""
        if was != now:
            return _plain(
                BreakKind.PARAMS,
                section,
                _n_blocks(shared),
                path,
                was.decode("utf-8", "replace") or "(left out)",
                now.decode("utf-8", "replace") or "(left out)",
            )
    return None


def _plain(kind: BreakKind, section: Section, n_blocks: int, path: str, was: str, now: str) -> Divergence:
    return Divergence(
        kind=kind,
        change=Change.EDITED,
        section=section,
        i_item=0,
        path=path,
        byte=None,
        n_blocks=n_blocks,
        culprit=None,
        was=was,
        now=now,
    )


def changed_at(
    after: Side, section: Section, a: Sequence[Item], b: Sequence[Item], i: int, *, n_blocks: int
) -> Divergence:
    """The divergence at item *i* of a section, of which *a* stood before and *b* stands in *after*."""
    change = _change(a, b, i)
    found: Difference | None = None
    is_same = False
    if i < len(a) and i < len(b) and change is Change.EDITED:
        found = first_difference(a[i].wire, b[i].wire)
        is_same = semantic(a[i]) == semantic(b[i])
    if found is None:
        byte = 0 if i < len(b) else None
        was, now = (_excerpt(items[i].wire) if i < len(items) else "" for items in (a, b))
        found = Difference(change=change, path=(), byte=byte, was=was, now=now)
    return Divergence(
        kind=_OF_SECTION[section],
        change=found.change,
        section=section,
        i_item=i,
        path=".".join((path_of(after, section, i), *found.path)),
        byte=found.byte,
        n_blocks=n_blocks,
        culprit=culprit(found),
        was=found.was,
        now=found.now,
        is_same_in_meaning=is_same,
    )


def _change(a: Sequence[Item], b: Sequence[Item], i: int) -> Change:
    """What happened to the list of items at *i*."""
    if i >= len(b):
        return Change.REMOVED
    if i >= len(a):
        return Change.INSERTED
    rest_a = [item.rendered for item in a[i:]]
    rest_b = [item.rendered for item in b[i:]]
    if rest_a[0] in rest_b[1:] and rest_b[0] in rest_a[1:]:
        return Change.REORDERED
    if rest_a[0] in rest_b[1:]:
        return Change.INSERTED
    if rest_b[0] in rest_a[1:]:
        return Change.REMOVED
    return Change.EDITED


def _excerpt(wire: bytes) -> str:
    return wire[:80].decode("utf-8", "replace")
