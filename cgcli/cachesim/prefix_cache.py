"""The caches without breakpoints: what a request shares with those before it, down to the token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.edited import Edited
from cgcli.cachesim.held_prefix import HeldPrefix
from cgcli.cachesim.past import contains
from cgcli.cachesim.prefix_look import Look
from cgcli.cachesim.recorded import measured
from cgcli.cachesim.simulated import Simulated
from cgcli.cachesim.stretches import Stretches
from cgcli.cachesim.why import Why, what_changed_in_prompt
from cgcli.model import changed

if TYPE_CHECKING:
    from cgcli.cachesim.past import Past, Sent
    from cgcli.cachesim.places import Places
    from cgcli.cachesim.prefix_look import Read
    from cgcli.cachesim.rule import PrefixRule
    from cgcli.cachesim.sending import Sending
    from cgcli.cachesim.stretches import Stretch


class PrefixCache:
    """What is held of all models, each in a cache of its own."""

    def __init__(self, past: Past, *, above: PrefixCache | None = None) -> None:
        """What *above* holds, else nothing; *past* are the requests that were sent."""
        self._past = past
        self._above = above
        self.stretches: dict[str | None, Stretches] = above.stretches if above is not None else {}
        """What is known of texts: what reads alike is the same for all branches."""
        self._held: dict[str | None, HeldPrefix] = {}

    def branch(self, past: Past) -> PrefixCache:
        """An overlay: what is sent to it stays its own."""
        return PrefixCache(past, above=self)

    def send(self, places: Places, rule: PrefixRule, sending: Sending) -> Simulated:
        """What the request reads; all of it is held from now on."""
        look = self._look(places, rule, sending.sent_s)
        read = look.read()
        told = self._tell(look, read, sending.sent_s)
        shared = look.shared()[1]
        end = look.stretches.insert(places.request, rule.seed, look.walked)
        sent_before = min(shared, read.counted if read.tokens else 0) if rule.has_units else shared
        look.held.touch(end, sending, sent_before, rule.life_s, look.room)
        if rule.has_units:
            _make_units(look, read, end, shared)
        if measured(sending.usage):
            look.held.record(end, sending.number, sending.usage.input or 0)
        self._past.add(places, places.last, seed=rule.seed)
        return told

    def what_if(self, places: Places, rule: PrefixRule, sent_s: float | None) -> Simulated:
        """What the request would read; nothing changes."""
        look = self._look(places, rule, sent_s)
        return self._tell(look, look.read(), sent_s)

    def edited(self, places: Places, rule: PrefixRule, sent_s: float | None) -> Edited:
        """What the request would read if it were edited somewhere; nothing changes."""
        look = self._look(places, rule, sent_s)
        whole = _billed(look, look.read())
        return Edited(lambda i: whole if i is None else _billed(look, look.read(i)))

    def _look(self, places: Places, rule: PrefixRule, sent_s: float | None) -> Look:
        model = places.request.model
        if model not in self.stretches:
            self.stretches[model] = Stretches(places.meter)
        return Look(places, rule, self.stretches[model], self.holding(model), sent_s)

    def holding(self, model: str | None) -> HeldPrefix:
        """What is held of *model*; a branch takes its overlay when it is first asked, because more may come above."""
        known = self._held.get(model)
        if known is None:
            known = self._above.holding(model).branch() if self._above is not None else HeldPrefix()
            self._held[model] = known
        return known

    def _tell(self, look: Look, read: Read, sent_s: float | None) -> Simulated:
        return changed(_billed(look, read), why=self._why(look, read, sent_s))

    def _why(self, look: Look, read: Read, sent_s: float | None) -> Why | None:
        """Why less is read than the request before left."""
        rule, places = look.rule, look.places
        if rule.reads_nothing:
            return Why.REUSE_OFF
        if not read.tokens and look.total_tokens < rule.minimum_tokens:
            return Why.BELOW_MINIMUM
        before = self._past.before(places.request)
        if before is None:
            return None if read.tokens else Why.FIRST_REQUEST
        most = rule.told(before.tokens, look.total_tokens, is_unit=rule.has_units)
        if read.tokens >= most or (read.recorded is not None and _has_whole(look, before)):
            return None if most or read.tokens else Why.NOTHING_WRITTEN
        return self._lost(look, before, sent_s)

    def _lost(self, look: Look, before: Sent, sent_s: float | None) -> Why:
        """What became of the request *before*, of which less is read."""
        request, rule = look.places.request, look.rule
        is_same = (before.model, before.seed, before.tools, before.system) == (
            request.model,
            rule.seed,
            look.places.head.tools,
            look.places.head.system,
        )
        if not is_same or not contains(request, before):
            return what_changed_in_prompt(before, look.places, rule.seed)
        end = look.stretches.end(request, rule.seed, len(before.states))
        fate = look.held.fate(end, sent_s, rule.life_s) if end is not None else None
        if fate is not None:
            return fate
        return Why.EVICTED if look.room_tokens is not None else Why.NOTHING_WRITTEN


def _make_units(look: Look, read: Read, end: Stretch, shared: int) -> None:
    """Where units end now: the request, the answer that it goes on from, what it turned out to share."""
    held, rule = look.held, look.rule
    if read.n_answered is not None and read.at is not None:
        held.make_unit(read.at, is_open=False)
        answer = look.stretches.end(look.places.request, rule.seed, read.n_answered)
        if answer is not None:
            held.make_unit(answer, is_open=False)
    if rule.keeps_answers and look.places.for_model(shared) >= max(read.tokens + 1, rule.minimum_tokens):
        parting = next((stretch for stretch in end.up() if stretch.stop <= shared), None)
        if parting is not None and held.unit(parting) is None:
            held.make_unit(parting, is_open=False)
    held.make_unit(end, is_open=True)


def _has_whole(look: Look, before: Sent) -> bool:
    """True where all of *before* is held: then its recorded input is what is read, whatever a tokenizer counts."""
    is_had = contains(look.places.request, before)
    return is_had and look.shared()[1] >= look.places.upto(len(before.states))


def _billed(look: Look, read: Read) -> Simulated:
    """What is read, and not yet why; writing costs nothing beside the fresh token."""
    counted, is_recorded = read.tokens, read.recorded is not None and read.tokens > 0
    if is_recorded:
        counted = look.rule.told(look.places.for_model(read.counted), look.total_tokens, is_unit=look.rule.has_units)
    return Simulated(
        read_tokens=read.tokens,
        fresh_tokens=look.total_tokens - counted,
        read_from=_read_from(look, read) if read.tokens else None,
        is_recorded=is_recorded,
    )


def _read_from(look: Look, read: Read) -> int | None:
    """The request that wrote the last token that is read."""
    if read.recorded is not None:
        return read.recorded[0]
    if read.at is None:
        return None
    last = (stretch for stretch in read.at.up() if look.places.for_model(stretch.start) < read.tokens)
    found = next(last, None)
    return look.held.writer(found) if found is not None else None
