"""What a Claude model is called in the providers' tables, out of the names that platforms and proxies write."""

from __future__ import annotations

import re
from functools import lru_cache

_FAMILY = "fable|mythos|opus|sonnet|haiku"
_VERSION = r"(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?"
_NEW = re.compile(rf"claude-({_FAMILY})(?:-(preview)|-{_VERSION})?")
_OLD = re.compile(rf"claude-{_VERSION}-({_FAMILY})")


@lru_cache(maxsize=256)
def short_name(model: str | None) -> str | None:
    """The family and version of a Claude model; None where *model* is no Claude, or has no version.

    >>> short_name("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
    'sonnet-4-5'
    >>> short_name("claude-3-5-haiku-20241022")
    'haiku-3-5'
    """
    name = (model or "").lower()
    old = _OLD.search(name)
    if old is not None:
        return "-".join(part for part in (old[3], old[1], old[2]) if part is not None)
    new = _NEW.search(name)
    if new is None or not (new[2] or new[3]):
        return None
    return "-".join(part for part in new.groups() if part is not None)
