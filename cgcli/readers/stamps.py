"""Times as session files write them: ISO 8601, or a number of seconds or milliseconds."""

from __future__ import annotations

import re
from calendar import timegm
from math import isfinite
from typing import Any

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,12}))?\s*(?:(Z|z|UTC)|([+-])(\d\d):?(\d\d))?", re.ASCII
)
_MOST = (9999, 12, 31, 23, 59, 60)
_LEAST = (1, 1, 1, 0, 0, 0)


def iso_s(text: Any) -> float | None:
    """Seconds since 1970 of the ISO 8601 time *text*; None where it is none. Without a zone it counts as UTC."""
    match = _ISO.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    parts = tuple(int(part) for part in match.groups()[:6])
    if any(not least <= part <= most for part, least, most in zip(parts, _LEAST, _MOST, strict=True)):
        return None
    shift_s = int(match[10]) * 3600 + int(match[11]) * 60 if match[9] else 0
    fraction_s = int(match[7]) / 10 ** len(match[7]) if match[7] else 0.0
    return timegm(parts) + fraction_s - (-shift_s if match[9] == "-" else shift_s)


def time_s(given: Any) -> float | None:
    """Seconds since 1970 of a time in ISO 8601, or a number of them; None where *given* is neither."""
    return iso_s(given) if isinstance(given, str) else number_s(given)


def number_s(number: Any, *, units_per_s: int = 1) -> float | None:
    """*number* of units as seconds; None where it is no number, or too large for one."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    try:
        stamp = number / units_per_s
    except OverflowError:
        return None
    return stamp if isfinite(stamp) else None
