"""One request before a cache without breakpoints: how much of it is read, whole or cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.held_prefix import Room
from cgcli.model import unique

if TYPE_CHECKING:
    from cgcli.cachesim.held_prefix import HeldPrefix
    from cgcli.cachesim.places import Places
    from cgcli.cachesim.rule import PrefixRule
    from cgcli.cachesim.stretches import Stretch, Stretches


@unique
class Read:
    """What is read."""

    tokens: int = 0
    """For the model, as the provider tells it."""
    counted: int = 0
    """Counted tokens that are held, of which `tokens` are told."""
    at: Stretch | None = None
    """The last stretch of those."""
    recorded: tuple[int, int] | None = None
    """The request whose recorded input ends there, and how much that was."""
    n_answered: int | None = None
    """How many messages are read, the last of them an answer that was not sent before."""


_NOTHING = Read()


class Look:
    """One request."""

    def __init__(
        self, places: Places, rule: PrefixRule, stretches: Stretches, held: HeldPrefix, sent_s: float | None
    ) -> None:
        """Look at the request of *places*, sent at *sent_s*, and change nothing."""
        self.places = places
        self.rule = rule
        self.stretches = stretches
        self.held = held
        self.total_tokens = places.total_tokens
        self.walked = stretches.walk(places.request, rule.seed)
        self._sent_s = sent_s
        self._deepest = self.walked.inside if self.walked.inside is not None else self.walked.at
        self.room: Room | None = None
        self.room_tokens: int | None = None
        """What is left of it where room is limited; None: all that was sent."""
        if rule.room_units is not None:
            self.room = Room(units=rule.room_units, unit_tokens=rule.step_tokens or 1, tokens=places.for_model)
            self.room_tokens = held.room_tokens(self._deepest, self.room)

    def read(self, n_messages: int | None = None) -> Read:
        """What is read if only the first *n_messages* are what they are; None: all."""
        at, counted = self.shared(n_messages)
        found = self._told(at, counted, is_unit=False)
        unit = self._unit(n_messages) if self.rule.has_units else _NOTHING
        return unit if unit.tokens >= found.tokens and unit.at is not None else found

    def shared(self, n_messages: int | None = None) -> tuple[Stretch | None, int]:
        """The last stretch that is held in time, and the counted tokens up to where the request parts from it."""
        start, counted = self._from(n_messages)
        for stretch in start.up():
            if self._is_held(stretch):
                return stretch, min(counted, stretch.stop)
        return None, 0

    def _from(self, n_messages: int | None) -> tuple[Stretch, int]:
        if n_messages is not None:
            end = self.stretches.end(self.places.request, self.rule.seed, n_messages)
            if end is not None:
                return end, end.stop
        return self._deepest, self.walked.counted

    def _is_held(self, stretch: Stretch) -> bool:
        return self.held.fate(stretch, self._sent_s, self.rule.life_s) is None

    def _told(self, at: Stretch | None, counted: int, *, is_unit: bool) -> Read:
        if at is None:
            return _NOTHING
        is_whole = counted == at.stop and at is not self.walked.inside
        recorded = self.held.recorded(at) if is_whole else None
        tokens = recorded[1] if recorded is not None else self.places.for_model(counted)
        if self.room_tokens is not None and self.room_tokens < tokens:
            tokens, recorded = self.room_tokens, None
        told = self.rule.told(tokens, max(tokens, self.total_tokens), is_unit=is_unit)
        return Read(tokens=told, counted=counted, at=at, recorded=recorded)

    def _unit(self, n_messages: int | None) -> Read:
        """The longest unit; one that ends where a request did goes on to the end of the answer to that."""
        start, _ = self._from(n_messages)
        for stretch in start.up():
            is_open = self.held.unit(stretch) if stretch is not self.walked.inside else None
            if is_open is None or not self._is_held(stretch):
                continue
            n_answered = self._answered(stretch, n_messages) if is_open and self.rule.keeps_answers else None
            if n_answered is None:
                return self._told(stretch, stretch.stop, is_unit=True)
            upto = self.places.upto(n_answered)
            told = self.rule.told(self.places.for_model(upto), self.total_tokens, is_unit=True)
            return Read(tokens=told, counted=upto, at=stretch, n_answered=n_answered)
        return _NOTHING

    def _answered(self, end: Stretch, n_messages: int | None) -> int | None:
        """How many messages there are with the answer behind *end*; None where no answer follows."""
        if end.i_message is None:
            return None
        messages = self.places.request.messages[:n_messages]
        first = end.i_message + 1
        n = next((i for i in range(first, len(messages)) if messages[i].role != "assistant"), len(messages))
        return n if n > first else None
