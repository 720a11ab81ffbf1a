"""Cache breakpoints: how many a request may set, what they can stand on, and how far they are looked up from."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.providers.claude_names import short_name

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""

_CLAUDE = "Claude docs, prompt caching"
_OPENAI = "OpenAI guide, prompt caching; OpenAI Python SDK 3.57.0"


@value
class Limits:
    """What holds for the breakpoints of one provider."""

    most: int
    """More than so many in one request are refused (Anthropic), or not all written (OpenAI)."""
    ttls: tuple[str, ...]
    """The lifetimes that may be asked for, in the order in which they must stand: the longest first."""
    look_back: int | None
    """Positions that are looked at from a breakpoint backwards, its own included; None where there is no such limit."""
    source: str


ANTHROPIC = Limits(most=4, ttls=("1h", "5m"), look_back=20, source=_CLAUDE)
DEFAULT_TTL = "5m"
"""Claude docs, prompt caching: what a mark without `ttl` asks for."""
OPENAI = Limits(most=4, ttls=("12h", "30m"), look_back=None, source=_OPENAI)
OPENAI_IMPLICIT_WRITES = 1
"""In the mode `implicit`, one of the four writes is the implicit one at the end of the input."""

UNMARKABLE_TYPES = frozenset({"thinking", "redacted_thinking"})
"""Claude docs, prompt caching, what cannot be cached: these are cached along with what stands around them."""

MINIMUM_TOKENS: Mapping[str, int] = MappingProxyType(
    {
        # Claude docs, prompt caching, cache limitations.
        **dict.fromkeys(("fable-5-1", "mythos-5-1", "opus-5-5", "opus-5", "fable-5", "mythos-5"), 512),
        # litellm 1.110.2, prompt_cache_min_tokens.
        **dict.fromkeys(("sonnet-5-5", "haiku-5-5"), 512),
        # Claude docs again.
        **dict.fromkeys(
            ("opus-4-8", "sonnet-5", "sonnet-4-6", "sonnet-4-5", "opus-4-1", "opus-4", "sonnet-4", "sonnet-3-7"), 1024
        ),
        **dict.fromkeys(("sonnet-3-5", "opus-3"), 1024),
        **dict.fromkeys(("opus-4-7", "mythos-preview", "haiku-3-5", "haiku-3"), 2048),
        **dict.fromkeys(("opus-4-6", "opus-4-5", "haiku-4-5"), 4096),
    }
)
"""The smallest prefix that is cached, by Claude model; a smaller one is silently left out."""


def minimum_tokens(model: str | None) -> int | None:
    """The smallest prefix of *model* that is cached, in tokens; None for a model that the table does not have."""
    name = short_name(model)
    return MINIMUM_TOKENS.get(name) if name is not None else None


_HOUR_ON_BEDROCK_SINCE = (4, 5)
"""AWS docs, Amazon Bedrock, prompt caching: `1h` for Claude 4.5 and later; others have five minutes."""


def bedrock_ttls(model: str | None) -> tuple[str, ...]:
    """The lifetimes that may be asked for on Bedrock; all of them for a model that is not known."""
    name = short_name(model)
    version = [int(part) for part in (name or "").split("-")[1:] if part.isdigit()]
    is_older = bool(version) and (version[0], (version[1:] or [0])[0]) < _HOUR_ON_BEDROCK_SINCE
    return (DEFAULT_TTL,) if is_older else ANTHROPIC.ttls
