"""Regret: what a policy took out of the requests, and the recorded conversation shows to have been needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.lanes import Relation
from cgcli.model import value
from cgcli.providers.models import lookup
from cgcli.replay.paired.regret_drops import Dropped, Drops
from cgcli.replay.paired.regret_fragments import Fragments
from cgcli.replay.paired.regret_needs import Needs, Regret, RegretKind
from cgcli.replay.paired.regret_seen import Hidden, Seen
from cgcli.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
    from cgcli.lanes import Placement
    from cgcli.model import Exchange, Request
    from cgcli.replay.paired.regret_drops import Placing
    from cgcli.replay.paired.regret_fragments import Place

__all__ = ["Fragments", "Regret", "RegretKind", "Regrets"]

_MOST_SEEN = 96
"""How many requests are remembered: two of each open thread."""


@value
class _Now:
    """The request at hand."""

    i_exchange: int
    before: int | None
    request: Request
    line: int


class Regrets:
    """The regrets of one policy over one file. It is told each request once, in the order of the file."""

    def __init__(
        self, fragments: Fragments, *, losing: frozenset[str], count: Callable[[str], int] | None = None
    ) -> None:
        """Edits that one of the components *losing* fired in are drops; *fragments* is shared by the file's policies.

        Tokens are counted by *count*, by default with the tokenizer of the request's model.
        """
        self.n_unchecked = 0
        """Answers that were not looked at: what was sent before them is too many requests back."""
        self._fragments = fragments
        self._drops = Drops(fragments, losing)
        self._count = count
        self._counted: set[tuple[RegretKind, Place]] = set()
        self._seen: dict[int, Seen] = {}
        self._has_dropped = False

    def turn(self, placement: Placement, exchange: Exchange, edits: Sequence[Placed]) -> tuple[Regret, ...]:
        """What the answers that are new in this request show to be missed in the one that it goes on from.

        *placement* is where the request was put, *edits* are the policy's in it, in bytes of its body and in order.
        """
        request = exchange.request
        before = _goes_on_from(placement)
        now = _Now(
            i_exchange=placement.thread.turns[-1].i_exchange,
            before=before,
            request=request,
            line=exchange.source.line,
        )
        seen = self._seen.get(before) if before is not None else None
        found: tuple[Regret, ...] = ()
        if seen is not None and seen.dropped.placings:
            found = self._missed(seen, placement, now)
        elif seen is None and before is not None and self._has_dropped:
            self.n_unchecked += any(item.role == "assistant" for item in request.messages[placement.shared :])
        self._remember(seen, now, tuple(edits))
        return found

    def _missed(self, seen: Seen, placement: Placement, now: _Now) -> tuple[Regret, ...]:
        request = now.request
        self._fragments.read(request)
        new = range(placement.shared, len(request.messages))
        if placement.relation in (Relation.EDITS, Relation.BRANCHES):
            # What the agent itself moved or words otherwise was said before.
            new_items = [i for i in new if request.messages[i].rendered not in seen.present]
        else:
            new_items = [*new]
        count = self._count or counter(lookup(request.model).encoding).count
        needs = Needs(Hidden(seen, self._fragments, self._drops.kept), self._fragments, self._counted, count)
        return (*needs.refetches(request, now.line, new_items), *needs.cites(request, now.line, new_items))

    def _remember(self, before: Seen | None, now: _Now, edits: tuple[Placed, ...]) -> None:
        """Keep what was sent; of each thread only the last two."""
        by_decision = self._by_decision(before.by_decision if before is not None else {}, now, edits)
        placings = tuple(filter(None, by_decision.values()))
        is_same = before is not None and before.dropped.is_of(placings)
        earlier = before.dropped if before is not None else None
        dropped = earlier if earlier is not None and is_same else Dropped(placings, earlier)
        self._has_dropped |= bool(placings)
        if before is not None and before.before is not None:
            self._seen.pop(before.before, None)
        request = now.request
        self._seen[now.i_exchange] = Seen(
            i_exchange=now.i_exchange,
            before=now.before,
            items=tuple(request.head()) if placings else (),
            messages=request.messages,
            starts=request.starts,
            edits=edits,
            present=self._fragments.read(request) if placings else frozenset(),
            dropped=dropped,
            by_decision=by_decision,
        )
        while len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]

    def _by_decision(
        self, known: Mapping[Decision, Placing], now: _Now, edits: tuple[Placed, ...]
    ) -> Mapping[Decision, Placing]:
        """What each of *edits* drops, in order; *known* are those of the request before, mostly the first of these."""
        n = len(known)
        goes_on = [decision for _, _, decision in edits[:n]] == [*known]
        new = {edit[2]: self._placing(now, edit) for edit in edits[n if goes_on else 0 :] if edit[2] not in known}
        if goes_on:
            return {**known, **new} if new else known
        told = {**known, **new}
        return {decision: told[decision] for _, _, decision in edits}

    def _placing(self, now: _Now, edit: Placed) -> Placing:
        """What *edit* drops of the request at hand."""
        if self._drops.loser(edit[2]) is None:
            return ()
        self._fragments.read(now.request)
        return self._drops.of(now.request, now.line, edit)


def _goes_on_from(placement: Placement) -> int | None:
    """The number of the request that this one goes on from; None where it begins a conversation."""
    branch = placement.thread.branch
    if placement.relation is Relation.BRANCHES and branch is not None:
        parent, depth = branch
        turns = reversed(parent.turns)
        return next((turn.i_exchange for turn in turns if turn.n_messages <= depth), None)
    return placement.before.i_exchange if placement.before is not None else None
