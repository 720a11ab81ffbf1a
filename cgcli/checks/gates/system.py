"""G-SYSTEM: the system prompt of a lane reads the same in every request."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from cgcli.checks.base import Rule
from cgcli.checks.steady import SteadyRun
from cgcli.model import Section, changed
from cgcli.prefix.divergence import BreakKind, changed_at, common_items

if TYPE_CHECKING:
    from cgcli.checks.base import Context
    from cgcli.model import Item
    from cgcli.prefix.divergence import Divergence, Side

RULE = Rule(
    gate="G-SYSTEM",
    title="The system prompt of a lane reads the same in every request",
    checks=(
        "Each request of a conversation has the system prompt of the request before it, block by block: `system`, "
        "`instructions`, and the system and developer messages that the conversation begins with. Where the file "
        "records sessions, the first request of an epoch is compared with the last one of the epoch before it too. "
        "Cache marks, white space, escapes and a string against a one-block list do not count."
    ),
    why=(
        "The system prompt stands before the conversation. A date, a count or a list of files in it that changes from "
        "turn to turn makes the provider read all messages again at the full price, each time."
    ),
    failing='turn 1  system "You are … It is 14:05."\nturn 2  system "You are … It is 14:07."',
    passing='turn 1  system "You are …"\nturn 2  system "You are …"   (the time stands in the newest user message)',
    fix=(
        "Build the system prompt once for a conversation. Put what changes in the newest user message, or in a system "
        "message behind it where the provider takes one. A date is best given in days, and left as it was when the "
        "conversation began."
    ),
    proves_not="That the prompt was read from the cache: its lifetime and minimum size decide that too.",
    source="Provider documentation on prompt caching: the system prompt stands before the messages.",
    since="0.2.0",
)
_ROLES = frozenset({"system", "developer"})


class System:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> SteadyRun:
        """Begin on a file."""
        return SteadyRun(context, RULE, SystemPart(), is_recorded=context.known.system)


class SystemPart:
    """The system prompt, also where it is sent as messages."""

    name = "a system prompt"

    def of(self, side: Side) -> tuple[Item, ...] | None:
        """Its blocks, then the messages that are part of it; None where it is not recorded."""
        return None if side.system is None else (*side.system, *_leading(side))

    def change(self, before: Side, after: Side) -> Divergence | None:
        """The first block that reads otherwise."""
        for section, a, b in (
            (Section.SYSTEM, before.system or (), after.system or ()),
            (Section.MESSAGES, _leading(before), _leading(after)),
        ):
            i = common_items(a, b)
            grows = section is Section.MESSAGES and (i == len(before.messages) or i == len(after.messages))
            if not grows and not i == len(a) == len(b):
                n_blocks = sum(len(item.blocks) for item in a[:i])
                return changed(changed_at(after, section, a, b, i, n_blocks=n_blocks), kind=BreakKind.SYSTEM)
        return None

    def told(self, before: Side, after: Side, found: Divergence) -> str:
        """Where it changed."""
        del before, after
        same = "; it means the same" if found.is_same_in_meaning else ""
        return f"{found.kind.value} ({found.change.value}) at {found.path}{same}"


def _leading(side: Side) -> tuple[Item, ...]:
    """The system and developer messages that the conversation begins with."""
    return tuple(takewhile(lambda item: item.role in _ROLES, side.messages))
