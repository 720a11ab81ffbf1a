"""The records that were not usable, as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import number
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST = 5


def unusable(skipped: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How many, and the first of them with their lines; nothing where there is none."""
    if not skipped:
        return
    yield f"unusable records: {number(len(skipped))}"
    for one in skipped[:_MOST]:
        detail = f": {safe(one['detail'])}" if one["detail"] else ""
        yield f"  line {one['line']}: {one['reason']}{detail}"
    if len(skipped) > _MOST:
        yield f"  and {number(len(skipped) - _MOST)} more: --json has them all"
