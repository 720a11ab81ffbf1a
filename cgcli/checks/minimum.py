"""Does the marked prefix of a lane ever reach the least that is cached? Tokens are counted only near the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Finding
from cgcli.checks.turn import static_items
from cgcli.model import Section, changed, value
from cgcli.providers.breakpoints import minimum_tokens
from cgcli.providers.models import lookup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.turn import Turn
    from cgcli.model import Item
    from cgcli.prefix.marked import Marked

_BYTES_A_TOKEN = 4
_CLEARLY = 2
"""An estimate from bytes decides alone where it is off the limit by this factor."""


@value
class _Largest:
    """The largest marked prefix of a thread, and where it is."""

    prefix_bytes: int
    items: tuple[Item, ...]
    model: str | None
    minimum: int
    line: int
    i_exchange: int
    path: str
    n_requests: int


class Minimum:
    """Follows the largest marked prefix of each thread until it is clearly large enough."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self._small: dict[int, _Largest | None] = {}
        self._unknown: dict[str | None, tuple[int, int]] = {}

    def see(self, turn: Turn, last: Marked) -> None:
        """Take the *last* mark of a request."""
        known = self._small.get(turn.thread)
        if known is None and turn.thread in self._small:
            return
        model = turn.request.model
        minimum = minimum_tokens(model)
        if minimum is None:
            self._unknown.setdefault(model, (turn.line, turn.i_exchange))
            return
        if _estimate(last.prefix_bytes, model) > minimum * _CLEARLY:
            self._small[turn.thread] = None
            return
        n_requests = known.n_requests + 1 if known is not None else 1
        path = f"{last.section.value}.{last.i_item}"
        self._small[turn.thread] = _Largest(
            prefix_bytes=last.prefix_bytes,
            items=_up_to(turn, last),
            model=model,
            minimum=minimum,
            line=turn.line,
            i_exchange=turn.i_exchange,
            path=f"{path}.{last.inner}" if last.inner else path,
            n_requests=n_requests,
        )

    def findings(self) -> Iterator[Finding]:
        """A failure for each lane of several requests that never reaches its minimum; one note for single requests."""
        single: list[tuple[_Largest, int]] = []
        for largest in self._small.values():
            tokens = _tokens(largest) if largest is not None else 0
            if largest is None or tokens >= largest.minimum:
                continue
            if largest.n_requests == 1:
                single.append((largest, tokens))
            else:
                yield _below(largest, tokens, "")
        if single:
            more = f" (and {len(single) - 1} more single requests)" if len(single) > 1 else ""
            yield changed(_below(*single[0], more), is_note=True)
        for model, (line, i_exchange) in self._unknown.items():
            yield Finding(
                message=f"the smallest prefix that {model or 'a request without a model'} caches is not known here",
                line=line,
                i_exchange=i_exchange,
                kind="minimum_unknown",
                is_note=True,
            )


def _below(largest: _Largest, tokens: int, more: str) -> Finding:
    return Finding(
        message=(
            f"about {tokens:,} tokens up to the last mark, {largest.model} caches from {largest.minimum:,}: "
            f"nothing is written, and no error says so{more}"
        ),
        line=largest.line,
        i_exchange=largest.i_exchange,
        path=largest.path,
        kind="below_minimum",
    )


def _up_to(turn: Turn, last: Marked) -> tuple[Item, ...]:
    request = turn.request
    tools, system = request.tools or (), request.system or ()
    if last.section is Section.TOOLS:
        return tools[: last.i_item + 1]
    if last.section is Section.SYSTEM:
        return (*tools, *system[: last.i_item + 1])
    return (*static_items(request), *request.messages[: last.i_item + 1])


def _estimate(prefix_bytes: int, model: str | None) -> float:
    return prefix_bytes / _BYTES_A_TOKEN * lookup(model).factor


def _tokens(largest: _Largest) -> int:
    """Estimated from bytes where that decides, else counted; never less than the prefix has but for its framing."""
    estimate = _estimate(largest.prefix_bytes, largest.model)
    if estimate * _CLEARLY < largest.minimum:
        return round(estimate)
    from cgcli.tokens import counter  # noqa: PLC0415 - a vocabulary is loaded only where the estimate is too close

    facts = lookup(largest.model)
    count = counter(facts.encoding).count
    return round(sum(count(item.wire.decode("utf-8", "replace")) for item in largest.items) * facts.factor)
