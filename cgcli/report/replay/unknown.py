"""Which requests of a replay are in no figure, and what would put them there."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def lines(file: Mapping[str, Any]) -> Iterator[str]:
    """What is not simulated and why, and what is not priced, by model."""
    turns = file["arms"][0]["turns"]
    for detail, n in Counter(turn["not_simulated"] for turn in turns if turn["not_simulated"] is not None).items():
        yield f"not simulated: {counted(n, 'request')}: {safe(detail)}"
    unpriced = Counter(turn["model"] for turn in turns if turn["read_tokens"] is not None and turn["usd"] is None)
    for model, n in unpriced.items():
        whose = f"of {safe(model)} (--rates FILE takes prices)" if model is not None else "without a model"
        yield f"not priced, and in no dollars: {counted(n, 'request')} {whose}"
