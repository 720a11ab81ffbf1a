"""A recorded answer, read."""

from __future__ import annotations

import json
from typing import Any


def told(answer: bytes | None) -> dict[str, Any] | None:
    """The answer's object; None where none is recorded, or it is not the JSON of one."""
    if answer is None:
        return None
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
