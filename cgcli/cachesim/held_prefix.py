"""What is held of one model's stretches: when each was used last, and which are dropped for want of room."""

from __future__ import annotations

from collections import ChainMap
from itertools import count, groupby
from typing import TYPE_CHECKING, TypeVar

from cgcli.cachesim.lifetime import earliest, fate
from cgcli.cachesim.overlay import held_in
from cgcli.cachesim.why import Why
from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cgcli.cachesim.sending import Sending
    from cgcli.cachesim.stretches import Stretch

T = TypeVar("T")


@unique
class Use:
    """A request that read or wrote a stretch."""

    i_use: int
    """In the order in which all were sent."""
    used_s: float | None
    """When it was sent; None where that is not recorded: then its time is never over."""
    readable_s: float | None = None
    """When what it wrote became readable; None: at once."""


@unique
class Room:
    """How much fits."""

    units: int
    """Blocks, or pages."""
    unit_tokens: int
    tokens: Callable[[int], int]
    """What counted tokens are for the model."""

    def ends(self, counted: int) -> int:
        """How many units end up to there."""
        return self.tokens(counted) // self.unit_tokens


class HeldPrefix:
    """The stretches that one model's cache holds."""

    def __init__(self) -> None:
        """Nothing is held."""
        self._uses: ChainMap[Stretch, Use] = ChainMap()
        self._writers: ChainMap[Stretch, int] = ChainMap()
        self._recorded: ChainMap[Stretch, tuple[int, int]] = ChainMap()
        self._units: ChainMap[Stretch, bool] = ChainMap()
        self._volumes: ChainMap[int, int] = ChainMap()
        """By use: the units that were used last by it."""
        self._volume = 0
        """All that was ever sent, shared units once."""
        self._numbers: Iterator[int] = count(1)
        self._i_latest = 0

    def branch(self) -> HeldPrefix:
        """An overlay: what is sent to it stays its own."""
        made = HeldPrefix()
        made._uses, made._writers = self._uses.new_child(), self._writers.new_child()
        made._recorded, made._units = self._recorded.new_child(), self._units.new_child()
        made._volumes = self._volumes.new_child()
        made._volume = self._volume
        made._numbers, made._i_latest = self._numbers, self._i_latest  # no two uses have one number
        return made

    def fate(self, stretch: Stretch, sent_s: float | None, life_s: int | None) -> Why | None:
        """Why *stretch* cannot be read at *sent_s*; None where time does not speak against it.

        `NOTHING_WRITTEN` where it was never sent.
        """
        used = _of(self._uses, stretch)
        if used is None:
            return Why.NOTHING_WRITTEN
        return fate(sent_s, readable_s=used.readable_s, used_s=used.used_s, life_s=life_s)

    def room_tokens(self, last: Stretch, room: Room) -> int | None:
        """How many tokens up to *last* are left where only *room* is; None: all of them.

        The least recently used goes first, of one request the end before the beginning. So what is left is what all
        that was used later leaves room for.
        """
        if self._volume <= room.units:
            return None
        for use, first, end in reversed(list(self._runs(last.up()))):
            begin = room.ends(first.start)
            if use is None:
                return begin * room.unit_tokens
            left = max(0, room.units - self._later(use.i_use, room.units))
            if room.ends(end.stop) - begin > left:
                return (begin + left) * room.unit_tokens
        return None

    def _runs(self, path: Iterable[Stretch]) -> Iterator[tuple[Use | None, Stretch, Stretch]]:
        """The runs of *path* that one request used last, the last one first: that use, and the run's first and last."""
        for i_use, run in groupby(((_of(self._uses, stretch), stretch) for stretch in path), key=_i_use):
            stretches = list(run)
            yield stretches[0][0] if i_use else None, stretches[-1][1], stretches[0][1]

    def writer(self, stretch: Stretch) -> int | None:
        """The number of the request that wrote *stretch*."""
        return _of(self._writers, stretch)

    def recorded(self, stretch: Stretch) -> tuple[int, int] | None:
        """The request whose recorded input ends with *stretch*, and how much that was."""
        return self._recorded.get(stretch)

    def record(self, stretch: Stretch, number: int, tokens: int) -> None:
        """Remember that the input of request *number*, which ends with *stretch*, was so many *tokens*."""
        self._recorded.setdefault(stretch, (number, tokens))

    def unit(self, stretch: Stretch) -> bool | None:
        """Whether a unit ends with *stretch*, and the answer to it is still to be seen; None: there is no unit."""
        return self._units.get(stretch)

    def make_unit(self, stretch: Stretch, *, is_open: bool) -> None:
        """A unit ends with *stretch*; *is_open*: what goes on from there with an answer has its answer."""
        self._units[stretch] = is_open

    def touch(self, end: Stretch, sending: Sending, read: int, life_s: int | None, room: Room | None) -> None:
        """A request that ends with *end* was sent; *read* are the counted tokens that were held."""
        path = list(end.up())
        left_tokens = self.room_tokens(end, room) if room is not None else None
        self._i_latest = next(self._numbers)
        if room is not None:
            self._move(path, room)
        n_written = len(path)
        for n, stretch in enumerate(path):
            is_lost = room is not None and left_tokens is not None and room.tokens(stretch.stop) > left_tokens
            if stretch.stop <= read and not is_lost:
                n_written = n
                break
            self._write(stretch, sending, is_lost=is_lost or self.fate(stretch, sending.sent_s, life_s) is Why.EXPIRED)
        self._uses.maps[0].update(dict.fromkeys(path[n_written:], Use(i_use=self._i_latest, used_s=sending.sent_s)))

    def _write(self, stretch: Stretch, sending: Sending, *, is_lost: bool) -> None:
        """*stretch* is written; of parallel writers the one that is answered first makes it readable."""
        found = _of(self._uses, stretch)
        readable_s = sending.readable_s
        if found is None or is_lost:
            self._writers[stretch] = sending.number
        else:
            readable_s = earliest(found.readable_s, readable_s)
        self._uses[stretch] = Use(i_use=self._i_latest, used_s=sending.sent_s, readable_s=readable_s)

    def _move(self, path: Sequence[Stretch], room: Room) -> None:
        """What was used by earlier requests is now the latest one's."""
        for use, first, end in self._runs(path):
            volume = room.ends(end.stop) - room.ends(first.start)
            if use is None:
                self._volume += volume
            else:
                self._volumes[use.i_use] = self._volumes.get(use.i_use, 0) - volume
        self._volumes[self._i_latest] = room.ends(path[0].stop) if path else 0

    def _later(self, i_use: int, enough: int) -> int:
        """The units that were used after *i_use*; counted up to *enough*."""
        found = 0
        for i in range(self._i_latest, i_use, -1):
            found += self._volumes.get(i, 0)
            if found >= enough:
                break
        return found


def _i_use(used: tuple[Use | None, Stretch]) -> int:
    return used[0].i_use if used[0] is not None else 0


def _of(held: ChainMap[Stretch, T], stretch: Stretch) -> T | None:
    """What is known of *stretch*; of a part that was cut off since, what was known of the whole."""
    found: Stretch | None = stretch
    while found is not None:
        told = held_in(held, found)
        if told is not None:
            return told
        found = found.below
    return None
