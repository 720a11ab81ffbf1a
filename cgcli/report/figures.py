"""Numbers as people read them, and token sums with their basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.replay.ledger import Row

_KIB = 1024


def rulers(rows: Iterable[Row]) -> dict[str | None, Ruler]:
    """One ruler for each model of *rows*; only an estimate is fitted, an exact count stays."""
    by_model: dict[str | None, list[tuple[int, int]]] = {}
    for row in rows:
        pairs = by_model.setdefault(row.model, [])
        if row.recorded_input_tokens is not None:
            pairs.append((row.before_tokens, row.recorded_input_tokens))
    return {model: Ruler(model, pairs=pairs) for model, pairs in by_model.items()}


def number(n: int) -> str:
    """*n* with thousands separated."""
    return f"{n:,}"


def counted(n: int, what: str) -> str:
    """*n* of *what*, with a plural s where it takes one."""
    return f"{number(n)} {what}{'' if n == 1 else 's'}"


def size(n_bytes: int) -> str:
    """*n_bytes* in the unit that fits."""
    if n_bytes < _KIB:
        return f"{n_bytes} bytes"
    scaled = float(n_bytes)
    unit = "bytes"
    for unit in ("KB", "MB", "GB", "TB"):  # noqa: B007 - the unit that the loop ends at is used
        scaled /= _KIB
        if scaled < _KIB:
            break
    return f"{scaled:.1f} {unit}"


def change(before: int, after: int) -> str:
    """The relative change, signed, with one decimal."""
    if before == 0:
        return "0.0 %"
    percent = (after - before) * 100 / before
    return f"{percent:+.1f} %" if abs(percent) >= 0.05 else "0.0 %"  # noqa: PLR2004 - what rounds to nothing
