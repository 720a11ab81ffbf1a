"""Tools, by the names that calls have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.view import Output


def is_of(output: Output, names: Sequence[str]) -> bool:
    """True where *output* answers a call of one of the tools *names*."""
    return output.call is not None and output.call.name in names
