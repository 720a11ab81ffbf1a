"""Which version an OpenAI model is, out of the names that platforms and proxies write."""

from __future__ import annotations

import re

# A path, a vendor or "ft:" may stand before the name; a date behind it is longer than a version's second number, and
# "32k" or "4o" is none either.
_VERSIONED = re.compile(r"(?:^|[/.:]|databricks-|chat)gpt-(\d)(?:[.-](\d{1,2})(?![a-z\d])|(5)(?!\d))?(?!\d)")


def gpt_version(model: str | None) -> tuple[int, int] | None:
    """The version of a GPT model, as (5, 6); None where *model* is no GPT, or has no version.

    >>> gpt_version("openai/gpt-6.1-terra")
    (6, 1)
    >>> gpt_version("gpt-5-2025-08-07")
    (5, 0)
    """
    found = _VERSIONED.search((model or "").lower())
    if found is None:
        return None
    azure_minor = found[3]  # gpt-35
    return int(found[1]), int(found[2] or azure_minor or 0)
