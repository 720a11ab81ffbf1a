"""When what was written can be read: from the answer to its writer on, until its time after the last use is over."""

from __future__ import annotations

from cgcli.cachesim.why import Why


def fate(sent_s: float | None, *, readable_s: float | None, used_s: float | None, life_s: int | None) -> Why | None:
    """Why it cannot be read at *sent_s*; without a time on both sides nothing speaks against it.

    It became readable at *readable_s* (None: at once), and lives *life_s* from *used_s* on (None: for good).
    """
    if sent_s is None:
        return None
    if readable_s is not None and sent_s < readable_s:
        return Why.NOT_YET_READABLE
    is_over = life_s is not None and used_s is not None and sent_s - used_s > life_s
    return Why.EXPIRED if is_over else None


def earliest(a_s: float | None, b_s: float | None) -> float | None:
    """The earlier of two times from which on it is readable; None, at once, where one is."""
    return None if a_s is None or b_s is None else min(a_s, b_s)
