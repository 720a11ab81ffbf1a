"""One ruler for all that is compared: the counted tokens of a request's pieces, and what they are for the model."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from cgcli.model import Basis, Count, value
from cgcli.providers.models import lookup
from cgcli.tokens.counter import counter
from cgcli.tokens.factor import fit
from cgcli.tokens.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.model import Request


@value
class Measured:
    """The tokens of one request, counted and without any factor."""

    tools: tuple[int, ...]
    """Per tool."""
    system: tuple[int, ...]
    messages: tuple[int, ...]

    @property
    def static(self) -> int:
        """Of tools and system prompt together."""
        return sum(self.tools) + sum(self.system)

    @property
    def total(self) -> int:
        """Of the whole request."""
        return self.static + sum(self.messages)

    def ends(self) -> tuple[int, ...]:
        """Where each message ends, in tokens from the first of the request."""
        return tuple(accumulate(self.messages, initial=self.static))[1:]


class Ruler:
    """Counts for one model; the factor is the table's, or one that was fitted to what the provider recorded."""

    def __init__(self, model: str | None, *, pairs: Sequence[tuple[int, int]] = ()) -> None:
        """Measure for *model*.

        *pairs* are (counted tokens, recorded input tokens) of requests: an estimate is fitted to them, an exact count
        stays.
        """
        facts = lookup(model)
        fitted = fit(pairs) if facts.basis is Basis.ESTIMATED else None
        self.model = model
        self.encoding = facts.encoding
        self.basis = facts.basis
        self.factor = float(facts.factor) if fitted is None else fitted
        self.is_fitted = fitted is not None
        self.n_fitted = len(pairs) if fitted is not None else 0
        """How many requests with recorded usage the factor was fitted to."""
        self.meter = Meter(counter(facts.encoding).count)

    def __str__(self) -> str:
        """The basis, for a person: `estimated: o200k_base x 1.24`."""
        if self.is_fitted:
            return f"estimated: {self.encoding} x {self.factor:.3f}, fitted to the usage of {self.n_fitted} requests"
        times = "" if self.factor == 1 else f" x {self.factor:.2f}"
        return f"{self.basis}: {self.encoding}{times}"

    @property
    def count(self) -> Callable[[str], int]:
        """Counts a text, without the factor."""
        return self.meter.count

    def measure(self, request: Request) -> Measured:
        """The counted tokens of each item of *request*; each distinct item is counted once."""
        item = self.meter.item
        return Measured(
            tools=tuple(map(item, request.tools or ())),
            system=tuple(map(item, request.system or ())),
            messages=tuple(map(item, request.messages)),
        )

    def tokens(self, counted: int) -> int:
        """What *counted* tokens are for the model."""
        return round(counted * self.factor)

    def of(self, counted: int) -> Count:
        """The same, and how it is known."""
        return Count(tokens=self.tokens(counted), basis=self.basis)
