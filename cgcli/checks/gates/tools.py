"""G-TOOLS: the tools of a lane read the same in every request."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from cgcli.checks.base import Rule
from cgcli.checks.steady import SteadyRun
from cgcli.model import Section
from cgcli.prefix.difference import Change, first_difference
from cgcli.prefix.digests import semantic
from cgcli.prefix.divergence import changed_at, common_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.checks.base import Context
    from cgcli.model import Item
    from cgcli.prefix.divergence import Divergence, Side

RULE = Rule(
    gate="G-TOOLS",
    title="The tools of a lane read the same in every request",
    checks=(
        "Each request of a conversation has the tools of the request before it: the same ones, in the same order, each "
        "with the same name, description and schema, the order of its keys included. Where the file records sessions, "
        "the first request of an epoch is compared with the last one of the epoch before it too. Cache marks, white "
        "space and escapes do not count."
    ),
    why=(
        "Tools come first in every provider's cache. A change in one of them makes the provider read the tools behind "
        "it, the system prompt and the whole conversation again at the full price."
    ),
    failing=(
        'turn 1  tools [Read {"path": …, "limit": …}, Bash {"command": …}]\n'
        'turn 2  tools [Read {"limit": …, "path": …}, Bash {"command": …}]'
    ),
    passing=(
        'turn 1  tools [Read {"path": …, "limit": …}, Bash {"command": …}]\n'
        'turn 2  tools [Read {"path": …, "limit": …}, Bash {"command": …}]'
    ),
    fix=(
        "Build the list of tools once for a conversation and send it unchanged: from a list and not from a set, with "
        "the schemas serialised in a fixed order, and without a date or a count in a description. To forbid tools for "
        "one turn use tool_choice. To add one, put it at the end, and where the provider has it, as a tool addition "
        "inside the conversation."
    ),
    proves_not="That the tools were read from the cache: its lifetime and minimum size decide that too.",
    source="Provider documentation on prompt caching: tools stand first in the prefix.",
    since="0.2.0",
)
_MOST_NAMES = 5


class Tools:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> SteadyRun:
        """Begin on a file."""
        return SteadyRun(context, RULE, ToolsPart(), is_recorded=context.known.tools)


class ToolsPart:
    """The list of tools."""

    name = "tools"

    def of(self, side: Side) -> tuple[Item, ...] | None:
        """The tool specs; None where they are not recorded."""
        return side.tools

    def change(self, before: Side, after: Side) -> Divergence | None:
        """The first tool that reads otherwise."""
        a, b = before.tools or (), after.tools or ()
        i = common_items(a, b)
        if i == len(a) == len(b):
            return None
        return changed_at(after, Section.TOOLS, a, b, i, n_blocks=sum(len(item.blocks) for item in a[:i]))

    def told(self, before: Side, after: Side, found: Divergence) -> str:
        """Which tools were edited, removed and added."""
        told = "; ".join(_changes(before.tools or (), after.tools or ()))
        return f"{found.kind.value}: {told or 'the same tools in another order'}"


def _changes(before: Sequence[Item], after: Sequence[Item]) -> list[str]:
    mine, theirs = _by_name(before), _by_name(after)
    edited = [
        f"{_quoted(key)} ({_where(item, theirs[key])})"
        for key, item in mine.items()
        if key in theirs and item.rendered != theirs[key].rendered
    ]
    removed = [_quoted(key) for key in mine if key not in theirs]
    added = [_quoted(key) for key in theirs if key not in mine]
    lists = (("edited", edited), ("removed", removed), ("added", added))
    return [f"{what} {_listed(names)}" for what, names in lists if names]


def _by_name(tools: Iterable[Item]) -> Mapping[tuple[str, int], Item]:
    """The tools under their names; those of one name are counted."""
    times: Counter[str] = Counter()
    found = {}
    for tool in tools:
        name = tool.parts[0].name or "(no name)"
        found[name, times[name]] = tool
        times[name] += 1
    return found


def _quoted(key: tuple[str, int]) -> str:
    name, i = key
    return f"{name} ({i + 1})" if i else name


def _where(was: Item, now: Item) -> str:
    """The field of a tool that changed, and whether only the order of its keys did."""
    found = first_difference(was.wire, now.wire)
    if found is None:
        return "its spelling"
    path = ".".join(found.path) or "all of it"
    if found.change is Change.KEY_ORDER and semantic(was) == semantic(now):
        return f"{path}: key order, it means the same"
    return f"{path}: {found.change.value}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
