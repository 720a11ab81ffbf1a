"""What a simulated cache holds: one entry for each place that was written, until its time is over."""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

from cgcli.cachesim.lifetime import earliest, fate
from cgcli.cachesim.overlay import held_in
from cgcli.cachesim.why import Why
from cgcli.model import changed, value

if TYPE_CHECKING:
    from cgcli.model import Digest


@value
class Entry:
    """One written prefix."""

    number: int
    """Of the request that wrote it; of the first whose usage is recorded, where there is one."""
    ttl_s: int
    used_s: float | None
    """When the last request that wrote or read it was sent; None where that is not recorded."""
    readable_s: float | None
    """When the answer to the request that wrote it began; None: it counts as readable at once."""
    recorded_tokens: int | None = None
    """What its writer read and wrote up to here by its own recorded usage."""


class Entries:
    """The entries by key. Keys have the model in them, so one of these holds those of all models."""

    def __init__(self, held: ChainMap[Digest, Entry] | None = None) -> None:
        """Begin with what is *held*; empty where that is None."""
        self._held: ChainMap[Digest, Entry] = held if held is not None else ChainMap()

    def branch(self) -> Entries:
        """An overlay: what is written to it stays its own."""
        return Entries(self._held.new_child())

    def find(self, key: Digest, sent_s: float | None) -> Entry | None:
        """The entry that a request sent at *sent_s* can read."""
        found = held_in(self._held, key)
        return found if found is not None and _fate(found, sent_s) is None else None

    def fate(self, key: Digest, sent_s: float | None) -> Why | None:
        """Why an entry that was written cannot be read; None where it can, or was never written."""
        found = held_in(self._held, key)
        return _fate(found, sent_s) if found is not None else None

    def use(self, key: Digest, sent_s: float | None) -> None:
        """A request sent at *sent_s* read the entry, or marks it again: its time begins anew, free of charge."""
        found = self._held[key]
        self._held[key] = changed(found, used_s=_latest(found.used_s, sent_s))

    def write(self, key: Digest, new: Entry) -> None:
        """Take in a written entry. One that is there already (of a request sent in parallel) goes on, too."""
        found = held_in(self._held, key)
        if found is None or _fate(found, new.used_s) is Why.EXPIRED:
            self._held[key] = new
            return
        is_first = found.recorded_tokens is not None or new.recorded_tokens is None
        self._held[key] = Entry(
            number=found.number if is_first else new.number,
            ttl_s=max(found.ttl_s, new.ttl_s),
            used_s=_latest(found.used_s, new.used_s),
            readable_s=earliest(found.readable_s, new.readable_s),
            recorded_tokens=found.recorded_tokens if is_first else new.recorded_tokens,
        )

    def record(self, key: Digest, number: int, tokens: int) -> None:
        """Remember that request *number* read and wrote so many *tokens* up to here, unless that is known."""
        found = self._held[key]
        if found.recorded_tokens is None:
            self._held[key] = changed(found, number=number, recorded_tokens=tokens)


def _fate(entry: Entry, sent_s: float | None) -> Why | None:
    return fate(sent_s, readable_s=entry.readable_s, used_s=entry.used_s, life_s=entry.ttl_s)


def _latest(known_s: float | None, sent_s: float | None) -> float | None:
    """The later of both; None where the new one is not recorded: nobody can say when its time is over."""
    return sent_s if known_s is None or sent_s is None else max(known_s, sent_s)
