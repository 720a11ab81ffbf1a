"""Which parameters of a body a provider's prompt cache depends on, and which part of it a change breaks."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import Section, value

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""

_ALL = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
_FROM_SYSTEM = (Section.SYSTEM, Section.MESSAGES)
_MESSAGES = (Section.MESSAGES,)


@value
class Rule:
    """One parameter."""

    path: str
    breaks: tuple[Section, ...]
    default: bytes | None = None
    """A value that means the same as leaving it out."""
    same: tuple[bytes, ...] = ()
    """Others that do, members in the order of their keys."""
    order_counts: bool = False
    """Its value has a JSON schema in it, which the provider renders in the order in which its keys were sent."""


_CLAUDE = "Claude docs, prompt caching, what invalidates the cache"
_OPENAI = "OpenAI guide, prompt caching, settings that affect the prefix"

# Model, tools and system prompt are compared as what they are. `thinking` and `effort` leave tools and system warm on
# most models and not on all; the docs say "model", the weaker claim stands here.
RULES: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {
        "anthropic": (
            Rule(path="speed", breaks=_FROM_SYSTEM),
            Rule(
                path="tool_choice",
                breaks=_MESSAGES,
                default=b'{"type":"auto"}',
                same=(b'{"disable_parallel_tool_use":false,"type":"auto"}',),
            ),
            Rule(path="thinking", breaks=_MESSAGES),
            Rule(path="output_config.effort", breaks=_MESSAGES, default=b'"high"'),
        ),
        "openai-chat": (
            Rule(path="parallel_tool_calls", breaks=_ALL, default=b"true"),
            Rule(path="response_format", breaks=_ALL, default=b'{"type":"text"}', order_counts=True),
            Rule(path="reasoning_effort", breaks=_ALL),
            Rule(path="verbosity", breaks=_ALL),
            Rule(path="prompt_cache_key", breaks=_ALL),
            Rule(path="service_tier", breaks=_ALL, default=b'"auto"'),
        ),
        "openai-responses": (
            Rule(path="parallel_tool_calls", breaks=_ALL, default=b"true"),
            Rule(path="text.format", breaks=_ALL, default=b'{"type":"text"}', order_counts=True),
            Rule(path="text.verbosity", breaks=_ALL),
            Rule(path="reasoning.effort", breaks=_ALL),
            Rule(path="context_management", breaks=_ALL),
            Rule(path="prompt_cache_key", breaks=_ALL),
            Rule(path="service_tier", breaks=_ALL, default=b'"auto"'),
        ),
    }
)
"""By dialect, in the order in which a difference is looked for."""
SOURCES: Mapping[str, str] = MappingProxyType(
    {"anthropic": _CLAUDE, "openai-chat": _OPENAI, "openai-responses": _OPENAI}
)
