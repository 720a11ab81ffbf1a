"""Messages that only make sense together: tool calls with their results, and the pieces of one assistant turn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from cgcli.dialects.pairing import Group, stepper
from cgcli.model import Kind, value
from cgcli.select.summaries import is_summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.model import Item, Request

_REFERENCE = b'"item_reference"'


@value
class Joined:
    """What stands together in the messages of a request."""

    links: tuple[tuple[int, int], ...]
    """Pairs of messages (earlier, later) that must both go or both stay."""
    lone: frozenset[int]
    """Messages with a call without its result, a result without its call, or a stand-in for what is not here."""
    answering: frozenset[int]
    """Messages with results of tool calls."""

    def closed(self, messages: Iterable[int]) -> frozenset[int]:
        """*messages*, and all that are joined with them, directly or through others."""
        neighbours: dict[int, list[int]] = {}
        for a, b in self.links:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
        found: set[int] = set()
        open_ends = list(messages)
        while open_ends:
            i = open_ends.pop()
            if i not in found:
                found.add(i)
                open_ends += neighbours.get(i, ())
        return frozenset(found)


def joined(request: Request) -> Joined:
    """What stands together in *request*.

    A result belongs to the last call before it that has its id, wherever that stands: neighbours say nothing, and some
    agents use an id again in a later turn.
    """
    step = stepper(request.dialect)
    links = set(_turns(request.messages))
    lone: set[int] = set()
    answering: set[int] = set()
    caller: dict[str, int] = {}
    unanswered: set[tuple[int, str]] = set()
    for i, item in enumerate(request.messages):
        if item.has(_REFERENCE) and item.parts[0].kind is Kind.OTHER:
            lone.add(i)
        for event in step(Group(), item, i).events:
            if event.is_call and event.id is not None:
                caller[event.id] = i
                unanswered.add((i, event.id))
                continue
            if not event.is_call:
                answering.add(i)
            if event.id is None or event.id not in caller:
                lone.add(i)
                continue
            links.add((caller[event.id], i))
            unanswered.discard((caller[event.id], event.id))
    lone |= {i for i, _ in unanswered}
    return Joined(
        links=tuple(sorted(link for link in links if link[0] < link[1])),
        lone=frozenset(lone),
        answering=frozenset(answering),
    )


def _turns(messages: tuple[Item, ...]) -> Iterator[tuple[int, int]]:
    """Neighbours that are one turn of the assistant.

    Providers read assistant messages that follow each other as one, thinking first; a reasoning item (Responses) is
    refused without the item behind it.
    """
    for i, (item, after) in enumerate(pairwise(messages)):
        is_one = item.role == "assistant" and (after.role == "assistant" or _is_reasoning(item))
        # A summary takes the place of what was before: nothing needs to stay with it.
        if is_one and not is_summary(item) and not is_summary(after):
            yield i, i + 1


def _is_reasoning(item: Item) -> bool:
    return item.parts[0].kind is Kind.THINKING and not item.parts[0].path
