"""What tokens cost, as a file says: a table a model, US dollars per million tokens, in JSON or TOML."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cgcli.model import Usage

_NEEDED = ("fresh", "read", "write", "output")
_ALLOWED = (*_NEEDED, "write_1h")
_HOUR_S = 3600
_MILLION = Decimal(1_000_000)
_DATED = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}")
_SHAPE = 'for example {"claude-sonnet-4-5": {"fresh": 3, "read": 0.3, "write": 3.75, "write_1h": 6, "output": 15}}'


@value
class Rate:
    """The prices of one model, in US dollars per million tokens."""

    fresh: Decimal
    """Input that is neither read from a cache nor written to one."""
    read: Decimal
    write: Decimal
    output: Decimal
    write_1h: Decimal | None = None
    """A write that is to live an hour; None where the file does not say."""


@value
class Rates:
    """The prices of models, by name."""

    by_model: Mapping[str, Rate]

    def usd(self, model: str | None, usage: Usage) -> Decimal | None:
        """What *usage* of *model* costs; None where a count or a price is missing."""
        rate = self._rate(model)
        if rate is None or usage.fresh is None or usage.output is None:
            return None
        total = usage.fresh * rate.fresh + (usage.read or 0) * rate.read + usage.output * rate.output
        for ttl_s, tokens in (usage.write_by_ttl_s or {}).items():
            price = rate.write_1h if ttl_s >= _HOUR_S else rate.write
            if price is None:
                return None
            total += tokens * price
        return total / _MILLION

    def _rate(self, model: str | None) -> Rate | None:
        """The price under the model's name, or under the name without the date that it ends in."""
        if model is None:
            return None
        found = self.by_model.get(model)
        if found is None and (dated := _DATED.search(model)) is not None and dated.end() == len(model):
            found = self.by_model.get(model[: dated.start()])
        return found


def read_rates(path: Path) -> Rates:
    """The prices that the file *path* says; TOML where its name ends in `.toml`, else JSON.

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


def parse_rates(data: bytes, *, file: str) -> Rates:
    """The prices that *data*, the content of *file*, says.

    Raises:
        UsageError: it is not such a table; says where and why.
    """
    table = _table(data, file)
    if not isinstance(table, dict) or not table:
        raise UsageError("the rates are no table of models", where=file, hint=_SHAPE)
    return Rates(by_model={model: _checked(model, prices, file) for model, prices in table.items()})


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
    return Rate(**{key: _price(f"{model}.{key}", said, file) for key, said in prices.items()})


def _price(where: str, said: object, file: str) -> Decimal:
    """A number, or a string that spells one; not below zero."""
    if isinstance(said, (int, str, Decimal)) and not isinstance(said, bool):
        try:
            price = Decimal(said)
        except InvalidOperation:
            price = Decimal("NaN")
        if price.is_finite() and price >= 0:
            return price
    raise UsageError(f"{where}: {said!r} is no price", where=file, hint="US dollars per million tokens, 0 or more")
