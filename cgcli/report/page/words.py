"""Plain words for the short ones of a replay."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.report.dollars import UNPRICED, priced
from cgcli.report.figures import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOT_SIMULATED = "not simulated"
NOT_RECORDED = "not recorded"
_MOST_DECIMALS = 6

WHY: Mapping[str, str] = MappingProxyType(
    {
        "first_request": "The first request of its conversation: nothing was there to read.",
        "no_breakpoint": "It asks for no caching: it has no breakpoint where something was written before.",
        "below_minimum": "Its prefix is shorter than the shortest that the model caches.",
        "nothing_written": "The request before it left nothing in the cache.",
        "model_changed": "Another model than the request before.",
        "tools_changed": "The tools are not those of the request before.",
        "system_changed": "The system prompt is not that of the request before.",
        "params_changed": "A parameter that the cache depends on changed.",
        "reasoning_effort_changed": "The reasoning effort changed.",
        "verbosity_changed": "The verbosity changed.",
        "text_format_changed": "The format asked for changed.",
        "prompt_cache_key_changed": "The prompt cache key changed.",
        "service_tier_changed": "The service tier changed.",
        "messages_changed": "Messages that the provider held are not the same any more, or are gone.",
        "expired": "The prefix is the same, but the cache had forgotten it.",
        "not_yet_readable": "The prefix is the same, but the answer to the request that writes it had not begun.",
        "evicted": "The prefix is the same, but what was used later took its room.",
        "reuse_off": "It asks for something that needs all of its prompt computed anew.",
        "out_of_lookback": "The prefix is the same and held, but too far back to be looked for.",
    }
)
"""Why less was read than was sent before."""


def plain(word: str) -> str:
    """*word* without its underscores.

    >>> plain("below_min_tokens")
    'below min tokens'
    """
    return word.replace("_", " ")


def counts(of: Mapping[str, int]) -> str:
    """How many of each.

    >>> counts({"below_min_tokens": 1200, "recent": 3})
    'below min tokens 1,200, recent 3'
    """
    return ", ".join(f"{plain(name)} {number(n)}" for name, n in of.items())


def break_even(told: str | Mapping[str, int]) -> str:
    """Whether a policy came to cost no more than `off`, and how; of several files, how many for each word.

    >>> break_even("not_reached"), break_even({"never_behind": 2, "unpriced": 1})
    ('not reached', 'never behind in 2, unpriced in 1')
    """
    if isinstance(told, str):
        return plain(told)
    return ", ".join(f"{break_even(word)} in {number(n)}" for word, n in told.items())


def decimals(amounts: Iterable[str | None]) -> int:
    """How many decimals a column of *amounts* takes, so that their points stand below each other: two to six.

    >>> decimals(["3.1", None, "0.0147"]), decimals(["3.1", "0"])
    (4, 2)
    """
    shown = [priced(amount).partition(".")[2] for amount in amounts if amount is not None]
    return min(_MOST_DECIMALS, max((len(text) for text in shown), default=2))


def usd_to(amount: str | None, n_decimals: int) -> str:
    """A decimal *amount* with so many decimals, or that there is no price."""
    if amount is None:
        return UNPRICED
    rounded = round(Decimal(amount), n_decimals)
    return f"{'-' if rounded < 0 else ''}${abs(rounded):,f}"


def signed_to(amount: str | None, n_decimals: int) -> str:
    """The difference of a decimal *amount* with its sign and so many decimals."""
    shown = usd_to(amount, n_decimals)
    return f"+{shown}" if amount is not None and Decimal(amount) > 0 else shown


def signed(amount: str | None) -> str:
    """The difference of a decimal *amount* with its sign.

    >>> signed("0.5"), signed("-0.5"), signed("0.00")
    ('+$0.50', '-$0.50', '$0.00')
    """
    shown = priced(amount)
    return f"+{shown}" if amount is not None and Decimal(amount) > 0 else shown


def percent(share: float | Decimal) -> str:
    """*share* of one in percent, with one decimal."""
    return f"{share * 100:.1f} %"
