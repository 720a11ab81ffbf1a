"""Which row of a table a model's name means, out of the names that platforms and proxies write.

Stricter than `claude_names`: whatever is left over beside a platform, a date and a version of the interface makes
another model of it, so that a newer or a smaller one never passes for the one that a table has.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cgcli.model import value

_MOST_CHARS = 300
_NAME = re.compile(
    r"(?P<prefix>(?:.*/)?(?:[a-z][a-z_-]*[.:])*(?:databricks-)?)"
    r"(?P<name>.+?)"
    r"(?P<dated>-latest|[-@]\d{4}-?\d{2}-?\d{2})?"
    r"(?:-v\d+(?::\d+)?|@default)?"
    r"(?:\[1m\]|:thinking)?"
)
_FAMILY = r"(?P<family>fable|mythos|opus|sonnet|haiku)"
_VERSION = r"(?P<version>\d{1,2}(?:[-.]\d{1,2})?)"
_CLAUDE = (re.compile(rf"claude-{_FAMILY}-{_VERSION}"), re.compile(rf"claude-{_VERSION}-{_FAMILY}"))
_FINE_TUNED = "ft:"


@value
class Named:
    """A model's name, taken apart."""

    names: tuple[str, ...]
    """What a table may call it, the most exact first: with its date, without; none for a fine-tuned model."""
    platform: tuple[str, ...]
    """What stood before the name, in order: `("us", "anthropic")`, `("openrouter", "deepseek")`."""


@lru_cache(maxsize=256)
def named(model: str) -> Named:
    """*model* without platform, date and version of the interface; Claude models as `claude-FAMILY-VERSION`.

    >>> named("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
    Named(names=('claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'), platform=('us', 'anthropic'))
    >>> named("openrouter/anthropic/claude-3.7-sonnet:thinking").names
    ('claude-sonnet-3-7',)
    """
    lower = model.strip().lower()
    found = _NAME.fullmatch(lower) if len(lower) <= _MOST_CHARS and _FINE_TUNED not in lower else None
    if found is None:
        return Named(names=(), platform=())
    name = found["name"]
    for pattern in _CLAUDE:
        claude = pattern.fullmatch(name)
        if claude is not None:
            name = f"claude-{claude['family']}-{claude['version'].replace('.', '-')}"
    names = (f"{name}{found['dated']}", name) if found["dated"] else (name,)
    platform = tuple(step for step in re.split(r"[/.:]|(?<=databricks)-", found["prefix"]) if step)
    return Named(names=names, platform=platform)
