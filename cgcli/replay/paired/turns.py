"""What one policy made of one request, and of a file."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cgcli.model import Refusal, unique, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cgcli.cachesim.simulated import Simulated
    from cgcli.model import Basis
    from cgcli.replay.paired.regret import Regret


@value
class NewEdit:
    """One edit that a turn brought; later requests repeat it."""

    path: str
    components: tuple[str, ...]
    before_tokens: int
    """For the model."""
    saved_tokens: int
    before: bytes
    """As it was written, at most `MOST_KEPT_BYTES` of it."""
    after: bytes
    before_bytes: int
    after_bytes: int


MOST_KEPT_BYTES = 4000


@value
class OwnCall:
    """A call that the policy itself makes: for a summary, or about one output."""

    line: int
    """Of the request that it was asked from."""
    what: str
    """`summary` or `output`."""
    mode: str | None
    model: str | None
    basis: Basis
    """MEASURED where the answer says what was billed, else SIMULATED."""
    read_tokens: int = 0
    write_tokens: int = 0
    fresh_tokens: int = 0
    output_tokens: int = 0
    usd: Decimal | None = None
    refused: str | None = None
    """Why there is no answer. What was asked is billed all the same where an answer came."""


@unique
class ArmTurn:
    """One request as one policy sends it. Tokens are for the model; `simulated` says what becomes of them."""

    number: int
    """Of the request in the file, from 0."""
    line: int
    thread: int
    model: str | None
    sent_s: float | None
    before_tokens: int
    """Before compaction."""
    simulated: Simulated | Refusal
    output_tokens: int | None
    """As recorded, else counted from the recorded answer; the same for every policy. None: not recorded."""
    usd: Decimal | None
    """Of the request with its answer, without the policy's own calls; None: unpriced, or the cache is not simulated."""
    own_calls: tuple[OwnCall, ...]
    fired: Mapping[str, int]
    """New changes by component."""
    removed_tokens: int
    """What this request has less than before compaction; below 0 where it has more."""
    is_changed: bool
    is_reset: bool
    """It reads otherwise than what the lane sent before and the provider held: by compaction, not by its sender."""
    edits: tuple[NewEdit, ...]
    regrets: tuple[Regret, ...]

    @property
    def input_tokens(self) -> int:
        """As the simulated cache counts them; where it is not simulated, what is left of those before compaction."""
        if isinstance(self.simulated, Refusal):
            return self.before_tokens - self.removed_tokens
        return self.simulated.input_tokens

    @property
    def own_usd(self) -> Decimal | None:
        """What the policy's own calls of this turn cost together; None where one that was answered has no price."""
        return sum_usd(one.usd for one in self.own_calls if one.refused is None)

    @property
    def all_usd(self) -> Decimal | None:
        """What the turn costs with the policy's own calls; None where a price is missing."""
        own = self.own_usd
        return self.usd + own if self.usd is not None and own is not None else None


def sum_usd(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The sum of *amounts*; None where one of them is not known."""
    total = Decimal(0)
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total
