"""The simulator: what each request of a file reads from its provider's prompt cache, and writes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim import anthropic, openai
from cgcli.cachesim.entries import Entries, Entry
from cgcli.cachesim.past import Past
from cgcli.cachesim.places import Places
from cgcli.cachesim.plan import Billed, split
from cgcli.cachesim.simulated import Simulated
from cgcli.cachesim.tape import Tape
from cgcli.cachesim.why import Why, what_changed
from cgcli.model import Basis, Refusal, Section, changed, unique, value
from cgcli.providers.cache_rules import OPENAI_LOOKUP, Family, Lookup, family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.cachesim.places import Place
    from cgcli.cachesim.plan import Breakpoint, Plan
    from cgcli.model import Request, Usage
    from cgcli.tokens.ruler import Ruler


@value
class CacheOptions:
    """Where the sources leave a choice."""

    openai_lookup: Lookup = OPENAI_LOOKUP
    """Which explicit breakpoints an OpenAI request looks at; `OPENAI_LOOKUP_SDK` is the other reading."""


DEFAULTS = CacheOptions()


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


class Edited:
    """A request that could be edited: what it would read and write then."""

    def __init__(self, places: Places, plan: Plan, found: tuple[Found, ...]) -> None:
        """Of *places*, with *plan*; *found* are all entries that can be read, the last one first."""
        self._places = places
        self._plan = plan
        self._found = found
        self._written = _written(places, plan)
        self._told: dict[int, Simulated] = {}
        """By the number of the entry that is read."""

    def from_message(self, i: int | None) -> Simulated:
        """If the messages from *i* on were other ones of the same size; None: as it is.

        It is looked for from the request's own breakpoints, so the positions behind the edit count. Not told: why.
        """
        n = next((n for n, (place, _) in enumerate(self._found) if i is None or _is_before(place, i)), len(self._found))
        if n not in self._told:
            hit = self._found[n] if n < len(self._found) else None
            self._told[n] = _billed(_Looked(places=self._places, plan=self._plan, written=self._written, hit=hit))
        return self._told[n]


class Simulator:
    """The caches of one file, one for each model, across its lanes. Requests must be sent in the order of their times.

    Simulated are Claude models, and GPT-5.6 and later. Rules, sources and what is left out:
    `docs/explanation/cache-simulator.md`.
    """

    def __init__(self, ruler: Callable[[str | None], Ruler], *, options: CacheOptions = DEFAULTS) -> None:
        """Nothing is held yet; *ruler* gives the ruler of a model, and is asked once for each."""
        self._ruler = ruler
        self._options = options
        self._tapes: dict[str | None, Tape] = {}
        self._entries = Entries()
        self._past = Past()

    def branch(self) -> Simulator:
        """A simulator that finds all that this one holds, and whose own requests stay its own.

        Costs nothing. What this one is sent later, the branch finds too.
        """
        made = Simulator(self._ruler, options=self._options)
        made._tapes = self._tapes  # measures are the same for both
        made._entries = self._entries.branch()
        made._past = self._past.branch()
        return made

    def send(
        self,
        request: Request,
        *,
        number: int,
        sent_s: float | None,
        readable_s: float | None = None,
        usage: Usage | None = None,
    ) -> Simulated | Refusal:
        """What *request* reads and writes; the cache holds it from now on, and goes on holding what was read.

        *number* is the request's name in later results. It was sent at *sent_s*, and its answer began at *readable_s*:
        only then others read what it writes; None: at once. A measured *usage* does not change what is told of this
        request: a later one that reads its last entry reads exactly what it says. One that neither read nor wrote left
        nothing.
        """
        looked = self._look(request, sent_s)
        if isinstance(looked, Refusal):
            return looked
        told = self._tell(looked, sent_s)
        recorded = _recorded(usage)
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
                entry = Entry(number=number, ttl_s=one.ttl_s, used_s=sent_s, readable_s=readable_s)
                self._entries.write(one.place.key, entry)
        if recorded is not None and looked.written:
            self._entries.record(looked.written[-1].place.key, number, recorded)
        self._past.add(looked.places, _last(looked))
        return told

    def what_if(self, request: Request, *, sent_s: float | None) -> Simulated | Refusal:
        """What *request* would read and write, sent now; nothing changes."""
        looked = self._look(request, sent_s)
        return looked if isinstance(looked, Refusal) else self._tell(looked, sent_s)

    def edited(self, request: Request, *, sent_s: float | None) -> Edited | Refusal:
        """What *request* would read and write, sent now, if it were edited somewhere; nothing changes."""
        places = Places(request, self._tape(request.model))
        plan = self._plan(places)
        if isinstance(plan, Refusal):
            return plan
        return Edited(places, plan, tuple(self._found(plan, sent_s)))

    def _look(self, request: Request, sent_s: float | None) -> _Looked | Refusal:
        places = Places(request, self._tape(request.model))
        plan = self._plan(places)
        if isinstance(plan, Refusal):
            return plan
        return _Looked(
            places=places, plan=plan, written=_written(places, plan), hit=next(self._found(plan, sent_s), None)
        )

    def _found(self, plan: Plan, sent_s: float | None) -> Iterator[Found]:
        """The entries that can be read, the last one first: the first is what is read."""
        for place in plan.looked_at():
            entry = self._entries.find(place.key, sent_s)
            if entry is not None:
                yield place, entry

    def _plan(self, places: Places) -> Plan | Refusal:
        request = places.request
        found = family(request.dialect, request.model)
        if found is Family.ANTHROPIC:
            return anthropic.plan(places)
        if found is Family.OPENAI:
            return openai.plan(places, self._options.openai_lookup)
        model = request.model or "a request without a model"
        known = "Claude models, and GPT-5.6 and later, are"
        return Refusal(
            reason="no_cache_model", detail=f"the cache of {model} ({request.dialect}) is not simulated: {known}"
        )

    def _tape(self, model: str | None) -> Tape:
        known = self._tapes.get(model)
        if known is None:
            known = self._tapes[model] = Tape(self._ruler(model))
        return known

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
    if usage is None or usage.basis is not Basis.MEASURED or usage.iterations:
        return None
    if usage.read is None or usage.write_by_ttl_s is None or not usage.input:
        return None
    return usage.read + sum(usage.write_by_ttl_s.values())


def _last(looked: _Looked) -> Place | None:
    """The last place that the request leaves readable."""
    left = [one.place for one in looked.written]
    if looked.hit is not None:
        left.append(looked.hit[0])
    return max(left, key=lambda place: place.order, default=None)
