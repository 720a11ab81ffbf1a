"""What a request asks of its cache: where it writes and where it is looked for; how that is billed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cgcli.cachesim.places import Place


@value
class Breakpoint:
    """One place to write at."""

    place: Place
    ttl_s: int


@unique
class Plan:
    """What one request asks for."""

    breakpoints: tuple[Breakpoint, ...]
    """In cache order; at most one a place."""
    looked_at: Callable[[], Iterator[Place]]
    """The places that are looked at, the last one first, as far as they are asked for."""
    minimum_tokens: int
    """A breakpoint below it writes nothing."""


@value
class Billed:
    """A breakpoint at so many tokens."""

    tokens: int
    ttl_s: int


def split(written: Sequence[Billed], *, read_tokens: int, total_tokens: int) -> tuple[dict[int, int], int]:
    """The tokens that are written, by lifetime, and those that are fresh.

    Up to A, *read_tokens*, all is read. From A to B, the last breakpoint of the longest lifetime behind A, that is
    written; from B to C, the last breakpoint, the shorter lifetime; what follows C is fresh.

    Source: Claude docs, prompt caching, mixing different TTLs. For OpenAI it is assumed.
    """
    by_ttl: dict[int, int] = {}
    at = read_tokens
    for ttl_s in sorted({one.ttl_s for one in written}, reverse=True):
        last = max(one.tokens for one in written if one.ttl_s == ttl_s)
        if last > at:
            by_ttl[ttl_s] = last - at
            at = last
    return by_ttl, total_tokens - at


def in_order(breakpoints: Iterable[Breakpoint]) -> tuple[Breakpoint, ...]:
    """*breakpoints* in cache order; of several at one place, the longest life."""
    by_place: dict[tuple[int, int, int], Breakpoint] = {}
    for one in breakpoints:
        known = by_place.get(one.place.order)
        if known is None or known.ttl_s < one.ttl_s:
            by_place[one.place.order] = one
    return tuple(by_place[order] for order in sorted(by_place))
