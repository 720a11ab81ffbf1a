"""What Langfuse keeps of usage: figures by name, in its own names or in a provider's."""

from __future__ import annotations

from typing import Any

from cgcli.model import Usage
from cgcli.readers import usage as usages
from cgcli.readers.fields import count

_PROVIDERS = ("prompt_tokens", "input_tokens")
_READ = ("cache_read_input_tokens", "input_cache_read", "input_cached_tokens")
_WRITTEN = ("cache_creation_input_tokens", "input_cache_creation", "input_cache_write")


def usage_of(details: Any, older: Any) -> Usage | None:
    """The usage in `usageDetails`, or in the older `usage`; None where neither counts tokens.

    Langfuse's own figures are disjoint, and their sum is `total`. Some integrations give an `input` that has what was
    read and written in it: then `total` is `input` and `output` alone.
    """
    for told in (details, older):
        if not isinstance(told, dict) or told.get("unit", "TOKENS") not in ("TOKENS", None):
            continue
        found = usages.of_answer({"usage": told}) if any(key in told for key in _PROVIDERS) else _own(told)
        if found is not None:
            return found
    return None


def _own(told: dict[str, Any]) -> Usage | None:
    fresh, output = count(told.get("input")), count(told.get("output"))
    if fresh is None:
        return None
    read, written = _first(told, _READ), _first(told, _WRITTEN)
    cached = (read or 0) + (written or 0)
    if cached and cached <= fresh and told.get("total") == fresh + (output or 0):
        fresh -= cached
    return Usage(
        fresh=fresh,
        read=read,
        write_by_ttl_s=usages.by_ttl(written),
        output=output,
    )


def _first(told: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    return next((n for key in keys if (n := count(told.get(key))) is not None), None)
