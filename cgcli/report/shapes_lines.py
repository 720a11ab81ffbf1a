"""Lines behind a label, and what they say of prices: for one comparison, and for a lane."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDTH = 120
_LABEL = 9


def labelled(label: str, text: str) -> Iterator[str]:
    """*text*, which is safe, behind its label and in as many lines as it takes."""
    words = wrap(text, WIDTH - _LABEL, break_long_words=False, break_on_hyphens=False)
    for i, line in enumerate(words or [""]):
        yield f"{label if i == 0 else '':{_LABEL}}{line}"


def rule(rate: Mapping[str, Any]) -> str:
    """What the prices are, and from where; or why there are none."""
    return safe(rate["rule"] or f"{rate['model'] or 'no model'} is unpriced: {rate['unpriced']}")
