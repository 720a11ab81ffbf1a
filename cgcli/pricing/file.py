"""What tokens cost, as a file says: a table a model, US dollars per million tokens, in JSON or TOML."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from cgcli.errors import UsageError, did_you_mean
from cgcli.model import changed
from cgcli.pricing.rate import Rate, Tier
from cgcli.pricing.table import TTL_S, Prices, default_prices

if TYPE_CHECKING:
    from pathlib import Path

_NEEDED = ("fresh", "read", "write", "output")
_TEXTS = ("as_of", "source")
_WRITES = {"write_30m": TTL_S["30m"], "write_1h": TTL_S["1h"], "write_12h": TTL_S["12h"]}
_ALLOWED = (*_NEEDED, *_WRITES, "tiers", *_TEXTS)
_TIER = ("above_tokens", "input_times", "output_times")
_SHAPE = 'for example {"claude-sonnet-4-5": {"fresh": 3, "read": 0.3, "write": 3.75, "write_1h": 6, "output": 15}}'
_TIER_SHAPE = 'for example "tiers": [{"above_tokens": 272000, "input_times": 2, "output_times": 1.5}]'
_MOST_DIGITS = 20
"""Before and after the point; Decimal takes exponents that no sum and no report can hold."""
_PRICE_HINT = "US dollars per million tokens, 0 or more"


def read_rates(path: Path) -> Prices:
    """The prices that the file *path* says, before the table; TOML where its name ends in `.toml`, else JSON.

    Raises:
        UsageError: it cannot be read, or is not such a table.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the rates cannot be read: {error.strerror}", where=str(path), hint="look at its path and permissions"
        ) from error
    return parse_rates(data, file=str(path))


def parse_rates(data: bytes, *, file: str) -> Prices:
    """The prices that *data*, the content of *file*, says; of models that it does not have, those of the table.

    Raises:
        UsageError: it is not such a table; says where and why.
    """
    table = _table(data, file)
    if not isinstance(table, dict) or not table:
        raise UsageError("the rates are no table of models", where=file, hint=_SHAPE)
    default = default_prices()
    return changed(
        default,
        own={model: _checked(model, prices, file) for model, prices in table.items()},
        as_of="",
        source=f"{file}; for models that it does not have: {default.source} of {default.as_of}",
    )


def _table(data: bytes, file: str) -> Any:
    name = "TOML" if file.endswith(".toml") else "JSON"
    try:
        text = data.decode("utf-8")
        if name == "TOML":
            return tomllib.loads(text, parse_float=Decimal)
        return json.loads(text, parse_float=Decimal, parse_int=Decimal, object_pairs_hook=_no_key_twice)
    except RecursionError as error:
        raise UsageError("the rates are nested too deeply", where=file, hint=_SHAPE) from error
    except ValueError as error:
        raise UsageError(f"the rates are no {name}: {error}", where=file, hint=_SHAPE) from error


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key stands twice")
    return table


def _checked(model: str, prices: object, file: str) -> Rate:
    if not isinstance(prices, dict):
        raise UsageError(f"{model}: the prices are no table", where=file, hint=_SHAPE)
    for key in prices:
        if key not in _ALLOWED:
            raise UsageError(f"{model}: unknown price {key!r}", where=file, hint=did_you_mean(str(key), _ALLOWED))
    for key in _NEEDED:
        if key not in prices:
            raise UsageError(f"{model}: the price {key!r} is missing", where=file, hint=_SHAPE)
    said = {
        key: _number(f"{model}.{key}", given, file) for key, given in prices.items() if key not in ("tiers", *_TEXTS)
    }
    told = {key: _text(f"{model}.{key}", prices[key], file) for key in _TEXTS if key in prices}
    # `write` is the price of the providers' shortest lifetimes, 5 minutes and half an hour, where it is not said apart.
    shortest = {TTL_S["5m"]: said["write"], TTL_S["30m"]: said["write"]}
    return Rate(
        model=model,
        fresh=said["fresh"],
        read=said["read"],
        output=said["output"],
        write_by_ttl_s=shortest | {ttl_s: said[key] for key, ttl_s in _WRITES.items() if key in said},
        tiers=_tiers(f"{model}.tiers", prices.get("tiers", []), file),
        source=told.get("source", file),
        as_of=told.get("as_of", ""),
    )


def _tiers(where: str, said: object, file: str) -> tuple[Tier, ...]:
    """The tiers in a list of tables, each above the one before it."""
    if not isinstance(said, list):
        raise UsageError(f"{where}: {_shown(said)} is no list of tiers", where=file, hint=_TIER_SHAPE)
    tiers: list[Tier] = []
    for i, one in enumerate(said):
        here = f"{where}[{i}]"
        if not isinstance(one, dict) or set(one) != set(_TIER):
            raise UsageError(f"{here}: a tier has {', '.join(_TIER)}", where=file, hint=_TIER_SHAPE)
        above = _number(f"{here}.above_tokens", one["above_tokens"], file, what="number of tokens", hint=_TIER_SHAPE)
        if above != above.to_integral_value() or (tiers and above <= tiers[-1].above_tokens):
            raise UsageError(
                f"{here}.above_tokens: {above} is no whole number above the tier before's", where=file, hint=_TIER_SHAPE
            )
        times = (_number(f"{here}.{key}", one[key], file, what="factor", hint=_TIER_SHAPE) for key in _TIER[1:])
        input_times, output_times = times
        tiers.append(Tier(above_tokens=int(above), input_times=input_times, output_times=output_times))
    return tuple(tiers)


def _number(where: str, said: object, file: str, *, what: str = "price", hint: str = _PRICE_HINT) -> Decimal:
    """A number, or a string that spells one; not below zero."""
    if isinstance(said, (int, str, Decimal)) and not isinstance(said, bool):
        try:
            number = Decimal(said)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite() and number >= 0 and number.adjusted() < _MOST_DIGITS and _decimals(number) < _MOST_DIGITS:
            return number
    raise UsageError(f"{where}: {_shown(said)} is no {what}", where=file, hint=hint)


def _decimals(number: Decimal) -> int:
    return -int(number.as_tuple().exponent)


def _text(where: str, said: object, file: str) -> str:
    """A text of one line; a day as TOML writes it too."""
    text = said if isinstance(said, str) else said.isoformat() if hasattr(said, "isoformat") else ""
    if not isinstance(text, str) or not text.strip() or len(text.splitlines()) != 1:
        raise UsageError(f"{where}: {_shown(said)} is no text of one line", where=file, hint='"as_of": "2026-11-30"')
    return text


def _shown(said: object) -> str:
    """What a file says, as its author would write it: a number is no word of Python's."""
    return str(said) if isinstance(said, Decimal) else repr(said)
