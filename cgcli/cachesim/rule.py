"""What the cache of a family without breakpoints makes of one request."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.model import Request


@unique
class PrefixRule:
    """How much of what a request shares with earlier ones is read."""

    seed: bytes
    """Stands for all that changes the prompt beside tools, system prompt and messages."""
    minimum_tokens: int = 0
    """Less is not read."""
    step_tokens: int | None = 1
    """What is shared is read in whole steps; None: not unless a unit ends there."""
    round_tokens: int = 1
    """What is read is told in whole multiples."""
    has_units: bool = False
    """The end of a request is a unit, and is read by one that goes on from there, whatever the step."""
    keeps_answers: bool = False
    """The end of the answer is a unit too, as is a beginning that requests turned out to share."""
    life_s: int | None = None
    """From the last use; None: for good."""
    room_units: int | None = None
    """So many units of `step_tokens` fit; None: all."""
    computes_last: bool = False
    """The last token is never read."""
    reads_nothing: bool = False
    """The request asks for something that needs all of its prompt computed."""

    def told(self, tokens: int, total_tokens: int, *, is_unit: bool = False) -> int:
        """What of so many shared *tokens* is read, of a request of *total_tokens*."""
        if self.reads_nothing:
            return 0
        if self.computes_last:
            tokens = min(tokens, total_tokens - 1)
        if not is_unit:
            tokens = tokens // self.step_tokens * self.step_tokens if self.step_tokens is not None else 0
        tokens = tokens // self.round_tokens * self.round_tokens
        return tokens if tokens >= max(self.minimum_tokens, 1) else 0


def seed_of(request: Request, told: Iterable[tuple[str, bytes]]) -> bytes:
    """One digest over the model, whether tools and system are recorded, and what the settings have *told*."""
    hashed = sha256(
        repr((request.model, request.tools is None, request.system is None)).encode("utf-8", "surrogatepass")
    )
    for name, written in told:
        hashed.update(b"%d:%s%d:%s" % (len(name), name.encode("utf-8", "surrogatepass"), len(written), written))
    return hashed.digest()
