"""The caches with breakpoints: an entry for each that was written, found again under the key of its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.edited import Edited
from cgcli.cachesim.entries import Entries, Entry
from cgcli.cachesim.plan import Billed, split
from cgcli.cachesim.recorded import measured
from cgcli.cachesim.simulated import Simulated
from cgcli.cachesim.why import Why, what_changed
from cgcli.model import Section, changed, unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.cachesim.past import Past
    from cgcli.cachesim.places import Place, Places
    from cgcli.cachesim.plan import Breakpoint, Plan
    from cgcli.cachesim.sending import Sending
    from cgcli.model import Usage


Found = tuple["Place", "Entry"]
"""A place of a request, and the entry that it can read there."""


@unique
class _Looked:
    """One request, looked at: what it asks for and what it finds."""

    places: Places
    plan: Plan
    written: tuple[Breakpoint, ...]
    """The breakpoints that are not below the minimum."""
    hit: Found | None


class MarkedCache:
    """The entries of all models."""

    def __init__(self, past: Past, entries: Entries | None = None) -> None:
        """Nothing is held but *entries*; *past* are the requests that were sent."""
        self._past = past
        self._entries = entries if entries is not None else Entries()

    def branch(self, past: Past) -> MarkedCache:
        """An overlay: what is sent to it stays its own."""
        return MarkedCache(past, self._entries.branch())

    def send(self, places: Places, plan: Plan, sending: Sending) -> Simulated:
        """What the request reads and writes; its entries are held from now on."""
        number, sent_s = sending.number, sending.sent_s
        looked = self._look(places, plan, sent_s)
        told = self._tell(looked, sent_s)
        recorded = _recorded(sending.usage)
        if recorded == 0:
            self._past.add(looked.places, None)
            return told
        if recorded is not None:
            looked = _reaching_minimum(looked)
        reached = looked.hit[0].order if looked.hit is not None else None
        if looked.hit is not None:
            self._entries.use(looked.hit[0].key, sent_s)
        for one in looked.written:
            is_held = reached is not None and one.place.order <= reached
            if is_held and self._entries.find(one.place.key, sent_s) is not None:
                self._entries.use(one.place.key, sent_s)
            else:
                entry = Entry(number=number, ttl_s=one.ttl_s, used_s=sent_s, readable_s=sending.readable_s)
                self._entries.write(one.place.key, entry)
        if recorded is not None and looked.written:
            self._entries.record(looked.written[-1].place.key, number, recorded)
        self._past.add(looked.places, _last(looked))
        return told

    def what_if(self, places: Places, plan: Plan, sent_s: float | None) -> Simulated:
        """What the request would read and write; nothing changes."""
        return self._tell(self._look(places, plan, sent_s), sent_s)

    def edited(self, places: Places, plan: Plan, sent_s: float | None) -> Edited:
        """What the request would read and write if it were edited somewhere; nothing changes."""
        found = tuple(self._found(plan, sent_s))
        written = _written(places, plan)
        told: dict[int, Simulated] = {}

        def tell(i: int | None) -> Simulated:
            n = next((n for n, (place, _) in enumerate(found) if i is None or _is_before(place, i)), len(found))
            if n not in told:
                hit = found[n] if n < len(found) else None
                told[n] = _billed(_Looked(places=places, plan=plan, written=written, hit=hit))
            return told[n]

        return Edited(tell)

    def _look(self, places: Places, plan: Plan, sent_s: float | None) -> _Looked:
        return _Looked(
            places=places, plan=plan, written=_written(places, plan), hit=next(self._found(plan, sent_s), None)
        )

    def _found(self, plan: Plan, sent_s: float | None) -> Iterator[Found]:
        """The entries that can be read, the last one first: the first is what is read."""
        for place in plan.looked_at():
            entry = self._entries.find(place.key, sent_s)
            if entry is not None:
                yield place, entry

    def _tell(self, looked: _Looked, sent_s: float | None) -> Simulated:
        return changed(_billed(looked), why=self._why(looked, sent_s))

    def _why(self, looked: _Looked, sent_s: float | None) -> Why | None:
        """Why less is read than the request before left."""
        places, hit = looked.places, looked.hit
        if hit is None and not looked.written:
            return Why.BELOW_MINIMUM if looked.plan.breakpoints else Why.NO_BREAKPOINT
        before = self._past.before(places.request)
        if before is None or before.last is None:
            nothing = Why.FIRST_REQUEST if before is None else Why.NOTHING_WRITTEN
            return nothing if hit is None else None
        if hit is not None and hit[0].order >= before.last.order:
            return None
        own = places.same_as(before.last)
        if own is None or own.key != before.last.key:
            return what_changed(before, places)
        fate = self._entries.fate(own.key, sent_s)
        if fate is not None:
            return fate
        is_behind = any(one.place.order >= own.order for one in looked.plan.breakpoints)
        return Why.OUT_OF_LOOKBACK if is_behind else Why.NO_BREAKPOINT


def _written(places: Places, plan: Plan) -> tuple[Breakpoint, ...]:
    return tuple(one for one in plan.breakpoints if places.tokens(one.place) >= plan.minimum_tokens)


def _is_before(place: Place, i_message: int) -> bool:
    return place.section is not Section.MESSAGES or place.i_item < i_message


def _billed(looked: _Looked) -> Simulated:
    """What is read and written, and not yet why."""
    places, hit = looked.places, looked.hit
    by_ttl, fresh = split(
        [Billed(tokens=places.tokens(one.place), ttl_s=one.ttl_s) for one in looked.written],
        read_tokens=places.tokens(hit[0]) if hit is not None else 0,
        total_tokens=places.total_tokens,
    )
    return Simulated(
        read_tokens=_read_tokens(looked),
        fresh_tokens=fresh,
        write_by_ttl_s=by_ttl,
        read_from=hit[1].number if hit is not None else None,
        is_recorded=hit is not None and hit[1].recorded_tokens is not None,
    )


def _read_tokens(looked: _Looked) -> int:
    """What is read: as its writer recorded it, else as it is counted."""
    if looked.hit is None:
        return 0
    place, entry = looked.hit
    return looked.places.tokens(place) if entry.recorded_tokens is None else entry.recorded_tokens


def _reaching_minimum(looked: _Looked) -> _Looked:
    """*looked*, with an entry at its last breakpoint: it was read or written, whatever a tokenizer counts there."""
    last = looked.plan.breakpoints[-1:]
    is_written = not last or last[0] in looked.written
    return looked if is_written else changed(looked, written=(*looked.written, *last))


def _recorded(usage: Usage | None) -> int | None:
    """What the provider says was read and written together; None where it does not say."""
    if not measured(usage) or usage.read is None or usage.write_by_ttl_s is None:
        return None
    return usage.read + sum(usage.write_by_ttl_s.values())


def _last(looked: _Looked) -> Place | None:
    """The last place that the request leaves readable."""
    left = [one.place for one in looked.written]
    if looked.hit is not None:
        left.append(looked.hit[0])
    return max(left, key=lambda place: place.order, default=None)
