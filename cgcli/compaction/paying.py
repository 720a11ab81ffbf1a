"""Does a new decision inside the held prefix pay? `r*S*T > (w-r)*W`.

S tokens leave the held prefix and are not read again on any of the T requests that are left, at the read price r. What
stood behind the shallowest edit and is no longer read, W tokens, is written once more at w where it would have been
read at r. What would pay is found out without asking a model, so no call adds to the cost.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from cgcli.compaction.splicing import Placed
    from cgcli.model import Request


class Unpaid(StrEnum):
    """Why no decision may enter."""

    DOES_NOT_PAY = "does_not_pay"
    UNPRICED = "unpriced"
    """There is no price for the model."""
    NO_CACHE_MODEL = "no_cache_model"
    """Its cache is not simulated, so what would have to be written again is not known."""
    BAD_BREAKPOINTS = "bad_breakpoints"
    """The provider refuses the request for its cache marks or options."""
    HISTORY_NOT_RECORDED = "history_not_recorded"
    """Part of the input is stored with the provider."""


@value
class Candidate:
    """A decision that could be made inside the held prefix."""

    i_message: int
    """Of what is sent."""
    saved_tokens: int
    """Counted, net: the marker included."""


@value
class Cut:
    """The held prefix, edited in one message."""

    readable_tokens: int
    """What the provider would still read: from the marks of the edited request, by look-back."""
    write_usd: Decimal
    """Of one token that it would read and then does not: written, or fresh where no mark stands behind it."""


@unique
class Economy:
    """What is known on one turn; tokens are the model's."""

    held_tokens: int
    """What the provider would read of the request as it stands."""
    cut: Callable[[int], Cut]
    """At message i of what is sent; what is readable never shrinks from one message to the next."""
    read_usd: Decimal
    """Of one token."""
    n_left: int
    """Requests that are left, this one included."""
    factor: float = 1.0
    """The model's tokens for each counted one."""


@value
class Verdict:
    """From which message on decisions may enter; None for nowhere. The figures are those of the best cut."""

    from_message: int | None
    why_not: Unpaid | None = None
    saved_tokens: int = 0
    """S. What stands behind all that the provider reads is in it: at least the read price is saved there too."""
    rewritten_tokens: int = 0
    """W."""
    n_left: int = 0
    """T."""
    read_usd: Decimal | None = None
    """r, of one token."""
    write_usd: Decimal | None = None
    """w, of one token."""
    gain_usd: Decimal | None = None
    """`r*S*T - (w-r)*W`; 0 or less does not pay. None where nothing was reckoned."""


class Judge(Protocol):
    """Knows the cache and the prices."""

    def judge(self, request: Request, placed: Sequence[Placed], candidates: Sequence[Candidate]) -> Verdict:
        """Which of *candidates* may be made in *request* as it stands, with what is *placed* in it."""


def best_cut(candidates: Sequence[Candidate], economy: Economy) -> Verdict:
    """The message from which on all candidates together gain most; nowhere, where none gains anything.

    A deeper cut saves less and has less to write again.
    """
    best = Verdict(from_message=None, why_not=Unpaid.DOES_NOT_PAY)
    saved = saved_of_held = 0
    by_message: dict[int, int] = {}
    for one in candidates:
        by_message[one.i_message] = by_message.get(one.i_message, 0) + one.saved_tokens
    for i_message, more in sorted(by_message.items(), reverse=True):
        cut = economy.cut(i_message)
        saved += more
        # Behind all that is read nothing has to be written again, and nothing that goes there makes W smaller.
        saved_of_held += more if cut.readable_tokens < economy.held_tokens else 0
        found = _at(i_message, cut, economy, saved, saved_of_held)
        if best.gain_usd is None or (found.gain_usd is not None and found.gain_usd > best.gain_usd):
            best = found
    return best


def _at(i_message: int, cut: Cut, economy: Economy, saved: int, saved_of_held: int) -> Verdict:
    saved_tokens, of_held = round(saved * economy.factor), round(saved_of_held * economy.factor)
    rewritten = max(0, economy.held_tokens - of_held - cut.readable_tokens)
    gain = economy.read_usd * saved_tokens * economy.n_left - (cut.write_usd - economy.read_usd) * rewritten
    pays = gain > 0
    return Verdict(
        from_message=i_message if pays else None,
        why_not=None if pays else Unpaid.DOES_NOT_PAY,
        saved_tokens=saved_tokens,
        rewritten_tokens=rewritten,
        n_left=economy.n_left,
        read_usd=economy.read_usd,
        write_usd=cut.write_usd,
        gain_usd=gain,
    )


def requests_left(n_sent: int, *, tokens: int, first_tokens: int, window_tokens: int | None) -> int:
    """How many requests a lane has left, this one included, after *n_sent* earlier ones.

    As many as it had so far, this one included, and no more than fit into the window at the rate at which it grew from
    *first_tokens* to *tokens*. It is told from the lane so far and never from its future.
    """
    so_far = n_sent + 1
    growth = (tokens - first_tokens) / n_sent if n_sent else 0
    if window_tokens is None or growth <= 0:
        return so_far
    return max(1, min(so_far, 1 + int((window_tokens - tokens) / growth)))
