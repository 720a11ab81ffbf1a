"""What a simulated cache says of one request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import field

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping


@value
class Simulated:
    """Tokens by what became of them, for the model; disjoint, together the whole input."""

    read_tokens: int
    fresh_tokens: int
    write_by_ttl_s: Mapping[int, int] = field(default_factory=dict)
    read_from: int | None = None
    """The number of the request (as told to `send`) whose entry is read; None where nothing is."""
    is_recorded: bool = False
    """`read_tokens` is what that request's own recorded usage says, and no count."""
    why: str | None = None
    """Why less was read than was sent before, in the providers' words (`cgcli.cachesim.why.Why` has them all);
    None where nothing was lost."""

    @property
    def written_tokens(self) -> int:
        """Written, whatever the lifetime."""
        return sum(self.write_by_ttl_s.values())

    @property
    def input_tokens(self) -> int:
        """All of the input."""
        return self.read_tokens + self.fresh_tokens + self.written_tokens
