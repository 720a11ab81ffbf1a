"""The usage that an answer records, as disjoint counts; streamed answers too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.model import Usage
from cgcli.wire import sse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TTL_S = {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 3600}
_DEFAULT_TTL_S = 300
_OPENAI_TTL_S = {"ttl_30m_tokens": 1800, "ttl_12h_tokens": 43_200}
_OPENAI_DEFAULT_TTL_S = 1800
_OWN_STEPS = frozenset({"message", "compaction"})
"""Steps of one request that its own model did; the others are billed at another model's prices."""


def of_answer(answer: Mapping[str, Any]) -> Usage | None:
    """The usage in a whole *answer*, Anthropic's or OpenAI's shape; None where it has none."""
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return None
    return _openai(usage) if "prompt_tokens" in usage or "input_tokens_details" in usage else _anthropic(usage)


def of_stream(stream: str) -> Usage | None:
    """The usage in an event *stream*: `message_start` has the input, the last `message_delta` the output."""
    merged: dict[str, Any] = {}
    for data in sse.data(stream):
        if '"usage"' not in data:
            continue
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if not isinstance(event, dict):
            continue
        holder = event.get("message") or event.get("response") or event
        usage = holder.get("usage") if isinstance(holder, dict) else None
        if isinstance(usage, dict):
            merged |= {key: number for key, number in usage.items() if number is not None}
    return of_answer({"usage": merged}) if merged else None


def _anthropic(usage: Mapping[str, Any]) -> Usage | None:
    """Anthropic's counts: `input_tokens` excludes what was read and written."""
    fresh = _number(usage.get("input_tokens"))
    if fresh is None:
        return None
    written = _number(usage.get("cache_creation_input_tokens")) or 0
    return Usage(
        fresh=fresh,
        read=_number(usage.get("cache_read_input_tokens")) or 0,
        write_by_ttl_s=split(written, usage.get("cache_creation")),
        output=_number(usage.get("output_tokens")),
        iterations=tuple(_iterations(usage.get("iterations"))),
    )


def _iterations(steps: Any) -> Iterator[Usage]:
    """What each step of the request took; a step that is not understood has no counts, so that it is not left out."""
    for step in steps if isinstance(steps, list) else ():
        is_own = isinstance(step, dict) and step.get("type", "message") in _OWN_STEPS
        found = _anthropic(step) if is_own else None
        yield found or Usage(fresh=None, read=None, write_by_ttl_s=None, output=None)


def split(
    written: int,
    told: Any,
    ttls: Mapping[str, int] = _TTL_S,
    *,
    default_s: int = _DEFAULT_TTL_S,
) -> dict[int, int]:
    """What was *written*, by lifetime in seconds; what is *told* of it and does not add up to it is not believed.

    *told* has parts by name, Anthropic's unless other *ttls* are given.
    """
    parts = {ttl: n for key, ttl in ttls.items() if isinstance(told, dict) and (n := _number(told.get(key)))}
    if sum(parts.values()) != written:
        parts = {default_s: written} if written else {}
    return parts


def _openai(usage: Mapping[str, Any]) -> Usage | None:
    """OpenAI's counts: the input includes what was read and written."""
    total = _number(usage.get("prompt_tokens", usage.get("input_tokens")))
    if total is None:
        return None
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    if not isinstance(details, dict):
        details = {}
    read = _number(details.get("cached_tokens")) or 0
    written = _number(details.get("cache_write_tokens")) or 0
    # LiteLLM gives Anthropic's usage in this shape, what was written under Anthropic's name.
    claude = _number(usage.get("cache_creation_input_tokens"))
    if claude and not written:
        return inclusive(total=total, read=read, written=claude, output=_number(usage.get("completion_tokens")))
    return Usage(
        fresh=max(0, total - read - written),
        read=read,
        write_by_ttl_s=split(
            written, details.get("cache_write_tokens_details"), _OPENAI_TTL_S, default_s=_OPENAI_DEFAULT_TTL_S
        ),
        output=_number(usage.get("completion_tokens", usage.get("output_tokens"))),
    )


def inclusive(*, total: int, read: int, written: int, output: int | None) -> Usage:
    """Disjoint counts from a *total* input that includes what was *read* and *written*; a write lives 5 minutes."""
    return Usage(
        fresh=max(0, total - read - written),
        read=read,
        write_by_ttl_s=by_ttl(written),
        output=output,
    )


def by_ttl(written: int | None) -> dict[int, int] | None:
    """What was *written*, where nothing tells for how long: 5 minutes; None where it is not told at all."""
    if written is None:
        return None
    return {_DEFAULT_TTL_S: written} if written else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
